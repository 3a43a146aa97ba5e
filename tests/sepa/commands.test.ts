/** The commands for bank files and EBICS users on an account in the database: their output and exit codes. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { calendar, collectNow, importBankFiles } from "../../src/gateways/sepa-batch/commands.ts";
import { ebicsLetter, ebicsStep } from "../../src/gateways/sepa-batch/transports/ebics/commands.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { bankMerchant, camt } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";

let service: Service;
let folder: string;
before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-commands-"));
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

test("an import is complete only if no file is refused; the same file again is known", async () => {
  const { accountId } = await bankMerchant(service);
  const good = join(folder, "good.xml");
  const bad = join(folder, "bad.xml");
  await writeFile(good, camt("camt.053", "2026-11-23", []));
  await writeFile(bad, "date;amount\n");
  const read = (...paths: string[]) => importBankFiles(service.app.deps, accountId, paths);
  const both = await read(good, bad);
  assert.equal(both.complete, false);
  assert.match(both.text, /^good\.xml: applied .*\nbad\.xml: refused This is a table \(CSV\)/);
  assert.equal((await read(bad, good)).complete, false, "a good one after it changes nothing");
  assert.deepEqual(await read(good), { text: "good.xml: already read; nothing to do", complete: true });
  assert.equal((await read(bad)).complete, false, "still refused");
});

test("every command refuses anything but the id of an account, with an explanation", async () => {
  const { deps } = service.app;
  for (const id of ["nonsense", "", "01a20bac-f980-7758-b2c8-66395d422861"]) {
    const refused = { name: "Refusal", detail: `${id} is not a sepa_batch gateway.` };
    await assert.rejects(importBankFiles(deps, id, []), refused);
    await assert.rejects(collectNow(deps, id), refused);
    await assert.rejects(ebicsStep(deps, "status", id), refused);
    await assert.rejects(ebicsLetter(deps, id, "en"), refused);
  }
});

test("the calendar of a due date says whether banks settle on that day", async () => {
  const first = async (day: string) => (await calendar(service.app.deps, day)).split("\n")[0];
  assert.equal(await first("2026-11-27"), "due date 2026-11-27");
  assert.equal(await first("2026-11-28"), "due date 2026-11-28 (not a TARGET business day)");
});
