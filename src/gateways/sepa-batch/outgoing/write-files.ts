/** Writes due instructions into one file per account at the cut-off of a TARGET business day, each once. */
import { announceAmendments } from "../../../mandates/amendment-store.ts";
import { DOCUMENTATION_IBAN, isDocumentationIban } from "../../../sepa/iban.ts";
import { addTargetDays, isTargetDay } from "../../../sepa/target.ts";
import type { Tx } from "../../../db/database.ts";
import type { Deps } from "../../../deps.ts";
import { sepaSettings, takesReversals, transportOf, type SepaSettings } from "../settings.ts";
import { readableText } from "../../../lib/ids.ts";
import { centsFromDatabase, formatAmount } from "../../../lib/money.ts";
import { utcDate, type IsoDate } from "../../../lib/dates.ts";
import { MINUTE_MS } from "../../../lib/clock.ts";
import type { Job } from "../../../lib/job.ts";
import { asStepOrTrace } from "../../../lib/trace.ts";
import {
  hasCity,
  type Address,
  type FileBlock,
  type CreditorIdentity,
} from "../../../sepa/messages/direct-debit-file.ts";
import { SepaFileRefused, sumOf } from "../../../sepa/messages/file-rules.ts";
import { isPastCutOff, nextCutOff } from "../../../sepa/windows.ts";
import { checkTransfer, writePain001 } from "../../../sepa/messages/pain001.ts";
import { checkVersion, REVERSAL_VERSION, writePain007 } from "../../../sepa/messages/pain007.ts";
import { checkCollection, writePain008 } from "../../../sepa/messages/pain008.ts";
import { plannedFiles, type Block, type PlannedFile } from "./blocks.ts";
import { amendOutdated } from "./creditor-store.ts";
import { collectionOf, instructionOf, placedOf, transferOf, type Instruction } from "./instructions.ts";
import { pack } from "../pack.ts";
import { requireValid } from "./check-schema.ts";
import {
  setLastNumber,
  findAmendments,
  findWaiting,
  findWaits,
  markBatched,
  lockForRun,
  type Placed,
  type WaitingRow,
  type WaitsRow,
} from "./store.ts";
import {
  findAccounts,
  insertPacked,
  lockSettings,
  rememberAccount,
  type AccountRow,
} from "../files-store.ts";
import { writeChanges, type CollectionChange } from "../incoming/changes-store.ts";
import { stopInstructions, stopRefunds } from "./stopped-store.ts";
import { reversedFiles, type ReversedFile } from "./reversed-files.ts";
import { bankDate, withdrawUnfit } from "./withdraw-unfit.ts";

/** The most instructions in one file; further ones go into the next file of the same run. */
const FILE_TRANSACTIONS_MAX = 50_000;

/** The result of one run. */
interface RunResult {
  readonly files: number;
  readonly instructions: number;
  /** Why nothing was written; null if something was. */
  readonly why: string | null;
}

/** The dependencies of writing an account's files. */
type WriteDeps = Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "reached" | "sepaSchemas" | "time">;

/**
 * Returns the job.
 * @param tenant limits it to this tenant's accounts; null for all tenants.
 */
export function collectJob(deps: Deps, tenant: number | null): Job {
  return {
    name: "sepa-collect",
    everyMs: MINUTE_MS,
    batch: Number.MAX_SAFE_INTEGER,
    async runOnce() {
      let files = 0;
      for (const account of await findAccounts(deps.db, tenant)) files += await collectAlone(deps, account);
      return files;
    },
  };
}

/** Writes one account's files. An account that fails does not delay others and is tried again with the next pass. */
async function collectAlone(deps: WriteDeps, account: AccountRow): Promise<number> {
  try {
    const cleared = (await withdrawUnfit(deps, account)) + (await stopRefundsBeforeRun(deps, account));
    return cleared + (await collectDue(deps, account, { evenBeforeCutOff: false })).files;
  } catch (error) {
    deps.log.error("a SEPA file could not be written", error, { gateway_id: account.id });
    return 0;
  }
}

/**
 * Stops refunds of payments that were charged back by hand. No file reports those, so it is done here, long before the
 * cut-off.
 */
function stopRefundsBeforeRun(
  deps: Pick<Deps, "db" | "time">,
  { tenant, id, settings }: AccountRow,
): Promise<number> {
  const now = deps.time.now(tenant);
  const which = { on: utcDate(now), takesReversals: takesReversals(sepaSettings(settings)) };
  return stopRefunds(deps.db, tenant, id, which, now);
}

/**
 * Writes the files of an account that can be written now: debits (pain.008), transfers (pain.001) and reversals
 * (pain.007), in files of at most 50,000 instructions.
 * A run is one transaction: a file is stored together with the instructions in it, or not at all. Each instruction goes
 * into one file. The day's final run happens once; a run that an operator requests before the cut-off does not count as
 * it. Amounts are in cents; days are those at the account's bank. docs/sepa.md explains which instructions are due.
 * @param options.evenBeforeCutOff an operator does not want to wait for the cut-off.
 * @throws Error when a file does not fit the configured schema; nothing is written then.
 */
export async function collectDue(
  deps: WriteDeps,
  account: AccountRow,
  { evenBeforeCutOff }: { readonly evenBeforeCutOff: boolean },
): Promise<RunResult> {
  const { tenant, id } = account;
  const now = deps.time.now(tenant);
  const { why } = timeOf(account, now, evenBeforeCutOff);
  if (why !== null) return nothing(why);
  deps.reached("sepa.before_run");
  const result = await asStepOrTrace("bank files write", tenant, { "payments.gateway_id": id }, () =>
    deps.db.transaction(async (tx) => {
      // The pass may have read the account minutes ago. From here on its settings stay until the files are stored.
      const current = await lockSettings(tx, tenant, id);
      const { day, isFinal, done, why: whyNow } = timeOf(current, now, evenBeforeCutOff);
      if (whyNow !== null) return nothing(whyNow);
      const number = await lockForRun(tx, tenant, id, { day, isFinal }, now);
      if (number === null) return nothing(done);
      return write(
        { deps, tx, account: current, settings: sepaSettings(current.settings), day, now },
        number,
      );
    }),
  );
  deps.reached("sepa.stored");
  return result;
}

/** Whether an account's files can be written at this time; `why` not, or null. */
function timeOf({ settings, last_run_on, last_run_at }: AccountRow, now: Date, evenBeforeCutOff: boolean) {
  const { cutOff: time, timeZone: zone } = sepaSettings(settings);
  const day = bankDate(settings, now);
  const isFinal = isPastCutOff(now, { time, zone });
  const next = nextCutOff(now, { time, zone }).toISOString();
  const done = `the run of ${day} was done${last_run_at === null ? "" : ` at ${last_run_at.toISOString()}`}; the next is at ${next}`;
  const why = () => {
    if (!isTargetDay(day)) return `${day} is not a TARGET business day`;
    if (!isFinal && !evenBeforeCutOff) return `the cut-off is at ${next}`;
    return last_run_on !== null && last_run_on >= day ? done : null;
  };
  return { day, isFinal, done, why: why() };
}

function nothing(why: string): RunResult {
  return { files: 0, instructions: 0, why };
}

function partition<T>(
  all: readonly T[],
  isFirst: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function whyNothing({ due, unconfirmed }: WaitsRow): string {
  const reasons = [
    ...(due === null ? [] : [`the earliest due date is ${due}`]),
    ...(unconfirmed === 0 ? [] : [`debits of mandates that their banks have yet to confirm: ${unconfirmed}`]),
  ];
  return reasons.length === 0 ? "nothing is waiting" : `nothing is due yet; ${reasons.join("; ")}`;
}

interface Run {
  readonly deps: WriteDeps;
  readonly tx: Tx;
  readonly account: AccountRow;
  readonly settings: SepaSettings;
  readonly day: IsoDate;
  readonly now: Date;
}

async function write(run: Run, lastNumber: number): Promise<RunResult> {
  const { account, settings, day, tx } = run;
  const collectionsDue = addTargetDays(day, settings.leadDays);
  const days = settings.b2bConfirmedDays;
  const confirmedBy = days === null ? null : addTargetDays(collectionsDue, -days);
  let number = lastNumber;
  let instructions = 0;
  for (const refunds of [false, true]) {
    const due = refunds ? addTargetDays(day, 1) : collectionsDue;
    await stopInstructions(
      tx,
      account.tenant,
      account.id,
      { refunds, due, on: day, takesReversals: takesReversals(settings) },
      run.now,
    );
    for (;;) {
      const given = { due, refunds, limit: FILE_TRANSACTIONS_MAX, confirmedBy };
      const waiting = await findWaiting(tx, account.tenant, account.id, given);
      const { ready, amended } = await writable(run, waiting);
      const [reversals, others] = partition(ready, ({ row }) => row.reversible_until !== null);
      for (const file of plannedFiles(settings, others)) {
        number += 1;
        await (refunds
          ? writeRefunds(run, number, due, file.blocks)
          : writeCollections(run, number, due, file));
      }
      let written = others.length;
      for (const file of await reversible(run, reversals)) {
        number += 1;
        written += await writeReversals(run, number, due, file);
      }
      instructions += written;
      // Instructions whose mandates were amended in the meantime are read again.
      if (!amended && (waiting.length < FILE_TRANSACTIONS_MAX || written === 0)) break;
    }
  }
  await setLastNumber(tx, account.tenant, account.id, number);
  if (instructions === 0)
    return nothing(whyNothing(await findWaits(tx, account.tenant, account.id, confirmedBy)));
  return { files: number - lastNumber, instructions, why: null };
}

/**
 * Prepares the instructions. Each is checked as it will be written, and rejected with the reason if no bank would
 * accept it, so that it cannot block the others. One that cannot be opened keeps waiting: the error is ours and can be
 * fixed. One whose mandate was amended since the rows were read also waits: its account would be the former one,
 * announced together with its successor.
 * @returns amended: whether there is such a one.
 */
async function writable(
  run: Run,
  rows: readonly WaitingRow[],
): Promise<{ readonly ready: readonly Instruction[]; readonly amended: boolean }> {
  const { deps, tx, account, settings } = run;
  const mandates = new Set(
    rows.flatMap(({ refund_of, mandate_id }) => (refund_of === null && mandate_id) || []),
  );
  // The account's creditor may have changed since a mandate was signed: the mandate is amended then, and the file
  // announces it.
  const renamed = await amendOutdated(tx, account.tenant, account.id, [...mandates], run.now);
  const creditors = new Map(renamed.map(({ id, ...creditor }) => [id, creditor]));
  const found = await findAmendments(tx, account.tenant, [...mandates]);
  const amendments = Map.groupBy(found, ({ mandate_id }) => mandate_id);
  const ready: Instruction[] = [];
  const rejected: CollectionChange[] = [];
  const begun = new Set<string>();
  let amended = false;
  for (const waiting of rows) {
    const mandate = waiting.mandate_id ?? "";
    const changes = amendments.get(mandate) ?? [];
    const known = waiting.last_amendment + (creditors.has(mandate) ? 1 : 0);
    if ((changes.at(-1)?.number ?? 0) > known) {
      amended = true;
      continue;
    }
    const row = { ...waiting, ...creditors.get(mandate) };
    try {
      // Of two first debits of a mandate in one run, the second is recurring.
      const first = begun.has(mandate) ? "RCUR" : settings.firstSequenceType;
      const one = instructionOf(deps, account.tenant, row, changes, first);
      // A documentation IBAN, accepted while the account was a test account; no bank has it.
      if (row.refund_of === null && !account.test_mode && isDocumentationIban(one.debtor.iban)) {
        rejected.push({
          ...rejectedHere(row, run.day),
          reason_code: "AC01",
          reason_message: DOCUMENTATION_IBAN,
        });
        continue;
      }
      if (row.refund_of === null)
        checkCollection(collectionOf(one, run.day, settings.messageVersion), run.day);
      else if (row.reversible_until === null) checkTransfer(transferOf(one));
      ready.push(one);
      begun.add(mandate);
    } catch (error) {
      if (error instanceof SepaFileRefused) {
        rejected.push(rejection(row, error, run.day));
        const about = { gateway_id: account.id, reference: row.reference, reason: error.message };
        deps.log.warn("a payment is rejected: it cannot be written into a SEPA file", about);
      } else
        deps.log.error("an instruction cannot be written into a file", error, { reference: row.reference });
    }
  }
  await writeChanges(tx, account.tenant, [account.id], null, rejected, run.now);
  return { ready, amended };
}

function rejection(row: WaitingRow, { message }: SepaFileRefused, day: IsoDate): CollectionChange {
  const reason_message = `This cannot be written into a SEPA file. ${message}.`;
  return { ...rejectedHere(row, day), reason_code: "FF01", reason_message };
}

function rejectedHere({ reference }: WaitingRow, day: IsoDate) {
  return {
    reference,
    state: "rejected",
    on: day,
    news: "returned",
    gateway_reference: null,
    report_type: null,
    bank_fee: null,
  } as const;
}

/** Never reused: the account's own four letters, the day and a number that only grows. */
function messageIdOf({ account, day }: Run, number: number): string {
  const ours = readableText(Buffer.from(account.id.replaceAll("-", "").slice(-8), "hex"));
  return `PSB-${day.replaceAll("-", "")}-${ours}-${String(number).padStart(6, "0")}`;
}

async function writeCollections(
  run: Run,
  number: number,
  dueDate: IsoDate,
  { scheme, blocks }: PlannedFile,
): Promise<void> {
  const { tx, account, settings, now, day } = run;
  const messageId = messageIdOf(run, number);
  const placed: Placed[] = [];
  const written: FileBlock[] = blocks.map(({ sequenceType, creditor, instructions }, n) => {
    const id = `${messageId}-${n + 1}`;
    placed.push(...instructions.map((one) => placedOf(one, id, { scheme, creditor })));
    return {
      id,
      sequenceType,
      dueDate,
      ...(isAccountsOwn(run, creditor) ? {} : { creditor }),
      collections: instructions.map((one) => collectionOf(one, day, settings.messageVersion)),
    };
  });
  const xml = writePain008({
    messageId,
    createdAt: now,
    version: settings.messageVersion,
    creditor: {
      name: settings.creditorName,
      iban: settings.creditorIban,
      bic: settings.creditorBic,
      identifier: settings.creditorIdentifier,
      address: creditorAddress(run),
    },
    scheme,
    batchBooking: settings.batchBooking,
    blocks: written,
  });
  const all = blocks.flatMap(({ instructions }) => instructions);
  await store(run, {
    messageId,
    kind: "pain.008",
    schema: settings.messageVersion,
    dueDate,
    all,
    placed,
    xml,
  });
  const told = all.flatMap(({ row: { mandate_id }, announced }) =>
    announced === null || mandate_id === null ? [] : [{ mandate_id, up_to: announced.upTo }],
  );
  if (told.length > 0) await announceAmendments(tx, account.tenant, told, now);
}

function isAccountsOwn({ settings }: Run, { name, identifier }: CreditorIdentity): boolean {
  return name === settings.creditorName && identifier === settings.creditorIdentifier;
}

/** The creditor's current address, in the form that a bank can read. */
function creditorAddress({ account }: Run): Address | null {
  const { address: street, postal_code: postalCode, city, country } = account.creditor;
  if (city === null || country === null || !hasCity({ city })) return null;
  return { street, buildingNumber: null, postalCode, city, country };
}

async function writeRefunds(run: Run, number: number, day: IsoDate, blocks: readonly Block[]): Promise<void> {
  const { settings, now } = run;
  const messageId = messageIdOf(run, number);
  const all = blocks.flatMap(({ instructions }) => instructions);
  const xml = writePain001({
    messageId,
    createdAt: now,
    executionDate: day,
    batchBooking: settings.batchBooking,
    instant: settings.instantRefunds,
    debtor: { name: settings.creditorName, iban: settings.creditorIban, bic: settings.creditorBic },
    transfers: all.map(transferOf),
  });
  // A file of transfers is one block with the file's own id.
  const placed = all.map((one) => placedOf(one, messageId, null));
  await store(run, {
    messageId,
    kind: "pain.001",
    schema: "pain.001.001.09",
    dueDate: day,
    all,
    placed,
    xml,
  });
}

/**
 * Those that can be written, grouped by the file in which their debits were sent. The others are rejected with the
 * reason, or keep waiting.
 */
async function reversible(run: Run, reversals: readonly Instruction[]): Promise<readonly ReversedFile[]> {
  const { deps, tx, account, day } = run;
  const files: ReversedFile[] = [];
  const refused: CollectionChange[] = [];
  for (const file of await reversedFiles(deps, tx, account.tenant, reversals)) {
    try {
      checkVersion(file.sent.schema, file.sent.messageId);
      files.push(file);
    } catch (error) {
      if (!(error instanceof SepaFileRefused)) throw error;
      refused.push(...file.all.map(({ row }) => rejection(row, error, day)));
    }
  }
  await writeChanges(tx, account.tenant, [account.id], null, refused, run.now);
  return files;
}

/**
 * Writes a file of reversals.
 * @returns how many are in it.
 */
async function writeReversals(
  run: Run,
  number: number,
  day: IsoDate,
  { sent, all, blocks }: ReversedFile,
): Promise<number> {
  const { settings, now } = run;
  const messageId = messageIdOf(run, number);
  const placed: Placed[] = [];
  const written = blocks.map(({ original, reversals }, n) => {
    const id = `${messageId}-${n + 1}`;
    placed.push(...reversals.map(({ one }) => placedOf(one, id, null)));
    return { id, original, reversals: reversals.map(({ one, debit }) => ({ id: one.row.reference, debit })) };
  });
  const xml = writePain007({
    messageId,
    createdAt: now,
    batchBooking: settings.batchBooking,
    creditor: { name: settings.creditorName, bic: settings.creditorBic },
    original: sent,
    blocks: written,
  });
  // The earliest: all debits were due on one day, but the setting may have changed in between.
  const last = all.map(({ row }) => row.reversible_until ?? day).toSorted()[0] ?? day;
  const expected = day < last ? day : last;
  const schema = REVERSAL_VERSION;
  await store(run, { messageId, kind: "pain.007", schema, dueDate: last, expected, all, placed, xml });
  return all.length;
}

async function store(
  run: Run,
  file: {
    readonly messageId: string;
    readonly kind: "pain.008" | "pain.001" | "pain.007";
    readonly schema: string;
    /** For reversals the last day on which the bank accepts them. */
    readonly dueDate: IsoDate;
    /** When the bank books the contents, if that is not the file's own day. */
    readonly expected?: IsoDate;
    readonly all: readonly Instruction[];
    readonly placed: readonly Placed[];
    readonly xml: Iterable<string>;
  },
): Promise<void> {
  const { deps, tx, account, settings, now } = run;
  const id = deps.ids.uuid();
  const xml = await requireValid(deps, file.schema, file.xml);
  const { sha256, size, packed } = await pack(deps.keys, account.tenant, id, xml);
  const { approvalsRequired } = settings;
  const isCarried = transportOf(account.settings).kind !== "manual";
  const status = statusOf(approvalsRequired, isCarried);
  const amounts = file.all.map(({ row }) => centsFromDatabase(row.amount));
  const stored = {
    id,
    sha256,
    size,
    gatewayId: account.id,
    direction: "out",
    kind: file.kind,
    name: `${file.messageId}.xml`,
    messageId: file.messageId,
    transactions: amounts.length,
    amount: formatAmount(sumOf(amounts, file.messageId)),
    dueDate: file.dueDate,
    status,
    error: null,
    // By the service's own time, like everything that is sent.
    dueAt: status === "stored" ? deps.clock.now() : null,
    approvalsRequired,
  } as const;
  await insertPacked(tx, account.tenant, stored, packed.pieces(), now).finally(() => packed.close());
  await rememberAccount(tx, account, settings.creditorIban, now);
  const dueDate = file.expected ?? file.dueDate;
  await markBatched(tx, account.tenant, account.id, { id, dueDate }, file.placed, now);
}

/** What a new file waits for: approval, a person who carries it, or its upload. */
function statusOf(approvalsRequired: number, isCarried: boolean): "to_approve" | "ready" | "stored" {
  if (approvalsRequired > 0) return "to_approve";
  return isCarried ? "stored" : "ready";
}
