/** kill -9 of the real process during an import: its report ends as interrupted, and the file can be imported again. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { adHoc } from "../tools/ad-hoc.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import { createMerchant } from "./support/merchant.ts";
import { machine, serviceOf, type Machine, type ServiceProcess } from "./support/process.ts";
import type { Json } from "./support/service.ts";
import { uploadForm } from "./support/upload.ts";

const ROWS = 5_000;

let database: TestDatabase;
let host: Machine;
let running: ServiceProcess;
/** Calls the process that is running. */
const service = serviceOf(() => running);

before(async () => {
  database = await testDatabase();
  host = await machine(database.url);
  running = await host.start();
});
after(async () => {
  await running.stop();
  await host.remove();
  await database.close();
});

async function report(): Promise<Json> {
  const [row] = await database.db.query<Json>(...adHoc("select * from imports order by created_at limit 1"));
  return row ?? {};
}

async function until(holds: (report: Json) => boolean): Promise<Json> {
  for (;;) {
    const found = await report();
    if (holds(found)) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

test("an import whose process was killed ends as interrupted with the rows imported so far, and a new import adds the rest", async () => {
  const merchant = await createMerchant(service);
  const lines = Array.from({ length: ROWS }, (_, n) => `p-${n},approved,sale,19.90,EUR,2026-01-31`);
  const file = ["unique_id,status,type,amount,currency,date", ...lines].join("\n");
  const fields = { kind: "transactions", gateway_id: merchant.gatewayId };
  const { body, headers } = uploadForm(file, { fields });
  const outgoing = request(`http://127.0.0.1:${host.port}/api/v1/management/imports/`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${merchant.key}`, "content-length": body.length },
  });
  outgoing.on("error", () => {});
  outgoing.write(body.subarray(0, Math.floor(body.length * 0.6)));
  await until(({ lines: read }) => read >= 1_000);
  running.child.kill("SIGKILL");
  await running.ended;

  // The job waits until no line was read for an hour. This makes the hour pass.
  const left = await report();
  assert.equal(left["status"], "running");
  await database.db.query(...adHoc("update imports set updated_at = now() - interval '61 minutes'"));
  running = await host.start();
  const ended = await until(({ status }) => status !== "running");
  assert.deepEqual([ended["status"], ended["created"]], ["failed", left["created"]]);
  assert.match(ended["error"], /interrupted\. Import the file again/);

  const again = await service.post("management/imports/", body, { key: merchant.key, headers });
  assert.deepEqual(
    [again.body["status"], again.body["created"], again.body["duplicate"]],
    ["done", ROWS - ended["created"], ended["created"]],
    again.text,
  );
});
