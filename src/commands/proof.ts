/** Commands that check what is stored: the audit log, the books, a mandate's dossier. */
import { readFile } from "node:fs/promises";
import { readHeld } from "../backup/place.ts";
import { booksReport, checkBooks } from "../books/check.ts";
import { readConfig } from "../config.ts";
import { isUsable, readSchemaState, SchemaError } from "../db/schema-state.ts";
import { auditVerified, headsIn } from "../management/audit/verify.ts";
import { registerKeys } from "../keys/register.ts";
import { verifiedAlone, verifiedHere } from "../mandates/dossier/verify.ts";
import { mandateWordsOf } from "../payment-page/mandate-text.ts";
import { systemClock } from "../lib/clock.ts";
import { type Commands, type Given, UsageError, ProblemFound } from "./command.ts";
import {
  SLOW_STATEMENT_MS,
  hasDatabase,
  assertDatabase,
  withService,
  withDatabase,
  withServer,
  withPool,
} from "./database.ts";
import { holdMessage } from "./restored.ts";

export const PROOF_COMMANDS: Commands = {
  "audit verify": {
    usage: "audit verify [--heads FILE]",
    does: "checks that no line of the audit log was removed, changed or moved; exits with 1 and names the line if one was. Keep its output elsewhere and pass it with --heads the next time: only then is a truncated log noticed",
    run: verifyAudit,
  },
  "books check": {
    usage: "books check",
    does: "checks that all records of payments agree; prints the sums by day and each difference, and exits with 1 if there is one",
    run: checkTheBooks,
  },
  "mandates verify": {
    usage: "mandates verify FILE",
    does: "checks that no byte of a mandate's dossier was changed and, with a database, that this service sealed it and that its data still agree with it; exits with 1 if not",
    run: verifyDossier,
  },
};

/** @throws ProblemFound when a line of the audit log is not as it was; the heads are printed all the same. */
async function verifyAudit({ options: { heads: file } }: Given): Promise<string> {
  const kept = file === undefined ? [] : headsIn(await readFile(file, "utf8"));
  if (kept === null) {
    throw new UsageError(
      `${file} has no heads of chains, or damaged ones. Pass what an earlier "audit verify" printed.`,
    );
  }
  const { masterKeys } = await readConfig();
  const { lines, findings } = await withDatabase(
    async (db) => auditVerified(db, await registerKeys(db, masterKeys, systemClock.now()), kept),
    SLOW_STATEMENT_MS,
  );
  if (findings.length > 0) {
    throw new ProblemFound([...findings, `Findings: ${findings.length}.`].join("\n"), {
      output: lines.join("\n"),
    });
  }
  return [...lines, "The audit log is as it was written."].join("\n");
}

/** @throws ProblemFound when the books do not agree. */
async function checkTheBooks(): Promise<string> {
  await assertDatabase();
  const limits = { statementTimeoutMs: SLOW_STATEMENT_MS };
  const books = await withServer(async (url) => {
    // A check changes nothing, not even the schema.
    const state = await readSchemaState(url);
    if (!isUsable(state)) throw new SchemaError(state.words ?? state.kind);
    return withPool(url, limits, async (db) => ({ ...(await checkBooks(db)), held: await readHeld(db) }));
  });
  const held =
    books.held === null ? "" : `\n${holdMessage(books.held)} \`restored status\` says what it would send.`;
  const report = `${booksReport(books)}${held}`;
  if (books.differences.length > 0) throw new ProblemFound(report);
  return report;
}

/** @throws ProblemFound when something is wrong with the file. */
async function verifyDossier({ operands: [path] }: Given): Promise<string> {
  if (path === undefined) throw new UsageError("Name the dossier's file.");
  const file = await readFile(path);
  const { right, words: said } = (await hasDatabase())
    ? await withService((deps) => verifiedHere(deps, mandateWordsOf(deps.db), file))
    : verifiedAlone(file);
  if (!right) throw new ProblemFound(said);
  return said;
}
