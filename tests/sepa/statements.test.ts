/** A missing statement of the bank is detected and listed until it arrives. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import {
  bankMerchant,
  bankOf,
  camt,
  CREDITOR,
  withBalances,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { read } from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const warnings: string[] = [];
let service: Service;

before(async () => {
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
  service = await startService({ clock, log });
});
after(() => service.close());

/** A camt.053 of a day with a number and balances. */
function statement(day: string, number: number, opening: string, closing: string): string {
  return withBalances(camt("camt.053", day, []), day, number, opening, closing);
}

async function gaps(merchant: BankMerchant): Promise<readonly (readonly [unknown, unknown])[]> {
  const { body, text } = await service.get("management/sepa-statements/?gap=true", { key: merchant.key });
  assert.ok(Array.isArray(body["results"]), text);
  return (body["results"] as Json[]).map(({ sequence, gap }) => [sequence, gap] as const);
}

test("a skipped statement number is reported as missing until that statement arrives", async () => {
  const merchant = await bankMerchant(service);
  await read(service, merchant, statement("2026-11-24", 231, "0.00", "100.00"));
  assert.deepEqual(await gaps(merchant), []);
  await read(service, merchant, statement("2026-11-26", 233, "150.00", "160.00"));
  assert.deepEqual(await gaps(merchant), [[233, "statement 232 is missing"]]);
  assert.ok(warnings.includes("a bank's statement is missing"));
  assert.match((await service.get("/metrics", {})).text, /sepa_waiting\{what="statement_gaps"\} 1/);
  await read(service, merchant, statement("2026-11-27", 234, "160.00", "170.00"));
  assert.deepEqual(
    await gaps(merchant),
    [[233, "statement 232 is missing"]],
    "the next one does not close it",
  );
  await read(service, merchant, statement("2026-11-25", 232, "100.00", "150.00"));
  assert.deepEqual(await gaps(merchant), []);
});

test("a debit balance does not continue a credit balance of the same amount", async () => {
  const merchant = await bankMerchant(service);
  const owes = (xml: string, type: "OPBD" | "CLBD") =>
    xml.replace(new RegExp(`(<Cd>${type}</Cd>.*?<CdtDbtInd>)CRDT`), "$1DBIT");
  await read(service, merchant, owes(statement("2026-11-24", 1, "0.00", "50.00"), "CLBD"));
  await read(service, merchant, owes(statement("2026-11-25", 2, "50.00", "60.00"), "OPBD"));
  assert.deepEqual(await gaps(merchant), []);
  await read(service, merchant, owes(statement("2026-11-26", 3, "60.00", "70.00"), "OPBD"));
  await read(service, merchant, owes(statement("2026-11-27", 4, "70.00", "0.01"), "CLBD"));
  await read(service, merchant, statement("2026-11-28", 5, "0.00", "10.00"));
  assert.deepEqual(new Set((await gaps(merchant)).map(([number]) => number)), new Set([3, 5]));
});

test("a gap is logged once, when it is found, and not when it closes", async () => {
  const merchant = await bankMerchant(service);
  const logged: number[] = [];
  for (const [day, number, opening, closing] of [
    ["2026-11-24", 1, "0.00", "10.00"],
    ["2026-11-26", 3, "20.00", "30.00"],
    ["2026-11-26", 4, "30.00", "40.00"],
    ["2026-11-25", 2, "10.00", "20.00"],
  ] as const) {
    warnings.length = 0;
    await read(service, merchant, statement(day, number, opening, closing));
    logged.push(warnings.length);
  }
  assert.deepEqual(logged, [0, 1, 0, 0]);
});

test("statements that arrive in any order leave no gap in the end, also through two gateways of the account", async () => {
  const days = [
    ["2026-11-24", 1, "0.00", "10.00"],
    ["2026-11-25", 2, "10.00", "20.00"],
    ["2026-11-26", 3, "20.00", "30.00"],
  ] as const;
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]) {
    const merchant = await bankMerchant(service);
    const second = await bankOf(service, merchant);
    for (const [n, place] of order.entries()) {
      const [day, number, opening, closing] = days[place] ?? days[0];
      await read(service, n === 1 ? second : merchant, statement(day, number, opening, closing));
    }
    assert.deepEqual(await gaps(merchant), [], order.join());
    const all = await service.get("management/sepa-statements/", { key: merchant.key });
    assert.equal(all.body["results"].length, 3);
  }
});

test("neither a statement that comes again with other bytes nor a refused file leaves a gap", async () => {
  const merchant = await bankMerchant(service);
  await read(service, merchant, statement("2026-11-24", 7, "0.00", "10.00"));
  await read(service, merchant, statement("2026-11-24", 7, "0.00", "10.00"));
  await read(service, merchant, statement("2026-11-25", 8, "10.00", "20.00"));
  assert.deepEqual(await gaps(merchant), []);
  const foreign = statement("2026-11-28", 20, "1.00", "2.00").replace(CREDITOR.iban, "NL91ABNA0417164300");
  assert.equal((await read(service, merchant, foreign))["status"], "refused");
  assert.deepEqual(await gaps(merchant), []);
});

/** The statement without balances of this type: OPBD or CLBD. */
const without = (xml: string, kind: string) =>
  xml.replace(new RegExp(`<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd>.*?</Bal>`), "");
const UNEQUAL = "its opening balance is not the closing balance of the statement before it";

test("several statements of one day without numbers show no gap, as their order is unknown", async () => {
  const merchant = await bankMerchant(service);
  const unnumbered = (day: string, opening: string, closing: string) =>
    read(
      service,
      merchant,
      statement(day, 1, opening, closing).replace("<ElctrncSeqNb>1</ElctrncSeqNb>", ""),
    );
  await unnumbered("2026-11-24", "0.00", "10.00");
  await unnumbered("2026-11-24", "10.00", "20.00");
  await unnumbered("2026-11-25", "20.00", "30.00");
  assert.deepEqual(await gaps(merchant), []);
  await unnumbered("2026-11-26", "31.00", "40.00");
  assert.deepEqual(await gaps(merchant), [[null, UNEQUAL]]);
});

test("the pages of a statement count as one statement with the balance of any of them", async () => {
  const merchant = await bankMerchant(service);
  await read(service, merchant, without(statement("2026-11-24", 5, "0.00", "20.00"), "CLBD"));
  await read(service, merchant, without(statement("2026-11-24", 5, "0.00", "20.00"), "OPBD"));
  await read(service, merchant, statement("2026-11-25", 6, "20.00", "30.00"));
  assert.deepEqual(await gaps(merchant), []);
  await read(service, merchant, without(statement("2026-11-26", 7, "31.00", "40.00"), "CLBD"));
  await read(service, merchant, without(statement("2026-11-26", 7, "31.00", "40.00"), "OPBD"));
  assert.deepEqual(await gaps(merchant), [[7, UNEQUAL]]);
  await read(service, merchant, statement("2026-11-27", 8, "41.00", "50.00"));
  assert.deepEqual((await gaps(merchant)).length, 2);
});

test("from a file about several accounts only the statements of the gateway's account are kept", async () => {
  const merchant = await bankMerchant(service);
  const another = statement("2026-11-24", 5, "7.00", "8.00").replace(CREDITOR.iban, "NL91ABNA0417164300");
  const [stmt = ""] = /<Stmt>.*<\/Stmt>/s.exec(another) ?? [];
  const both = statement("2026-11-24", 1, "0.00", "10.00").replace("</Stmt>", `</Stmt>${stmt}`);
  assert.equal((await read(service, merchant, both))["status"], "applied");
  const list = await service.get("management/sepa-statements/", { key: merchant.key });
  assert.deepEqual(
    (list.body["results"] as Json[]).map(({ sequence, opening_balance }) => [sequence, opening_balance]),
    [[1, "0.00"]],
  );
});

test("a tenant sees its own statements only", async () => {
  const [ours, theirs] = [await bankMerchant(service), await bankMerchant(service)];
  await read(service, theirs, statement("2026-11-24", 1, "0.00", "10.00"));
  await read(service, ours, statement("2026-11-26", 3, "50.00", "10.00"));
  assert.deepEqual(await gaps(ours), []);
  const list = await service.get("management/sepa-statements/", { key: ours.key });
  assert.deepEqual(
    (list.body["results"] as Json[]).map(({ sequence, opening_balance }) => [sequence, opening_balance]),
    [[3, "50.00"]],
  );
});

test("a statement ends on the day of its closing balance, else its last interim one, else its own, else that of its file, else today", async () => {
  const merchant = await bankMerchant(service);
  const full = statement("2026-11-24", 1, "0.00", "10.00").replaceAll(
    "<Dt>2026-11-24</Dt>",
    "<Dt>2026-11-20</Dt>",
  );
  // A page that is not the last ends with an interim balance, and may begin with one.
  const page = full
    .replace("CLBD", "ITBD")
    .replace(/(<Cd>)OPBD(.*?<Dt>)2026-11-20/, "$1ITBD$22026-11-19")
    .replace(/<CreDtTm>2026-11-24(T[^<]*<\/CreDtTm><Acct>)/, "<CreDtTm>2026-11-21$1");
  const noBalance = without(full, "CLBD").replace(
    /<CreDtTm>2026-11-24(T[^<]*<\/CreDtTm><Acct>)/,
    "<CreDtTm>2026-11-21$1",
  );
  const ofFile = noBalance.replace(/<CreDtTm>[^<]*<\/CreDtTm><Acct>/, "<Acct>");
  const undated = ofFile.replace(/<CreDtTm>[^<]*<\/CreDtTm>/, "");
  const days: unknown[] = [];
  for (const xml of [full, page, noBalance, ofFile, undated]) {
    const { id } = await read(service, merchant, xml);
    const [row] = await service.rows("select ends_on::text from sepa_statements where file_id = $1", [id]);
    days.push(row?.["ends_on"]);
  }
  assert.deepEqual(days, ["2026-11-20", "2026-11-20", "2026-11-21", "2026-11-24", "2026-11-23"]);
});
