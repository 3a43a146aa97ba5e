/** The bank's fee for a chargeback that a person has recorded: it is added if there was none, and replaces no other. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { assertBooksAgree } from "../support/books.ts";
import { startService, type Service } from "../support/service.ts";
import { chargebacks, resolve, unmatched } from "../support/treasury.ts";
import { readFile, sendPayments } from "./desk.ts";
import { bankEntry, bankFile } from "./messages.ts";

let service: Service;
const warnings: string[] = [];
before(async () => {
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")), log });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const ROWS = [
  ["separately", null, "5.00", "5.00", false],
  ["separately", "3.00", "3.00", "3.00", false],
  ["separately", "3.00", "5.00", "3.00", true],
  ["within the return", null, "5.00", "5.00", false],
  ["within the return", "3.00", "3.00", "3.00", false],
  ["within the return", "3.00", "5.00", "3.00", true],
] as const;

test("a second fee of a return, which a person applies, is added to the first", async () => {
  const sent = await sendPayments(service, 1);
  const names = { EndToEndId: sent.references[0] ?? "" };
  const back = { sign: "DBIT", date: "2026-11-27", names } as const;
  const fee = (amount: string) => bankEntry({ ...back, amount, code: "PMNT/MDOP/CHRG" });
  const read = (entries: readonly string[]) =>
    readFile(service, sent.merchant, bankFile("camt.053", entries));
  await read([
    bankEntry({ amount: "19.90", code: "PMNT/IDDT/ESDD", names }),
    bankEntry({ ...back, amount: "19.90", code: "PMNT/IDDT/UPDD", reason: "AM04" }),
    fee("3.00"),
    fee("2.50"),
    fee("0.00"),
  ]);
  const fees = async () => (await chargebacks(service, sent.merchant)).map((row) => row["cb_bank_fee"]);
  assert.deepEqual(await fees(), ["3.00"]);
  const entries = await unmatched(service, sent.merchant);
  assert.equal(entries.length, 2, "one of them is a fee of nothing");
  for (const { id } of entries) {
    const body = { action: "apply", transaction_id: sent.ids[0] };
    const applied = await resolve(service, sent.merchant, id, body);
    assert.equal(applied.status, 200, applied.text);
  }
  assert.deepEqual(await fees(), ["5.50"]);
  await read([fee("3.00"), fee("2.50")]);
  assert.deepEqual(await fees(), ["5.50"], "another file about the same");
  // An instance that had read the first notice before the fee grew, and paused.
  const [gateway] = await service.rows("select tenant from gateways where id = $1", [
    sent.merchant.accountId,
  ]);
  const first = { kind: "fee", reference: names.EndToEndId, round: 0, bankFee: "3.00" } as const;
  const at = new Date("2026-11-27T00:00:00Z");
  await applyNews(service.app.deps, gateway?.["tenant"], sent.merchant.accountId, { ...first, at });
  assert.deepEqual(await fees(), ["5.50"], "an older notice after the newer one");
});

test("the fee of a second return leaves the fee of the first, which the bank has withdrawn", async () => {
  const sent = await sendPayments(service, 1);
  const names = { EndToEndId: sent.references[0] ?? "" };
  const entry = (date: string, amount: string, more: object) =>
    bankEntry({ date, amount, names, code: "PMNT/IDDT/UPDD", ...more });
  const returned = { sign: "DBIT", reason: "AM04" } as const;
  const fee = { sign: "DBIT", code: "PMNT/MDOP/CHRG" } as const;
  const read = (...entries: readonly string[]) =>
    readFile(service, sent.merchant, bankFile("camt.053", entries));
  await read(entry("2026-11-25", "19.90", { code: "PMNT/IDDT/ESDD" }));
  await read(entry("2026-11-27", "19.90", returned), entry("2026-11-27", "3.00", fee));
  await read(entry("2026-11-30", "19.90", { reversal: true }));
  const [credited] = await unmatched(service, sent.merchant);
  const reinstated = await resolve(service, sent.merchant, credited?.["id"], {
    action: "reinstate",
    transaction_id: sent.ids[0],
  });
  assert.equal(reinstated.status, 200, reinstated.text);
  await read(entry("2026-12-02", "19.90", returned), entry("2026-12-02", "1.00", fee));
  const fees = await service.rows(
    "select cb_bank_fee as fee, withdrawn_on is null as stands from chargebacks where merchant_transaction_id = $1 order by cb_bank_fee",
    [names.EndToEndId],
  );
  assert.deepEqual(
    fees.map((row) => [row["fee"], row["stands"]]),
    [
      ["1.00", true],
      ["3.00", false],
    ],
  );
});

for (const [how, byHand, fromBank, kept, isReported] of ROWS) {
  test(`a chargeback recorded with ${byHand ?? "no fee"}, for which the bank then books ${fromBank} ${how}, shows ${kept}, and the operator is ${isReported ? "" : "not "}told`, async () => {
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
    const returned = { ...back, code: "PMNT/IDDT/UPDD", reason: "AM04" };
    warnings.length = 0;
    await readFile(
      service,
      sent.merchant,
      bankFile(
        "camt.053",
        how === "separately"
          ? [
              bankEntry({ ...returned, amount: "19.90" }),
              bankEntry({ ...back, amount: fromBank, code: "PMNT/MDOP/CHRG" }),
            ]
          : [
              bankEntry({
                ...returned,
                amount: (19.9 + Number(fromBank)).toFixed(2),
                amounts: { InstdAmt: "19.90 EUR" },
              }),
            ],
      ),
    );
    const all = await chargebacks(service, sent.merchant);
    assert.deepEqual(
      all.map((row) => row["cb_bank_fee"]),
      [kept],
    );
    assert.deepEqual(warnings, isReported ? ["gateway news contradicts a transaction"] : []);
  });
}
