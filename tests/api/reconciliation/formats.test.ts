/** The reconciliation lists as JSON, XML and CSV: the same records in each, and nothing that is not one of their fields. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { parse } from "csv-parse/sync";
import { systemClock } from "../../../src/lib/clock.ts";
import { CHARGEBACKS, SUBSCRIPTIONS, TRANSACTIONS } from "../../../src/reconciliation/lists.ts";
import { IBAN } from "../../support/merchant.ts";
import { createLedger, insert, LISTS, type Ledger, type Listed } from "../../support/ledger.ts";
import { startService, type Json, type Service } from "../../support/service.ts";

const TYPES = { transactions: TRANSACTIONS, chargebacks: CHARGEBACKS, subscriptions: SUBSCRIPTIONS };
const FORMATS = ["json", "xml", "csv"];
/** Just before midnight UTC: another day already in half of the world. */
const NOW = new Date("2026-03-01T23:59:59.999Z");
/** Not `spawnSync`: other files' services run in this process. */
const run = promisify(execFile);
const WITHOUT_XMLLINT = await run("xmllint", ["--version"]).then(
  () => false,
  () => "xmllint is not installed",
);

let service: Service;
let ledger: Ledger;

before(async () => {
  service = await startService({ clock: { ...systemClock, now: () => NOW } });
  ledger = await createLedger(service);
});
after(() => service.close());

/** Names and notes as customers and banks write them, with everything that XML, CSV or a spreadsheet gives meaning to. */
const HOSTILE: readonly string[] = [
  "Zoë Łucja Ünal",
  "O'Neil & Sons <ltd>",
  "]]><script>alert(1)</script>",
  "&amp;&lt;&#0;&bogus;",
  '"quoted", with a comma',
  "two\nlines",
  "carriage\r\nreturn and \r alone",
  "tab\there",
  " padded ",
  "😀 𝒜 é".normalize("NFD"),
  "\u202eright to left",
  "zero\u200bwidth\ufeff",
  "control\u0001\u0008\u000b\u001f\u007f\u0085characters",
  "non\ufffe\uffffcharacters",
  "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
  "=1+1",
  "+49 30 123",
  "-2+3",
  "@SUM(A1:A9)",
  '=HYPERLINK("https://example.com","click")',
  "' or 1=1 --",
  "null",
  "x".repeat(2_000),
];

/** The columns of each list that take free text. */
const FREE_TEXT: Readonly<Record<Listed, readonly string[]>> = {
  transactions: ["adapter_unique_id", "gateway_reference", "customer_email_csv", "customer_name_csv"],
  chargebacks: [
    "adapter_unique_id",
    "tenant_reference_id",
    "reason_code",
    "reason_message",
    "report_type",
    "report_message",
    "report_info",
    "arn",
    "bic",
    "email",
    "country",
  ],
  subscriptions: [],
};

/** The list of a day in JSON, and in the other format as it came. */
async function both(list: Listed, day: string, format: string) {
  const parameters = { start_date: day, page_size: 1000 };
  const [json, other] = [
    await ledger.list(list, parameters),
    await ledger.list(list, { ...parameters, format }),
  ];
  assert.deepEqual([json.status, other.status], [200, 200]);
  return { results: json.body["results"] as readonly Json[], other };
}

async function fillHostile(list: Listed, day: string): Promise<void> {
  for (const [second, value] of HOSTILE.entries()) {
    const free = Object.fromEntries(FREE_TEXT[list].map((column) => [column, value]));
    const at = new Date(Date.parse(`${day}T00:00:00Z`) + second * 1_000);
    await ledger.add(list, at, free);
  }
}

for (const list of LISTS) {
  test(`${list} as JSON: exactly the record's fields in order, under next, previous and results`, async () => {
    await ledger.add(list, "2026-02-01T12:00:00.120Z");
    const { body, headers, text } = await ledger.list(list, { start_date: "2026-02-01" });
    assert.match(String(headers["content-type"]), /^application\/json/);
    assert.deepEqual(Object.keys(body), ["next", "previous", "results"]);
    const [record] = body["results"];
    assert.deepEqual(
      Object.keys(record),
      TYPES[list].fields.map(({ name }) => name),
    );
    assert.equal(record[TYPES[list].orderedBy], "2026-02-01T12:00:00.120Z");
    for (const { name, kind, nullable } of TYPES[list].fields) {
      const value = record[name];
      if (value === null) assert.equal(nullable, true, `${name} may be null`);
      else if (kind === "integer") assert.ok(Number.isInteger(value), name);
      else assert.equal(typeof value, "string", name);
      if (value !== null && kind === "money") assert.match(value, /^\d+\.\d{2}$/, name);
      if (value !== null && kind === "time")
        assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, name);
      if (value !== null && kind === "date") assert.match(value, /^\d{4}-\d\d-\d\d$/, name);
    }
    assert.deepEqual((await ledger.list(list, { start_date: "2026-02-01", format: "json" })).text, text);
  });

  test(`${list} as CSV: RFC 4180 read back is the same records, with formulas in free text defused`, async () => {
    const day = "2026-02-10";
    await fillHostile(list, day);
    const { results, other } = await both(list, day, "csv");
    const names = TYPES[list].fields.map(({ name }) => name);
    const [header, ...rows] = parse(other.text, { record_delimiter: "\r\n" });
    assert.deepEqual(header, names);
    assert.equal(rows.length, HOSTILE.length);
    assert.ok(other.text.endsWith("\r\n"));
    const kinds = new Map(TYPES[list].fields.map(({ name, kind }) => [name, kind]));
    for (const [index, row] of rows.entries()) {
      for (const [column, name] of names.entries()) {
        const value = results[index]?.[name];
        const plain = value === null ? "" : String(value);
        const defused = kinds.get(name) === "free_text" && /^[=+@-]/.test(plain) ? `'${plain}` : plain;
        assert.equal(row[column], defused, name);
      }
    }
  });

  test(`${list} as CSV: a download named for the day in UTC, that leads on by its headers`, async () => {
    const day = "2026-02-10";
    const { headers, status } = await ledger.list(list, { start_date: day, format: "csv" });
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/csv; charset=utf-8");
    assert.equal(headers["content-disposition"], `attachment; filename="${list}_2026-03-01.csv"`);
    assert.deepEqual([headers["link"], headers["x-next-cursor"]], [undefined, undefined]);

    const ids: string[] = [];
    let page = await ledger.list(list, { start_date: day, format: "csv", page_size: 10 });
    for (;;) {
      ids.push(...parse(page.text, { columns: true }).map((row) => (row as { id: string }).id));
      const link = /^<([^>]+)>; rel="next"$/.exec(String(page.headers["link"]))?.[1];
      const cursor = page.headers["x-next-cursor"];
      if (link === undefined) break;
      assert.equal(new URL(link).searchParams.get("cursor"), cursor);
      const query = { start_date: day, format: "csv", page_size: 10, cursor: String(cursor) };
      const byCursor = await ledger.list(list, query);
      page = await ledger.follow(link);
      assert.equal(byCursor.text, page.text);
    }
    const { body } = await ledger.list(list, { start_date: day });
    assert.deepEqual(
      ids,
      body["results"].map(({ id }: Json) => id),
    );
  });

  test(`${list} as CSV: without records there is still the header row`, async () => {
    const { text } = await ledger.list(list, { start_date: "2000-01-01", format: "csv" });
    assert.equal(text, `${TYPES[list].fields.map(({ name }) => name).join(",")}\r\n`);
  });

  test(`${list} as XML: read back it is the same page, without the characters that XML forbids`, async () => {
    const { results, other } = await both(list, "2026-02-10", "xml");
    assert.equal(other.headers["content-type"], "application/xml; charset=utf-8");
    const { singular, fields } = TYPES[list];
    const records = [...other.text.matchAll(new RegExp(`<${singular}>([\\s\\S]*?)</${singular}>`, "g"))];
    assert.equal(records.length, HOSTILE.length);
    for (const [index, [, inside = ""]] of records.entries()) {
      const elements = [...inside.matchAll(/<(\w+)(?:\/>|>([^<]*)<\/\1>)/g)];
      assert.deepEqual(
        elements.map(([, name]) => name),
        fields.map(({ name }) => name),
      );
      for (const [, name = "", content] of elements) {
        const value = results[index]?.[name];
        assert.equal(
          content === undefined ? null : unescaped(content),
          value === null ? null : allowed(value),
          name,
        );
      }
    }
  });

  test(`${list} as XML: xmllint takes it and reads the same texts`, { skip: WITHOUT_XMLLINT }, async () => {
    const { results, other } = await both(list, "2026-02-10", "xml");
    const { singular, fields } = TYPES[list];
    assert.equal(await xmllint(["--noout", "-"], other.text), "");
    assert.equal(await xmllint(["--xpath", "name(/*)", "-"], other.text), "reconciliation\n");
    const column = fields.find(({ kind }) => kind === "free_text")?.name ?? "id";
    for (const [index, record] of results.entries()) {
      const read = await xmllint(
        ["--xpath", `string(//${singular}[${index + 1}]/${column})`, "-"],
        other.text,
      );
      assert.equal(read, `${allowed(record[column])}\n`);
    }
  });

  test(`${list} as XML: next and previous lead through the list`, async () => {
    const first = await ledger.list(list, { start_date: "2026-02-10", format: "xml", page_size: 20 });
    assert.match(first.text, /<previous\/>/);
    const second = await ledger.follow(linkIn(first.text, "next"));
    assert.match(second.text, /<next\/>/);
    assert.equal((await ledger.follow(linkIn(second.text, "previous"))).text, first.text);
  });
}

function linkIn(text: string, name: string): string {
  return unescaped(new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? "");
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "&#13;": "\r",
  };
  return text.replace(/&[^;]*;/g, (reference) => characters[reference] ?? assert.fail(reference));
}

function allowed(value: unknown): string {
  // oxlint-disable-next-line no-control-regex
  return String(value).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
}

/** @throws Error with the message if the input is refused. */
async function xmllint(args: readonly string[], input: string): Promise<string> {
  const running = run("xmllint", args);
  running.child.stdin?.end(input);
  return (await running).stdout;
}

test("the IBAN is masked at its own length, on transactions and on chargebacks", async () => {
  const day = "2026-01-20";
  const mandate = {
    ...(await row("mandates", ledger.customer.mandateId)),
    iban_last4: "6819",
    iban_length: 31,
  };
  const id = randomUUID();
  await insert(service, "mandates", { ...mandate, id, reference: "MND-MASKED" });
  await ledger.add("transactions", `${day}T12:00:00Z`, { mandate_id: id });
  await ledger.add("transactions", `${day}T11:00:00Z`, { mandate_id: null });
  await ledger.add("chargebacks", `${day}T12:00:00Z`, { iban_last4: "6819", iban_length: 31 });
  await ledger.add("chargebacks", `${day}T11:00:00Z`);
  for (const list of ["transactions", "chargebacks"] as const) {
    const { body } = await ledger.list(list, { start_date: day, end_date: day });
    const ibans = body["results"].map(({ iban }: Json) => iban);
    assert.deepEqual(ibans, [`${"*".repeat(27)}6819`, null]);
  }
});

test("stored values that are not fields of the record appear in no format", async () => {
  const day = "2026-01-10";
  const canaries: string[] = [];
  for (const list of LISTS) {
    const id = await ledger.add(list, `${day}T12:00:00Z`);
    canaries.push(...(await plant(list, id)));
  }
  canaries.push(...(await plant("mandates", ledger.customer.mandateId)));
  // Every text column that is not shown and takes any text: fewer would mean that they were not found.
  assert.ok(canaries.length >= 12, canaries.join());
  for (const list of LISTS) {
    for (const format of FORMATS) {
      const { text, headers } = await ledger.list(list, { start_date: day, format });
      assert.ok(text.includes("2026-01-10T12:00:00.000Z"));
      assert.doesNotMatch(
        text + JSON.stringify(headers),
        /canary|63616e617279|Y2FuYXJ5/i,
        `${list} ${format}`,
      );
    }
  }
});

/** Writes a unique text into each column that no list shows. @returns the columns that accept it. */
async function plant(table: string, id: string): Promise<readonly string[]> {
  const shown = new Set(
    Object.values(TYPES).flatMap(({ fields }) =>
      fields.flatMap(({ sql }) =>
        [...sql.matchAll(/\b([tmcu])\.(\w+)/g)].map(([, as, name]) => `${as}.${name}`),
      ),
    ),
  );
  const alias = { transactions: "t", mandates: "m", chargebacks: "c", subscriptions: "u" }[table];
  const columns = await service.rows(
    `select column_name as name, data_type as type from information_schema.columns
      where table_name = $1 and data_type in ('text', 'bytea', 'jsonb')`,
    [table],
  );
  const planted: string[] = [];
  for (const { name, type } of columns) {
    if (shown.has(`${alias}.${name}`)) continue;
    const value =
      type === "jsonb" ? '{"canary":1}' : type === "bytea" ? Buffer.from("canary") : `canary ${name}`;
    const taken = await service
      .rows(`update ${table} set ${name} = $2 where id = $1 returning id`, [id, value])
      .catch(() => []);
    if (taken.length > 0) planted.push(`${table}.${name}`);
  }
  return planted;
}

test("a chargeback shows its stored fields, linked to its transaction or not", async () => {
  const day = "2026-01-05";
  const transaction = await ledger.add("transactions", `${day}T12:00:00Z`, { status: "charged_back" });
  await ledger.add("chargebacks", `${day}T12:00:00Z`, {
    transaction_id: transaction,
    lead_id: ledger.customer.leadId,
    transaction_date: "2026-01-04T00:00:00Z",
    cb_bank_fee: "7.5",
  });
  await ledger.add("chargebacks", `${day}T11:00:00Z`);
  const { body } = await ledger.list("chargebacks", { start_date: day, end_date: day });
  const kept = body["results"].map((record: Json) =>
    ["status", "type", "transaction_id", "lead_id", "transaction_date", "cb_bank_fee"].map(
      (name) => record[name],
    ),
  );
  assert.deepEqual(kept, [
    ["charged_back", "chargeback", transaction, ledger.customer.leadId, "2026-01-04T00:00:00.000Z", "7.50"],
    ["charged_back", "chargeback", null, null, null, null],
  ]);
});

test("a payment through the API is listed with the record of its events", async () => {
  const { merchant } = ledger;
  const events = ["transaction.created", "transaction.status_changed", "chargeback.created"];
  await service.post(
    "management/webhook-profiles/",
    { name: "All", url: "https://example.com/hook", events },
    { key: merchant.key },
  );
  const recurring = { billing_type: "RECURRING", billing_frequency: "MONTHLY" };
  for (const iban of [IBAN.approved, IBAN.approvedDutch, IBAN.pending, IBAN.returned, IBAN.chargedBack])
    await merchant.pay(await merchant.session(recurring), iban, { tenant_reference_id: `ref-${iban}` });
  const today = { start_date: "2026-03-01" };
  const before = (await ledger.list("transactions", today)).body["results"];
  assert.deepEqual(byId(before), byId(await told("transaction.created", "transaction")));

  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  const after = byId((await ledger.list("transactions", today)).body["results"]);
  const changed = byId(await told("transaction.status_changed", "transaction"));
  assert.equal(Object.keys(changed).length, 3);
  for (const [id, record] of Object.entries(changed)) assert.deepEqual(after[id], record);

  const chargebacks = (await ledger.list("chargebacks", today)).body["results"];
  assert.deepEqual(chargebacks, await told("chargeback.created", "chargeback"));
  const subscriptions = (await ledger.list("subscriptions", today)).body["results"];
  assert.equal(subscriptions.length, 5);
  const ofTransactions = Object.values(after).map((record) => record["subscription_id"]);
  assert.deepEqual(new Set(subscriptions.map(({ id }: Json) => id)), new Set(ofTransactions));
});

async function told(type: string, field: string): Promise<readonly Json[]> {
  const rows = await service.rows("select payload -> $2 as record from events where type = $1", [
    type,
    field,
  ]);
  return rows.map(({ record }) => record);
}

function byId(records: readonly Json[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(records.map((record) => [record["id"], record]));
}

async function row(table: string, id: string): Promise<Json> {
  const [found] = await service.rows(`select * from ${table} where id = $1`, [id]);
  assert.ok(found);
  return found;
}
