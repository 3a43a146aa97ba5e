/** The collector: at the cut-off of a day on which banks settle, what is due goes into one file per account, each instruction once. */
import { addTargetDays, isTargetDay } from "../banking/target.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { debtorContext, type Debtor } from "../gateways/sepa/adapter.ts";
import { sepaSettings, type SepaSettings } from "../gateways/sepa/settings.ts";
import { readable } from "../lib/ids.ts";
import { cents, centsFromDatabase, formatAmount } from "../lib/money.ts";
import type { IsoDate } from "../lib/dates.ts";
import { must } from "../lib/assert.ts";
import { MINUTE_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { writePain001 } from "../sepa/pain001.ts";
import {
  needsAddress,
  type Address,
  type Amendment,
  type Block as WrittenBlock,
  type Collection,
} from "../sepa/direct-debit-file.ts";
import { SepaFileRefused } from "../sepa/file-rules.ts";
import { checkCollection, writePain008 } from "../sepa/pain008.ts";
import { pack } from "./pack.ts";
import { checked } from "./schema.ts";
import {
  announceAmendments,
  countMessages,
  findAmendments,
  findWaiting,
  markBatched,
  takeRun,
  type AmendmentRow,
  type WaitingRow,
} from "./outgoing-store.ts";
import { findAccounts, insertFile, type AccountRow } from "./store.ts";
import { writeChanges, type Change } from "./changes-store.ts";

/** One file holds this many at most; what is more goes into the next one of the same run. */
const FILE_TRANSACTIONS_MAX = 50_000;

/** What one run has written. */
export interface RunResult {
  readonly files: number;
  readonly instructions: number;
}

const NOTHING: RunResult = { files: 0, instructions: 0 };

export function collectJob(deps: Deps): Job {
  return {
    name: "sepa-collect",
    everyMs: MINUTE_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      let files = 0;
      for (const account of await findAccounts(deps.db, null)) files += await collectAlone(deps, account);
      return files;
    },
  };
}

/** One account that cannot be written holds up no other; it is tried again with the next pass. */
async function collectAlone(deps: Deps, account: AccountRow): Promise<number> {
  try {
    return (await collectDue(deps, account, { evenBeforeCutOff: false })).files;
  } catch (error) {
    deps.log.error("a SEPA file could not be written", error, { gateway_id: account.id });
    return 0;
  }
}

/**
 * Writes the day's files of an account, if it is a TARGET day past the cut-off and nobody has. All of a run is one
 * transaction: a file is stored with the instructions in it, or neither is.
 * @param options.evenBeforeCutOff an operator does not want to wait for it.
 * @throws Error when a file does not fit the schema at hand: nothing is written.
 */
export async function collectDue(
  deps: Deps,
  account: AccountRow,
  { evenBeforeCutOff }: { readonly evenBeforeCutOff: boolean },
): Promise<RunResult> {
  const settings = sepaSettings(account.settings);
  const day = runDay(settings, deps.time.now(account.tenant), evenBeforeCutOff);
  if (day === null || (account.last_run_on !== null && account.last_run_on >= day)) return NOTHING;
  deps.reached("sepa.before_run");
  const result = await deps.db.transaction(async (tx) => {
    const number = await takeRun(tx, account.tenant, account.id, day);
    return number === null
      ? NOTHING
      : write({ deps, tx, account, settings, day, now: deps.time.now(account.tenant) }, number);
  });
  deps.reached("sepa.stored");
  return result;
}

/** The bank's date, when files may be written now. */
export function runDay(
  { cutOff, timeZone }: Pick<SepaSettings, "cutOff" | "timeZone">,
  now: Date,
  evenBeforeCutOff: boolean,
): IsoDate | null {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const day = local.toPlainDate().toString();
  if (!isTargetDay(day)) return null;
  const past = Temporal.PlainTime.compare(local.toPlainTime(), Temporal.PlainTime.from(cutOff)) >= 0;
  return past || evenBeforeCutOff ? day : null;
}

interface Run {
  readonly deps: Deps;
  readonly tx: Tx;
  readonly account: AccountRow;
  readonly settings: SepaSettings;
  readonly day: IsoDate;
  readonly now: Date;
}

/** A block takes one due date and one sequence type; an instruction is in one block. */
interface Block {
  readonly sequenceType: WaitingRow["sequence_type"];
  readonly rows: readonly WaitingRow[];
}

async function write(run: Run, lastNumber: number): Promise<RunResult> {
  const { account, settings, day, tx } = run;
  const collectionsDue = addTargetDays(day, settings.leadDays);
  let number = lastNumber;
  let instructions = 0;
  for (const refunds of [false, true]) {
    const due = refunds ? addTargetDays(day, 1) : collectionsDue;
    for (;;) {
      const waiting = await findWaiting(tx, account.tenant, account.id, {
        due,
        refunds,
        firstSequenceType: settings.firstSequenceType,
        limit: FILE_TRANSACTIONS_MAX,
      });
      const valid = await withoutEndedMandates(run, waiting);
      const ready = refunds ? valid : await withoutUnwritable(run, valid);
      for (const blocks of filesOf(settings, ready)) {
        number += 1;
        await (refunds ? writeRefunds(run, number, due, blocks) : writeCollections(run, number, due, blocks));
      }
      instructions += ready.length;
      if (waiting.length < FILE_TRANSACTIONS_MAX) break;
    }
  }
  await countMessages(tx, account.tenant, account.id, number);
  return { files: number - lastNumber, instructions };
}

/** A mandate that has ended since the payment was accepted is not debited any more. */
async function withoutEndedMandates(
  run: Run,
  waiting: readonly WaitingRow[],
): Promise<readonly WaitingRow[]> {
  const ended = waiting.filter(({ mandate_ended, refund_of }) => mandate_ended && refund_of === null);
  const why = {
    reason_code: "MD01",
    reason_message: "The mandate was cancelled before the collection went to the bank.",
  };
  return without(run, waiting, new Map(ended.map((row) => [row, why])));
}

/** One payment that no bank would take must not keep all others from theirs. */
async function withoutUnwritable(run: Run, rows: readonly WaitingRow[]): Promise<readonly WaitingRow[]> {
  const unwritable = new Map<WaitingRow, Why>();
  for (const row of rows) {
    try {
      checkCollection(collectionOf(run, row, NO_AMENDMENTS), run.day);
    } catch (error) {
      if (!(error instanceof SepaFileRefused)) throw error;
      run.deps.log.error("a collection cannot be written into a file", error, { reference: row.reference });
      unwritable.set(row, {
        reason_code: "FF01",
        reason_message: "The collection cannot be written into a SEPA file.",
      });
    }
  }
  return without(run, rows, unwritable);
}

type Why = Pick<Change, "reason_code" | "reason_message">;

/** Rejects those of the rows that are in the map; the others. */
async function without(
  { tx, account, day, now }: Run,
  rows: readonly WaitingRow[],
  rejected: ReadonlyMap<WaitingRow, Why>,
): Promise<readonly WaitingRow[]> {
  if (rejected.size === 0) return rows;
  const changes = [...rejected].map(([{ reference }, why]) => ({ ...REJECTED, ...why, reference, on: day }));
  await writeChanges(tx, account.tenant, account.id, null, changes, now);
  return rows.filter((row) => !rejected.has(row));
}

const NO_AMENDMENTS: ReadonlyMap<string, Amendment> = new Map();
const REJECTED = {
  state: "rejected",
  gateway_reference: null,
  news: "returned",
  report_type: null,
  bank_fee: null,
} as const;

/** Blocks within the account's limits, and files of no more blocks than the bank takes. */
export function filesOf(
  {
    maxTransactionsPerBlock,
    maxBlocksPerFile,
  }: Pick<SepaSettings, "maxTransactionsPerBlock" | "maxBlocksPerFile">,
  rows: readonly WaitingRow[],
): readonly (readonly Block[])[] {
  const blocks = (["FRST", "RCUR", "OOFF"] as const).flatMap((sequenceType) =>
    pieces(
      rows.filter((row) => row.sequence_type === sequenceType),
      maxTransactionsPerBlock,
    ).map((piece) => ({ sequenceType, rows: piece })),
  );
  return pieces(blocks, maxBlocksPerFile);
}

function pieces<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

/** Unique for ever: the account's own four letters, the day and a number that only grows. */
function messageIdOf({ account, day }: Run, number: number): string {
  const ours = readable(Buffer.from(account.id.replaceAll("-", "").slice(-8), "hex"));
  return `PSB-${day.replaceAll("-", "")}-${ours}-${String(number).padStart(6, "0")}`;
}

async function writeCollections(
  run: Run,
  number: number,
  dueDate: IsoDate,
  blocks: readonly Block[],
): Promise<void> {
  const { settings, now } = run;
  const messageId = messageIdOf(run, number);
  const amendments = await takeAmendments(run, blocks);
  const written: WrittenBlock[] = blocks.map(({ sequenceType, rows }, n) => ({
    id: `${messageId}-${n + 1}`,
    sequenceType,
    dueDate,
    collections: rows.map((row) => collectionOf(run, row, amendments)),
  }));
  const xml = writePain008({
    messageId,
    createdAt: now,
    version: settings.messageVersion,
    creditor: {
      name: settings.creditorName,
      iban: settings.creditorIban,
      bic: settings.creditorBic,
      identifier: settings.creditorIdentifier,
    },
    scheme: settings.scheme,
    batchBooking: settings.batchBooking,
    blocks: written,
  });
  await store(run, { messageId, kind: "pain.008", schema: settings.messageVersion, dueDate, blocks, xml });
}

function collectionOf(run: Run, row: WaitingRow, amendments: ReadonlyMap<string, Amendment>): Collection {
  const { iban, bic, address } = debtorOf(run, row);
  return {
    endToEndId: row.reference,
    // Some banks send back only this one, so it is the same.
    instructionId: row.reference,
    amount: centsFromDatabase(row.amount),
    mandate: {
      reference: row.mandate_reference,
      signedOn: row.mandate_signed_on ?? run.day,
      amendment: amendments.get(row.mandate_id ?? "") ?? null,
    },
    debtor: { name: row.debtor_name, iban, bic, address: addressOf(iban, address) },
    remittance: row.remittance,
  };
}

/** Only where the scheme asks for it: what a bank need not know does not leave. */
function addressOf(iban: string, address: Debtor["address"]): Address | null {
  if (address === null || address.city === null || !needsAddress(iban.slice(0, 2))) return null;
  const { street, postalCode, city, country } = address;
  return { street, buildingNumber: null, postalCode, city, country };
}

async function writeRefunds(run: Run, number: number, day: IsoDate, blocks: readonly Block[]): Promise<void> {
  const { settings, now } = run;
  const messageId = messageIdOf(run, number);
  const rows = blocks.flatMap((block) => block.rows);
  const xml = writePain001({
    messageId,
    createdAt: now,
    executionDate: day,
    batchBooking: settings.batchBooking,
    debtor: { name: settings.creditorName, iban: settings.creditorIban, bic: settings.creditorBic },
    transfers: rows.map((row) => {
      const { iban, bic } = debtorOf(run, row);
      return {
        endToEndId: row.reference,
        instructionId: row.reference,
        amount: centsFromDatabase(row.amount),
        creditor: { name: row.debtor_name, iban, bic },
        remittance: row.remittance,
      };
    }),
  });
  const one = [{ sequenceType: "OOFF", rows } as const];
  await store(run, {
    messageId,
    kind: "pain.001",
    schema: "pain.001.001.09",
    dueDate: day,
    blocks: one,
    xml,
  });
}

/** What the bank is told of the mandates' changes, once: the first file after a change announces it. */
async function takeAmendments(
  { deps, tx, account, now }: Run,
  blocks: readonly Block[],
): Promise<ReadonlyMap<string, Amendment>> {
  const mandates = blocks.flatMap(({ rows }) => rows.flatMap(({ mandate_id }) => mandate_id ?? []));
  const found = await findAmendments(tx, account.tenant, mandates);
  const amendments = new Map<string, Amendment>();
  for (const row of found) {
    const before = amendments.get(row.mandate_id) ?? {};
    amendments.set(row.mandate_id, { ...before, ...amendmentOf(deps, account.tenant, row) });
  }
  if (found.length > 0) await announceAmendments(tx, account.tenant, [...amendments.keys()], now);
  return amendments;
}

function amendmentOf(deps: Deps, tenant: number, row: AmendmentRow): Amendment {
  switch (row.kind) {
    case "reference":
      return { originalReference: must(row.original_reference, "the reference of before") };
    case "creditor": {
      const { original_creditor_name: name, original_creditor_identifier: identifier } = row;
      return {
        originalCreditor: {
          ...(name === null ? {} : { name }),
          ...(identifier === null ? {} : { identifier }),
        },
      };
    }
    case "account": {
      if (row.same_bank !== true || row.original_iban_sealed === null)
        return { originalAccount: { sameBank: false } };
      const context = `mandate_amendments.iban:${row.mandate_id}:${row.number}`;
      const iban = deps.keys.open(tenant, context, row.original_iban_sealed).toString();
      return { originalAccount: { sameBank: true, iban } };
    }
  }
}

/** Whom and where to debit or to pay. A BIC is told only where banks still ask for one: a wrong one brings the payment back. */
function debtorOf(run: Run, row: WaitingRow): Debtor {
  const debtor = debtorAsKept(run, row);
  return needsAddress(debtor.iban.slice(0, 2)) ? debtor : { ...debtor, bic: null };
}

/** A refund goes to the account that was debited, under whose reference it is sealed; a debit to the mandate's account of today. */
function debtorAsKept({ deps, account }: Run, row: WaitingRow): Debtor {
  const context = debtorContext(row.refund_of ?? row.reference);
  const plain = deps.keys.open(account.tenant, context, must(row.debtor, "the account of an instruction"));
  const debtor = JSON.parse(plain.toString()) as Debtor;
  if (row.refund_of !== null || row.mandate_id === null || row.iban_sealed === null) return debtor;
  const iban = deps.keys.open(account.tenant, `mandates.iban:${row.mandate_id}`, row.iban_sealed).toString();
  return iban === debtor.iban ? debtor : { ...debtor, iban, bic: null };
}

async function store(
  run: Run,
  file: {
    readonly messageId: string;
    readonly kind: "pain.008" | "pain.001";
    readonly schema: string;
    readonly dueDate: IsoDate;
    readonly blocks: readonly Block[];
    readonly xml: Iterable<string>;
  },
): Promise<void> {
  const { deps, tx, account, settings, now } = run;
  const id = deps.ids.uuid();
  const xml = await checked(deps, file.schema, file.xml);
  const packed = await pack(deps.keys, account.tenant, id, xml);
  const rows = file.blocks.flatMap((block) => block.rows);
  const manual = settings.transport.kind === "manual";
  await insertFile(
    tx,
    account.tenant,
    {
      ...packed,
      id,
      gatewayId: account.id,
      direction: "out",
      kind: file.kind,
      name: `${file.messageId}.xml`,
      messageId: file.messageId,
      transactions: rows.length,
      amount: formatAmount(cents(rows.reduce((sum, row) => sum + centsFromDatabase(row.amount), 0))),
      dueDate: file.dueDate,
      status: manual ? "ready" : "stored",
      error: null,
      // By the service's own time, as everything that is sent.
      dueAt: manual ? null : deps.clock.now(),
    },
    now,
  );
  const placed = file.blocks.flatMap(({ sequenceType, rows: ofBlock }, n) =>
    ofBlock.map(({ reference }) => ({
      reference,
      // A file of transfers is one block, which has the file's own id.
      blockId: file.kind === "pain.008" ? `${file.messageId}-${n + 1}` : file.messageId,
      sequenceType: file.kind === "pain.008" ? sequenceType : null,
    })),
  );
  await markBatched(tx, account.tenant, account.id, { id, dueDate: file.dueDate }, placed, now);
}
