/** A mandate text by the merchant's lawyer: shown, signed, and always printed as it was signed. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage, referenceOf, sendForm, textOf } from "../support/page.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const OWN = "Our lawyer says: {creditor} ({identifier}) may debit.\n\nReference {reference}. {type}";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

async function pageOfItsOwn(): Promise<string> {
  return (await createRecord(service, merchant.key, "hosted-pages", { name: "Page" }))["id"];
}

const textsPath = (pageId: string) => `management/hosted-pages/${pageId}/mandate-texts/`;

async function publish(pageId: string, text: string | null, more: object = {}): Promise<Json> {
  const body = { language: "en", text, ...more };
  const made = await service.post(textsPath(pageId), body, { key: merchant.key });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

async function printed(reference: string, query = ""): Promise<string> {
  const { body } = await service.get(`management/mandates/?reference=${reference}`, { key: merchant.key });
  const path = `management/mandates/${body["results"][0].id}/document/${query}`;
  return textOf((await service.get(path, { key: merchant.key })).text);
}

test("the page shows the merchant's text, the mandate has its version, and the document keeps that version when there is a later one", async () => {
  const pageId = await pageOfItsOwn();
  const { id } = await publish(pageId, OWN);
  const token = await merchant.session({ hosted_page_id: pageId });
  const form = await openPage(service, pathOf(token));
  const reference = referenceOf(form);
  const said = `Our lawyer says: Shop (–) may debit. Reference ${reference}. This mandate is for one payment.`;
  assert.ok(form.words.includes(said), form.words);
  assert.doesNotMatch(form.words, /8 weeks/);
  await payOnPage(service, token, { iban: IBAN.approved });
  assert.equal((await publish(pageId, OWN.replace("Our", "Another")))["version"], 2);

  assert.ok((await printed(reference)).includes(said));
  assert.doesNotMatch(await printed(reference), /may be worded differently/);
  assert.match(await printed(reference, "?language=de"), /kann anders lauten/);
  assert.match(await printed(reference, "?language=fr"), /peut être formulé autrement/);
  const { body } = await service.get(`management/mandates/?reference=${reference}`, { key: merchant.key });
  const detail = await service.get(`management/mandates/${body["results"][0].id}/`, { key: merchant.key });
  assert.equal(detail.body["evidence"].text_version, `${id}/en`);
});

test("a text can name the creditor's address, the days of notice and the day of the signature", async () => {
  const pageId = await pageOfItsOwn();
  await publish(pageId, `${OWN}\n\nAt {address}, {notice} before, on {date}.`);
  const token = await merchant.session({ hosted_page_id: pageId });
  const form = await openPage(service, pathOf(token));
  const reference = referenceOf(form);
  await payOnPage(service, token, { iban: IBAN.approved });
  const said = /At –, 14 days before, on \d{1,2} [A-Z][a-z]+ \d{4}\./;
  const signed = said.exec(form.words)?.[0] ?? "";
  assert.notEqual(signed, "", form.words);
  assert.ok((await printed(reference)).includes(signed));
});

test("other languages and schemes keep the scheme's text, and null restores it", async () => {
  const pageId = await pageOfItsOwn();
  await publish(pageId, OWN);
  await publish(pageId, OWN.replace("Our", "The B2B"), { scheme: "B2B" });
  const token = await merchant.session({ hosted_page_id: pageId });
  assert.match((await openPage(service, pathOf(token))).words, /Our lawyer says/);
  assert.match((await openPage(service, `${pathOf(token)}?lang=de`)).words, /innerhalb von 8 Wochen/);
  await publish(pageId, null);
  assert.match((await openPage(service, pathOf(token))).words, /within 8 weeks/);
  const { body } = await service.get(textsPath(pageId), { key: merchant.key });
  assert.deepEqual(
    body["results"].map(({ scheme, version, text }: Json) => [scheme, version, text === null]),
    [
      ["CORE", 2, true],
      ["B2B", 1, false],
      ["CORE", 1, false],
    ],
  );
});

test("a form with a text that was replaced since signs nothing", async () => {
  const pageId = await pageOfItsOwn();
  await publish(pageId, OWN);
  const token = await merchant.session({ hosted_page_id: pageId });
  const reference = referenceOf(await openPage(service, pathOf(token)));
  await publish(pageId, OWN.replace("Our", "Another"));
  assert.equal((await sendForm(service, token, { iban: IBAN.approved, reference })).status, 303);
  const now = await openPage(service, pathOf(token));
  assert.equal(now.state, "form");
  assert.match(now.words, /Another lawyer says/);
});

test("a text without a place for the creditor, the identifier, the reference or the type is refused", async () => {
  const pageId = await pageOfItsOwn();
  for (const place of ["creditor", "identifier", "reference", "type"]) {
    const body = { language: "en", text: OWN.replace(`{${place}}`, "it") };
    const refused = await service.post(textsPath(pageId), body, { key: merchant.key });
    assert.equal(refused.status, 400);
    assert.ok(refused.body["text"][0].startsWith(`It lacks {${place}}.`), refused.text);
  }
  const misspelt = { language: "en", text: `${OWN} {kreditor}` };
  const refused = await service.post(textsPath(pageId), misspelt, { key: merchant.key });
  assert.match(refused.body["text"][0], /^There is no \{kreditor\}\./);
});

test("versions are counted without a gap, also when several are published at once", async () => {
  const pageId = await pageOfItsOwn();
  const made = await Promise.all(Array.from({ length: 8 }, () => publish(pageId, OWN)));
  assert.deepEqual(
    made.map(({ version }) => version).toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
});
