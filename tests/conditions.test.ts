/**
 * The effect of each statement of the money core on the rows that it is meant for, and the rows that it has to leave
 * alone: tables written by hand, one for each folder of src (tests/conditions). PROVE=1 also tries every mutation of a
 * statement that scripts/mutate/sql.ts can make, and fails for a mutation that no row of its table detects. STATEMENT
 * names a single statement to try.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { allStatements, type PlainStatement } from "../src/db/database.ts";
import { must } from "../src/lib/assert.ts";
import { allMutants, MONEY_CORE } from "../scripts/mutate/all-mutants.ts";
import { changed, describe, type Mutant } from "../scripts/mutate/mutant.ts";
import { BANK_BLOCKS } from "./conditions/bank-blocks.ts";
import { BANK_COLLECTIONS } from "./conditions/bank-collections.ts";
import { BANK_EBICS } from "./conditions/bank-ebics.ts";
import { BANK_FILES } from "./conditions/bank-files.ts";
import { BANK_INCOMING } from "./conditions/bank-incoming.ts";
import { BANK_OUTGOING } from "./conditions/bank-outgoing.ts";
import { BANK_STATEMENTS } from "./conditions/bank-statements.ts";
import { BANK_TAKE_BACK } from "./conditions/bank-take-back.ts";
import { BANK_UNMATCHED } from "./conditions/bank-unmatched.ts";
import { BOOKS } from "./conditions/books.ts";
import { ERASE } from "./conditions/erase.ts";
import { GATEWAYS } from "./conditions/gateways.ts";
import { MANDATES_DOSSIER } from "./conditions/mandates-dossier.ts";
import { MANDATES } from "./conditions/mandates.ts";
import { PAYMENTS_CHARGEBACKS } from "./conditions/payments-chargebacks.ts";
import { PAYMENTS_IMPORTS } from "./conditions/payments-imports.ts";
import { PAYMENTS_REFUNDS } from "./conditions/payments-refunds.ts";
import { PAYMENTS } from "./conditions/payments.ts";
import { SAME } from "./conditions/rows.ts";
import { SANDBOX } from "./conditions/sandbox.ts";
import { SESSIONS_CAMPAIGNS } from "./conditions/sessions-campaigns.ts";
import { SESSIONS_CLAIM } from "./conditions/sessions-claim.ts";
import { SESSIONS_LIMITS } from "./conditions/sessions-limits.ts";
import { SESSIONS_LINKS } from "./conditions/sessions-links.ts";
import { SESSIONS } from "./conditions/sessions.ts";
import { SUBSCRIPTIONS_ANNOUNCE } from "./conditions/subscriptions-announce.ts";
import { SUBSCRIPTIONS_DUE } from "./conditions/subscriptions-due.ts";
import { SUBSCRIPTIONS_OUTCOME } from "./conditions/subscriptions-outcome.ts";
import { SUBSCRIPTIONS } from "./conditions/subscriptions.ts";
import { unnoticed, wrongIn, type Entries } from "./support/conditions.ts";
import { runner, type Runner } from "./support/row-runner.ts";
import { looseIn, tablesOf } from "./support/joins.ts";
import { oneRow, type OneRow } from "./support/one-row.ts";
import { sized } from "./support/sized.ts";

const ENTRIES: Entries = {
  ...BANK_BLOCKS,
  ...BANK_COLLECTIONS,
  ...BANK_EBICS,
  ...BANK_FILES,
  ...BANK_INCOMING,
  ...BANK_OUTGOING,
  ...BANK_STATEMENTS,
  ...BANK_TAKE_BACK,
  ...BANK_UNMATCHED,
  ...BOOKS,
  ...ERASE,
  ...GATEWAYS,
  ...MANDATES,
  ...MANDATES_DOSSIER,
  ...PAYMENTS,
  ...PAYMENTS_CHARGEBACKS,
  ...PAYMENTS_IMPORTS,
  ...PAYMENTS_REFUNDS,
  ...SANDBOX,
  ...SESSIONS,
  ...SESSIONS_CAMPAIGNS,
  ...SESSIONS_CLAIM,
  ...SESSIONS_LIMITS,
  ...SESSIONS_LINKS,
  ...SUBSCRIPTIONS,
  ...SUBSCRIPTIONS_ANNOUNCE,
  ...SUBSCRIPTIONS_DUE,
  ...SUBSCRIPTIONS_OUTCOME,
};
const NAMES = Object.keys(ENTRIES);
const { mutants } = await allMutants(MONEY_CORE);
const tables = tablesOf(await readFile(new URL("../src/db/schema.sql", import.meta.url), "utf8"));

let database: OneRow;
let rows: Runner;

before(async () => {
  database = await oneRow();
  rows = await runner(database);
});
after(() => database.close());

function statementNamed(name: string): PlainStatement {
  return must(
    allStatements().find((one) => one.name === name),
    name,
  );
}

for (const [name, entry] of Object.entries(ENTRIES)) {
  test(`${name} has the effect that its table describes, on the described rows only`, async () => {
    assert.deepEqual(await wrongIn(rows, statementNamed(name), entry), []);
  });
}

/** Other tests detect these: tests/tenant-ties.test.ts, tests/locks.test.ts. */
const KEPT_ELSEWHERE = new Set(["dropped tenant", "dropped lock", "dropped skip locked"]);

/** Whether tests/joins.test.ts detects it. */
function isLoose(text: string, mutated: string): boolean {
  return looseIn(mutated, tables).join() !== looseIn(text, tables).join();
}

/**
 * @param words `operator: how the statement continues from there`, followed if necessary by ` … a part of the line`.
 */
function isNamed({ operator, line, change }: Mutant, text: string, words: string): boolean {
  const [head = "", part = ""] = words.split(" … ");
  const from = text.slice(change.start).replaceAll(/\s+/g, " ");
  return `${operator}: ${from}`.startsWith(head) && line.includes(part);
}

/** Trying a statement with more mutants than this can take minutes. */
const FEW = 50;
const QUICK = NAMES.filter((name) => mutants.filter(({ statement }) => statement === name).length <= FEW);

const STATEMENT = process.env["STATEMENT"];
assert(STATEMENT === undefined || NAMES.includes(STATEMENT), "STATEMENT names one that has a table");

for (const name of sized(
  QUICK.filter((_, n) => n % 16 === 0),
  STATEMENT === undefined ? NAMES : NAMES.filter((one) => one === STATEMENT),
)) {
  test(`every mutation of ${name} is detected by its table`, async (context) => {
    const statement = statementNamed(name);
    const { same = {} } = must(ENTRIES[name], name);
    const own = mutants
      .filter((one) => one.statement === name && !KEPT_ELSEWHERE.has(one.operator))
      .map((mutant) => ({ mutant, text: changed(statement.text, mutant.change) }));
    const alive = await unnoticed(rows, statement, must(ENTRIES[name], name), own);
    const missed = alive.filter(({ text }) => !isLoose(statement.text, text)).map(({ mutant }) => mutant);
    const known = Object.keys(same);
    context.diagnostic(`${own.length} mutants, ${missed.length} of them harmless`);
    assert.deepEqual(
      missed
        .filter(
          (one) => ![...known, ...Object.keys(SAME)].some((words) => isNamed(one, statement.text, words)),
        )
        .map((one) => describe(one, statement.text)),
      [],
    );
    assert.deepEqual(
      known.filter((words) => !missed.some((one) => isNamed(one, statement.text, words))),
      [],
      "listed, though a row tells it apart",
    );
  });
}

test("every statement of the money core has a table", () => {
  const all = new Set(mutants.flatMap(({ statement }) => statement ?? []));
  assert.deepEqual(NAMES.toSorted(), [...all].toSorted());
});
