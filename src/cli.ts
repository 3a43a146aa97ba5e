/** `npm run cli -- COMMAND`: commands for operators and developers next to the running service. */
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { exportTo, importFrom } from "./backup/commands.ts";
import { BackupRefused } from "./backup/format.ts";
import { holdByHand, lookAtPlace, readHeld, readRestored, release, type Held } from "./backup/place.ts";
import { BankFileError, importBanks } from "./banks/import.ts";
import { booksReport, checkBooks } from "./books/check.ts";
import { ConfigError, databasePlace, readConfig } from "./config.ts";
import type { Database } from "./db/database.ts";
import { isEmail } from "./http/fields.ts";
import { invitePerson, peopleList, removeByEmail } from "./people/commands.ts";
import { BankFileRefused } from "./files/refused.ts";
import { FieldErrors, Refusal } from "./refusals.ts";
import { hasEmbedded } from "./embedded-postgres/server.ts";
import { migrate } from "./db/migrate.ts";
import { knownMigrations } from "./db/migrations.ts";
import { openDatabase } from "./db/postgres.ts";
import { inFour, isUsable, readMissing, readSchemaState, SchemaError } from "./db/schema-state.ts";
import { CannotDistribute, checkCluster, distribute, type Distributed } from "./db/distribute.ts";
import { createApp } from "./app.ts";
import type { Deps } from "./deps.ts";
import { auditVerified } from "./management/audit/verify.ts";
import { reseal } from "./keys/reseal.ts";
import { KeyError, registerKeys } from "./keys/register.ts";
import { forgetKey } from "./keys/forget.ts";
import { keyStatus } from "./keys/status.ts";
import { keyName } from "./lib/keyring.ts";
import { createLog } from "./lib/log.ts";
import { calendar, collectNow, importBankFiles, recordLostFiles } from "./gateways/sepa-batch/commands.ts";
import { ebicsConfirm, ebicsLetter, ebicsStep } from "./gateways/sepa-batch/transports/ebics/commands.ts";
import { LETTER_LANGUAGES } from "./gateways/sepa-batch/transports/ebics/letter-texts.ts";
import { skipMessageNumbers } from "./gateways/sepa-batch/outgoing/store.ts";
import { playBank } from "../tools/simulated-bank/play.ts";
import { COMMAND_LINE } from "./management/audit/audit.ts";
import { verifiedAlone, verifiedHere } from "./mandates/dossier/verify.ts";
import { mandateWordsOf } from "./payment-page/mandate-text.ts";
import { progressOn } from "./lib/progress.ts";
import { serviceVersion } from "./lib/version.ts";
import { systemClock } from "./lib/clock.ts";
import { isDay, utcDate, type IsoDate } from "./lib/dates.ts";
import {
  BANK_PROFILES,
  notInFiles,
  notPublic,
  profileOf,
  readProfileName,
  type BankProfile,
} from "./sepa/bank-profiles.ts";
import { problemsOf } from "./sepa/messages/check-file.ts";
import { readSentFile } from "./sepa/messages/reading/sent-file.ts";
import { sharedDatabaseOf } from "./start-database.ts";
import { schemaForCommand } from "./start-schema.ts";
import { verifyDoctor } from "./webhooks/signature-doctor.ts";
import { listenForWebhooks } from "../tools/local-receiver.ts";

interface Command {
  readonly usage: string;
  readonly does: string;
  /** Returns what to print. */
  run(args: readonly string[]): Promise<string>;
}

/** A command line that cannot be used: the message says what is missing. */
class UsageError extends Error {}

/** The command ran and found a problem; the message says which. */
class Found extends Error {}

/** What is wrong with a path that was given. */
const PATH_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file",
  EISDIR: "This is a folder, not a file",
  EACCES: "This file may not be opened by this user",
};

const LISTEN_PORT = 4400;
/** A count of what is sealed reads whole tables. */
const KEYS_STATEMENT_MS = 600_000;
/** A statement of the books check reads every transaction there is. */
const BOOKS_STATEMENT_MS = 600_000;

const COMMANDS: Readonly<Record<string, Command>> = {
  "audit verify": {
    usage: "audit verify [--heads FILE]",
    does: "checks that no line of the audit log was removed, changed or moved; exits with 1 and names the line if one was. Keep its output elsewhere and pass it with --heads the next time: only then is a truncated log noticed",
    run: verifyAudit,
  },
  "banks import": {
    usage: "banks import FILE",
    does: "replaces the known banks of the countries in FILE: CSV or JSON (country, bank_code, bic, name), or the Bundesbank's bank-code file",
    run: importBankFile,
  },
  "books check": {
    usage: "books check",
    does: "checks that all records of payments agree; prints the sums by day and each difference, and exits with 1 if there is one",
    run: checkTheBooks,
  },
  "keys status": {
    usage: "keys status",
    does: "prints the master keys of this database, which of them MASTER_KEYS has, and how many values each has sealed, by column; says what to do next",
    run: async () => {
      const { masterKeys } = await readConfig();
      return withDatabase((db) => keyStatus(db, masterKeys), KEYS_STATEMENT_MS);
    },
  },
  "keys reseal": {
    usage: "keys reseal",
    does: "seals everything under the first of MASTER_KEYS while the service runs; can be interrupted and run again",
    run: resealAll,
  },
  "keys forget": {
    usage: "keys forget KEY",
    does: "lets the service start without a master key that is permanently lost; what it sealed stays unreadable",
    async run([key]) {
      if (key === undefined) throw new UsageError("Name the key: `keys status` prints the names.");
      const { masterKeys } = await readConfig();
      return withDatabase((db) => forgetKey(db, masterKeys, key, systemClock.now()), KEYS_STATEMENT_MS);
    },
  },
  "mandates verify": {
    usage: "mandates verify FILE",
    does: "checks that no byte of a mandate's dossier was changed and, with a database, that this service sealed it and that its data still agree with it; exits with 1 if not",
    run: verifyDossier,
  },
  migrate: {
    usage: "migrate [--status] [--force]",
    does: "brings the database's schema up to date; --status only lists what is missing, and exits with 1 if something is; --force also migrates while instances are connected that the migration breaks",
    run: migrateDatabase,
  },
  export: {
    usage: "export FILE|-",
    does: "writes a snapshot of the whole database to FILE or standard output while the service runs; it contains no keys",
    run: exportDatabaseTo,
  },
  import: {
    usage: "import FILE|-",
    does: "imports an export into an empty database and checks it; if anything is wrong, nothing is imported",
    run: importDatabaseFrom,
  },
  "people invite": {
    usage: "people invite (--tenant ID [--role ROLE] | --operator) --email ADDRESS --name NAME",
    does: "invites a person, or creates a new link for an existing one, and prints the link; the default role is owner",
    run: invitePeople,
  },
  "people list": {
    usage: "people list (--tenant ID | --operator)",
    does: "lists the people of a tenant, or the operators: address, role, state, name",
    run: (args) => withService((deps) => peopleList(deps, companyIn(args))),
  },
  "people remove": {
    usage: "people remove (--tenant ID | --operator) --email ADDRESS",
    does: "removes a person and signs them out everywhere",
    run: (args) =>
      withService((deps) => removeByEmail(deps, { company: companyIn(args), email: emailIn(args) })),
  },
  "restored status": {
    usage: "restored status",
    does: "says whether the service is held after a restore, and what it would send once released; exits with 1 if it is held",
    run: restoredStatus,
  },
  "restored hold": {
    usage: "restored hold",
    does: "holds the service within seconds, after a restore that it cannot notice, such as that of a disk snapshot",
    run: () =>
      withDatabase((db) => holdByHand(db, systemClock.now()).then(() => "Held. `restored release` ends it.")),
  },
  "restored file": {
    usage: "restored file --gateway ID [--message ID] [FILE…]",
    does: "records that the bank has a file that was sent after the backup, so that nothing in it is sent again; lists the parts of it that are unknown here, and exits with 1 if there are any",
    run: recordFiles,
  },
  "restored release": {
    usage: "restored release",
    does: "lets the service take payments and send files and webhooks again, once the losses have been dealt with",
    run: releaseRestored,
  },
  "database distribute": {
    usage: "database distribute [--shards N]",
    does: "distributes the tables and their rows over the workers of a Citus cluster; can be interrupted and run again",
    run: distributeTables,
  },
  "sepa collect": {
    usage: "sepa collect [--gateway ID]",
    does: "writes today's SEPA files now, for one gateway or all, without waiting for the cut-off",
    run: (args) => withService((deps) => collectUnlessHeld(deps, options(args).gateway ?? null)),
  },
  "sepa import": {
    usage: "sepa import --gateway ID FILE…",
    does: "reads pain.002 and camt files from the bank, or ZIPs of them, and prints the result of each; exits with 1 if one is refused",
    run: importSepaFiles,
  },
  "ebics keys": ebics(
    "keys",
    "creates an account's EBICS keys and sends the public ones to the bank (INI, HIA)",
  ),
  "ebics letter": {
    usage: "ebics letter --gateway ID --out FILE [--language de|en|fr]",
    does: "writes the letter of INI and HIA as a page to print and sign",
    run: writeEbicsLetter,
  },
  "ebics bank-keys": ebics(
    "bank-keys",
    "fetches the bank's keys (HPB), to be compared with the bank's letter",
  ),
  "ebics confirm": {
    usage: "ebics confirm --gateway ID --authentication HASH --encryption HASH",
    does: "accepts the bank's keys, given the hashes from the bank's letter",
    run: confirmEbics,
  },
  "ebics status": ebics("status", "prints the state of an account's EBICS user and the hashes of all keys"),
  "ebics resume": ebics("resume", "resumes sending after the bank has refused the user or a file"),
  "ebics change-keys": ebics("change-keys", "sends the bank new keys (HCS)"),
  "ebics new-keys": ebics("new-keys", "creates new keys and sends them, after the bank has reset the user"),
  "ebics suspend": ebics("suspend", "has the bank lock the user (SPR)"),
  "sepa bank": {
    usage: "sepa bank FILE [--out FOLDER]",
    does: "plays the bank for a direct debit file: writes the status report and the statements that a bank would return, with the outcomes of the test IBANs",
    async run(args) {
      const [file] = positionals(args);
      if (file === undefined) throw new UsageError("Name the file.");
      return playBank(file, options(args).out ?? ".");
    },
  },
  "sepa check": {
    usage: "sepa check FILE [--on YYYY-MM-DD] [--bank PROFILE]",
    does: "names the rules of the scheme and of a bank that a file of direct debits or transfers breaks if the bank gets it on the given day (today by default); the file may come from any program; exits with 1 if it breaks any",
    run: checkSepaFile,
  },
  "sepa calendar": {
    usage: "sepa calendar [--due YYYY-MM-DD]",
    does: "prints the deadlines of a due date (submission, returns, refunds) and when the next files are written",
    async run(args) {
      const { due } = options(args);
      const day = due === undefined ? null : dayIn(due);
      return withService((deps) => calendar(deps, day));
    },
  },
  "webhooks verify": {
    usage: "webhooks verify --secret SECRET --signature HEX < BODY",
    does: "checks a webhook's signature and names the rule that differs; exits with 1 if it is wrong",
    run: verifyWebhook,
  },
  "webhooks listen": {
    usage: `webhooks listen --secret SECRET [--port ${LISTEN_PORT}]`,
    does: "receives webhooks on this machine, verifies and prints them until stopped",
    run: listenToWebhooks,
  },
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [first = ""] = args;
  if (first === "--version") {
    console.log(await serviceVersion());
    return 0;
  }
  const named = COMMANDS[first] === undefined ? 2 : 1;
  const command = COMMANDS[args.slice(0, named).join(" ")];
  if (command === undefined) {
    const asked = ["--help", "-h", "help"].includes(first);
    (asked ? console.log : console.error)(help());
    return asked ? 0 : 2;
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(described(command));
    return 0;
  }
  try {
    const words = await command.run(args.slice(named));
    if (words !== "") console.log(words);
    return 0;
  } catch (error) {
    console.error(
      error instanceof UsageError ? `${error.message}\nUsage: ${command.usage}` : explained(error),
    );
    return 1;
  }
}

function help(): string {
  return ["Commands:", ...Object.values(COMMANDS).map(described)].join("\n");
}

function described({ usage, does }: Command): string {
  return `  npm run cli -- ${usage}\n      ${does}`;
}

async function importBankFile([file]: readonly string[]): Promise<string> {
  if (file === undefined) throw new UsageError("Name the file.");
  const contents = await readFile(file);
  const { format, taken, skipped } = await withDatabase((db) => importBanks(db, contents, systemClock.now()));
  const counts = Object.entries(taken).map(([country, count]) => `${country}: ${count} banks`);
  return [`Read as ${format}.`, ...counts, `${skipped} records skipped.`].join("\n");
}

function invitePeople(args: readonly string[]): Promise<string> {
  const { name, role = "owner" } = options(args);
  if (name === undefined) throw new UsageError("Give the name with --name.");
  const whom = { company: companyIn(args), email: emailIn(args) };
  return withService((deps) => invitePerson(deps, whom, { name, role }));
}

/** The id of the tenant; null for operators, who have to be meant. */
function companyIn(args: readonly string[]): string | null {
  const { tenant, operator } = options(args);
  if ((tenant === undefined) === (operator !== true))
    throw new UsageError("Give either --tenant ID or --operator.");
  return tenant ?? null;
}

function emailIn(args: readonly string[]): string {
  const { email } = options(args);
  if (email === undefined || !isEmail(email))
    throw new UsageError("Give a valid e-mail address with --email.");
  return email;
}

/** @throws Found when a file is refused. */
async function importSepaFiles(args: readonly string[]): Promise<string> {
  const { gateway } = options(args);
  const files = positionals(args);
  if (gateway === undefined || files.length === 0)
    throw new UsageError("Name the gateway with --gateway, and at least one file.");
  const { text, complete } = await withService((deps) => importBankFiles(deps, gateway, files));
  if (!complete) throw new Found(text);
  return text;
}

/** A step of the exchange of keys with a bank. */
function ebics(step: string, does: string): Command {
  return {
    usage: `ebics ${step} --gateway ID`,
    does,
    run: (args) => withService((deps) => ebicsStep(deps, step, gatewayIn(args))),
  };
}

function confirmEbics(args: readonly string[]): Promise<string> {
  const { authentication, encryption } = options(args);
  if (authentication === undefined || encryption === undefined)
    throw new UsageError("Give both hashes from the bank's letter: --authentication and --encryption.");
  return withService((deps) => ebicsConfirm(deps, gatewayIn(args), { authentication, encryption }));
}

async function writeEbicsLetter(args: readonly string[]): Promise<string> {
  const { out, language = "en" } = options(args);
  const known = LETTER_LANGUAGES.find((one) => one === language);
  if (out === undefined || known === undefined)
    throw new UsageError("Name the file to write with --out. The language is de, en or fr.");
  await writeFile(out, await withService((deps) => ebicsLetter(deps, gatewayIn(args), known)));
  return `Written: ${out}. Print it, sign it, and send it to the bank.`;
}

function gatewayIn(args: readonly string[]): string {
  const { gateway } = options(args);
  if (gateway === undefined) throw new UsageError("Name the gateway with --gateway.");
  return gateway;
}

/** The service without its server and its jobs, on the newest schema. */
async function withService<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
  const config = await readConfig();
  return withServer(async (url, ownerUrl) => {
    await schemaForCommand(config, { url, ownerUrl });
    const app = await createApp(config, url, createLog("warn"));
    return work(app.deps).finally(() => app.close());
  });
}

/** @throws Found when something is wrong with the file. */
async function verifyDossier([path]: readonly string[]): Promise<string> {
  if (path === undefined) throw new UsageError("Name the dossier's file.");
  const file = await readFile(path);
  const { right, words: said } = (await hasDatabase())
    ? await withService((deps) => verifiedHere(deps, mandateWordsOf(deps.db), file))
    : verifiedAlone(file);
  if (!right) throw new Found(said);
  return said;
}

async function hasDatabase(): Promise<boolean> {
  const { dataDir, external } = databasePlace();
  return external || hasEmbedded(dataDir);
}

/** @throws UsageError where a database would have to be made first. */
async function assertDatabase(): Promise<void> {
  if (await hasDatabase()) return;
  const { dataDir } = databasePlace();
  throw new UsageError(
    `No database found: DATABASE_URL is not set and DATA_DIR ${dataDir} contains none. Set one of them.`,
  );
}

/** The parts of this process that export and import use. */
function terminal() {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    tell: (line: string): void => console.error(line),
    nowMs: () => systemClock.monotonicMs(),
  };
}

async function exportDatabaseTo([file]: readonly string[]): Promise<string> {
  if (file === undefined) throw new UsageError("Name the file.");
  await assertDatabase();
  const told = await withServer((url) => exportTo(url, file, terminal()));
  if (file !== "-") return told;
  // Standard output is the file.
  console.error(told);
  return "";
}

async function importDatabaseFrom([file]: readonly string[]): Promise<string> {
  if (file === undefined) throw new UsageError("Name the file.");
  const held = (await readConfig()).masterKeys.map(keyName);
  return withServer((url, ownerUrl) => importFrom({ url, ownerUrl }, file, held, terminal()));
}

/** @throws Found when the service is held. */
async function restoredStatus(): Promise<string> {
  return withDatabase(async (db) => {
    const held = await lookAtPlace(db, systemClock.now());
    if (held === null) return "Not held: the database runs where it ran before.";
    const { newest, waiting } = await readRestored(db, systemClock.now());
    throw new Found(
      [
        heldWords(held),
        newest === null
          ? "There are no events in the database."
          : `The newest event is from ${newest.toISOString()}. What happened after it is not in the database.`,
        ...waiting.map(({ what, count }) => `${String(count).padStart(9)} ${what}`),
      ].join("\n"),
    );
  });
}

function heldWords({ since, reason }: Held): string {
  const why = reason === "by hand" ? "an operator said so" : `the database runs in ${reason} than before`;
  return `The service is held after a restore, since ${since.toISOString()}: ${why}.`;
}

/** @throws Found when the service is held: what a lost file had would be collected again. */
async function collectUnlessHeld(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "reached" | "sepaSchemas" | "time">,
  gateway: string | null,
): Promise<string> {
  if ((await lookAtPlace(deps.db, deps.clock.now())) !== null)
    throw new Found(
      "The service is held after a restore: `restored status` says why and what it would send.",
    );
  return collectNow(deps, gateway);
}

/** @throws Found when a person has to look into something. */
async function recordFiles(args: readonly string[]): Promise<string> {
  const { gateway, message } = options(args);
  const paths = positionals(args);
  if (gateway === undefined || (message === undefined && paths.length === 0))
    throw new UsageError("Name the gateway with --gateway, and a file or its message id with --message.");
  const given = { messageIds: message === undefined ? [] : [message], paths };
  const { text, complete } = await withService((deps) => recordLostFiles(deps, COMMAND_LINE, gateway, given));
  if (!complete) throw new Found(text);
  return text;
}

async function releaseRestored(): Promise<string> {
  const released = await withDatabase((db) => release(db, skipMessageNumbers, systemClock.now()));
  return released ? "Released: payments, files and webhooks go out again." : "The service was not held.";
}

/** On the newest schema, which the command makes when it has to. */
async function distributeTables(args: readonly string[]): Promise<string> {
  const { shards = null } = options(args);
  if (shards !== null && !/^[1-9]\d{0,3}$/.test(shards))
    throw new UsageError("The number of shards is from 1 to 9999.");
  const config = await readConfig();
  if (config.databaseUrl === null) {
    throw new UsageError(
      "The embedded server cannot be distributed: name the coordinator of a Citus cluster in DATABASE_URL.",
    );
  }
  const say = (step: string) => console.error(step);
  return withServer(async (url, ownerUrl) => {
    await checkCluster(ownerUrl);
    for (const name of await migrate(ownerUrl, url)) say(`migration ${name} applied`);
    return words(await distribute(ownerUrl, { shards: shards === null ? null : Number(shards), say }));
  });
}

function words({ placed, left, foreign, nodes }: Distributed): string {
  return [
    placed.length === 0
      ? `Every table is where it should be, on ${nodes} workers: nothing was changed.`
      : `${placed.length} tables are distributed over ${nodes} workers.`,
    `Already in place: ${left.join(", ")}.`,
    ...(foreign.length === 0 ? [] : [`Not the service's, and not touched: ${foreign.join(", ")}.`]),
  ].join("\n");
}

/** @throws Found when the books do not agree. */
async function checkTheBooks(): Promise<string> {
  await assertDatabase();
  const limits = { statementTimeoutMs: BOOKS_STATEMENT_MS };
  const books = await withServer(async (url) => {
    // A check changes nothing, not even the schema.
    const state = await readSchemaState(url);
    if (!isUsable(state)) throw new SchemaError(state.words ?? state.kind);
    return withPool(url, limits, async (db) => ({ ...(await checkBooks(db)), held: await readHeld(db) }));
  });
  const held =
    books.held === null ? "" : `\n${heldWords(books.held)} \`restored status\` says what it would send.`;
  const report = `${booksReport(books)}${held}`;
  if (books.differences.length > 0) throw new Found(report);
  return report;
}

async function migrateDatabase(args: readonly string[]): Promise<string> {
  const { status = false, force = false } = options(args);
  return withServer(async (url, ownerUrl) => {
    if (status) return schemaStatus(ownerUrl);
    const log = (message: string): void => console.error(message);
    const applied = await migrate(ownerUrl, url, { log, force });
    return applied.length === 0
      ? "Nothing to do: the schema is up to date."
      : `Applied ${applied.join(", ")}.`;
  });
}

/** @throws Found when migrations are missing. */
async function schemaStatus(url: string): Promise<string> {
  const { words } = await readSchemaState(url);
  const missing = await readMissing(url);
  if (missing.length === 0)
    return words ?? `The schema is up to date (${(await knownMigrations()).at(-1)?.name}).`;
  const lines = missing.map(
    ({ name, runs, compatibleWith }) =>
      `  ${name}: ${runs}; works with code from ${inFour(compatibleWith)} on`,
  );
  throw new Found([words ?? "", "Missing:", ...lines].join("\n"));
}

/** On the newest schema. */
async function withDatabase<T>(work: (db: Database) => Promise<T>, statementTimeoutMs?: number): Promise<T> {
  const config = await readConfig();
  return withServer(async (url, ownerUrl) => {
    await schemaForCommand(config, { url, ownerUrl });
    return withPool(url, statementTimeoutMs === undefined ? {} : { statementTimeoutMs }, work);
  });
}

/** @throws Found when a line of the audit log is not as it was. */
async function verifyAudit(args: readonly string[]): Promise<string> {
  const { heads } = options(args);
  const kept = heads === undefined ? "" : await readFile(heads, "utf8");
  const { masterKeys } = await readConfig();
  const log = await withDatabase(async (db) => {
    const now = systemClock.now();
    return auditVerified(db, await registerKeys(db, masterKeys, now), now, kept);
  }, KEYS_STATEMENT_MS);
  if (!log.right) throw new Found(log.words);
  return log.words;
}

/** @throws Found when something could not be sealed anew. */
async function resealAll(): Promise<string> {
  const { masterKeys } = await readConfig();
  const progress = progressOn(process.stderr, "values resealed", () => systemClock.monotonicMs());
  const report = await withDatabase(async (db) => {
    const keys = await registerKeys(db, masterKeys, systemClock.now());
    return reseal(db, keys, (done, all) => progress.at(done, all)).finally(() => progress.end());
  }, KEYS_STATEMENT_MS);
  const problems = [
    ...report.unreadable.map(
      ({ column, count }) => `${count} of ${column} could not be opened and were left unchanged.`,
    ),
    ...(report.left === 0
      ? []
      : [
          `${report.left} were sealed under another key meanwhile: give every instance the new key first, then run this again.`,
        ]),
  ];
  const words = [`${report.resealed} values resealed.`, ...problems].join("\n");
  if (problems.length > 0) throw new Found(words);
  return words;
}

async function withServer<T>(work: (url: string, ownerUrl: string) => Promise<T>): Promise<T> {
  const server = await sharedDatabaseOf(await readConfig());
  return work(server.url, server.ownerUrl).finally(() => server.stop());
}

async function withPool<T>(
  url: string,
  limits: { readonly statementTimeoutMs?: number },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = openDatabase(url, { connections: 2, onIdleError: () => {}, ...limits });
  return work(db).finally(() => db.close());
}

async function verifyWebhook(args: readonly string[]): Promise<string> {
  const { secret, signature } = options(args);
  if (secret === undefined || signature === undefined)
    throw new UsageError("Give the secret with --secret and the signature with --signature.");
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  const { right, words } = verifyDoctor(secret, signature, Buffer.concat(chunks));
  if (!right) throw new Found(words);
  return words;
}

async function listenToWebhooks(args: readonly string[]): Promise<string> {
  const { secret, port = String(LISTEN_PORT) } = options(args);
  if (secret === undefined) throw new UsageError("Give the profile's signing secret with --secret.");
  if (!/^\d{1,5}$/.test(port)) throw new UsageError("The port is a number from 0 to 65535.");
  const print = (text: string) => console.log(text);
  const receiver = await listenForWebhooks(Number(port), secret, print).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === "EADDRINUSE"
        ? new UsageError(`Port ${port} is in use by another program: choose another with --port.`)
        : error;
    },
  );
  console.log(`Listening. Set this URL in a webhook profile: ${receiver.url}`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await receiver.close();
  return "Stopped.";
}

/** @throws Found when the file breaks a rule. */
async function checkSepaFile(args: readonly string[]): Promise<string> {
  const [path] = positionals(args);
  if (path === undefined) throw new UsageError("Name the file.");
  const { bank, on: given } = options(args);
  const on = given === undefined ? utcDate(systemClock.now()) : dayIn(given);
  const file = await readSentFile(createReadStream(path)).catch((error: unknown) => {
    // What to do about it is said to those who have a file from their bank.
    throw error instanceof BankFileRefused ? new Found(`${error.what}.`, { cause: error }) : error;
  });
  const profile = bankOf(bank);
  const problems = problemsOf(file, on, profile);
  const notes = bank === undefined || bank === "generic" ? [] : bankNotes(profile);
  if (problems.length > 0) throw new Found([...problems, ...notes].join("\n"));
  const orders = file.blocks.reduce((count, block) => count + block.orders.length, 0);
  const found = `${file.kind} ${file.messageId}: ${orders} orders in ${file.blocks.length} blocks, no rule is broken on ${on}`;
  return [found, ...notes].join("\n");
}

/** @throws UsageError for anything but a day that there is. */
function dayIn(text: string): IsoDate {
  if (!isDay(text)) throw new UsageError(`${text} is not a day: write it as YYYY-MM-DD.`);
  return text;
}

/** What the check could not hold the file to: what no file shows, and what is not public. */
function bankNotes(profile: BankProfile): readonly string[] {
  const unknown = notPublic(profile);
  return [
    ...notInFiles(profile).map((words) => `Note on ${profile.name}: ${words}`),
    ...(unknown.length === 0 ? [] : [`Not public, ask ${profile.name}: ${unknown.join(", ")}`]),
  ];
}

/** @throws UsageError for a bank that there is no profile of. */
function bankOf(name: string | undefined): BankProfile {
  if (name === undefined) return profileOf(null);
  const found = readProfileName(name);
  if (found === null) throw new UsageError(`The banks are ${BANK_PROFILES.join(", ")}.`);
  return profileOf(found);
}

function options(args: readonly string[]) {
  return parsed(args).values;
}

function positionals(args: readonly string[]): readonly string[] {
  return parsed(args).positionals;
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const known = {
    secret: text,
    signature: text,
    port: text,
    gateway: text,
    message: text,
    due: text,
    on: text,
    bank: text,
    out: text,
    language: text,
    authentication: text,
    encryption: text,
    status: flag,
    force: flag,
    tenant: text,
    email: text,
    name: text,
    role: text,
    operator: flag,
    heads: text,
    shards: text,
  };
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Expected failures are printed as their message; anything else with its stack. */
function explained(error: unknown): string {
  if (
    error instanceof BackupRefused ||
    error instanceof ConfigError ||
    error instanceof BankFileError ||
    error instanceof BankFileRefused ||
    error instanceof KeyError ||
    error instanceof SchemaError ||
    error instanceof CannotDistribute ||
    error instanceof Found
  )
    return error.message;
  if (error instanceof Refusal) return error.detail;
  if (error instanceof FieldErrors) return JSON.stringify(error.fields);
  if (error instanceof Error && "code" in error) {
    const words = PATH_ERRORS[String(error.code)];
    if (words !== undefined) return "path" in error ? `${words}: ${String(error.path)}` : `${words}.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
