/** Lists of money in pages: following them to the end and back returns the same rows. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { camt, uploadFile, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { IBAN, lead } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { uploadForm } from "../support/upload.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let merchant: BankMerchant;
/** A payment with three refunds. */
let refunded: string;

before(async () => {
  service = await startService({ clock });
  const desk = deskOf(service);
  const made = await desk.batched(3);
  merchant = made.merchant;
  for (let n = 0; n < 4; n += 1) {
    // Rows, some of which have the same time.
    if (n % 2 === 0) clock.advance(MINUTE_MS);
    const token = await merchant.session({
      billing_type: "RECURRING",
      billing_frequency: "MONTHLY",
      lead: lead(),
    });
    const { body } = await merchant.pay(token, IBAN.approved);
    const given = await desk.refund(merchant, n === 0 ? body : { transaction: { id: refunded } }, {
      amount: "1.00",
    });
    assert.equal(given.status, 201, given.text);
    if (n === 0) refunded = body["transaction"].id;
    else {
      const back = await service.post(
        "management/chargebacks/",
        { transaction_id: body["transaction"].id },
        { key: merchant.key },
      );
      assert.equal(back.status, 201, back.text);
    }
    const stranger = [["return", { amount: "5.00", endToEndId: `UNKNOWN-${n}`, reason: "AC04" }]] as const;
    const read = await uploadFile(service, merchant, camt("camt.053", `2026-11-2${3 + n}`, stranger));
    assert.equal(read.status, 201, JSON.stringify(read.body));
    const form = uploadForm(`merchant_transaction_id\norder-${n}`, {
      fields: { kind: "transactions", gateway_id: merchant.gatewayId },
    });
    await service.post("management/imports/", form.body, { key: merchant.key, headers: form.headers });
  }
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** More than any list here has, so that a list that repeats itself ends too. */
const PAGES_MAX = 20;

/** From `path` over every `next` to the last page, and from there over every `previous`: the ids of each page. */
async function thereAndBack(
  path: string,
): Promise<{ readonly there: string[][]; readonly back: string[][] }> {
  const read = async (url: string): Promise<Json> => {
    const { status, body, text } = await service.get(url, { key: merchant.key });
    assert.equal(status, 200, text);
    return body;
  };
  const ids = (page: Json): string[] =>
    (page["results"] as readonly Json[]).map((row) => row["id"] ?? row["reference"]);
  const local = (url: string): string => new URL(url).pathname + new URL(url).search;

  let page = await read(path);
  const there = [ids(page)];
  while (page["next"] !== null && there.length < PAGES_MAX)
    there.push(ids((page = await read(local(page["next"])))));
  const back = [ids(page)];
  while (page["previous"] !== null && back.length < PAGES_MAX)
    back.unshift(ids((page = await read(local(page["previous"])))));
  return { there, back };
}

const LISTS = [
  "payment-sessions/",
  "subscriptions/",
  "chargebacks/",
  "mandates/",
  "mandates/export/?format=json&",
  "imports/",
  "sepa-files/",
  "sepa-statements/",
  "unmatched/",
];

for (const list of [...LISTS, "transactions/{id}/refunds/"]) {
  test(`${list}: the links to previous pages lead back through the pages that next has shown`, async () => {
    const path = list.replace("{id}", refunded);
    const { there, back } = await thereAndBack(
      `management/${path}${path.includes("?") ? "" : "?"}page_size=1`,
    );
    assert.ok(there.length >= 2, `${there.length} pages`);
    assert.ok(
      there.every((page) => page.length === 1),
      JSON.stringify(there),
    );
    assert.equal(new Set(there.flat()).size, there.length, "each row once");
    assert.deepEqual(back, there);
  });
}
