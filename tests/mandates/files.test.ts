/**
 * Import of mandates from another provider and export for another one: complete, once, and with no account shown unless
 * requested.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { UPLOAD_INTERRUPTED } from "../../src/files/import-rows.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import { importMandates } from "../../src/mandates/files/import.ts";
import type { RefusalKind } from "../../src/refusals.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, IBAN, lead, type Merchant, withWholeIbans } from "../support/merchant.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";
import { uploadForm, uploadEndedHalfway } from "../support/upload.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-02-01T10:00:00Z")) });
  merchant = await createMerchant(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const HEADER =
  "reference,status,scheme,type,signed_on,last_used_on,holder_name,iban,bic,email,first_name,last_name,country," +
  "original_reference,original_creditor_identifier,original_creditor_name,original_iban,same_bank";
let numbers = 0;

/** A valid line with a new reference and a new customer. */
function line(changes: Readonly<Record<string, string>> = {}): string {
  numbers += 1;
  const cells: Record<string, string> = {
    reference: `old-${numbers}`,
    signed_on: "2025-03-01",
    holder_name: "Grace Example",
    iban: IBAN.approved,
    email: `grace${numbers}@example.com`,
    ...changes,
  };
  return HEADER.split(",")
    .map((name) => `"${(cells[name] ?? "").replaceAll('"', '""')}"`)
    .join(",");
}

const file = (...lines: readonly string[]) => [HEADER, ...lines].join("\n");

interface SendOptions {
  readonly as?: Merchant;
  readonly name?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

function send(text: string, { as = merchant, ...rest }: SendOptions = {}): Promise<Response> {
  const { body, headers } = uploadForm(text, rest);
  return service.post("management/mandates/import/", body, { key: as.key, headers });
}

const get = (path: string, as = merchant) => service.get(`management/mandates/${path}`, { key: as.key });

async function byReference(reference: string, as = merchant): Promise<Json> {
  const [found] = (await get(`?reference=${encodeURIComponent(reference)}`, as)).body["results"];
  assert.ok(found, reference);
  return (await get(`${found.id}/`, as)).body;
}

function counts({ body }: Response): readonly number[] {
  const { lines, created, duplicate, rejected } = body;
  return [lines, created, duplicate, rejected];
}

test("an imported mandate counts as used if the file has its last use or its bank's reference, and its next debit is not FRST", async () => {
  const lines = [
    line({ reference: "first-1", last_used_on: "2025-12-01" }),
    line({ reference: "first-2", original_reference: "before-first-2" }),
    line({ reference: "first-0" }),
  ];
  assert.deepEqual(counts(await send(file(...lines))), [3, 3, 0, 0]);
  const rows = await service.rows(
    "select reference, used_elsewhere as used from mandates where reference like 'first-%' order by 1",
  );
  assert.deepEqual(
    rows.map((row) => [row["reference"], row["used"]]),
    [
      ["first-0", false],
      ["first-1", true],
      ["first-2", true],
    ],
  );
});

test("a mandate is imported with all its data in the file, and only the end of its account is shown", async () => {
  const answer = await send(
    file(
      line({
        reference: "Club/2019-(7)+a",
        status: "active",
        scheme: "b2b",
        type: "RCUR",
        signed_on: "2019-05-31",
        last_used_on: "2025-12-01",
        holder_name: "Grace Holder",
        email: "Grace.Holder@Example.com",
        country: "at",
        original_reference: "CLUB-6",
        original_creditor_identifier: "DE98ZZZ09999999999",
        original_creditor_name: "Old Club",
        original_iban: IBAN.declined,
      }),
    ),
  );
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(counts(answer), [1, 1, 0, 0]);
  const mandate = await byReference("club/2019-(7)+A");
  assert.equal(mandate["reference"], "Club/2019-(7)+a");
  assert.equal(mandate["source"], "import");
  assert.equal(mandate["status"], "active");
  assert.equal(mandate["scheme"], "B2B");
  assert.equal(mandate["signed_at"], "2019-05-31T00:00:00.000Z");
  assert.equal(mandate["expires_on"], "2028-12-01");
  assert.equal(mandate["iban_last4"], "3000");
  assert.equal(mandate["bic"], "COBADEFFXXX");
  assert.equal(mandate["creditor_name"], "Shop");
  assert.equal(mandate["session_id"], null);
  assert.deepEqual(mandate["lead"], {
    id: mandate["lead"].id,
    email: "Grace.Holder@Example.com",
    first_name: "Grace",
    last_name: "Holder",
    country: "AT",
  });
  assert.deepEqual(mandate["evidence"], {
    acceptance_mode: null,
    text_version: null,
    wallet_presentation: null,
    accepted_ip: null,
    accepted_user_agent: null,
  });
  const kinds = (mandate["amendments"] as readonly Json[]).map(({ kind, same_bank }) => [kind, same_bank]);
  assert.deepEqual(kinds, [
    ["account", true],
    ["creditor", null],
    ["reference", null],
  ]);
  assert.equal(mandate["amendments"][2].original_reference, "CLUB-6");
  const [row] = await service.rows("select m.* from mandates m where id = $1", [mandate["id"]]);
  assert.equal(
    service.app.deps.keys
      .open(row?.["tenant"], `mandates.iban:${row?.["id"]}`, row?.["iban_sealed"])
      .toString(),
    IBAN.approved,
  );
});

test("the same file again, and ten copies at the same time, create nothing more", async () => {
  const text = file(...Array.from({ length: 20 }, () => line()));
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(text)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  assert.equal(
    answers.reduce((sum, { body }) => sum + body["created"], 0),
    20,
  );
  assert.deepEqual(counts(await send(text)), [20, 0, 20, 0]);
});

test("a customer with a known e-mail address is found and stays unchanged", async () => {
  const known = lead({ first_name: "Known" });
  await merchant.session({ lead: known });
  const reference = `for-${String(known["email"])}`.replace("@", "-");
  await send(file(line({ reference, email: String(known["email"]).toUpperCase(), first_name: "Other" })));
  const mandate = await byReference(reference);
  assert.equal(mandate["lead"].first_name, "Known");
  assert.equal(mandate["lead"].email, known["email"]);
  const two = await send(
    file(
      line({ reference: "twin-1", email: "twin@example.com" }),
      line({ reference: "twin-2", email: "TWIN@example.com" }),
    ),
  );
  assert.deepEqual(counts(two), [2, 2, 0, 0]);
  assert.equal((await byReference("twin-1"))["lead"].id, (await byReference("twin-2"))["lead"].id);
});

const REJECTED: readonly (readonly [changes: Record<string, string>, reason: RegExp])[] = [
  [{ reference: "" }, /^reference is missing/],
  [{ reference: "/a" }, /^reference must have 1 to 35 of the characters/],
  [{ reference: "Ä" }, /^reference must have 1 to 35 of the characters/],
  [{ reference: "x".repeat(36) }, /^reference must have 1 to 35 of the characters/],
  [{ iban: "DE89370400440532013001" }, /^iban is not an IBAN/],
  [{ iban: "BR1800360305000010009795493C1" }, /^iban is in a country/],
  [{ iban: "******************3000" }, /^iban is masked/],
  [{ signed_on: "" }, /^signed_on is missing/],
  [{ signed_on: "2026-02-02" }, /^signed_on is in the future/],
  [{ signed_on: "01/02/2025" }, /^signed_on is ambiguous/],
  [{ last_used_on: "yesterday" }, /^last_used_on is not a date/],
  [{ status: "sleeping" }, /^status is not one of active/],
  [{ scheme: "COR1" }, /^scheme is not one of core/],
  [{ type: "sometimes" }, /^type is not one of recurrent/],
  [{ bic: "COBA" }, /^bic is not a BIC/],
  [{ email: "nobody" }, /^email is not an e-mail/],
  [{ country: "XX" }, /^country is not a country/],
  [{ holder_name: "x".repeat(256) }, /^holder_name is longer/],
  [{ original_iban: "DE00" }, /^original_iban is not an IBAN/],
  [{ original_creditor_identifier: "nonsense" }, /^original_creditor_identifier is not a SEPA/],
  [{ same_bank: "perhaps" }, /^same_bank is not one of/],
  [
    { reference: "same-ref", original_reference: "SAME-REF" },
    /^original_reference is the same as the reference/,
  ],
];

test("a rejected line is reported with its number and every reason; the others are imported", async () => {
  const answer = await send(file(line(), ...REJECTED.map(([changes]) => line(changes)), line()));
  assert.deepEqual(counts(answer), [REJECTED.length + 2, 2, 0, REJECTED.length]);
  for (const [index, [, reason]] of REJECTED.entries()) {
    const rejection = answer.body["rejections"][index];
    assert.equal(rejection.line, index + 3, "the header is line 1, a good line is line 2");
    assert.match(rejection.reasons[0], reason);
  }
  assert.ok(!answer.text.includes("DE89370400440532013001"), "an account is not repeated");
  const both = await send(file(line({ reference: "", iban: "", email: "" })));
  assert.equal(both.body["rejections"][0].reasons.length, 3);
});

test("a reference is never reused: with another account, after it was replaced, or twice in a file", async () => {
  const paid = await merchant.pay(await merchant.session(), IBAN.approved);
  const ours: string = paid.body["sepa"].mandate_reference;
  const mandate = await byReference(ours);
  const amended = await service.post(
    `management/mandates/${mandate["id"]}/amend/`,
    { reference: "moved-on" },
    { key: merchant.key },
  );
  assert.equal(amended.status, 200, amended.text);
  const answer = await send(
    file(
      line({ reference: ours.toLowerCase() }),
      line({ reference: "MOVED-ON", iban: IBAN.approvedDutch }),
      line({ reference: "moved-on" }),
      line({ reference: "new-one" }),
      line({ reference: "NEW-ONE", iban: IBAN.approvedDutch }),
      line({ reference: "heir-1", original_reference: "legacy" }),
      line({ reference: "heir-2", original_reference: "LEGACY" }),
      line({ reference: "legacy" }),
    ),
  );
  assert.deepEqual(counts(answer), [8, 2, 1, 5]);
  const lines = (answer.body["rejections"] as readonly Json[]).map(({ line: number }) => number);
  assert.deepEqual(lines, [2, 3, 6, 8, 9]);
});

test("of concurrent imports and amendments with the same reference, one gets it", async () => {
  const paid = await merchant.pay(await merchant.session(), IBAN.approved);
  const { id } = await byReference(paid.body["sepa"].mandate_reference);
  const amend = (reference: string) =>
    service.post(`management/mandates/${id}/amend/`, { reference }, { key: merchant.key });
  for (let round = 0; round < 5; round += 1) {
    const wanted = `race-${round}`;
    const [amended, ...imports] = await Promise.all([
      amend(wanted),
      ...Array.from({ length: 4 }, () => send(file(line({ reference: wanted, iban: IBAN.approvedDutch })))),
    ]);
    const created = imports.reduce((sum, { body }) => sum + body["created"], 0);
    assert.equal(created + (amended.status === 200 ? 1 : 0), 1, `${amended.status} and ${created} created`);
    assert.ok(imports.every(({ body }) => body["error"] === null));
  }
});

test("a mandate that was not used for 36 months is imported as expired, a cancelled one as cancelled", async () => {
  await send(
    file(
      line({ reference: "unused", signed_on: "2020-01-01" }),
      line({ reference: "ended", status: "revoked", signed_on: "2024-01-01" }),
    ),
  );
  assert.equal((await byReference("unused"))["status"], "expired");
  assert.equal((await byReference("ended"))["status"], "cancelled");
});

test("a dry run reports the same and writes nothing", async () => {
  const text = file(line({ reference: "dry-1" }), line({ reference: "DRY-1" }), line({ iban: "" }));
  const dry = await send(text, { fields: { dry_run: "true" } });
  assert.deepEqual((await get("?reference=dry-1")).body["results"], []);
  assert.deepEqual((await send(text)).body, dry.body);
});

test("a file without a required column, an empty one, and invalid JSON are refused as a whole", async () => {
  const refused = async (text: string, options: SendOptions = {}) => {
    const { status, body } = await send(text, options);
    assert.equal(status, 422, text);
    return body["error"];
  };
  assert.match(await refused("reference,iban\nA,B"), /Column signed_on.*Column email/);
  assert.match(await refused(""), /empty/);
  assert.match(await refused("{", { name: "m.json" }), /not valid JSON/);
  assert.match(await refused('{"a":1}', { name: "m.json" }), /not a list/);
  const form = await send(file(), { fields: { format: "xml", date_format: "ydm", dry_run: "maybe" } });
  assert.equal(form.status, 400);
  assert.deepEqual(Object.keys(form.body).toSorted(), ["date_format", "dry_run", "format", "status_code"]);
});

for (const [field, value] of [
  ["format", "xml"],
  ["date_format", "ydm"],
  ["dry_run", "maybe"],
] as const)
  test(`a file with an unknown ${field} is refused, and nothing of it is imported`, async () => {
    const reference = `option-${field}`;
    const refused = await send(file(line({ reference })), { fields: { [field]: value } });
    assert.deepEqual(
      [refused.status, Object.keys(refused.body).toSorted()],
      [400, [field, "status_code"].toSorted()],
      refused.text,
    );
    assert.deepEqual((await get(`?reference=${reference}`)).body["results"], []);
  });

/** An import whose upload ends with this when its first batch is written, and how many errors were logged. */
async function importEndingWith(end: RefusalKind | Error) {
  // More than the sample by which the reader recognises the encoding: two batches and a line.
  const lines = file(...Array.from({ length: 1_001 }, () => line()), "");
  const { bytes, db } = uploadEndedHalfway(service.app.deps.db, lines, end);
  const [of] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  let logged = 0;
  const log = { ...silentLog, error: () => void (logged += 1) };
  const report = await importMandates(
    { ...service.app.deps, db, log },
    {
      tenant: of?.["tenant"],
      operationId: randomUUID(),
      format: "csv",
      dates: null,
      dryRun: false,
      file: { name: "mandates.csv", bytes },
      author: COMMAND_LINE,
    },
  );
  return { ...report, logged };
}

for (const kind of ["payload_too_large", "too_slow", "unavailable"] as const)
  test(`an import whose upload ends as ${kind} is answered with that refusal`, async () => {
    await assert.rejects(importEndingWith(kind), { kind });
  });

test("an import whose upload breaks off says so, and what it has written stays", async () => {
  const { error, created, lines, logged } = await importEndingWith("unreadable_request");
  assert.deepEqual([error, logged], [UPLOAD_INTERRUPTED, 0]);
  assert.deepEqual([created >= 500, created], [true, lines]);
  assert.equal((await byReference(`old-${numbers - 1_000}`))["status"], "active");
});

test("an import that an error of the service ends says so, and the error is logged", async () => {
  const { error, logged } = await importEndingWith(new Error("a bug"));
  assert.deepEqual([error, logged], [UPLOAD_INTERRUPTED, 1]);
});

test("JSON is imported too; an entry that is not an object or contains one is reported by its number", async () => {
  const entry = {
    reference: "json-1",
    signed_on: "2025-01-31",
    holder_name: "J",
    iban: IBAN.approved,
    email: "j@example.com",
  };
  const answer = await send(
    JSON.stringify([{ ...entry, pre_notification_days: 5 }, 7, { ...entry, reference: { a: 1 } }]),
    { name: "mandates.json" },
  );
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(counts(answer), [3, 1, 0, 2]);
  assert.deepEqual(
    (answer.body["rejections"] as readonly Json[]).map(({ line: number }) => number),
    [2, 3],
  );
  assert.equal((await byReference("json-1"))["pre_notification_days"], 5);
});

async function wholeExport(as: Merchant, query: string): Promise<string> {
  let text = "";
  let cursor: string | undefined = "";
  do {
    const page = await get(`export/?page_size=3&${query}${cursor === "" ? "" : `&cursor=${cursor}`}`, as);
    assert.equal(page.status, 200, page.text);
    text += text === "" ? page.text : page.text.slice(page.text.indexOf("\r\n") + 2);
    cursor = page.headers["x-next-cursor"] as string | undefined;
  } while (cursor !== undefined);
  return text;
}

test("an export with IBANs that another tenant imports is exported there unchanged, including formulas and apostrophes", async () => {
  const from = await withWholeIbans(service, await createMerchant(service));
  const to = await withWholeIbans(service, await createMerchant(service));
  await send(
    file(
      line({ reference: "+49-1", holder_name: "=1+1", original_reference: "-7" }),
      line({ reference: "''+49-2", holder_name: "'''@x", original_iban: IBAN.declined }),
      line({ reference: "a,b", holder_name: 'O"Neil, "G"', status: "cancelled", same_bank: "no" }),
      line({
        scheme: "B2B",
        type: "ooff",
        first_name: "=first",
        last_name: "Łast",
        original_creditor_name: "Old",
      }),
    ),
    { as: from },
  );
  const paid = await from.pay(await from.session(), IBAN.approved);
  const mandate = await byReference(paid.body["sepa"].mandate_reference, from);
  await service.post(
    `management/mandates/${mandate["id"]}/amend/`,
    { iban: IBAN.approvedDutch, reference: "second" },
    { key: from.key },
  );
  const text = await wholeExport(from, "include_iban=true");
  const sorted = (csv: string) => csv.split("\r\n").toSorted();
  assert.equal(sorted(text).filter((row) => row !== "").length, 6);
  const moved = await send(text, { as: to });
  assert.deepEqual(counts(moved), [5, 5, 0, 0], moved.text);
  assert.deepEqual(sorted(await wholeExport(to, "include_iban=true")), sorted(text));
  const plain = await byReference("+49-1", to);
  assert.equal(plain["holder_name"], "=1+1");
  assert.equal((await byReference("'+49-2", to))["holder_name"], "''@x");

  const json = (await get("export/?format=json&include_iban=true", to)).text;
  const third = await withWholeIbans(service, await createMerchant(service));
  assert.deepEqual(counts(await send(json, { as: third, name: "all.json" })), [5, 5, 0, 0]);
  assert.deepEqual(sorted(await wholeExport(third, "include_iban=true")), sorted(text));
});

test("an export masks every account unless requested otherwise, and then the audit log says who has seen them", async () => {
  const from = await createMerchant(service);
  await send(file(line({ original_iban: IBAN.declined })), { as: from });
  const masked = await get("export/", from);
  assert.match(String(masked.headers["content-type"]), /^text\/csv/);
  assert.match(String(masked.headers["content-disposition"]), /mandates_2026-02-01\.csv/);
  assert.ok(!/DE\d{20}/.test(masked.text));
  assert.match(masked.text, /\*{18}3000.*\*{18}3001/);
  const audits = async () =>
    (await service.get("management/audit-log/?resource=mandate-exports", { key: from.key })).body["results"];
  assert.deepEqual(await audits(), []);
  const refused = await get("export/?include_iban=true", from);
  assert.deepEqual(
    [refused.status, refused.body["detail"]],
    [403, "This needs an API key with the scope whole_ibans."],
  );
  assert.deepEqual(await audits(), []);
  const reader = await withWholeIbans(service, from);
  const whole = await get("export/?include_iban=true", reader);
  assert.ok(whole.text.includes(IBAN.approved) && whole.text.includes(IBAN.declined));
  const [entry] = (await audits()) as readonly Json[];
  assert.deepEqual(entry?.["after"], { include_iban: true, status: null, mandates: 1 });
  assert.equal(entry?.["action"], "export");
  for (const [status, mandates] of [
    ["active", 1],
    ["expired", 0],
  ] as const) {
    assert.equal((await get(`export/?include_iban=true&status=${status}`, reader)).status, 200);
    const seen = (await audits())
      .map((one: Json) => one["after"])
      .filter((one: Json) => one["status"] === status);
    assert.deepEqual(seen, [{ include_iban: true, status, mandates }]);
  }
  const { key } = from;
  const limited = await service.post(
    "management/api-keys/",
    { name: "R", scopes: ["reconciliation"] },
    { key },
  );
  const other = await service.get("management/mandates/export/?include_iban=true", {
    key: limited.body["api_key"],
  });
  assert.equal(other.status, 403);
});

test("mandates of pending and refused payments are not exported", async () => {
  const from = await createMerchant(service);
  await from.pay(await from.session(), IBAN.verification);
  await from.pay(await from.session(), IBAN.declined);
  const { body } = await get("export/?format=json", from);
  assert.deepEqual(body["results"], []);
});

test("a file of 1,200 mandates is imported in several batches", async () => {
  const from = await createMerchant(service);
  const lines = Array.from({ length: 1_200 }, () => line());
  assert.deepEqual(counts(await send(file(...lines, lines[0] ?? ""), { as: from })), [1_201, 1_200, 1, 0]);
});
