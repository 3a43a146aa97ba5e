/** Imports a processor's file while it arrives: rows in batches, each written and counted together, so that a file can be of any length. */
import type { Readable } from "node:stream";
import type { Tx } from "../../db/database.ts";
import type { ImportRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { centsFromDatabase } from "../../lib/money.ts";
import { writeEntry, type Author } from "../../merchants/audit/audit.ts";
import { Refusal } from "../../refusals.ts";
import { chargeBack } from "../chargebacks/charge-back.ts";
import { findChargebackOf } from "../chargebacks/store.ts";
import { knownStatus, moveOf } from "../moves.ts";
import { shownStatus, type StoredTransaction } from "../transaction.ts";
import { openCsv, type BrokenLine, type CsvRow } from "./csv-file.ts";
import {
  placesOf,
  readChargeback,
  readTransaction,
  type ChargebackRow,
  type ImportKind,
  type Places,
  type TransactionRow,
} from "./rows.ts";
import {
  completeLinked,
  countBatch,
  finishImport,
  insertImport,
  insertTransactions,
  insertUnlinked,
  lockOriginal,
  REJECTIONS_KEPT,
  type Counts,
  type Rejection,
} from "./store.ts";
import type { DateFormat } from "./values.ts";

export interface ImportInput {
  readonly tenant: number;
  readonly id: string;
  readonly kind: ImportKind;
  readonly gatewayId: string;
  /** Our name → the column's name, or its number from 1. */
  readonly mapping: Readonly<Record<string, string | number>>;
  readonly dates: DateFormat | null;
  /** Nothing but the report is written. */
  readonly dryRun: boolean;
  readonly file: { readonly name: string; readonly bytes: Readable };
  readonly author: Author;
}

const BATCH_ROWS = 500;
const NAME_CHARS_MAX = 255;

/** @returns the import as it ended: done, or failed with what was written before. @throws Refusal unavailable. */
export async function importFile(deps: Deps, input: ImportInput): Promise<ImportRow> {
  const { tenant, id, kind, gatewayId, dryRun } = input;
  const at = deps.clock.now();
  const fileName = input.file.name.slice(0, NAME_CHARS_MAX);
  await deps.db.transaction(async (tx) => {
    await insertImport(tx, { tenant, id, kind, gatewayId, fileName, dryRun }, at);
    const change = { action: "create", resource: "imports", resourceId: id, before: null } as const;
    const after = { id, kind, gateway_id: gatewayId, file_name: fileName, dry_run: dryRun };
    await writeEntry(tx, input.author, { ...change, tenant, id, at, after });
  });
  const end = await readToItsEnd(deps, input);
  const row = await finishImport(deps.db, tenant, id, end, deps.clock.now());
  deps.announce();
  return must(row, "the import that was begun");
}

/** What was wrong with the file as a whole, or with the way it came. */
async function readToItsEnd(
  deps: Deps,
  input: ImportInput,
): Promise<{ readonly error: string | null; readonly sha256: string | null }> {
  try {
    const csv = await openCsv(input.file.bytes);
    const error = await takeRows(deps, input, csv.rows);
    input.file.bytes.resume();
    return { error, sha256: error === null ? csv.sha256() : null };
  } catch (error) {
    input.file.bytes.resume();
    if (error instanceof Refusal && error.kind === "unavailable") throw error;
    // A form that broke off is the client's affair; anything else may be ours.
    if (!(error instanceof Refusal)) deps.log.error("an import broke off", error, { import_id: input.id });
    return {
      error: "The file broke off. Import it again: what is there already is not written twice.",
      sha256: null,
    };
  }
}

async function takeRows(
  deps: Deps,
  input: ImportInput,
  rows: AsyncIterable<CsvRow | BrokenLine>,
): Promise<string | null> {
  let places: Places | null = null;
  let batch: (CsvRow | BrokenLine)[] = [];
  for await (const row of rows) {
    if (places === null) {
      if ("reason" in row) return `The header row cannot be read: ${row.reason}`;
      const found = placesOf(input.kind, row.cells, input.mapping);
      if (Array.isArray(found)) return found.join(" ");
      places = found as Places;
      continue;
    }
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    await takeBatch(deps, input, places, batch);
    batch = [];
  }
  if (places === null) return "The file is empty.";
  await takeBatch(deps, input, places, batch);
  return null;
}

/** Rolls a dry run's batch back after it was counted. */
class DryRun extends Error {}

async function takeBatch(
  deps: Deps,
  input: ImportInput,
  places: Places,
  batch: readonly (CsvRow | BrokenLine)[],
): Promise<void> {
  const { tenant, id, dryRun } = input;
  const rejections: Rejection[] = [];
  let counts: Counts | null = null;
  const write = async (tx: Tx): Promise<void> => {
    rejections.length = 0;
    const taken = await takeKind(deps, tx, input, places, batch, rejections);
    counts = { ...taken, lines: batch.length, rejected: rejections.length };
    if (dryRun) throw new DryRun();
    await countBatch(tx, tenant, id, counts, rejections.slice(0, REJECTIONS_KEPT), deps.clock.now());
  };
  try {
    await deps.db.transaction(write);
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    const counted = must<Counts>(counts, "the counts of a batch");
    await deps.db.transaction((tx) =>
      countBatch(tx, tenant, id, counted, rejections.slice(0, REJECTIONS_KEPT), deps.clock.now()),
    );
  }
}

type Taken = Pick<Counts, "created" | "duplicate" | "linked">;

function takeKind(
  deps: Deps,
  tx: Tx,
  input: ImportInput,
  places: Places,
  batch: readonly (CsvRow | BrokenLine)[],
  rejections: Rejection[],
): Promise<Taken> {
  return input.kind === "transactions"
    ? takeTransactions(deps, tx, input, places, batch, rejections)
    : takeChargebacks(deps, tx, input, places, batch, rejections);
}

/** The rows that can be read; the others go to the report. */
function* readable<Row>(
  batch: readonly (CsvRow | BrokenLine)[],
  rejections: Rejection[],
  read: (cells: readonly string[]) => Row | readonly string[],
): Generator<{ readonly line: number; readonly row: Row }> {
  for (const entry of batch) {
    if ("reason" in entry) {
      rejections.push({ line: entry.line, reasons: [entry.reason] });
      continue;
    }
    const row = read(entry.cells);
    if (Array.isArray(row)) rejections.push({ line: entry.line, reasons: [...new Set(row as string[])] });
    else yield { line: entry.line, row: row as Row };
  }
}

/** Their events are not told: a history that is imported is no news. */
async function takeTransactions(
  deps: Deps,
  tx: Tx,
  { tenant, gatewayId, dates }: ImportInput,
  places: Places,
  batch: readonly (CsvRow | BrokenLine)[],
  rejections: Rejection[],
): Promise<Taken> {
  const read = (cells: readonly string[]) => readTransaction(places, cells, dates);
  const rows = [...readable<TransactionRow>(batch, rejections, read)].map(({ row }) => ({
    ...row,
    id: deps.ids.uuid(),
    email_key: row.customer_email?.toLowerCase() ?? null,
  }));
  const { created, linked } = await insertTransactions(tx, tenant, gatewayId, rows, deps.clock.now());
  return { created, linked, duplicate: rows.length - created };
}

async function takeChargebacks(
  deps: Deps,
  tx: Tx,
  input: ImportInput,
  places: Places,
  batch: readonly (CsvRow | BrokenLine)[],
  rejections: Rejection[],
): Promise<Taken> {
  const taken = { created: 0, duplicate: 0, linked: 0 };
  const read = (cells: readonly string[]) => readChargeback(places, cells, input.dates);
  for (const { line, row } of readable<ChargebackRow>(batch, rejections, read)) {
    const outcome = await takeChargeback(deps, tx, input, row);
    if (outcome.kind === "rejected") rejections.push({ line, reasons: [outcome.reason] });
    else {
      taken[outcome.kind === "duplicate" ? "duplicate" : "created"] += 1;
      if (outcome.kind === "linked") taken.linked += 1;
    }
  }
  return taken;
}

type ChargebackOutcome =
  | { readonly kind: "linked" | "unlinked" | "duplicate" }
  | { readonly kind: "rejected"; readonly reason: string };

async function takeChargeback(
  deps: Deps,
  tx: Tx,
  { tenant, gatewayId }: ImportInput,
  row: ChargebackRow,
): Promise<ChargebackOutcome> {
  const original = await lockOriginal(tx, tenant, gatewayId, row);
  const id = deps.ids.uuid();
  if (original !== null) return linkChargeback(deps, tx, tenant, id, original, row);
  const merchantTransactionId =
    row.merchant_transaction_id ??
    row.end_to_end_id ??
    row.transaction_id ??
    must(row.adapter_unique_id, "an id");
  const made = { id, merchantTransactionId, row };
  const written = await insertUnlinked(tx, tenant, gatewayId, made, deps.clock.now());
  return { kind: written ? "unlinked" : "duplicate" };
}

/** The same moves as any other chargeback: transaction, order, subscription, events. */
async function linkChargeback(
  deps: Deps,
  tx: Tx,
  tenant: number,
  id: string,
  original: StoredTransaction,
  row: ChargebackRow,
): Promise<ChargebackOutcome> {
  if ((await findChargebackOf(tx, tenant, original.merchant_transaction_id)) !== null) {
    return { kind: "duplicate" };
  }
  const status = knownStatus(original.status);
  if (status === null || moveOf(original.type, status, "charged_back") !== "charge_back") {
    const reason = `The transaction ${original.merchant_transaction_id} is ${shownStatus(original.status)}.`;
    return { kind: "rejected", reason };
  }
  if (centsFromDatabase(row.amount) > centsFromDatabase(original.amount)) {
    return { kind: "rejected", reason: `No more than ${original.amount} was collected.` };
  }
  await chargeBack(deps, tx, tenant, original, {
    id,
    reportDate: new Date(row.report_date),
    reasonCode: row.reason_code,
    reasonMessage: row.reason_message,
    source: "csv_import",
    amount: row.amount,
    bankFee: row.cb_bank_fee,
    reportType: row.report_type,
  });
  await completeLinked(tx, tenant, id, row);
  return { kind: "linked" };
}
