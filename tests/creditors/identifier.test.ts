/** A creditor identifier's check digits are verified wherever one is entered, and it is stored as files have it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { IBAN } from "../support/merchant.ts";
import { bankMerchant, CREDITOR, type BankMerchant } from "../support/sepa-bank.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";
import { uploadForm } from "../support/upload.ts";

/** Its check digits would be 98. */
const WRONG = "DE00ZZZ09999999999";
const TYPED = "de98 zzz 09999999999";
const MESSAGE = "Must be a SEPA creditor identifier with correct check digits, such as DE98ZZZ09999999999.";

let service: Service;
let merchant: BankMerchant;
let mandateId: string;

before(async () => {
  service = await startService();
  merchant = await bankMerchant(service);
  await merchant.pay(await merchant.session(), IBAN.approved);
  const { body } = await service.get("management/mandates/", { key: merchant.key });
  mandateId = body["results"][0].id;
});
after(() => service.close());

function accountWith(creditorIdentifier: string): object {
  return {
    creditor_name: "Shop",
    creditor_iban: CREDITOR.iban,
    creditor_identifier: creditorIdentifier,
  };
}

/** Each takes the identifier and answers with what was kept. */
const DOORS: readonly (readonly [
  door: string,
  send: (identifier: string) => Promise<{ readonly status: number; readonly body: Json }>,
  kept: (body: Json) => unknown,
])[] = [
  [
    "creating a tenant",
    (creditor_identifier) =>
      service.post("management/tenants/", { name: "T", creditor_identifier }, { key: OPERATOR_KEY }),
    (body) => body["creditor_identifier"],
  ],
  [
    "changing a tenant",
    (creditor_identifier) =>
      service.call(
        "PATCH",
        `management/tenants/${merchant.tenantId}/`,
        { creditor_identifier },
        { key: OPERATOR_KEY },
      ),
    (body) => body["creditor_identifier"],
  ],
  [
    "changing one's own tenant",
    (creditor_identifier) =>
      service.call("PATCH", "management/tenant/", { creditor_identifier }, { key: merchant.key }),
    (body) => body["creditor_identifier"],
  ],
  [
    "creating a gateway",
    (identifier) =>
      service.post(
        "management/gateways/",
        { name: "B", adapter: "sepa_batch", settings: accountWith(identifier) },
        { key: merchant.key },
      ),
    (body) => body["settings"]?.creditor_identifier,
  ],
  [
    "creating a gateway of another adapter",
    (creditor_identifier) =>
      service.post(
        "management/gateways/",
        { name: "S", adapter: "sandbox", settings: { creditor_identifier } },
        { key: merchant.key },
      ),
    (body) => body["settings"]?.creditor_identifier,
  ],
  [
    "changing a gateway",
    (identifier) =>
      service.call(
        "PATCH",
        `management/gateways/${merchant.accountId}/`,
        { settings: accountWith(identifier) },
        { key: merchant.key },
      ),
    (body) => body["settings"]?.creditor_identifier,
  ],
  [
    "amending a mandate",
    (creditor_identifier) =>
      service.post(`management/mandates/${mandateId}/amend/`, { creditor_identifier }, { key: merchant.key }),
    (body) => body["creditor_identifier"],
  ],
];

for (const [door, send, kept] of DOORS) {
  test(`${door}: an identifier with wrong check digits is a 400 that names the expected form`, async () => {
    const { status, body } = await send(WRONG);
    assert.equal(status, 400);
    assert.deepEqual(body["settings"]?.creditor_identifier ?? body["creditor_identifier"], [MESSAGE]);
  });

  test(`${door}: an identifier in small letters with spaces is stored in capitals without spaces`, async () => {
    const { status, body } = await send(TYPED);
    assert.ok(status === 200 || status === 201, JSON.stringify(body));
    assert.equal(kept(body), CREDITOR.identifier);
  });
}

const COLUMNS = ["reference", "creditor_identifier", "original_creditor_identifier"];
const COMMON = {
  signed_on: "2025-03-01",
  holder_name: "Grace Example",
  iban: IBAN.approved,
  email: "grace@example.com",
};

function csvOf(rows: readonly (readonly string[])[]): string {
  const common = Object.values(COMMON);
  const header = [...Object.keys(COMMON), ...COLUMNS];
  return [header, ...rows.map((row) => [...common, ...row])].map((cells) => cells.join(",")).join("\n");
}

function jsonOf(rows: readonly (readonly string[])[]): string {
  const entries = rows.map((row) => COLUMNS.map((name, n) => [name, row[n] === "" ? null : row[n]] as const));
  return JSON.stringify(entries.map((entry) => ({ ...COMMON, ...Object.fromEntries(entry) })));
}

const FILES = [
  ["csv", csvOf],
  ["json", jsonOf],
] as const;

for (const [format, fileOf] of FILES) {
  test(`a ${format} entry with wrong check digits is rejected; one in small letters comes in as files have it`, async () => {
    const rows = [
      [`${format}-wrong-1`, WRONG, ""],
      [`${format}-wrong-2`, "", WRONG],
      [`${format}-good`, TYPED, TYPED],
    ];
    const { body, headers } = uploadForm(fileOf(rows), { name: `mandates.${format}` });
    const answer = await service.post("management/mandates/import/", body, { key: merchant.key, headers });
    assert.equal(answer.body["created"], 1, answer.text);
    const reasons = (answer.body["rejections"] as readonly Json[]).map((rejection) => rejection["reasons"]);
    const isNot = "is not a SEPA creditor identifier with correct check digits, such as DE98ZZZ09999999999.";
    assert.deepEqual(reasons, [[`creditor_identifier ${isNot}`], [`original_creditor_identifier ${isNot}`]]);
    const path = `management/mandates/?reference=${format}-good`;
    const [mandate] = (await service.get(path, { key: merchant.key })).body["results"];
    const detail = await service.get(`management/mandates/${mandate.id}/`, { key: merchant.key });
    assert.equal(detail.body["creditor_identifier"], CREDITOR.identifier);
    assert.equal(detail.body["amendments"][0].original_creditor_identifier, CREDITOR.identifier);
  });
}
