/** A bank's SFTP server that reports what is not true: no file is lost or delayed forever. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { fetchFiles } from "../../src/gateways/sepa-batch/incoming/fetch.ts";
import { sendJob } from "../../src/gateways/sepa-batch/outgoing/send.ts";
import { findAccounts } from "../../src/gateways/sepa-batch/files-store.ts";
import { seeded } from "../../tools/random.ts";
import { LOGIN, startSftp, type ChaosSftp } from "../../tools/chaos/sftp-server.ts";
import { bankMerchant, camt, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const NEVER = new AbortController().signal;
let service: Service;
let server: ChaosSftp;

before(async () => {
  service = await startService({ clock });
  server = await startSftp(seeded(1));
});
after(async () => {
  await service.close();
  await server.close();
});

function merchantAtTheBank(): Promise<BankMerchant> {
  const transport = {
    kind: "sftp",
    host: "127.0.0.1",
    port: server.port,
    username: LOGIN.username,
    host_key: server.hostKey,
    outbox: "/out",
    inbox: "/in",
    archive: "/archive",
  };
  return bankMerchant(service, { transport }, { credentials: { password: LOGIN.password } });
}

/** A file whose first upload failed and whose second succeeded, with its record after each. */
async function sentAtTheSecondTry(): Promise<{
  readonly first: Json;
  readonly last: Json;
  readonly arrived: string;
}> {
  const merchant = await merchantAtTheBank();
  await payAt(merchant);
  await treasury.moveTo(service, merchant, "2026-11-23T12:00:00Z");
  const [first = {}] = await outgoing(service, merchant);
  clock.advance(2 * MINUTE_MS);
  await sendJob(service.app.deps, null).runOnce(1);
  const [last = {}] = await outgoing(service, merchant);
  return { first, last, arrived: server.outbox.get(last["name"])?.toString() ?? "" };
}

test("a rename that the server reported and did not carry out is tried again", async () => {
  server.failNext("rename", "yes, and not done");
  const { first, last, arrived } = await sentAtTheSecondTry();
  assert.equal(first["status"], "renaming");
  assert.match(first["error"], /reported renaming/);
  assert.equal(last["status"], "sent");
  assert.match(arrived, /<\/Document>\s*$/);
});

test("a server that has kept less than it was sent is sent the file again before the bank can see it", async () => {
  server.failNext("write", "yes, and not done");
  const { first, last, arrived } = await sentAtTheSecondTry();
  assert.equal(first["status"], "uploading");
  assert.match(first["error"], /has 0 of the \d+ bytes/);
  assert.equal(last["status"], "sent");
  assert.match(arrived, /<\/Document>\s*$/);
});

test("a file that is listed and cannot be fetched delays no other file, and is reported", async () => {
  const merchant = await merchantAtTheBank();
  const [account] = (await findAccounts(service.db, null)).filter(({ id }) => id === merchant.accountId);
  assert.ok(account !== undefined);
  server.inbox.set("1-statement.xml", Buffer.from(camt("camt.053", "2026-11-23", [])));
  server.failNext("list", "ghost", 2);
  const seen = new Map<string, number>();
  clock.advance(MINUTE_MS);
  assert.equal(await fetchFiles(service.app.deps, account, seen, NEVER), 0);
  clock.advance(MINUTE_MS);
  assert.equal(await fetchFiles(service.app.deps, account, seen, NEVER), 1);
  assert.deepEqual([server.inbox.size, [...server.archive.keys()]], [0, ["1-statement.xml"]]);
  const [polled] = await service.rows("select poll_error from sepa_accounts where gateway_id = $1", [
    account.id,
  ]);
  assert.match(polled?.["poll_error"], /^0-ghost\.xml: .*No such file/);
});

test(
  "a server that refuses the transfer of files after the login is given as the reason, and the connection is closed",
  { timeout: 20_000 },
  async () => {
    const merchant = await merchantAtTheBank();
    const [account] = (await findAccounts(service.db, null)).filter(({ id }) => id === merchant.accountId);
    assert.ok(account !== undefined);
    server.refuseNext();
    clock.advance(MINUTE_MS);
    assert.equal(await fetchFiles(service.app.deps, account, new Map(), NEVER), 0);
    const [polled] = await service.rows("select poll_error from sepa_accounts where gateway_id = $1", [
      account.id,
    ]);
    assert.match(polled?.["poll_error"], /Channel open failure/);
    await server.allClosed();
  },
);
