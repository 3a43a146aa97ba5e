/** The journal: entries of the bank's bookings, which add up to the balances of its statements. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { camt, markSent, outgoing, pain002, withBalances } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { chargebacks, read, resolve, sent, unmatched, type Entries, type Sent } from "../support/treasury.ts";
import { bankEntry, bankFile, type EntryFacts } from "./messages.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(() => service.close());

/** Three collections are credited, together with a transfer that is not ours; one of them is returned with a fee. */
async function bankDays(): Promise<Sent> {
  const one = await sent(service, 3);
  const [first = "", ...others] = one.references;
  const credits: Entries = one.references.map((endToEndId) => [
    "collection",
    { amount: "19.90", endToEndId },
  ]);
  const statement = (day: string, number: number, opening: string, closing: string, entries: Entries) =>
    read(service, one.merchant, withBalances(camt("camt.053", day, entries), day, number, opening, closing));
  await statement("2026-11-25", 1, "100.00", "149.70", [...credits, ["transferOut", { amount: "10.00" }]]);
  await statement("2026-11-27", 2, "149.70", "126.80", [
    ["return", { amount: "22.90", original: "19.90", endToEndId: first, reason: "AM04" }],
  ]);
  assert.equal(others.length, 2);
  return one;
}

const journal = ({ merchant }: Sent, query: string) =>
  service.get(`management/journal/?from=2026-11-01&to=2026-11-30${query}`, { key: merchant.key });

test("collections, returns and fees are entries, and together with the statement's other entries they add up to its balances", async () => {
  const one = await bankDays();
  const { status, body, text } = await journal(one, "");
  assert.equal(status, 200, text);
  const lines = body["results"] as readonly Json[];
  assert.deepEqual(
    lines.map(({ day, what, debit, credit, amount }) => `${day} ${what} ${debit} ${credit} ${amount}`),
    [
      ...Array.from({ length: 3 }, () => "2026-11-25 collection bank receivables 19.90"),
      "2026-11-25 other other bank 10.00",
      "2026-11-27 return receivables bank 19.90",
      "2026-11-27 fee fees bank 3.00",
    ],
  );
  assert.equal(lines[3]?.["reference"], "1");
  assert.equal(lines[4]?.["reference"], one.references[0]);
  const moved = lines.reduce(
    (sum, { debit, amount }) => sum + (debit === "bank" ? 1 : -1) * Math.round(Number(amount) * 100),
    0,
  );
  assert.equal(moved, 12_680 - 10_000);

  const later = await service.get("management/journal/?from=2026-11-26&to=2026-11-30", {
    key: one.merchant.key,
  });
  assert.deepEqual(
    (later.body["results"] as readonly Json[]).map(({ what }) => what),
    ["return", "fee"],
    "part of the time has the same lines",
  );
});

test("a journal that begins between two statements has what moved since the earlier one, once", async () => {
  const one = await sent(service);
  const [endToEndId = ""] = one.references;
  const statement = (day: string, entries: string, number: number, opening: string, closing: string) =>
    read(service, one.merchant, withBalances(entries, day, number, opening, closing));
  const amount = { amount: "19.90", endToEndId };
  await statement(
    "2026-11-25",
    camt("camt.053", "2026-11-25", [["collection", amount]]),
    1,
    "100.00",
    "119.90",
  );
  const back: Entries = [["return", { ...amount, reason: "AM04" }]];
  await statement("2026-11-27", camt("camt.053", "2026-11-26", back), 2, "119.90", "100.00");
  const path = "management/journal/?from=2026-11-26&to=2026-11-30";
  const { body } = await service.get(path, { key: one.merchant.key });
  assert.deepEqual(
    (body["results"] as readonly Json[]).map(({ day, what }) => `${day} ${what}`),
    ["2026-11-26 return"],
  );
});

test("a statement in pages that the bank writes the next day has one line for what else it contains, on its own day", async () => {
  const one = await sent(service, 2);
  const [first, second] = one.references.map(
    (endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const,
  );
  const page = (day: string, number: number, opening: string, closing: string, entries: Entries) =>
    withBalances(camt("camt.053", day, entries), day, number, opening, closing).replace(
      /<CreDtTm>[^<]*</g,
      "<CreDtTm>2026-11-26T06:00:00Z<",
    );
  const out: Entries = [["transferOut", { amount: "10.00" }]];
  const begins = page("2026-11-25", 1, "100.00", "109.90", first === undefined ? [] : [first, ...out]);
  await read(service, one.merchant, begins.replace("CLBD", "ITBD"));
  const ends = page("2026-11-25", 1, "109.90", "129.80", second === undefined ? [] : [second]);
  await read(service, one.merchant, ends.replace("OPBD", "ITBD"));
  await read(service, one.merchant, page("2026-11-26", 2, "129.80", "119.80", out));
  const lines = (await journal(one, "")).body["results"] as readonly Json[];
  assert.deepEqual(
    lines.map(({ day, what, debit, credit, amount }) => `${day} ${what} ${debit} ${credit} ${amount}`),
    [
      ...Array.from({ length: 2 }, () => "2026-11-25 collection bank receivables 19.90"),
      "2026-11-25 other other bank 10.00",
      "2026-11-26 other other bank 10.00",
    ],
  );
});

test("where a statement is missing, the next one has no line against what was booked in the meantime", async () => {
  for (const [opening, closing, number] of [
    ["119.90", "109.90", 3],
    ["100.00", "90.00", 3],
    ["119.90", "109.90", 2],
  ] as const) {
    const one = await sent(service);
    const [endToEndId = ""] = one.references;
    const statement = (day: string, entries: Entries, no: number, ...[from, to]: readonly [string, string]) =>
      read(service, one.merchant, withBalances(camt("camt.053", day, entries), day, no, from, to));
    await statement("2026-11-24", [], 1, "100.00", "100.00");
    // A notification has reported the booking; its statement is missing.
    const credit: Entries = [["collection", { amount: "19.90", endToEndId }]];
    await read(service, one.merchant, camt("camt.054", "2026-11-25", credit));
    const out: Entries = [["transferOut", { amount: "10.00" }]];
    await statement("2026-11-26", out, number, opening, closing);
    const lines = (await journal(one, "")).body["results"] as readonly Json[];
    assert.deepEqual(
      lines.map(({ day, what, debit, credit: from, amount }) => `${day} ${what} ${debit} ${from} ${amount}`),
      ["2026-11-25 collection bank receivables 19.90", "2026-11-26 other other bank 10.00"],
      `${number}: ${opening}`,
    );
  }
});

test("several statements of one day without numbers are in the order of their balances, and have no line if these tell none", async () => {
  const day = "2026-11-25";
  for (const [what, balances, expected] of [
    ["the second is read first", [119.9, 109.9, 100, 119.9], "10.00"],
    ["the first is read first", [100, 90, 90, 109.9], "10.00"],
    ["one moves nothing", [90, 90, 100, 90], "29.90"],
    ["one between them is missing", [129.9, 119.9, 100, 119.9], null],
    ["both begin with the same balance", [100, 119.9, 100, 90], null],
    ["the day ends as it began", [119.9, 100, 100, 119.9], null],
  ] as const) {
    const one = await sent(service);
    const [endToEndId = ""] = one.references;
    const statement = async (on: string, entries: Entries, from: number, to: number) => {
      const xml = withBalances(camt("camt.053", on, entries), on, 1, from.toFixed(2), to.toFixed(2));
      await read(service, one.merchant, xml.replace(/<ElctrncSeqNb>1<.ElctrncSeqNb>/, ""));
    };
    await statement(day, [["collection", { amount: "19.90", endToEndId }]], balances[0], balances[1]);
    await statement(day, [["transferOut", { amount: "10.00" }]], balances[2], balances[3]);
    const closing = expected === null ? 200 : 119.9 - Number(expected);
    await statement("2026-11-26", [["transferOut", { amount: "5.00" }]], closing, closing - 5);
    const lines = (await journal(one, "")).body["results"] as readonly Json[];
    assert.deepEqual(
      lines.map(({ day: on, what: kind, amount }) => `${on} ${kind} ${amount}`),
      [
        `${day} collection 19.90`,
        ...(expected === null ? [] : [`${day} other ${expected}`]),
        "2026-11-26 other 5.00",
      ],
      what,
    );
  }
});

test("a statement that comes again with other bytes changes no line", async () => {
  const one = await bankDays();
  const before = (await journal(one, "")).body["results"];
  const [, second = ""] = one.references;
  const again: Entries = [["collection", { amount: "19.90", endToEndId: second }]];
  await read(
    service,
    one.merchant,
    withBalances(camt("camt.053", "2026-11-25", again), "2026-11-25", 1, "100.00", "149.70"),
  );
  assert.deepEqual((await journal(one, "")).body["results"], before);
});

test("a return that is reported before its credit has two entries, because the bank books both", async () => {
  const one = await sent(service);
  const [endToEndId = ""] = one.references;
  await read(
    service,
    one.merchant,
    camt("camt.053", "2026-11-25", [["return", { amount: "19.90", endToEndId, reason: "AC06" }]]),
  );
  const lines = (await journal(one, "")).body["results"] as readonly Json[];
  assert.deepEqual(
    lines.map(({ what, debit }) => `${what} ${debit}`),
    ["collection bank", "return receivables"],
  );
});

test("a part of a payment that the bank returned and reinstated has its own amount both ways", async () => {
  const one = await sent(service);
  const { merchant } = one;
  const [endToEndId = ""] = one.references;
  const part = { amount: "5.00", endToEndId } as const;
  const statement = (day: string, entries: Entries) =>
    read(service, merchant, camt("camt.053", day, entries));
  const decide = async (action: "apply" | "reinstate") => {
    const [entry] = await unmatched(service, merchant);
    const body = { action, transaction_id: one.ids[0], accept_amount: true };
    const { status, text } = await resolve(service, merchant, entry?.["id"], body);
    assert.equal(status, 200, text);
  };
  await statement("2026-11-25", [["collection", { amount: "19.90", endToEndId }]]);
  await statement("2026-11-26", [["return", { ...part, reason: "MD06" }]]);
  await decide("apply");
  await statement("2026-11-27", [["withdrawn", part]]);
  await decide("reinstate");
  const lines = (await journal(one, "")).body["results"] as readonly Json[];
  assert.deepEqual(
    lines.map(({ day, what, amount }) => `${day} ${what} ${amount}`),
    ["2026-11-25 collection 19.90", "2026-11-26 return 5.00", "2026-11-27 collection 5.00"],
  );
});

/** A desk for the fees of one payment's returns. */
async function feeDesk() {
  const one = await sent(service);
  const { merchant, ids } = one;
  const names = { EndToEndId: one.references[0] ?? "" };
  const entry = (more: EntryFacts) => bankEntry({ names, sign: "DBIT", ...more });
  return {
    one,
    readDay: (...entries: readonly string[]) => read(service, merchant, bankFile("camt.053", entries)),
    credit: bankEntry({ amount: "19.90", code: "PMNT/IDDT/ESDD", names }),
    reinstated: (date: string) =>
      bankEntry({ names, date, amount: "19.90", code: "PMNT/IDDT/UPDD", reversal: true }),
    back: (date: string, more: Partial<EntryFacts> = {}) =>
      entry({ date, amount: "19.90", code: "PMNT/IDDT/UPDD", reason: "AM04", ...more }),
    fee: (date: string, amount: string) => entry({ date, amount, code: "PMNT/MDOP/CHRG" }),
    /** A person decides so about all entries that wait. */
    decide: async (action: "apply" | "reinstate") => {
      for (const { id } of await unmatched(service, merchant)) {
        const decided = await resolve(service, merchant, id, { action, transaction_id: ids[0] });
        assert.equal(decided.status, 200, decided.text);
      }
    },
    /** The fees of the journal of these days. */
    fees: async (from = "2026-11-01", to = "2026-12-31"): Promise<readonly string[]> => {
      const path = `management/journal/?from=${from}&to=${to}`;
      const { body, text } = await service.get(path, { key: merchant.key });
      assert.ok(Array.isArray(body["results"]), text);
      const lines = (body["results"] as readonly Json[]).filter(({ what }) => what === "fee");
      return lines.map(({ day, amount }) => `${day} ${amount}`);
    },
  };
}

test("a second fee of a return, which a person applies, stands on its own day and leaves the first day as it was", async () => {
  const { readDay, credit, back, fee, decide, fees } = await feeDesk();
  await readDay(credit);
  await readDay(back("2026-11-26"), fee("2026-11-26", "3.00"));
  assert.deepEqual(await fees(), ["2026-11-26 3.00"]);
  await readDay(fee("2026-11-27", "2.50"));
  await decide("apply");
  assert.deepEqual(await fees(), ["2026-11-26 3.00", "2026-11-27 2.50"]);
  await readDay(fee("2026-11-27", "1.00"));
  await decide("apply");
  assert.deepEqual(await fees(), ["2026-11-26 3.00", "2026-11-27 1.00", "2026-11-27 2.50"]);
});

test("a second fee that the bank dates before the first stands on its own day and leaves the first where it was", async () => {
  const { readDay, credit, back, fee, decide, fees } = await feeDesk();
  await readDay(credit);
  await readDay(back("2026-11-26"), fee("2026-11-27", "3.00"));
  await readDay(fee("2026-11-26", "2.50"));
  await decide("apply");
  assert.deepEqual(await fees(), ["2026-11-26 2.50", "2026-11-27 3.00"]);
});

test("of the fees of a return each is in the journal of the days that have its own, also if that is the first or the last", async () => {
  const { readDay, credit, back, fee, decide, fees } = await feeDesk();
  await readDay(credit);
  await readDay(back("2026-11-26"), fee("2026-11-26", "3.00"));
  await readDay(fee("2026-11-30", "2.50"));
  await decide("apply");
  assert.deepEqual(await fees("2026-11-01", "2026-11-29"), ["2026-11-26 3.00"]);
  assert.deepEqual(await fees("2026-11-01", "2026-11-30"), ["2026-11-26 3.00", "2026-11-30 2.50"]);
  assert.deepEqual(await fees("2026-11-30", "2026-12-31"), ["2026-11-30 2.50"]);
  assert.deepEqual(await fees("2026-12-01", "2026-12-31"), []);
});

test("two fees of a return in one bank file stand on their own days, with or without a fee before them", async () => {
  const { one, readDay, credit, back, fee, decide, fees } = await feeDesk();
  const report = [{ id: one.block, transactions: [{ endToEndId: one.references[0] ?? "", reason: "AM04" }] }];
  await markSent(service, one.merchant, one.file["id"]);
  await readDay(credit);
  await read(service, one.merchant, pain002("2026-11-26", { messageId: one.file["message_id"] }, report));
  await readDay(
    fee("2026-11-30", "3.00"),
    back("2026-12-01", { amount: "22.40", amounts: { InstdAmt: "19.90 EUR" } }),
  );
  assert.deepEqual(await fees(), ["2026-11-30 3.00", "2026-12-01 2.50"]);
  assert.deepEqual(
    (await chargebacks(service, one.merchant)).map((row) => row["cb_bank_fee"]),
    ["5.50"],
  );
  await readDay(fee("2026-12-01", "1.00"), fee("2026-12-02", "0.50"));
  await decide("apply");
  assert.deepEqual(await fees(), [
    "2026-11-30 3.00",
    "2026-12-01 1.00",
    "2026-12-01 2.50",
    "2026-12-02 0.50",
  ]);
});

test("a fee of a second return is in the journal with its whole amount, next to two fees of the first", async () => {
  const { readDay, credit, reinstated, back, fee, decide, fees } = await feeDesk();
  await readDay(credit);
  await readDay(back("2026-11-26"), fee("2026-11-26", "3.00"));
  await readDay(fee("2026-11-27", "2.50"));
  await decide("apply");
  await readDay(reinstated("2026-11-30"));
  await decide("reinstate");
  await readDay(back("2026-12-02"), fee("2026-12-02", "4.00"));
  const first = ["2026-11-26 3.00", "2026-11-27 2.50", "2026-12-02 4.00"];
  assert.deepEqual(await fees(), first);
  await readDay(fee("2026-12-03", "1.00"));
  await decide("apply");
  assert.deepEqual(await fees(), [...first, "2026-12-03 1.00"]);
});

test("the journal is exported as CSV with the merchant's account numbers, and as DATEV's booking batch", async () => {
  const one = await bankDays();
  const csv = await journal(one, "&format=csv&bank=1810");
  const [header, first] = csv.text.split("\r\n");
  assert.equal(header, "date,text,reference,debit_account,credit_account,amount,currency,bank_account");
  assert.match(first ?? "", /^2026-11-25,collection,\S+,1810,1400,19\.90,EUR,3000$/);

  const datev = await journal(one, "&format=datev&consultant=29098&client=55003&bank=1810");
  assert.match(String(datev.headers["content-type"]), /windows-1252/);
  assert.match(
    String(datev.headers["content-disposition"]),
    /EXTF_Buchungsstapel_2026-11-01_2026-11-30\.csv/,
  );
  const [head = "", columns = "", ...rows] = datev.text.split("\r\n");
  const fields = head.split(";");
  assert.equal(fields.length, 31);
  assert.deepEqual(fields.slice(0, 5), ['"EXTF"', "700", "21", '"Buchungsstapel"', "13"]);
  assert.match(fields[5] ?? "", /^\d{17}$/);
  assert.deepEqual(fields.slice(10, 16), ["29098", "55003", "20260101", "4", "20261101", "20261130"]);
  assert.equal(columns.split(";").length, 14);
  const collection = (rows[0] ?? "").split(";");
  assert.equal(collection.length, 14);
  assert.deepEqual(
    [collection[0], collection[1], collection[6], collection[7], collection[9]],
    ["19,90", '"S"', "1810", "1400", "2511"],
  );
  assert.match(rows[5] ?? "", /^3,00;"S";"EUR";;;"";4970;1810;"";2711;/);
});

test("an export for DATEV without its numbers, or over two fiscal years, is refused", async () => {
  const one = await sent(service);
  const missing = await journal(one, "&format=datev");
  assert.deepEqual([missing.status, missing.body["client"]], [400, ["This field is required with datev."]]);
  const years = await service.get(
    "management/journal/?from=2026-12-01&to=2027-01-31&format=datev&consultant=1001&client=1",
    { key: one.merchant.key },
  );
  assert.deepEqual([years.status, Object.keys(years.body)[0]], [400, "year_start"]);
  const other = await service.get(
    "management/journal/?from=2026-12-01&to=2027-01-31&format=datev&consultant=1001&client=1&year_start=2026-07-01",
    { key: one.merchant.key },
  );
  assert.equal(other.status, 200);
  const wrongOrder = await service.get("management/journal/?from=2026-12-01&to=2026-11-01", {
    key: one.merchant.key,
  });
  assert.equal(wrongOrder.status, 400);
});

/** The entries counted by hand below: `day, what, amount`, with the sign of the entry on the account at the bank. */
const MONTH = [
  ...Array.from({ length: 5 }, () => "2026-11-25 collection 19.90"),
  "2026-11-25 other -4.50",
  // A debit that was returned with the fee in the same sum, one with a separate fee, and a reversal with its fee.
  "2026-11-27 return -19.90",
  "2026-11-27 fee -3.00",
  "2026-11-27 return -19.90",
  "2026-11-27 refund -19.90",
  "2026-11-27 fee -1.50",
  "2026-11-30 fee -2.50",
  // The first return was reinstated. The bank charges a fee for a transfer abroad in another currency.
  "2026-11-30 collection 19.90",
  "2026-11-30 other -7.40",
  "2026-12-07 refund -5.00",
];

test("the entries of a month with every kind of movement are those counted by hand, and add up to the statements", async () => {
  const desk = deskOf(service);
  const { merchant, payments, references, file } = await desk.batched(5, { reversal_days: 5 });
  await markSent(service, merchant, file["id"]);
  const [a = "", b = "", c = "", d = "", e = ""] = references;
  const statement = async (day: string, opening: string, closing: string, entries: readonly EntryFacts[]) => {
    const xml = bankFile(
      "camt.053",
      entries.map((one) => bankEntry({ date: day, ...one })),
    );
    const { report, status } = await read(service, merchant, withBalances(xml, day, 0, opening, closing));
    assert.equal(status, "applied");
    assert.deepEqual(report["notes"], [], "the statement adds up");
    return report as Json;
  };
  const named = (EndToEndId: string) => ({ names: { EndToEndId } });
  const charge = { sign: "DBIT", code: "ACMT/MDOP/CHRG" };
  await statement("2026-11-25", "100.00", "195.00", [
    ...[a, b, c, d, e].map((id) => ({ amount: "19.90", code: "PMNT/IDDT/ESDD", ...named(id) })),
    { ...charge, amount: "4.50" },
  ]);
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  const reversal = await desk.refund(merchant, payments[3], { way: "reversal" });
  assert.equal(reversal.body["status"], "pending", reversal.text);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  await markSent(service, merchant, (await outgoing(service, merchant)).at(-1)?.["id"]);
  const back = { sign: "DBIT", code: "PMNT/IDDT/UPDD", reason: "AM04" };
  await statement("2026-11-27", "195.00", "130.80", [
    { ...back, ...named(a), amount: "22.90", amounts: { InstdAmt: "19.90 EUR" } },
    { ...back, ...named(b), amount: "19.90" },
    {
      ...named(d),
      sign: "DBIT",
      code: "PMNT/IDDT/PRDD",
      amount: "21.40",
      amounts: { InstdAmt: "19.90 EUR" },
    },
  ]);
  const last = await statement("2026-11-30", "130.80", "140.80", [
    { ...named(b), sign: "DBIT", code: "PMNT/MDOP/CHRG", amount: "2.50" },
    { ...named(a), amount: "19.90", code: "PMNT/IDDT/UPDD", reversal: true },
    { ...charge, amount: "7.40", amounts: { InstdAmt: "6.90 CHF" } },
  ]);
  assert.equal(last["unmatched"], 1, JSON.stringify(last));
  const [entry] = await unmatched(service, merchant);
  const again = { action: "reinstate", transaction_id: payments[0]?.["transaction"].id };
  assert.equal((await resolve(service, merchant, entry?.["id"], again)).status, 200);
  await desk.moveTo(merchant, "2026-12-04T08:00:00Z");
  const part = await desk.refund(merchant, payments[2], { amount: "5.00" });
  assert.equal(part.body["status"], "pending", part.text);
  await desk.moveTo(merchant, "2026-12-04T12:00:00Z");
  await markSent(service, merchant, (await outgoing(service, merchant)).at(-1)?.["id"]);
  await statement("2026-12-07", "140.80", "135.80", [
    { ...named(referenceOf(part.body)), sign: "DBIT", code: "PMNT/ICDT/ESCT", amount: "5.00" },
  ]);
  const asked = (format: string) =>
    service.get(
      `management/journal/?from=2026-11-25&to=2026-12-07&format=${format}&consultant=1001&client=1`,
      { key: merchant.key },
    );
  const lines = (await asked("json")).body["results"] as readonly Json[];
  const shown = lines.map(
    ({ day, what, debit, amount }) => `${day} ${what} ${debit === "bank" ? "" : "-"}${amount}`,
  );
  assert.deepEqual(shown.toSorted(), MONTH.toSorted());
  const sum = shown.reduce((cents, line) => cents + Math.round(Number(line.split(" ")[2]) * 100), 0);
  assert.equal(sum, 13_580 - 10_000);
  // Both exports have the same entries, by account number.
  const [, ...ledger] = (await asked("csv")).text.trim().split("\r\n");
  const [, , ...batch] = (await asked("datev")).text.trim().split("\r\n");
  assert.ok(
    ledger.includes(`2026-11-27,fee,${referenceOf(reversal.body)},4970,1200,1.50,EUR,3000`),
    ledger.join("\n"),
  );
  for (const rows of [
    ledger.map((row) => row.split(",")).map(([, , , debit, credit, amount]) => [debit, credit, amount]),
    batch.map((row) => row.split(";")).map((row) => [row[6], row[7], row[0]?.replace(",", ".")]),
  ]) {
    const moved = rows.map(([debit, credit, amount]) => {
      assert.ok((debit === "1200") !== (credit === "1200"), "one side is the bank");
      return (debit === "1200" ? 1 : -1) * Math.round(Number(amount) * 100);
    });
    assert.equal(moved.length, MONTH.length);
    assert.equal(
      moved.reduce((all, one) => all + one, 0),
      13_580 - 10_000,
    );
  }
});
