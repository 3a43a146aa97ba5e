/**
 * Files of a processor: what they create, once only, why they are refused, and that only the last digits of an
 * account are stored.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { addDays, utcDate } from "../../src/lib/dates.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { importFile } from "../../src/payments/imports/import-file.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  createMerchant,
  createRecord,
  createSandbox,
  IBAN,
  lead,
  type Merchant,
} from "../support/merchant.ts";
import { freshAddress, startService, type Json, type Response, type Service } from "../support/service.ts";
import { uploadEndedHalfway } from "../support/upload.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

const HEADER = "unique_id,merchant_reference,status,type,amount,currency,date,iban,bic,email,name";
let numbers = 0;

/** A line that can be imported, with an id of its own. */
function line(changes: Readonly<Record<string, string>> = {}): string {
  numbers += 1;
  const cells: Record<string, string> = {
    unique_id: `proc-${numbers}`,
    merchant_reference: `order-${numbers}`,
    status: "approved",
    type: "sale",
    amount: "19.90",
    currency: "EUR",
    date: "2026-01-31T10:00:00Z",
    iban: IBAN.approved,
    bic: "COBADEFFXXX",
    email: `customer${numbers}@example.com`,
    name: "Ada Example",
    ...changes,
  };
  return HEADER.split(",")
    .map((name) => cells[name] ?? "")
    .join(",");
}

interface FileOptions {
  readonly kind?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly as?: Merchant;
}

function form(
  file: string | Uint8Array,
  fields: Readonly<Record<string, string>>,
): { body: Buffer; type: string } {
  const boundary = "----test-boundary";
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="january.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(parts.join("") + head),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

function send(
  file: string | Uint8Array,
  { kind = "transactions", fields = {}, as = merchant }: FileOptions = {},
): Promise<Response> {
  const { body, type } = form(file, { kind, gateway_id: as.gatewayId, ...fields });
  return service.post("management/imports/", body, { key: as.key, headers: { "content-type": type } });
}

function counts({ body }: Response): Json {
  const { lines, created, duplicate, linked, rejected } = body;
  return { lines, created, duplicate, linked, rejected };
}

test("transactions are created, shown to the accountant with the IBAN masked, and linked to known customers", async () => {
  const known = lead();
  await merchant.session({ lead: known });
  const answer = await send(
    [HEADER, line({ email: String(known["email"]).toUpperCase() }), line()].join("\n"),
  );
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(counts(answer), { lines: 2, created: 2, duplicate: 0, linked: 1, rejected: 0 });
  assert.match(answer.body["file_sha256"], /^[0-9a-f]{64}$/);
  const listed = await service.get("reconciliation/transactions/?start_date=2026-01-31&end_date=2026-01-31", {
    key: merchant.key,
  });
  const record = listed.body["results"].find((row: Json) => row["adapter_unique_id"] === `proc-${numbers}`);
  assert.equal(record.iban, "******************3000");
  assert.equal(record.bic, "COBADEFFXXX");
  assert.equal(record.source, "csv_import");
  assert.equal(record.merchant_transaction_id, `order-${numbers}`);
  assert.equal(record.customer_email_csv, `customer${numbers}@example.com`);
  assert.equal(record.date_processed, "2026-01-31T10:00:00.000Z");
});

test("the same file again, and twenty copies at the same time, create nothing more", async () => {
  const file = [HEADER, ...Array.from({ length: 30 }, () => line())].join("\r\n");
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(file)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  const created = answers
    .map(({ body }) => body["created"])
    .reduce((sum: number, count: number) => sum + count, 0);
  assert.equal(created, 30);
  assert.deepEqual(counts(await send(file)), {
    lines: 30,
    created: 0,
    duplicate: 30,
    linked: 0,
    rejected: 0,
  });
});

test("a payment that this service has sent is a duplicate, by our reference and by the processor's", async () => {
  const paid = await merchant.pay(await merchant.session(), IBAN.approved);
  const { merchant_transaction_id: ours, gateway_reference: theirs } = paid.body["transaction"];
  const answer = await send(
    [HEADER, line({ merchant_reference: ours }), line({ unique_id: theirs })].join("\n"),
  );
  assert.deepEqual(counts(answer), { lines: 2, created: 0, duplicate: 2, linked: 0, rejected: 0 });
});

test("a dry run reports and writes nothing", async () => {
  const file = [HEADER, line(), line({ amount: "x" })].join("\n");
  const dry = await send(file, { fields: { dry_run: "true" } });
  assert.deepEqual(counts(dry), { lines: 2, created: 1, duplicate: 0, linked: 0, rejected: 1 });
  assert.deepEqual(counts(await send(file)), { lines: 2, created: 1, duplicate: 0, linked: 0, rejected: 1 });
});

test("a rejected line is reported with its number and every reason, and the others are imported", async () => {
  const file = [
    HEADER,
    line(),
    line({ amount: '"1,234"', status: "strange" }),
    line({ unique_id: "" }),
    line({ date: "01/02/2026" }),
    line({ iban: "DE89370400440532013001" }),
    line({ status: "refunded" }),
    line({ name: "a\u0000b" }),
    `"never closed,${line()}`,
  ].join("\n");
  const answer = await send(file);
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(counts(answer), { lines: 8, created: 1, duplicate: 0, linked: 0, rejected: 7 });
  const [amount, id, date, iban, status, name, quote] = answer.body["rejections"] as Json[];
  assert.equal(amount?.["line"], 3);
  assert.equal(amount?.["reasons"].length, 2);
  assert.match(amount?.["reasons"].join(" "), /status must be.*not an amount|not an amount.*status must be/);
  assert.match(id?.["reasons"][0], /adapter_unique_id is missing/);
  assert.match(date?.["reasons"][0], /is ambiguous: set date_format/);
  assert.match(iban?.["reasons"][0], /not an IBAN: The check digits/);
  assert.ok(!answer.text.includes("DE89370400440532013001"), "the report repeats no IBAN");
  assert.match(status?.["reasons"][0], /import the sale as approved/);
  assert.match(name?.["reasons"][0], /cannot be read/);
  assert.equal(quote?.["line"], 9);
  const read = await service.get(`management/imports/${answer.body["id"]}/`, { key: merchant.key });
  assert.deepEqual(read.body, answer.body);
});

const WRITINGS: readonly (readonly [
  name: string,
  file: (row: string) => string | Uint8Array,
  fields?: Record<string, string>,
])[] = [
  ["UTF-8 with a byte order mark", (row) => `\ufeff${HEADER}\n${row}\n`],
  [
    "UTF-16, as a spreadsheet saves it",
    (row) => Buffer.from(`\ufeff${HEADER}\n${row}\n`.replaceAll(",", "\t"), "utf16le"),
  ],
  ["Windows-1252", (row) => Buffer.from(`${HEADER}\n${row}\n`, "latin1")],
  ["semicolons", (row) => `${HEADER}\n${row}\n`.replaceAll(",", ";")],
  ["pipes and empty lines", (row) => `${HEADER}\n\n${row}\n\n`.replaceAll(",", "|")],
  [
    "columns under other names",
    (row) => `Nr,${HEADER.slice(10)}\n${row}`,
    { mapping: '{"adapter_unique_id": "NR", "amount": 5}' },
  ],
];

for (const [name, file, fields] of WRITINGS) {
  test(`${name} is read`, async () => {
    const answer = await send(file(line({ name: "Zoë Łucja".slice(0, name === "Windows-1252" ? 3 : 9) })), {
      fields: fields ?? {},
    });
    assert.deepEqual(
      counts(answer),
      { lines: 1, created: 1, duplicate: 0, linked: 0, rejected: 0 },
      answer.text,
    );
    const [row] = await service.rows(
      "select customer_name_csv from transactions where adapter_unique_id = $1",
      [`proc-${numbers}`],
    );
    assert.match(row?.["customer_name_csv"], /^Zoë/);
  });
}

test("a file that cannot be used at all is refused in words, and the refusal is kept", async () => {
  for (const [file, fields, words] of [
    ["", {}, /empty/],
    ["a,b,c\n1,2,3", {}, /No column for adapter_unique_id.*No column for status.*No column for amount/],
    [HEADER, { mapping: '{"amount": "Betrag", "colour": "x"}' }, /colour is not a field.*Column Betrag/],
  ] as const) {
    const answer = await send(file, { fields });
    assert.equal(answer.status, 422, answer.text);
    assert.equal(answer.body["status"], "failed");
    assert.match(answer.body["error"], words);
  }
  const header = await send(HEADER);
  assert.deepEqual([header.status, header.body["lines"]], [201, 0]);
});

test("fields that cannot be used are a 400 each, and nothing is begun", async () => {
  const stranger = await createMerchant(service);
  const before = (await service.rows("select 1 from imports")).length;
  const file = [HEADER, line()].join("\n");
  for (const [field, value] of [
    ["kind", "refunds"],
    ["gateway_id", stranger.gatewayId],
    ["gateway_id", "x"],
    ["mapping", "["],
    ["mapping", '"amount"'],
    ["mapping", "5"],
    ["mapping", "null"],
    ["mapping", '["amount"]'],
    ["mapping", '{"amount": {}}'],
    ["date_format", "dym"],
    ["dry_run", "yes"],
  ] as const) {
    const answer = await send(file, { fields: { [field]: value } });
    assert.equal(answer.status, 400, field);
    assert.ok(field in answer.body, answer.text);
  }
  const json = await service.post("management/imports/", { kind: "transactions" }, { key: merchant.key });
  assert.equal(json.status, 415);
  const headers = { "content-type": "multipart/form-data" };
  assert.equal((await service.post("management/imports/", "x", { key: merchant.key, headers })).status, 400);
  assert.equal((await service.rows("select 1 from imports")).length, before);
});

const CHARGEBACKS =
  "unique_id,original_transaction_id,merchant_reference,end_to_end_reference,amount,date,reason_code,reason,fee,arn";

test("a chargeback is linked by the gateway's id, by ours, by the end-to-end id; its transaction and order change, and events are emitted", async () => {
  const profile = await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url: "http://127.0.0.1:9/",
    events: ["chargeback.created", "transaction.status_changed"],
  });
  const payments = await Promise.all(
    [1, 2, 3].map(
      async () =>
        (await merchant.pay(await merchant.session({ webhook_profile_id: profile["id"] }), IBAN.approved))
          .body,
    ),
  );
  const [first, second, third] = payments.map((body) => body["transaction"]);
  const file = [
    CHARGEBACKS,
    `cb-1,${first.gateway_reference},,,-19.90,2026-02-05,MD06,Refund request,7.50,ARN-1`,
    `cb-2,,${second.merchant_transaction_id},,19.90,05.02.2026,AM04,,,`,
    `cb-3,,,${third.merchant_transaction_id},10.00,2026-02-05,AC04,,,`,
    "cb-4,unknown-9,,,5.00,2026-02-05,MD06,,,",
  ].join("\n");
  const answer = await send(file, { kind: "chargebacks" });
  assert.deepEqual(
    counts(answer),
    { lines: 4, created: 4, duplicate: 0, linked: 3, rejected: 0 },
    answer.text,
  );
  for (const body of payments) {
    const id = body["transaction"].id;
    const [row] = await service.rows(
      "select t.status, o.status as order_status from transactions t join orders o on o.id = t.order_id where t.id = $1",
      [id],
    );
    assert.deepEqual(row, { status: "charged_back", order_status: "CHARGEDBACK" });
  }
  const told = await service.rows(
    "select type, count(*)::integer as count from events where type <> 'payment_session.completed' group by type order by type",
  );
  assert.deepEqual(told, [
    { type: "chargeback.created", count: 3 },
    { type: "transaction.status_changed", count: 3 },
  ]);
  const listed = await service.get("reconciliation/chargebacks/?start_date=2026-02-05&end_date=2026-02-05", {
    key: merchant.key,
  });
  const records: Json[] = listed.body["results"];
  assert.equal(records.length, 4);
  const linked = records.find((record) => record["adapter_unique_id"] === "cb-1");
  assert.equal(linked?.["transaction_id"], first.id);
  assert.equal(linked?.["cb_bank_fee"], "7.50");
  assert.equal(linked?.["arn"], "ARN-1");
  assert.equal(linked?.["source"], "csv_import");
  assert.equal(records.find((record) => record["adapter_unique_id"] === "cb-4")?.["transaction_id"], null);
  assert.deepEqual(counts(await send(file, { kind: "chargebacks" })), {
    lines: 4,
    created: 0,
    duplicate: 4,
    linked: 0,
    rejected: 0,
  });
});

test("a chargeback of an imported sale moves it; one of a declined or for more than was collected is refused", async () => {
  const sale = line();
  const declined = line({ status: "declined" });
  await send([HEADER, sale, declined].join("\n"));
  const idOf = (row: string) => row.split(",")[0];
  const file = [
    CHARGEBACKS,
    `cbi-1,${idOf(sale)},,,20.00,2026-02-06,MD06,,,`,
    `cbi-2,${idOf(declined)},,,19.90,2026-02-06,MD06,,,`,
    `cbi-3,${idOf(sale)},,,19.90,2026-02-06,MD06,,,`,
  ].join("\n");
  const answer = await send(file, { kind: "chargebacks" });
  assert.deepEqual(counts(answer), { lines: 3, created: 1, duplicate: 0, linked: 1, rejected: 2 });
  assert.match(answer.body["rejections"][0]["reasons"][0], /No more than 19\.90/);
  assert.match(answer.body["rejections"][1]["reasons"][0], /is declined/);
});

test("the event of an imported sale has the record of reconciliation, with the fields that only the file has", async () => {
  const sale = line({ date: "2026-01-21T10:00:00Z", email: "told@example.com" });
  await send(`${HEADER}\n${sale}`);
  const [id] = sale.split(",");
  await send(`${CHARGEBACKS}\ncbe-1,${id},,,19.90,2026-02-06,MD06,,,`, { kind: "chargebacks" });
  const listed = await service.get("reconciliation/transactions/?start_date=2026-01-21&end_date=2026-01-21", {
    key: merchant.key,
  });
  const record = (listed.body["results"] as Json[]).find((one) => one["adapter_unique_id"] === id);
  const [event] = await service.rows(
    "select payload from events where type = 'transaction.status_changed' and transaction_id = $1",
    [record?.["id"]],
  );
  assert.deepEqual(event?.["payload"].transaction, record);
  assert.deepEqual(
    [record?.["status"], record?.["iban"], record?.["customer_email_csv"]],
    ["charged_back", `******************${IBAN.approved.slice(-4)}`, "told@example.com"],
  );
});

test("a processor's id means a payment of its own gateway: the same id at another gateway is left alone", async () => {
  const ofOther = { gateway_id: await createSandbox(service, merchant.key, { name: "Other" }) };
  await send(`${HEADER}\n${line({ unique_id: "same-id", merchant_reference: "here" })}`);
  const file = `${CHARGEBACKS}\ncbs-1,same-id,,,19.90,2026-02-06,MD06,,,`;
  const held = await send(file, { kind: "chargebacks", fields: ofOther });
  assert.deepEqual(counts(held), { lines: 1, created: 1, duplicate: 0, linked: 0, rejected: 0 });
  const sale = line({ unique_id: "same-id", merchant_reference: "there" });
  assert.equal((await send(`${HEADER}\n${sale}`, { fields: ofOther })).body["created"], 1);
  const rows = await service.rows(
    "select merchant_transaction_id, status from transactions where merchant_transaction_id = any ($1) order by 1",
    [["here", "there"]],
  );
  assert.deepEqual(
    rows.map((row) => [row["merchant_transaction_id"], row["status"]]),
    [
      ["here", "approved"],
      ["there", "charged_back"],
    ],
  );
});

test("another tenant's import and its records are not found", async () => {
  const mine = await send([HEADER, line()].join("\n"));
  const stranger = await createMerchant(service);
  const read = await service.get(`management/imports/${mine.body["id"]}/`, { key: stranger.key });
  assert.deepEqual(
    [read.status, read.text],
    [404, '{"detail":"Not found.","code":"not_found","status_code":404}'],
  );
  assert.deepEqual((await service.get("management/imports/", { key: stranger.key })).body["results"], []);
  const theirs = await send(`${HEADER}\n${line({ unique_id: `proc-${numbers}` })}`, { as: stranger });
  assert.equal(theirs.body["created"], 1, "ids of one tenant do not stand in another's way");
});

test("only the last digits of an account are kept", async () => {
  await send(
    [HEADER, line({ iban: "NL91 ABNA 0417 1643 00" }), line({ iban: "DE89************3000" })].join("\n"),
  );
  const hits = await service.rows(
    `select 1 from transactions t where t::text ~ '(ABNA|0417164|DE893704|04005320)' and source = 'csv_import'`,
  );
  assert.deepEqual(hits, []);
  assert.deepEqual(
    await service.rows("select 1 from imports i where i::text ~ '(ABNA|0417164|DE893704)'"),
    [],
  );
});

test("a client that disconnects in the middle leaves whole batches and a report, and the next import adds the rest", async () => {
  const rows = Array.from({ length: 5_000 }, () => line());
  const { body, type } = form([HEADER, ...rows].join("\n"), {
    kind: "transactions",
    gateway_id: merchant.gatewayId,
  });
  const { request } = await import("node:http");
  const outgoing = request(`${service.url}/api/v1/management/imports/`, {
    method: "POST",
    localAddress: freshAddress(),
    headers: { authorization: `Bearer ${merchant.key}`, "content-type": type, "content-length": body.length },
  });
  outgoing.on("error", () => {});
  outgoing.write(body.subarray(0, Math.floor(body.length * 0.6)));
  const running = async () =>
    (await service.rows("select id, lines, status from imports order by created_at desc limit 1"))[0] as Json;
  while ((await running())["lines"] < 1_000) await new Promise(setImmediate);
  const progress = await service.get(`management/imports/${(await running())["id"]}/`, { key: merchant.key });
  assert.equal(progress.body["status"], "running");
  outgoing.destroy();
  while ((await running())["status"] === "running") await new Promise(setImmediate);
  const broken = await running();
  assert.equal(broken["status"], "failed");
  const again = await send([HEADER, ...rows].join("\n"));
  assert.equal(again.body["created"] + again.body["duplicate"], 5_000);
  assert.equal(again.body["duplicate"], broken["lines"]);
});

test("a form that breaks off within its file is refused or reported by every reader, and the service keeps running", async () => {
  const fields = { kind: "transactions", gateway_id: merchant.gatewayId };
  const cut = (as: Readonly<Record<string, string>>) => {
    const { body, type } = form([HEADER, line(), line()].join("\n"), as);
    const headers = { "content-type": type };
    return service.post("management/imports/", body.subarray(0, -30), { key: merchant.key, headers });
  };
  const unread = await cut({ ...fields, kind: "refunds" });
  assert.equal(unread.status, 400, unread.text);
  const read = await cut(fields);
  assert.deepEqual([read.status, read.body["status"]], [422, "failed"], read.text);
});

/** A sale and its chargeback as lines of two files; the processor's ids differ from the merchant's. */
function pair(reference: string): { readonly sale: string; readonly chargeback: string } {
  return {
    sale: line({ unique_id: `p-${reference}`, merchant_reference: reference }),
    chargeback: `c-${reference},p-${reference},,,19.90,2026-02-07,AC04,Account closed,3.50,ARN-${reference}`,
  };
}

async function chargebackOf(reference: string): Promise<Json | undefined> {
  const rows = await service.rows(
    `select t.status, c.id, c.transaction_id = t.id as linked, c.arn, c.cb_bank_fee, c.adapter_unique_id
       from chargebacks c left join transactions t on t.tenant = c.tenant and t.id = c.transaction_id
      where c.adapter_unique_id = $1`,
    [`c-${reference}`],
  );
  assert.ok(rows.length <= 1);
  return rows[0];
}

for (const [what, reference] of [
  ["by the processor's id", (key: string) => `c-${key},p-${key},,,19.90,2026-02-07,AC04,,3.50,A`],
  ["by the merchant's id", (key: string) => `c-${key},,${key},,19.90,2026-02-07,AC04,,3.50,A`],
  ["by the end-to-end id", (key: string) => `c-${key},,,${key},19.90,2026-02-07,AC04,,3.50,A`],
] as const) {
  // Holds MONEY-11.
  test(`a chargeback imported before its sale waits, and is linked ${what} when the sale is imported`, async () => {
    const key = `held-${(numbers += 1)}`;
    const chargebacks = [CHARGEBACKS, reference(key)].join("\n");
    const first = await send(chargebacks, { kind: "chargebacks" });
    assert.deepEqual(counts(first), { lines: 1, created: 1, duplicate: 0, linked: 0, rejected: 0 });
    const held = await chargebackOf(key);
    assert.deepEqual([held?.["status"], held?.["linked"]], [null, null]);

    const sales = [HEADER, pair(key).sale].join("\n");
    assert.equal((await send(sales)).body["created"], 1);
    const linked = await chargebackOf(key);
    const { id, status, arn, cb_bank_fee: fee } = linked ?? {};
    assert.deepEqual(
      { id, status, arn, fee },
      { id: held?.["id"], status: "charged_back", arn: "A", fee: "3.50" },
    );

    assert.equal((await send(sales)).body["created"], 0);
    const again = await send(chargebacks, { kind: "chargebacks" });
    assert.deepEqual(counts(again), { lines: 1, created: 0, duplicate: 1, linked: 0, rejected: 0 });
    assert.deepEqual(await chargebackOf(key), linked);
  });
}

test("a sale and its chargeback that are imported at the same time end linked", async () => {
  const pairs = Array.from({ length: 8 }, () => pair(`at-once-${(numbers += 1)}`));
  await Promise.all(
    pairs.flatMap(({ sale, chargeback }) => [
      send([CHARGEBACKS, chargeback].join("\n"), { kind: "chargebacks" }),
      send([HEADER, sale].join("\n")),
    ]),
  );
  const rows = await service.rows(
    "select t.status, count(*)::int as count from chargebacks c join transactions t on t.id = c.transaction_id where c.adapter_unique_id like 'c-at-once-%' group by 1",
  );
  assert.deepEqual(rows, [{ status: "charged_back", count: 8 }]);
});

test("a dry run of the sales links no waiting chargeback", async () => {
  const { sale, chargeback } = pair(`dry-${(numbers += 1)}`);
  await send([CHARGEBACKS, chargeback].join("\n"), { kind: "chargebacks" });
  await send([HEADER, sale].join("\n"), { fields: { dry_run: "true" } });
  const held = await chargebackOf(chargeback.slice(2, chargeback.indexOf(",")));
  assert.equal(held?.["linked"], null);
});

test("a chargeback in another currency than the payment's is refused with what to do, whichever is imported first", async () => {
  const paid = (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
  const header = `${CHARGEBACKS},currency`;
  const dollars = (id: string) => `c-usd-${id},,${id},,15.00,2026-02-07,MD06,,,,USD`;
  const answer = await send([header, dollars(paid.merchant_transaction_id)].join("\n"), {
    kind: "chargebacks",
  });
  assert.deepEqual(counts(answer), { lines: 1, created: 0, duplicate: 0, linked: 0, rejected: 1 });
  assert.match(
    answer.body["rejections"][0]["reasons"][0],
    /is in USD, but TXN-.* was collected in EUR: give the amount debited in EUR/,
  );

  const key = `usd-${(numbers += 1)}`;
  await send([header, dollars(key)].join("\n"), { kind: "chargebacks" });
  await send([HEADER, pair(key).sale].join("\n"));
  const held = await chargebackOf(`usd-${key}`);
  assert.deepEqual([held?.["status"], held?.["linked"]], [null, null]);
});

/** The date so many days from today; the books expect the gateway's news today. */
function dayFrom(days: number): string {
  return addDays(utcDate(new Date()), days);
}

/** A payment's status, its chargebacks, and the number of its events. */
async function standingOf(id: string): Promise<Json | undefined> {
  const [row] = await service.rows(
    `select t.status, o.status as order_status,
            (select count(*)::integer from chargebacks c where c.transaction_id = t.id) as chargebacks,
            (select count(*)::integer from events e where e.transaction_id = t.id) as events
       from transactions t join orders o on o.id = t.order_id where t.id = $1`,
    [id],
  );
  return row;
}

/** The gateway's news of a payment, on this day. */
async function tell(kind: "returned" | "reinstated", reference: string, day: string): Promise<void> {
  const [of] = await service.rows("select tenant from gateways where id = $1", [merchant.gatewayId]);
  const news = { reference, at: new Date(`${day}T09:00:00Z`) };
  const taken = await applyNews(
    service.app.deps,
    of?.["tenant"],
    merchant.gatewayId,
    kind === "returned" ? { ...news, kind, reasonCode: "MD06", reasonMessage: null } : { ...news, kind },
  );
  assert.equal(taken, "taken");
}

test("a chargeback that the bank took back is not charged back again by a file from before; a later one is", async () => {
  const profile = await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Taken back",
    url: "http://127.0.0.1:9/",
    events: ["chargeback.created", "transaction.status_changed"],
  });
  const session = await merchant.session({ webhook_profile_id: profile["id"] });
  const { id, merchant_transaction_id: reference } = (await merchant.pay(session, IBAN.approved)).body[
    "transaction"
  ];
  const row = (unique: string, day: string, arn: string) =>
    [CHARGEBACKS, `${unique},,${reference},,19.90,${day},MD06,,,${arn}`].join("\n");
  const take = (file: string) => send(file, { kind: "chargebacks" });
  const first = row("tb-1", dayFrom(-5), "ARN-TB-1");
  assert.equal((await take(first)).body["linked"], 1);
  await tell("reinstated", reference, dayFrom(0));
  const reinstated = await standingOf(id);
  assert.deepEqual(
    [reinstated?.["status"], reinstated?.["order_status"], reinstated?.["chargebacks"]],
    ["approved", "COMPLETED", 1],
  );

  for (const [what, same] of [
    ["the same file", first],
    ["the same id", row("tb-1", dayFrom(-4), "")],
    ["the same ARN", row("tb-2", dayFrom(-4), "ARN-TB-1")],
    ["the same day", row("tb-2", dayFrom(-5), "ARN-TB-2")],
  ] as const) {
    const answer = await take(same);
    assert.deepEqual(counts(answer), { lines: 1, created: 0, duplicate: 1, linked: 0, rejected: 0 }, what);
  }
  for (const day of [dayFrom(-9), dayFrom(0)]) {
    const refused = await take(row("tb-2", day, "ARN-TB-2"));
    assert.deepEqual(counts(refused), { lines: 1, created: 0, duplicate: 0, linked: 0, rejected: 1 });
    assert.deepEqual(refused.body["rejections"][0]["reasons"], [
      `The bank took a chargeback of ${reference} back on ${dayFrom(0)}. If this is another one, enter it by hand.`,
    ]);
  }
  assert.deepEqual(await standingOf(id), reinstated);

  const later = await take(row("tb-2", dayFrom(1), "ARN-TB-2"));
  assert.deepEqual(counts(later), { lines: 1, created: 1, duplicate: 0, linked: 1, rejected: 0 });
  const again = await standingOf(id);
  assert.deepEqual(
    [again?.["status"], again?.["order_status"], again?.["chargebacks"]],
    ["charged_back", "CHARGEDBACK", 2],
  );
});

test("a waiting chargeback from before the bank took the payment's back stays unlinked; a later row is recorded for itself", async () => {
  const paid = (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
  const { id, merchant_transaction_id: reference, gateway_reference: theirs } = paid;
  const key = `wait-${(numbers += 1)}`;
  const waits = `${CHARGEBACKS}\nc-${key},${theirs},,,19.90,${dayFrom(-5)},MD06,,,`;
  // The gateway's id of the payment is not known yet, as when its response was lost.
  await service.rows(
    "update transactions set gateway_reference = null, adapter_unique_id = null where id = $1",
    [id],
  );
  const held = await send(waits, { kind: "chargebacks" });
  assert.deepEqual(counts(held), { lines: 1, created: 1, duplicate: 0, linked: 0, rejected: 0 });
  await service.rows("update transactions set gateway_reference = $2 where id = $1", [id, theirs]);
  await tell("returned", reference, dayFrom(-5));
  await tell("reinstated", reference, dayFrom(0));
  const reinstated = await standingOf(id);
  assert.deepEqual([reinstated?.["status"], reinstated?.["chargebacks"]], ["approved", 1]);

  const sales = [HEADER, line({ unique_id: theirs })].join("\n");
  assert.equal((await send(sales)).body["duplicate"], 1);
  assert.equal((await send(waits, { kind: "chargebacks" })).body["duplicate"], 1);
  assert.deepEqual(await standingOf(id), reinstated);
  const unlinked = await chargebackOf(key);
  assert.deepEqual([unlinked?.["status"], unlinked?.["linked"]], [null, null]);

  const later = `${CHARGEBACKS}\nc-${key}-2,${theirs},,,19.90,${dayFrom(1)},MD06,,,`;
  const taken = await send(later, { kind: "chargebacks" });
  assert.deepEqual(counts(taken), { lines: 1, created: 1, duplicate: 0, linked: 1, rejected: 0 });
  assert.deepEqual(await chargebackOf(key), unlinked);
  const [current] = await service.rows(
    "select adapter_unique_id, (report_date at time zone 'UTC')::date::text as day from chargebacks where transaction_id = $1 and withdrawn_on is null",
    [id],
  );
  assert.deepEqual(current, { adapter_unique_id: `c-${key}-2`, day: dayFrom(1) });
});

/** A chargeback that carries this payment's reference and was stored without a payment, and does not fit it. */
interface Doubtful {
  readonly id: string;
  readonly reference: string;
  readonly unique: string;
}

const DOUBTFUL: readonly (readonly [what: string, make: () => Promise<Doubtful>])[] = [
  [
    "that is of more than its sale collected",
    async () => {
      const key = `more-${(numbers += 1)}`;
      const more = `c-${key},,${key},,20.00,${dayFrom(-9)},MD06,,,`;
      await send([CHARGEBACKS, more].join("\n"), { kind: "chargebacks" });
      assert.equal((await send([HEADER, pair(key).sale].join("\n"))).body["created"], 1);
      const [row] = await service.rows("select id from transactions where merchant_transaction_id = $1", [
        key,
      ]);
      return { id: row?.["id"], reference: key, unique: `c-${key}` };
    },
  ],
  [
    "that has our reference in the column of the processor's id",
    async () => {
      const paid = (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
      const { id, merchant_transaction_id: reference } = paid;
      const unique = `c-column-${reference}`;
      const file = [CHARGEBACKS, `${unique},${reference},,,19.90,${dayFrom(-9)},MD06,,,`].join("\n");
      const { body } = await send(file, { kind: "chargebacks" });
      assert.deepEqual([body["created"], body["linked"]], [1, 0]);
      return { id, reference, unique };
    },
  ],
];

/** The list of a person, newest first: what it says of chargebacks without a payment. */
async function listedUnlinked(): Promise<readonly Json[]> {
  const { body } = await service.get("management/chargebacks/?linked=false", { key: merchant.key });
  return body["results"];
}

async function statusOf(id: string): Promise<string> {
  return (await service.get(`management/transactions/${id}/`, { key: merchant.key })).body["status"];
}

/** The chargeback in force of a payment, as its record is shown. */
async function standing(id: string): Promise<Json | undefined> {
  const { body } = await service.get("management/chargebacks/?linked=true", { key: merchant.key });
  const [record, ...more] = (body["results"] as readonly Json[]).filter(
    (row) => row["transaction_id"] === id && row["withdrawn_on"] === null,
  );
  assert.deepEqual(more, []);
  return record;
}

for (const [what, make] of DOUBTFUL) {
  for (const [who, report] of [
    ["by the gateway", ({ reference }: Doubtful) => tell("returned", reference, dayFrom(-5))],
    [
      "by a later row of a file",
      async ({ reference, unique }: Doubtful) => {
        const row = `${unique}-2,,${reference},,15.00,${dayFrom(-5)},MD06,,,`;
        const take = () => send([CHARGEBACKS, row].join("\n"), { kind: "chargebacks" });
        const one = { lines: 1, created: 1, duplicate: 0, linked: 1, rejected: 0 };
        assert.deepEqual(counts(await take()), one);
        assert.deepEqual(counts(await take()), { ...one, created: 0, duplicate: 1, linked: 0 });
      },
    ],
    [
      "by a person",
      async ({ id }: Doubtful) => {
        const body = { transaction_id: id, amount: "15.00", report_date: dayFrom(-5) };
        const { status, text } = await service.post("management/chargebacks/", body, { key: merchant.key });
        assert.equal(status, 201, text);
      },
    ],
  ] as const) {
    test(`a chargeback that is reported ${who} is recorded, and one ${what} stays unlinked for a person`, async () => {
      const doubtful = await make();
      const { id, reference, unique } = doubtful;
      const listed = async () => (await listedUnlinked()).find((row) => row["adapter_unique_id"] === unique);
      const waiting = await listed();
      assert.equal(waiting?.["merchant_transaction_id"], reference);

      await report(doubtful);
      const record = await standing(id);
      assert.deepEqual(
        [record?.["merchant_transaction_id"], record?.["amount"]],
        [reference, who === "by the gateway" ? "19.90" : "15.00"],
      );
      assert.equal(await statusOf(id), "charged_back");
      const { updated_at, ...left } = (await listed()) ?? {};
      assert.ok(updated_at >= waiting?.["updated_at"]);
      assert.deepEqual(
        { ...left, updated_at: waiting?.["updated_at"] },
        {
          ...waiting,
          merchant_transaction_id: `${reference} (${waiting?.["id"]})`,
          report_info: `${reference} has another chargeback.`,
        },
        "it stays on the list",
      );

      await tell("reinstated", reference, dayFrom(0));
      assert.equal(await standing(id), undefined);
      assert.equal((await listed())?.["withdrawn_on"], null);
      assert.equal(await statusOf(id), "approved");
    });
  }
}

test("chargebacks without a known transaction have a list of their own", async () => {
  const fresh = await createMerchant(service);
  const paid = (await fresh.pay(await fresh.session(), IBAN.approved)).body["transaction"];
  const file = [
    CHARGEBACKS,
    `list-1,,${paid.merchant_transaction_id},,19.90,2026-02-07,MD06,,,`,
    "list-2,,nobody-knows,,19.90,2026-02-07,MD06,,,",
  ].join("\n");
  assert.equal((await send(file, { kind: "chargebacks", as: fresh })).body["linked"], 1);
  const ids = async (query: string) => {
    const { body } = await service.get(`management/chargebacks/${query}`, { key: fresh.key });
    return (body["results"] as readonly Json[])
      .map((row) => row["adapter_unique_id"])
      .toSorted((a, b) => (a < b ? -1 : 1));
  };
  assert.deepEqual(await ids("?linked=false"), ["list-2"]);
  assert.deepEqual(await ids("?linked=true"), ["list-1"]);
  assert.deepEqual(await ids(""), ["list-1", "list-2"]);
});

test("a payment of this service is a duplicate by the processor's id, whatever other ids the file has", async () => {
  const paid = (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
  const file = [`${HEADER},processor_transaction_id`, `${line()},${paid.gateway_reference}`].join("\n");
  assert.deepEqual(counts(await send(file)), { lines: 1, created: 0, duplicate: 1, linked: 0, rejected: 0 });
});

test("a processor's own words for statuses and types are mapped; an unknown one is refused with the accepted ones", async () => {
  const file = [
    HEADER,
    line({ status: "Genehmigt", type: "Lastschrift" }),
    line({ status: "paid_out" }),
    line({ status: "Settled" }),
    line({ status: "Storniert" }),
  ].join("\n");
  const value_mapping = JSON.stringify({
    status: { GENEHMIGT: "approved", "paid out": "pending" },
    type: { Lastschrift: "sdd_rebill" },
  });
  const answer = await send(file, { fields: { value_mapping } });
  assert.deepEqual(
    counts(answer),
    { lines: 4, created: 3, duplicate: 0, linked: 0, rejected: 1 },
    answer.text,
  );
  assert.match(
    answer.body["rejections"][0]["reasons"][0],
    /^status must be approved, pending or declined; map other words with value_mapping/,
  );
  const rows = await service.rows(
    "select status, type from transactions where merchant_transaction_id = any ($1) order by merchant_transaction_id",
    [[3, 2, 1].map((back) => `order-${numbers - back}`)],
  );
  assert.deepEqual(rows, [
    { status: "approved", type: "sdd_rebill" },
    { status: "pending", type: "sdd_sale" },
    { status: "approved", type: "sdd_sale" },
  ]);
});

test("a mapping of values that cannot be used is a 400, and nothing is begun", async () => {
  for (const [kind, value_mapping, words] of [
    ["transactions", "[]", /JSON object/],
    ["transactions", '{"status": "approved"}', /JSON object/],
    ["transactions", '{"status": {"Genehmigt": "good"}}', /good must be approved, pending or declined/],
    ["transactions", '{"constructor": {"a": "b"}}', /constructor of transactions does not accept a mapping/],
    ["chargebacks", '{"status": {"a": "approved"}}', /status of chargebacks does not accept a mapping/],
  ] as const) {
    const { status, body } = await send(HEADER, { kind, fields: { value_mapping } });
    assert.equal(status, 400);
    assert.match(body["value_mapping"].join(" "), words);
  }
});

test("the books agree afterwards", async () => {
  await assertBooksAgree(service.db);
});

test("an import whose upload is refused halfway keeps its rows, ends as failed, and answers with the refusal", async () => {
  const id = randomUUID();
  const lines = [HEADER, ...Array.from({ length: 2_000 }, () => line()), ""].join("\n");
  const { bytes, db } = uploadEndedHalfway(service.app.deps.db, lines, "too_slow");
  const [of] = await service.rows("select tenant from gateways where id = $1", [merchant.gatewayId]);
  const input = { tenant: of?.["tenant"], id, kind: "transactions", gatewayId: merchant.gatewayId } as const;
  const file = { name: "january.csv", bytes };
  const more = { mapping: {}, values: {}, dates: null, dryRun: false, file, author: COMMAND_LINE };
  const refused = importFile({ ...service.app.deps, db }, { ...input, ...more });
  await assert.rejects(refused, { kind: "too_slow" });
  const { body } = await service.get(`management/imports/${id}/`, { key: merchant.key });
  assert.deepEqual([body["status"], body["error"]], ["failed", "The request took too long to arrive."]);
  assert.ok(body["created"] >= 500 && body["created"] === body["lines"], JSON.stringify(body));
});
