/** The printed mandate: it has all evidence of the mandate, and no complete account number. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { sendForm } from "../support/page.ts";
import { OPERATOR_KEY, startService, type Json, type Response, type Service } from "../support/service.ts";
import { uploadForm } from "../support/upload.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-03-04T10:00:00Z")) });
  merchant = await createMerchant(service);
  const renamed = await service.call(
    "PATCH",
    `management/tenants/${merchant.tenantId}/`,
    { name: `<b>Shop</b> & "Söhne"`, creditor_identifier: "DE98ZZZ09999999999" },
    { key: OPERATOR_KEY },
  );
  assert.equal(renamed.status, 200, renamed.text);
});
after(() => service.close());

async function newest(): Promise<Json> {
  const [mandate] = (await service.get("management/mandates/?page_size=1", { key: merchant.key })).body[
    "results"
  ];
  return mandate;
}

async function document(query = ""): Promise<Response> {
  const { id } = await newest();
  return service.get(`management/mandates/${id}/document/${query}`, { key: merchant.key });
}

/** Signs on the payment page in German, by ticking the box. */
async function signedOnThePage(): Promise<void> {
  const page = await createRecord(service, merchant.key, "hosted-pages", {
    name: "P",
    mandate_acceptance_mode: "checkbox",
  });
  const token = await merchant.session({
    hosted_page_id: page["id"],
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
  });
  const answer = await sendForm(
    service,
    token,
    { iban: IBAN.approved, holder: "Ada <script>alert(1)</script>" },
    { headers: { "accept-language": "de" } },
  );
  assert.equal(answer.status, 303, answer.words);
}

test("a mandate document has the text in its signing language, the parties, the evidence, and only the last digits of the account", async () => {
  await signedOnThePage();
  const mandate = await newest();
  assert.equal(mandate["language"], "de");
  const { status, text, headers } = await document();
  assert.equal(status, 200);
  assert.match(String(headers["content-type"]), /^text\/html/);
  assert.match(text, /<html lang="de"/);
  assert.match(text, /SEPA-Lastschriftmandat/);
  assert.ok(text.includes(mandate["reference"]));
  assert.ok(text.includes("DE98ZZZ09999999999"));
  assert.ok(text.includes("DE****************3000") && !text.includes(IBAN.approved));
  assert.ok(text.includes("4. März 2026"));
  assert.match(text, /Zugestimmt durch Ankreuzen des Kästchens: 2026-03-04 10:00:00 UTC/);
  assert.match(text, /IP-Adresse: 127\./);
  assert.match(text, /Fassung des Textes: 2026-\d\d-\d\/de/);
  assert.doesNotMatch(text, /Der Text oben ist der des Lastschriftverfahrens/);
});

test("external data cannot become markup, and nothing on the page may load or run", async () => {
  const { text, headers } = await document();
  assert.ok(!text.includes("<script") && !text.includes("<b>Shop"));
  assert.ok(text.includes("&#60;b&#62;Shop"));
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
  const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "";
  assert.ok(
    policy.includes(`'sha256-${createHash("sha256").update(style).digest("base64")}'`),
    "its own style",
  );
  assert.match(style, /@page\{size:A4/);
  assert.match(String(headers["content-disposition"]), /^inline; filename="mandate_MND-/);
  assert.equal(headers["cache-control"], "no-store");
});

test("a document in another language, or for a merchant's own text, says that another text was accepted", async () => {
  const french = await document("?language=fr");
  assert.match(french.text, /<html lang="fr"/);
  assert.match(french.text, /Le texte ci-dessus est celui du schéma SEPA/);
  assert.match((await document("?language=xx")).text, /<html lang="/);
  await merchant.pay(await merchant.session(), IBAN.approved);
  const own = await document();
  assert.match(own.text, /Der Text oben ist der des Lastschriftverfahrens/);
  assert.match(own.text, /Zugestimmt durch Bezahlen: /);
});

test("an imported B2B mandate has the B2B text, and its amendments and its end", async () => {
  const header = "reference,scheme,signed_on,holder_name,iban,email,original_iban";
  const line = `B/2024,B2B,2024-05-01,Company,${IBAN.approved},company@example.com,${IBAN.approvedDutch}`;
  const { body, headers } = uploadForm(`${header}\n${line}`);
  await service.post("management/mandates/import/", body, { key: merchant.key, headers });
  const { id } = await newest();
  await service.post(
    `management/mandates/${id}/cancel/`,
    { cancelled_by: "debtor", reason: "closed <shop>" },
    { key: merchant.key },
  );
  const { text } = await document();
  assert.match(text, /<h1>SEPA-Firmenlastschrift-Mandat<\/h1>/);
  assert.match(text, /keine Erstattung des belasteten Betrags/);
  assert.doesNotMatch(text, /8 Wochen/);
  assert.match(text, /An anderer Stelle unterschrieben/);
  assert.match(text, /4\. März 2026: Konto: NL…4300/);
  assert.match(text, /Mandat beendet am: 4\. März 2026 \(closed &#60;shop&#62;\)/);
  assert.match(text, /Beendet durch: Kontoinhaber/);
  assert.ok(!text.includes(IBAN.approvedDutch));
});

test("a mandate that was signed under a former version of the text is shown with the accepted version", async () => {
  await signedOnThePage();
  const { id } = await newest();
  const version = (text: string) =>
    service.rows("update mandates set text_version = $2, language = 'lt' where id = $1", [id, text]);
  await version("2026-11-2/lt");
  const former = await document();
  assert.match(former.text, /Jūs turite teisę į grąžinamąją išmoką/);
  assert.doesNotMatch(former.text, /Aukščiau pateiktas SEPA schemos tekstas/);
  for (const other of ["2026-11-2-b2b/lt", "2026-11-2/lv", "2026-11/lt"]) {
    await version(other);
    const { text } = await document();
    assert.match(text, /Jūs turite teisę susigrąžinti lėšas/, other);
    assert.match(text, /Aukščiau pateiktas SEPA schemos tekstas/, other);
  }
});
