/** The form: what it keeps, what it never echoes, what it stores, and that one form pays at most once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage, referenceOf, sendForm } from "../support/page.ts";
import { freshAddress, startService, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

function session(changes: Record<string, unknown> = {}): Promise<string> {
  return merchant.session({ hosted_page_id: merchant.hostedPageId, ...changes });
}

const FAULTS: readonly (readonly [
  name: string,
  fields: Record<string, string | undefined>,
  words: RegExp,
])[] = [
  ["no IBAN", { iban: "  " }, /Enter your IBAN/],
  [
    "a letter that no IBAN has",
    { iban: "DE89 3704 0044 0532 0130 0ß" },
    /only the letters A to Z and digits/,
  ],
  ["no country", { iban: "1234567890" }, /begins with the two letters/],
  [
    "too short",
    { iban: "DE8937040044053201300" },
    /from Germany has 22 characters; this one has 21.*ended in 1300/,
  ],
  ["letters for digits", { iban: "DE8937040044053201300X" }, /a letter where this IBAN needs a digit/],
  ["a slip", { iban: "DE89370400440532013001" }, /typing error.*ended in 3001/],
  ["outside SEPA", { iban: "TR330006100519786457841326" }, /SEPA direct debit does not reach/],
  ["no name", { iban: IBAN.approved, holder: " " }, /Enter the name of the account holder/],
  ["no consent", { iban: IBAN.approved, accepted: undefined }, /Tick the box/],
  [
    "nothing at all",
    { iban: "", holder: "", accepted: undefined },
    /Enter your IBAN.*Enter the name.*Tick the box/,
  ],
];

for (const [name, fields, words] of FAULTS) {
  test(`${name}: shown next to the field, nothing charged, the IBAN not shown again`, async () => {
    const token = await session();
    const page = await sendForm(service, token, fields);
    assert.equal(page.status, 422);
    assert.match(page.words, words);
    assert.match(page.text, /aria-invalid="true"/);
    const typed = fields["iban"]?.replaceAll(" ", "") ?? "";
    // Test accounts are listed in full, whatever was entered.
    const own = page.text.replace(/<details class="test"[^]*?<\/details>/, "");
    if (typed.length > 10) assert.ok(!own.includes(typed), "the IBAN is not echoed");
    const rows = await service.rows(
      "select 1 from transactions t join sessions s on s.id = t.session_id where s.id = $1",
      [await idOf(token)],
    );
    assert.equal(rows.length, 0);
    assert.equal((await merchant.retrieve(token)).body["attempts_remaining"], 3);
  });
}

test("input next to an invalid IBAN is kept", async () => {
  const page = await sendForm(service, await session(), { iban: "DE1", holder: `Bobby "Tables" <b>` });
  assert.match(page.text, /value="Bobby &#34;Tables&#34; &#60;b&#62;"/);
  assert.match(page.text, /name="accepted"[^>]*checked/);
});

test("the mandate is stored as it was shown: reference, text version, acceptance, time and address", async () => {
  const token = await session();
  const shown = referenceOf(await openPage(service, pathOf(token)));
  assert.equal(referenceOf(await openPage(service, pathOf(token))), shown, "the same each time it is shown");
  const from = freshAddress();
  await sendForm(service, token, { iban: IBAN.approved }, { from });
  const [mandate] = await service.rows("select * from mandates where reference = $1", [shown]);
  assert.equal(mandate?.["acceptance_mode"], "checkbox");
  assert.equal(mandate?.["text_version"], "2026-11-3/en");
  assert.equal(mandate?.["accepted_ip"], from);
  assert.ok(mandate?.["accepted_at"] instanceof Date);
  const [transaction] = await service.rows("select * from transactions where mandate_id = $1", [
    mandate?.["id"],
  ]);
  assert.equal(transaction?.["source"], "hosted_page");
});

test("implicit acceptance asks for no tick and is stored as implicit", async () => {
  const { id } = await createRecord(service, merchant.key, "hosted-pages", {
    name: "Implicit",
    mandate_acceptance_mode: "IMPLICIT",
  });
  const token = await session({ hosted_page_id: id });
  const page = await openPage(service, pathOf(token));
  assert.match(page.words, /By choosing “Pay €19\.90” you agree to this mandate/);
  assert.doesNotMatch(page.text, /type="checkbox"/);
  await payOnPage(service, token, { iban: IBAN.approved, accepted: undefined as never });
  const [mandate] = await service.rows("select acceptance_mode from mandates where reference = $1", [
    referenceOf(page),
  ]);
  assert.equal(mandate?.["acceptance_mode"], "IMPLICIT");
});

test("a box that was ticked is stored as ticked, and one that was not shown is asked for, when the page changes in between", async () => {
  const page = (mode: string) => ({ name: "Changing", mandate_acceptance_mode: mode });
  const { id } = await createRecord(service, merchant.key, "hosted-pages", page("checkbox"));
  const setTo = (mode: string) =>
    service.call("PATCH", `management/hosted-pages/${id}/`, page(mode), { key: merchant.key });
  const ticked = await session({ hosted_page_id: id });
  const reference = referenceOf(await openPage(service, pathOf(ticked)));
  assert.equal((await setTo("IMPLICIT")).status, 200);
  assert.equal((await sendForm(service, ticked, { iban: IBAN.approved, reference })).status, 303);
  const modes = await service.rows("select acceptance_mode from mandates where reference = $1", [reference]);
  assert.deepEqual(modes, [{ acceptance_mode: "checkbox" }]);

  const without = await session({ hosted_page_id: id });
  const form = await openPage(service, pathOf(without));
  await setTo("checkbox");
  const asked = await sendForm(service, without, {
    iban: IBAN.approved,
    accepted: undefined as never,
    reference: referenceOf(form),
  });
  assert.equal(asked.status, 422);
  assert.match(asked.words, /Tick the box to agree to the mandate/);
});

test("a session without a page of its own can be paid on the plain one", async () => {
  const token = await merchant.session();
  assert.equal((await payOnPage(service, token, { iban: IBAN.approvedDutch })).state, "receipt-paid");
});

test("a double tap pays once: twenty copies of one form at the same time are one attempt", async () => {
  for (const iban of [IBAN.approved, IBAN.declined]) {
    const token = await session();
    const reference = referenceOf(await openPage(service, pathOf(token)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendForm(service, token, { iban, reference })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [303]);
    const rows = await service.rows("select id from transactions where session_id = $1", [await idOf(token)]);
    assert.equal(rows.length, 1);
  }
});

test("a form from before a decline, in another tab or by the back button, makes no attempt", async () => {
  const token = await session();
  const reference = referenceOf(await openPage(service, pathOf(token)));
  await sendForm(service, token, { iban: IBAN.declined, reference });
  const stale = await sendForm(service, token, { iban: IBAN.approved, reference });
  assert.equal(stale.status, 303);
  const page = await openPage(service, pathOf(token));
  assert.equal(page.state, "form");
  assert.match(page.words, /was declined/);
  assert.notEqual(referenceOf(page), reference);
});

test("paying on the page and through the API at the same time debits once", async () => {
  const token = await session();
  const reference = referenceOf(await openPage(service, pathOf(token)));
  await Promise.all([
    sendForm(service, token, { iban: IBAN.approved, reference }),
    merchant.pay(token, IBAN.approved),
    sendForm(service, token, { iban: IBAN.approvedDutch, reference }),
  ]);
  const rows = await service.rows("select status from transactions where session_id = $1", [
    await idOf(token),
  ]);
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["approved"],
  );
});

test("a trial shows the amount due today, the later amount and its first day", async () => {
  const trial = {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "MONTHLY",
    trial_interval_unit: "day",
    trial_period: 14,
    amount: "29.90",
  };
  const free = await openPage(service, pathOf(await session(trial)));
  assert.match(free.words, /Nothing is due today/);
  assert.match(free.words, /Trial: 14 days/);
  assert.match(free.words, /Then €29\.90 every month, first on \d+ \w+ 20\d\d\./);
  assert.match(free.words, /recurring payments/);
  assert.match(free.words, /Sign the mandate/);
  const paid = await openPage(service, pathOf(await session({ ...trial, trial_price: "1.00" })));
  assert.match(paid.words, /Amount €1\.00/);
  const onDemand = await session({ billing_type: "RECURRING" });
  assert.match((await openPage(service, pathOf(onDemand))).words, /may collect further payments as agreed/);
  const signed = await payOnPage(service, await session(trial), { iban: IBAN.approved });
  assert.equal(signed.state, "receipt-signed");
});

async function idOf(token: string): Promise<string> {
  const hex = Buffer.from(token.slice(3), "base64url").toString("hex", 5, 21);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
