/**
 * The books check compares the records with the instructions that bank files have changed. A movement in flight is not
 * a difference, and a loss is reported as a loss.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { booksReport, checkBooks } from "../../src/books/check.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { bankMerchant, markSent, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { uploadForm } from "../support/upload.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  service = await startService({ clock });
  desk = deskOf(service);
});
after(() => service.close());

async function booksOf({ tenantId }: BankMerchant) {
  const { differences, losses } = await checkBooks(service.db);
  const own = (all: readonly string[]) => all.filter((words) => words.includes(`: Tenant ${tenantId}`));
  return { differences: own(differences), losses: own(losses) };
}

/** Two settled debits, a refund of 9.90 of the first one in a sent file, and a third debit that waits. */
async function shop() {
  const made = await desk.refundable(2);
  const { merchant, payments } = made;
  const refund = (await desk.refund(merchant, payments[0], { amount: "9.90" })).body;
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  const transfers = (await outgoing(service, merchant)).at(-1);
  await markSent(service, merchant, transfers?.["id"]);
  const waiting = await payAt(merchant);
  return { ...made, refund, waiting };
}
test("debits, a refund in a file and a waiting debit are neither a difference nor a loss", async () => {
  assert.deepEqual(await booksOf((await shop()).merchant), { differences: [], losses: [] });
});

for (const how of ["by a person", "from a file of chargebacks"])
  test(`the chargeback of a settled debit that was recorded ${how} is no difference`, async () => {
    const { merchant, payments, references } = await desk.refundable(2);
    const csv = `unique_id,merchant_reference,amount,date,reason_code\n${references[0]},${references[0]},19.90,2026-11-26,MD06`;
    const { body, headers } = uploadForm(csv, {
      fields: { kind: "chargebacks", gateway_id: merchant.accountId },
    });
    const { key } = merchant;
    const recorded = await (how === "by a person"
      ? service.post(
          "management/chargebacks/",
          { transaction_id: payments[0]?.["transaction"].id, reason_code: "MD06" },
          { key },
        )
      : service.post("management/imports/", body, { key, headers }));
    assert.equal(recorded.status, 201, recorded.text);
    assert.equal((await desk.transaction(payments[0]))["status"], "charged_back");
    assert.deepEqual((await booksOf(merchant)).differences, []);
  });

test("a debit that is returned after its refund was sent is listed as a loss with both, not as a difference", async () => {
  const { merchant, references, refund } = await shop();
  await desk.booked(
    merchant,
    [["return", { amount: "19.90", reason: "MD06", endToEndId: references[0] ?? "" }]],
    "2026-12-07",
  );
  const { differences, losses } = await booksOf(merchant);
  assert.deepEqual(differences, []);
  assert.equal(losses.length, 1);
  assert.match(
    losses[0] ?? "",
    new RegExp(
      `${references[0]} brought in 19\\.90 EUR, and 29\\.80 has left: 9\\.90 by the refunds ${referenceOf(refund)}, 19\\.90 back to the debtor\\. A loss of 9\\.90\\.$`,
    ),
  );
  assert.match(
    booksReport(await checkBooks(service.db)),
    /Losses:\n {2}MONEY-5: Tenant .*\nThe books agree\.$/s,
  );
});

test("a chargeback entered by hand after the refund was sent is a loss, too", async () => {
  const { merchant, payments } = await shop();
  const chargeback = { transaction_id: payments[0]?.["transaction"].id, amount: "15.00" };
  const made = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
  assert.equal(made.status, 201, made.text);
  const { differences, losses } = await booksOf(merchant);
  assert.deepEqual(differences, []);
  assert.match(
    losses.join(),
    /24\.90 has left: 9\.90 by the refunds \S+, 15\.00 back to the debtor\. A loss of 5\.00\./,
  );
});

test("a movement in flight is not a difference: accepted, in a file, refused, or charged back by hand while waiting", async () => {
  const merchant = await bankMerchant(service);
  const payments: Json[] = [];
  for (let n = 0; n < 3; n += 1) payments.push(await payAt(merchant));
  await payAt(merchant, {}, "CH9300762011623852957");
  assert.deepEqual(await booksOf(merchant), { differences: [], losses: [] });
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  assert.deepEqual(await booksOf(merchant), { differences: [], losses: [] });
});
