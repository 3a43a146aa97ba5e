/** The simulated bank's reports: every payment has one outcome, and the account adds up. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { anyFile, COLLECTION, fileOf } from "../../tests/support/sepa.ts";
import { scenarioOf } from "../../src/gateways/sandbox/scenarios.ts";
import { cents } from "../../src/lib/money.ts";
import type { DirectDebitFile } from "../../src/sepa/messages/direct-debit-file.ts";
import { writePain008 } from "../../src/sepa/messages/pain008.ts";
import { answer, type Answer, type AnswerOptions } from "./answer.ts";
import { readElements, textAt, textsAt, type Element } from "./elements.ts";
import { readPain008 } from "./read.ts";

const OPTIONS: AnswerOptions = {
  id: "BANK-1",
  receivedAt: new Date("2026-11-20T15:00:00Z"),
  booking: "single",
  openingBalanceCents: 100_000,
};

/** A block of five payments, one for each outcome, due on Wednesday, 25 November 2026. */
const FATES = fileOf(
  payment("GOOD", "DE89370400440532013000", 1000),
  payment("DECLINED", "DE34370400440532013020", 2000),
  payment("CHARGED-BACK", "DE35370400440532013002", 3000),
  payment("LATER", "DE08370400440532013003", 4000),
  payment("RETURNED", "DE78370400440532013004", 5000),
);

function payment(endToEndId: string, iban: string, amount: number) {
  return {
    ...COLLECTION,
    endToEndId,
    amount: cents(amount),
    debtor: { ...COLLECTION.debtor, iban },
  };
}

function answerTo(file: DirectDebitFile, change: Partial<AnswerOptions> = {}): Answer {
  return answer(readPain008([...writePain008(file)].join("")), scenarioOf, { ...OPTIONS, ...change });
}

test("booked singly, each payment has the fate of its account", () => {
  const { pain002, camt053, days, closingBalanceCents } = answerTo(FATES);
  assert.deepEqual(linesOf(camt053), [
    "2026-11-25 CRDT 10.00 GOOD",
    "2026-11-25 CRDT 30.00 CHARGED-BACK",
    "2026-11-25 CRDT 50.00 RETURNED",
    "2026-11-26 CRDT 40.00 LATER",
    "2026-11-27 DBIT 33.00 CHARGED-BACK MD06 30.00+3.00",
    "2026-11-27 DBIT 53.00 RETURNED AM04 50.00+3.00",
  ]);
  assert.deepEqual(rejectsOf(pain002), ["DECLINED RJCT AM04 20.00"]);
  assert.deepEqual(
    days.map(({ date }) => date),
    ["2026-11-25", "2026-11-26", "2026-11-27"],
  );
  assert.equal(closingBalanceCents, 100_000 + 9_000 + 4_000 - 8_600);
});

test("booked as one sum, payments are named only where the block's id does not say them all", () => {
  const { camt053 } = answerTo(FATES, { booking: "collective" });
  assert.deepEqual(linesOf(camt053).slice(0, 2), [
    "2026-11-25 CRDT 90.00 [PSB-20261120-000001-1 3 90.00] GOOD CHARGED-BACK RETURNED",
    "2026-11-26 CRDT 40.00 [PSB-20261120-000001-1 1 40.00] LATER",
  ]);
  const onTime = fileOf(
    payment("A", "NL91ABNA0417164300", 100),
    payment("B", "DE89370400440532013000", 200),
    payment("C", "DE62370400440532013001", 400),
  );
  assert.deepEqual(linesOf(answerTo(onTime, { booking: "collective" }).camt053), [
    "2026-11-25 CRDT 3.00 [PSB-20261120-000001-1 2 3.00]",
  ]);
});

test("the file says how it is to be booked where the options do not", () => {
  const { id, receivedAt } = OPTIONS;
  for (const batchBooking of [true, false]) {
    const received = readPain008([...writePain008({ ...FATES, batchBooking })].join(""));
    const { camt053 } = answer(received, scenarioOf, { id, receivedAt });
    assert.equal(camt053.includes("<Btch>"), batchBooking);
  }
});

test("nothing is reported before settlement when nothing is rejected", () => {
  assert.equal(answerTo(fileOf(COLLECTION)).pain002, null);
});

test("when all is rejected, the statement is empty and no notification is sent", () => {
  const { camt053, camt054, days } = answerTo(fileOf(payment("A", "DE07370400440532013021", 100)));
  assert.deepEqual(linesOf(camt053), []);
  assert.equal(camt054, null);
  assert.deepEqual([days.length, days[0]?.camt054], [1, null]);
});

test("a file may be rejected as a whole: no payment is named and none is booked", () => {
  const { pain002, camt053, camt054 } = answerTo(FATES, {
    rejectFile: { code: "AM05", text: "Duplication" },
  });
  assert.match(pain002 ?? "", /<GrpSts>RJCT<\/GrpSts><StsRsnInf><Rsn><Cd>AM05</);
  assert.deepEqual([rejectsOf(pain002), linesOf(camt053), camt054], [[], [], null]);
});

test("an account may be overdrawn, and the balance says so", () => {
  const { camt053 } = answerTo(fileOf(payment("A", "DE78370400440532013004", 100)), {
    openingBalanceCents: 0,
  });
  const balances = documentOf(camt053).flatMap(({ children }) =>
    children.filter(({ name }) => name === "Bal"),
  );
  assert.deepEqual(
    balances.map((balance) => `${textAt(balance, "CdtDbtInd")} ${textAt(balance, "Amt")}`),
    ["CRDT 0.00", "CRDT 1.00", "CRDT 1.00", "DBIT 3.00"],
  );
});

test("a return on the next day but one counts days on which banks settle", () => {
  const file = fileOf(payment("A", "DE78370400440532013004", 100));
  const before = {
    ...file,
    blocks: file.blocks.map((block) => ({ ...block, dueDate: "2026-12-24" })),
  };
  assert.deepEqual(
    answerTo(before).days.map(({ date }) => date),
    ["2026-12-24", "2026-12-29"],
  );
});

test("an id that makes references too long is refused", () => {
  assert.throws(() => answerTo(FATES, { id: "x".repeat(19) }));
  assert.throws(() => answerTo(FATES, { id: "A_B" }));
});

const anyOptions = fc.record({
  booking: fc.constantFrom("single" as const, "collective" as const),
  openingBalanceCents: fc.integer({ min: -100_000, max: 1_000_000 }),
  returnFee: fc.nat(1_000).map(cents),
});

test("every payment is rejected or credited, once; every statement adds up and begins where the last one ended", () => {
  fc.assert(
    fc.property(anyFile, anyOptions, (file, options) => {
      const answered = answerTo(file, { ...options, booking: "single" });
      const credited = linesOf(answered.camt053).filter((line) => line.includes("CRDT"));
      const named = [
        ...credited.map((line) => line.split(" ")[3]),
        ...rejectsOf(answered.pain002).map((line) => line.split(" ")[0]),
      ];
      const sent = file.blocks.flatMap(({ collections }) => collections.map(({ endToEndId }) => endToEndId));
      assert.deepEqual(named.map(String).toSorted(), sent.toSorted());

      const { camt053, closingBalanceCents } = answerTo(file, options);
      let balance = options.openingBalanceCents;
      for (const statement of documentOf(camt053)) {
        const [opening, closing] = statement.children.filter(({ name }) => name === "Bal").map(signed);
        assert.equal(opening, balance);
        for (const entry of statement.children.filter(({ name }) => name === "Ntry"))
          balance += signed(entry);
        assert.equal(closing, balance);
      }
      assert.equal(closingBalanceCents, balance);
    }),
    { numRuns: 100 },
  );
});

test("the notifications and the days say what the statement says, with the same references", () => {
  fc.assert(
    fc.property(anyFile, anyOptions, (file, options) => {
      const { camt053, camt054, days } = answerTo(file, options);
      const entries = [...camt053.matchAll(/<Ntry>.*<\/Ntry>/g)].map(String);
      assert.deepEqual([...(camt054 ?? "").matchAll(/<Ntry>.*<\/Ntry>/g)].map(String), entries);
      const byDay = days.map((day) => day.camt053).join("");
      assert.deepEqual([...byDay.matchAll(/<Ntry>.*<\/Ntry>/g)].map(String), entries);
      const references = entries.map((entry) => /<AcctSvcrRef>(.*)<\/AcctSvcrRef>/.exec(entry)?.[1]);
      assert.equal(new Set(references).size, entries.length);
    }),
    { numRuns: 50 },
  );
});

test("the same file and options give the same bytes", () => {
  fc.assert(
    fc.property(anyFile, (file) => assert.deepEqual(answerTo(file), answerTo(structuredClone(file)))),
    { numRuns: 30 },
  );
});

/** The statements of a document. */
function documentOf(xml: string): readonly Element[] {
  const [message] = readElements(xml, {}).children;
  return (message?.children ?? []).filter(({ name }) => name !== "GrpHdr");
}

function linesOf(xml: string): readonly string[] {
  return documentOf(xml).flatMap(({ children }) =>
    children.filter(({ name }) => name === "Ntry").map(lineOf),
  );
}

function lineOf(entry: Element): string {
  const parts = [textAt(entry, "BookgDt/Dt"), textAt(entry, "CdtDbtInd"), textAt(entry, "Amt")];
  const batch = ["PmtInfId", "NbOfTxs", "TtlAmt"].flatMap((name) => textsAt(entry, `NtryDtls/Btch/${name}`));
  if (batch.length > 0) parts.push(`[${batch.join(" ")}]`);
  parts.push(...textsAt(entry, "NtryDtls/TxDtls/Refs/EndToEndId"));
  const [reason] = textsAt(entry, "NtryDtls/TxDtls/RtrInf/Rsn/Cd");
  if (reason === undefined) return parts.join(" ");
  const original = textAt(entry, "NtryDtls/TxDtls/AmtDtls/InstdAmt/Amt");
  const [fee] = textsAt(entry, "NtryDtls/TxDtls/Chrgs/Rcrd/Amt");
  return [...parts, reason, `${original}+${fee ?? "0"}`].join(" ");
}

function rejectsOf(xml: string | null): readonly string[] {
  if (xml === null) return [];
  const found: string[] = [];
  readElements(xml, {
    TxInfAndSts: (element) => {
      const paths = ["OrgnlEndToEndId", "TxSts", "StsRsnInf/Rsn/Cd", "OrgnlTxRef/Amt/InstdAmt"];
      found.push(paths.map((path) => textAt(element, path)).join(" "));
    },
  });
  return found;
}

function signed(element: Element): number {
  const [whole = "", decimals = ""] = textAt(element, "Amt").split(".");
  const amount = Number(whole + decimals);
  return textAt(element, "CdtDbtInd") === "CRDT" ? amount : 0 - amount;
}
