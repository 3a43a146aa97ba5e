/** The bank's fee for a chargeback that a person has recorded: it is added if there was none, and replaces no other. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { startService, type Service } from "../support/service.ts";
import { chargebacks } from "../support/treasury.ts";
import { readFile, sendPayments } from "./desk.ts";
import { bankEntry, bankFile } from "./messages.ts";

let service: Service;
before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const ROWS = [
  { byHand: null, fromBank: "5.00", kept: "5.00" },
  { byHand: "3.00", fromBank: "3.00", kept: "3.00" },
  { byHand: "3.00", fromBank: "5.00", kept: "3.00" },
] as const;

for (const { byHand, fromBank, kept } of ROWS) {
  test(`a chargeback recorded with ${byHand ?? "no fee"}, for which the bank then reports ${fromBank}, shows ${kept}`, async () => {
    const sent = await sendPayments(service, 1);
    const names = { EndToEndId: sent.references[0] ?? "" };
    const collection = bankEntry({ amount: "19.90", code: "PMNT/IDDT/ESDD", names });
    await readFile(service, sent.merchant, bankFile("camt.053", [collection]));
    const [transaction] = await service.rows(
      "select id from transactions where merchant_transaction_id = $1",
      [names.EndToEndId],
    );
    const recorded = await service.post(
      "management/chargebacks/",
      { transaction_id: transaction?.["id"], ...(byHand === null ? {} : { cb_bank_fee: byHand }) },
      { key: sent.merchant.key },
    );
    assert.equal(recorded.status, 201, recorded.text);

    const back = { sign: "DBIT", date: "2026-11-27", names } as const;
    await readFile(
      service,
      sent.merchant,
      bankFile("camt.053", [
        bankEntry({ ...back, amount: "19.90", code: "PMNT/IDDT/UPDD", reason: "AM04" }),
        bankEntry({ ...back, amount: fromBank, code: "PMNT/MDOP/CHRG" }),
      ]),
    );
    const all = await chargebacks(service, sent.merchant);
    assert.deepEqual(
      all.map((row) => row["cb_bank_fee"]),
      [kept],
    );
  });
}
