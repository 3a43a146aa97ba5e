/**
 * Sessions of an account with the simulated bank, with cut connections, error codes and damaged responses drawn from a
 * seed.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { seeded } from "../../tools/random.ts";
import type { AccountRow } from "../../src/gateways/sepa-batch/files-store.ts";
import { camt, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { accountOf, ebicsMerchant, ebicsPost, fetchNow, fileRow, send, storedFile } from "./account.ts";
import { startTestBank, type TestBank } from "./bank.ts";
import { faultOf } from "./faults.ts";

const SEEDS = sized(4, 200);
const STATEMENTS = "EOP/DE//ZIP/camt.053";
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let bank: TestBank;
let merchant: BankMerchant;
let account: AccountRow;

before(async () => {
  service = await startService({ clock });
  bank = await startTestBank({ now: () => clock.now(), segmentChars: 200 });
  merchant = await ebicsMerchant(service, bank);
  account = await accountOf(service, merchant);
});
after(async () => {
  await bank.close();
  await service.close();
});

/** Continues everything that was stopped or postponed, without faults. */
async function recover(): Promise<void> {
  bank.fault = () => null;
  await service.rows("update sepa_accounts set locked_until = null, polled_at = null");
  await ebicsPost(service, merchant, "resume");
  clock.advance(2 * HOUR_MS);
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`seed ${seed}: every file is at the bank once or waits for a person, and every statement is in the books once`, async () => {
    const random = seeded(seed);
    const content = `<file seed="${seed}">${"x".repeat(random.below(4_000))}</file>`;
    const arrivals = () => bank.books.taken.filter(({ data }) => data.toString() === content).length;
    const id = await storedFile(service, account, content);
    bank.books.waiting.set(STATEMENTS, [Buffer.from(camt("camt.053", "2026-11-24", []))]);
    for (let round = 0; round < 3; round += 1) {
      bank.fault = () => (random.chance(0.3) ? faultOf(random) : null);
      await send(service.app.deps);
      await fetchNow(service, merchant);
      await recover();
      assert.ok(arrivals() <= 1, "never twice");
    }
    const isSettled = async () =>
      ["sent", "unclear"].includes((await fileRow(service, id)).status) &&
      bank.books.waiting.get(STATEMENTS)?.length === 0;
    for (let round = 0; round < 6 && !(await isSettled()); round += 1) {
      await send(service.app.deps);
      await fetchNow(service, merchant);
      await recover();
    }
    const { status, error } = await fileRow(service, id);
    const where = `${status}: ${error}`;
    assert.ok(status === "sent" || status === "unclear", where);
    assert.equal(arrivals(), status === "sent" ? 1 : 0, where);
    assert.equal(bank.books.waiting.get(STATEMENTS)?.length, 0, "told as taken");
    const files = await service.rows(
      "select sha256, count(*)::int as n from sepa_files where direction = 'in' and status = 'applied' group by 1 having count(*) > 1",
    );
    assert.deepEqual(files, []);
    const [stored] = await service.rows(
      "select count(*)::int as n from sepa_files where direction = 'in' and status = 'applied'",
    );
    assert.equal(stored?.["n"], seed, "each statement is there");
  });
}
