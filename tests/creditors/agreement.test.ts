/** The creditor that a customer sees is the one in the mandate, on paper and in files, and all use one scheme. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { checkBooks } from "../../src/books/check.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage, referenceOf, sendForm, textOf } from "../support/page.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { content, CREDITOR, markSent, outgoing } from "../support/sepa-bank.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

/** Check digits for another national part. */
const OTHER_IDENTIFIER = "ES23ZZZ47690558N";
const TENANT = {
  name: "Tenant GmbH",
  creditor_identifier: OTHER_IDENTIFIER,
  address: "Tenant Road 1",
  postal_code: "10115",
  city: "Berlin",
};
const TENANT_ADDRESS = "Tenant Road 1, 10115 Berlin, Germany";
const OWN = { creditor_name: "Account GmbH", creditor_identifier: CREDITOR.identifier };
const OWN_ADDRESS = {
  creditor_address: "Account Street 2",
  creditor_postal_code: "1010",
  creditor_city: "Wien",
  creditor_country: "AT",
};
const REFUND_RIGHT = /8 weeks|entitled to a refund from your bank under/;
const NO_REFUND = /You are not entitled to a refund from your bank/;

let service: Service;

before(async () => {
  // A Monday, before the cut-off in Berlin.
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** A merchant with an address, and an account at the adapter with these settings. */
async function merchantWith(adapter: string, settings: object) {
  const merchant = await createMerchant(service);
  await patchTenant(merchant, TENANT);
  const bank = adapter === "sepa_batch" ? { ...OWN, creditor_iban: CREDITOR.iban } : {};
  const account = await createRecord(service, merchant.key, "gateways", {
    name: "Account",
    adapter,
    test_mode: true,
    settings: { ...bank, ...settings },
  });
  return { ...merchant, accountId: String(account["id"]) };
}

async function patchTenant(merchant: Merchant, fields: object): Promise<void> {
  const path = `management/tenants/${merchant.tenantId}/`;
  const { status, text } = await service.call("PATCH", path, fields, { key: OPERATOR_KEY });
  assert.equal(status, 200, text);
}

async function patchAccount(merchant: Merchant & { readonly accountId: string }, settings: object) {
  const path = `management/gateways/${merchant.accountId}/`;
  const { status, text } = await service.call("PATCH", path, { settings }, { key: merchant.key });
  assert.equal(status, 200, text);
}

async function mandateOf(merchant: Merchant, reference: string): Promise<Json> {
  const list = await service.get(`management/mandates/?reference=${reference}`, { key: merchant.key });
  const id = list.body["results"][0]?.id;
  return (await service.get(`management/mandates/${id}/`, { key: merchant.key })).body;
}

async function documentOf(merchant: Merchant, mandate: Json): Promise<string> {
  const path = `management/mandates/${mandate["id"]}/document/?language=en`;
  const { text, status } = await service.get(path, { key: merchant.key });
  assert.equal(status, 200, text);
  return text;
}

const moveTo = (merchant: Merchant, date: string) => treasury.moveTo(service, merchant, date);

async function newestFile(merchant: Merchant & { readonly accountId: string }): Promise<string> {
  const file = (await outgoing(service, merchant)).at(-1);
  assert.ok(file, "a file was written");
  return content(service, merchant, file["id"]);
}

type Case = readonly [
  what: string,
  adapter: "sandbox" | "sepa_batch",
  settings: object,
  expected: {
    readonly name: string;
    readonly identifier: string;
    readonly address: string;
    readonly scheme: string;
  },
];
const OWN_SEEN = { name: OWN.creditor_name, identifier: OWN.creditor_identifier };
const TENANT_SEEN = { name: TENANT.name, identifier: OTHER_IDENTIFIER, address: TENANT_ADDRESS };
const OWN_PLACE = "Account Street 2, 1010 Wien, Austria";

const CASES: readonly Case[] = [
  ["the sandbox, the tenant's creditor", "sandbox", {}, { ...TENANT_SEEN, scheme: "CORE" }],
  ["the sandbox, the tenant's creditor", "sandbox", { scheme: "B2B" }, { ...TENANT_SEEN, scheme: "B2B" }],
  [
    "the sandbox, a creditor of its own",
    "sandbox",
    { ...OWN, ...OWN_ADDRESS, scheme: "B2B" },
    { ...OWN_SEEN, address: OWN_PLACE, scheme: "B2B" },
  ],
  [
    "a bank account, the tenant's address",
    "sepa_batch",
    {},
    { ...OWN_SEEN, address: TENANT_ADDRESS, scheme: "CORE" },
  ],
  [
    "a bank account, an address of its own",
    "sepa_batch",
    OWN_ADDRESS,
    { ...OWN_SEEN, address: OWN_PLACE, scheme: "CORE" },
  ],
  [
    "a bank account between businesses",
    "sepa_batch",
    { ...OWN_ADDRESS, scheme: "B2B" },
    { ...OWN_SEEN, address: OWN_PLACE, scheme: "B2B" },
  ],
];

for (const [what, adapter, settings, expected] of CASES) {
  test(`page, record, document and file name one creditor and scheme: ${what}, ${expected.scheme}`, async () => {
    const merchant = await merchantWith(adapter, { pre_notification_days: 0, ...settings });
    const token = await merchant.session({ gateway_id: merchant.accountId });
    const form = await openPage(service, pathOf(token));
    const reference = referenceOf(form);
    const receipt = await payOnPage(service, token, { iban: IBAN.approved });
    const mandate = await mandateOf(merchant, reference);
    const document = textOf(await documentOf(merchant, mandate));

    for (const text of [form.words, document]) {
      for (const said of [expected.name, expected.identifier, expected.address]) {
        assert.ok(text.includes(said), `${said} in ${text}`);
      }
      assert.ok(expected.name === TENANT.name || !text.includes(`authorise ${TENANT.name}`), text);
      for (const said of ["Your rights are explained in a statement", "Notice before each debit 0 days"])
        assert.ok(text.includes(said), said);
      assert.match(text, /Place and date online, 23 November 2026/);
      const business = expected.scheme === "B2B";
      assert.match(text, business ? NO_REFUND : REFUND_RIGHT);
      assert.doesNotMatch(text, business ? REFUND_RIGHT : NO_REFUND);
      assert.equal(text.includes("SEPA business-to-business direct debit mandate"), business);
    }
    assert.ok(receipt.words.includes(`Creditor ${expected.name}`), receipt.words);
    assert.ok(receipt.words.includes(expected.identifier), receipt.words);
    assert.deepEqual(
      [mandate["creditor_name"], mandate["creditor_identifier"], mandate["scheme"]],
      [expected.name, expected.identifier, expected.scheme],
    );
    assert.ok(
      expected.address.startsWith(`${mandate["creditor_address"]}, ${mandate["creditor_postal_code"]} `),
    );
    assert.match(
      mandate["evidence"].text_version,
      expected.scheme === "B2B" ? /-b2b\/en$/ : /^2026-\d\d-\d\/en$/,
    );
    assert.doesNotMatch(document, /Above stands/);

    if (adapter === "sandbox") return;
    await moveTo(merchant, "2026-11-23T12:00:00Z");
    const xml = await newestFile(merchant);
    assert.ok(xml.includes(`<LclInstrm><Cd>${expected.scheme}</Cd></LclInstrm>`), xml);
    assert.ok(xml.includes(`<Cdtr><Nm>${expected.name}</Nm><PstlAdr>`), xml);
    assert.ok(xml.includes(`<StrtNm>${mandate["creditor_address"]}</StrtNm>`), xml);
    assert.match(xml, new RegExp(`<CdtrSchmeId>.*<Id>${expected.identifier}</Id>`));
    assert.doesNotMatch(xml, /AmdmntInd/);
  });
}

test("a form that shows a creditor who has changed since signs nothing; the page then shows the new one", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
  const token = await merchant.session({ gateway_id: merchant.accountId });
  const before = await openPage(service, pathOf(token));
  await patchAccount(merchant, { ...OWN, creditor_name: "Renamed AG", creditor_iban: CREDITOR.iban });
  const sent = await sendForm(service, token, { iban: IBAN.approved, reference: referenceOf(before) });
  assert.equal(sent.status, 303);
  const { body } = await service.get("management/mandates/", { key: merchant.key });
  assert.deepEqual(body["results"], []);
  const now = await openPage(service, pathOf(token));
  assert.equal(now.state, "form");
  assert.ok(now.words.includes("Renamed AG"));
  assert.notEqual(referenceOf(now), referenceOf(before));
  const paid = await payOnPage(service, token, { iban: IBAN.approved });
  assert.match(paid.state, /^receipt-/);
});

test("record, receipt, copy, document and account page keep the signed creditor after changes of account and tenant", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 3, ...OWN_ADDRESS });
  const monthly = { billing_type: "RECURRING", billing_frequency: "MONTHLY" };
  const token = await merchant.session({ gateway_id: merchant.accountId, ...monthly });
  const reference = referenceOf(await openPage(service, pathOf(token)));
  await payOnPage(service, token, { iban: IBAN.approved });
  const before = await mandateOf(merchant, reference);

  await patchTenant(merchant, { name: "Sold AG", address: "Elsewhere 9", pre_notification_days: 1 });
  await patchAccount(merchant, {
    creditor_name: "Sold AG",
    creditor_identifier: OTHER_IDENTIFIER,
    creditor_iban: CREDITOR.iban,
    creditor_address: "Elsewhere 9",
    creditor_city: "Graz",
    creditor_country: "AT",
    pre_notification_days: 1,
    scheme: "B2B",
  });
  assert.deepEqual(await mandateOf(merchant, reference), before);
  const receipt = await openPage(service, pathOf(token));
  const copy = await openPage(service, `${pathOf(token)}mandate/`);
  const document = textOf(await documentOf(merchant, before));
  const [customer] = await service.rows("select lead_id from mandates where reference = $1", [reference]);
  const link = await service.post(
    `management/customers/${customer?.["lead_id"]}/account-link/`,
    {},
    { key: merchant.key },
  );
  const { pathname } = new URL(link.body["url"]);
  const account = await openPage(service, pathname);
  const change = await openPage(service, `${pathname}mandates/${before["id"]}/`);
  const everywhere = { receipt, copy, account, change, document: { words: document } };
  for (const [where, { words }] of Object.entries(everywhere)) {
    assert.ok(words.includes(OWN.creditor_name), `${where}: ${words}`);
    assert.ok(words.includes(OWN.creditor_identifier), where);
    assert.ok(words.includes("SEPA direct debit mandate"), where);
    assert.doesNotMatch(words, /business-to-business|Elsewhere|Graz/, where);
    assert.ok(!words.includes(OTHER_IDENTIFIER), where);
  }
  for (const { words } of [copy, change, { words: document }]) {
    assert.ok(words.includes(OWN_PLACE), words);
    assert.match(words, REFUND_RIGHT);
    assert.match(words, /Notice before each debit 3 days/);
  }
});

for (const [times, between] of [
  ["", []],
  [" twice", [{ creditor_name: "Meanwhile GmbH", creditor_identifier: CREDITOR.identifier }]],
] as const) {
  test(`the account is renamed${times}: the next file of each mandate tells the bank the true former creditor, once`, async () => {
    const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
    const monthly = { billing_type: "RECURRING", billing_frequency: "MONTHLY" };
    const token = await merchant.session({ gateway_id: merchant.accountId, ...monthly });
    const paid = await merchant.pay(token, IBAN.approved);
    const reference = paid.body["sepa"].mandate_reference;
    const renamed = { creditor_name: "Renamed AG", creditor_identifier: OTHER_IDENTIFIER };
    for (const named of [...between, renamed])
      await patchAccount(merchant, { ...named, creditor_iban: CREDITOR.iban, pre_notification_days: 0 });
    assert.equal((await mandateOf(merchant, reference))["creditor_name"], OWN.creditor_name);

    await moveTo(merchant, "2026-11-23T12:00:00Z");
    const xml = await newestFile(merchant);
    assert.match(xml, new RegExp(`<CdtrSchmeId>.*<Id>${OTHER_IDENTIFIER}</Id>`));
    assert.match(xml, /<Cdtr><Nm>Renamed AG<\/Nm>/);
    assert.match(
      xml,
      new RegExp(`<OrgnlCdtrSchmeId><Nm>${OWN.creditor_name}</Nm><Id>.*<Id>${CREDITOR.identifier}</Id>`),
    );
    const mandate = await mandateOf(merchant, reference);
    assert.deepEqual(
      [mandate["creditor_name"], mandate["creditor_identifier"]],
      [renamed.creditor_name, renamed.creditor_identifier],
    );
    const [amendment, ...more] = mandate["amendments"];
    assert.deepEqual(more, []);
    assert.deepEqual(
      [amendment.kind, amendment.original_creditor_name, amendment.original_creditor_identifier],
      ["creditor", OWN.creditor_name, CREDITOR.identifier],
    );
  });
}

test("amending a mandate's creditor by hand reports the former one to the bank, in a separate block", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
  const first = await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approved);
  await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approvedDutch);
  const mandate = await mandateOf(merchant, first.body["sepa"].mandate_reference);
  const amended = await service.post(
    `management/mandates/${mandate["id"]}/amend/`,
    { creditor_name: "Heir GmbH", creditor_identifier: OTHER_IDENTIFIER },
    { key: merchant.key },
  );
  assert.equal(amended.status, 200, amended.text);
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const blocks = (await newestFile(merchant)).split("<PmtInf>").slice(1);
  assert.equal(blocks.length, 2);
  const heirs = blocks.find((block) => block.includes("<Cdtr><Nm>Heir GmbH</Nm></Cdtr>")) ?? "";
  assert.match(heirs, new RegExp(`<CdtrSchmeId>.*<Id>${OTHER_IDENTIFIER}</Id>`));
  assert.match(
    heirs,
    new RegExp(`<OrgnlCdtrSchmeId><Nm>${OWN.creditor_name}</Nm><Id>.*<Id>${CREDITOR.identifier}</Id>`),
  );
  const others = blocks.find((block) => block !== heirs) ?? "";
  assert.ok(others.includes(CREDITOR.identifier) && !others.includes("AmdmntInd"));
});

test("a mandate's former data that cannot be written to a file stops no collection of its account", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
  const paid = await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approved);
  const mandate = await mandateOf(merchant, paid.body["sepa"].mandate_reference);
  await service.rows(
    `insert into mandate_amendments (tenant, mandate_id, number, at, kind, original_creditor_identifier, original_creditor_name)
     select tenant, id, 1, now(), 'creditor', 'DE00ZZZ09999999999', '4711' from mandates where id = $1`,
    [mandate["id"]],
  );
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  assert.doesNotMatch(await newestFile(merchant), /AmdmntInd|DE00ZZZ/);
});

test("amending a mandate whose identifier has wrong check digits stops no file of its account", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
  const wrong = await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approved);
  await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approvedDutch);
  const mandate = await mandateOf(merchant, wrong.body["sepa"].mandate_reference);
  await service.rows("update mandates set creditor_identifier = 'DE00ZZZ09999999999' where id = $1", [
    mandate["id"],
  ]);
  for (const change of [{ creditor_name: "Heir GmbH" }, { creditor_identifier: OTHER_IDENTIFIER }]) {
    const path = `management/mandates/${mandate["id"]}/amend/`;
    const amended = await service.post(path, change, { key: merchant.key });
    assert.equal(amended.status, 200, amended.text);
  }
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.equal(file?.["transactions"], 2);
  assert.doesNotMatch(await newestFile(merchant), /DE00ZZZ/);
});

test("the account takes B2B mandates from now on: one that is signed as CORE is collected as CORE, in a file of its own", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
  const pay = async () =>
    (await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approved)).body;
  const core = await pay();
  await patchAccount(merchant, {
    ...OWN,
    creditor_iban: CREDITOR.iban,
    pre_notification_days: 0,
    scheme: "B2B",
  });
  const business = await pay();
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const files = await Promise.all(
    (await outgoing(service, merchant)).map((file) => content(service, merchant, file["id"])),
  );
  assert.equal(files.length, 2);
  for (const [payment, scheme] of [
    [core, "CORE"],
    [business, "B2B"],
  ] as const) {
    const file = files.find((xml) => xml.includes(payment["transaction"].merchant_transaction_id)) ?? "";
    assert.deepEqual(
      [...file.matchAll(/<LclInstrm><Cd>(\w+)</g)].map((match) => match[1]),
      [scheme],
    );
    assert.equal((await mandateOf(merchant, payment["sepa"].mandate_reference))["scheme"], scheme);
  }
});

// Holds MANDATE-3.
test("no debit is due before the notice that its mandate agrees on, whatever the account says later", async () => {
  const merchant = await merchantWith("sepa_batch", {});
  await patchTenant(merchant, { pre_notification_days: 5 });
  const pay = async () => {
    const token = await merchant.session({ gateway_id: merchant.accountId, lead: lead() });
    const { body } = await merchant.pay(token, IBAN.approved);
    return mandateOf(merchant, body["sepa"].mandate_reference);
  };
  assert.equal((await pay())["pre_notification_days"], 5, "the tenant's, where the account says none");
  await patchAccount(merchant, { ...OWN, creditor_iban: CREDITOR.iban, pre_notification_days: 2 });
  assert.equal((await pay())["pre_notification_days"], 2, "the account's");
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const [early] = await outgoing(service, merchant);
  assert.deepEqual([early?.["transactions"], early?.["due_date"]], [1, "2026-11-25"]);
  await markSent(service, merchant, early?.["id"]);
  await moveTo(merchant, "2026-11-26T12:00:00Z");
  const late = (await outgoing(service, merchant)).at(-1);
  assert.deepEqual([late?.["transactions"], late?.["due_date"]], [1, "2026-11-30"]);
});

test("a B2B refund does not warn of a refund by the customer's bank, to which there is no right", async () => {
  const desk = deskOf(service);
  for (const [scheme, notice] of [
    ["CORE", /^Until 2027-01-20 the customer can/],
    ["B2B", null],
  ] as const) {
    const { merchant, payments } = await desk.refundable(1, { scheme });
    const refund = await desk.refund(merchant, payments[0]);
    assert.equal(refund.status, 201, refund.text);
    if (notice === null) assert.equal(refund.body["notice"], null);
    else assert.match(refund.body["notice"], notice);
  }
});

test("the books check finds a file whose creditor or scheme is not the mandate's, unless the mandate was amended since", async () => {
  const merchant = await merchantWith("sepa_batch", { pre_notification_days: 0 });
  const paid = await merchant.pay(await merchant.session({ gateway_id: merchant.accountId }), IBAN.approved);
  const mandate = await mandateOf(merchant, paid.body["sepa"].mandate_reference);
  await moveTo(merchant, "2026-11-23T12:00:00Z");
  const set = (fields: string) =>
    service.rows(`update mandates set ${fields} where id = $1 returning 1`, [mandate["id"]]);
  const differences = async () =>
    (await checkBooks(service.db)).differences.filter((words) => words.includes(merchant.tenantId));
  assert.deepEqual(await differences(), []);
  await set(`scheme = 'B2B', creditor_identifier = '${OTHER_IDENTIFIER}'`);
  const [creditor = "", scheme = "", ...more] = (await differences()).toSorted();
  assert.match(
    creditor,
    /was collected by Account GmbH, DE98ZZZ\S+; its mandate \S+ names Account GmbH, ES23ZZZ/,
  );
  assert.match(scheme, /was collected under CORE; its mandate \S+ is B2B\./);
  assert.deepEqual(more, []);
  await set(`scheme = 'CORE', creditor_identifier = '${CREDITOR.identifier}'`);
  const amended = await service.post(
    `management/mandates/${mandate["id"]}/amend/`,
    { creditor_identifier: OTHER_IDENTIFIER },
    { key: merchant.key },
  );
  assert.equal(amended.status, 200, amended.text);
  assert.deepEqual(await differences(), []);
});
