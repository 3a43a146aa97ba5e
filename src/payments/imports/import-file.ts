/**
 * Imports a processor's file while it is uploaded. Rows are written and counted in batches, so that a file can be of
 * any length.
 */
import type { Readable } from "node:stream";
import type { Tx } from "../../db/database.ts";
import type { ImportRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { isOfForm } from "../../http/upload.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { Refusal } from "../../refusals.ts";
import { leadKey } from "../../sessions/leads.ts";
import { linkChargebacks, importChargeback } from "./chargebacks.ts";
import { openCsv, type BrokenLine } from "../../files/csv-reader.ts";
import {
  rowsBelowHeader,
  UPLOAD_INTERRUPTED,
  FILE_NAME_CHARS_MAX,
  inBatches,
  readableRows,
  REJECTIONS_KEPT,
  UnusableFile,
  type CsvEntry,
  type Rejection,
} from "../../files/import-rows.ts";
import { importColumns, readChargeback, readTransaction, type ImportKind } from "./rows.ts";
import type { DateFormat, ValueMapping } from "../../files/cells.ts";
import {
  countBatch,
  finishImport,
  insertImport,
  insertTransactions,
  lockImports,
  type Counts,
} from "./store.ts";

interface ImportInput {
  readonly tenant: number;
  readonly id: string;
  readonly kind: ImportKind;
  readonly gatewayId: string;
  /** Maps our field names to the file's column names, or column numbers from 1. */
  readonly mapping: Readonly<Record<string, string | number>>;
  readonly values: ValueMapping;
  readonly dates: DateFormat | null;
  /** Only produces the report. */
  readonly dryRun: boolean;
  readonly file: { readonly name: string; readonly bytes: Readable };
  readonly author: Author;
}

/**
 * Imports the file.
 * @returns the completed import, or the failed one with the rows written before.
 * @throws Refusal unavailable; payload_too_large and too_slow once the import is marked as failed.
 */
export async function importFile(
  deps: Pick<Deps, "announce" | "clock" | "db" | "environment" | "ids" | "log" | "time">,
  input: ImportInput,
): Promise<ImportRow> {
  const { tenant, id, kind, gatewayId, dryRun } = input;
  const at = deps.clock.now();
  const fileName = input.file.name.slice(0, FILE_NAME_CHARS_MAX);
  await deps.db.transaction(async (tx) => {
    await insertImport(tx, { tenant, id, kind, gatewayId, fileName, dryRun }, at);
    const change = { action: "create", resource: "imports", resourceId: id, before: null } as const;
    const after = { id, kind, gateway_id: gatewayId, file_name: fileName, dry_run: dryRun };
    await writeEntry(tx, input.author, { ...change, tenant, id, at, after });
  });
  const { refusal, ...end } = await readToItsEnd(deps, input);
  const row = await finishImport(deps.db, tenant, id, end, deps.clock.now());
  deps.announce();
  if (refusal !== null) throw refusal;
  return must(row, "the import that was begun");
}

interface End {
  readonly error: string | null;
  readonly sha256: string | null;
  /** Refusal of the whole request. */
  readonly refusal: Refusal | null;
}

/** Reads the file. Returns the error of the file as a whole, or of its upload. */
async function readToItsEnd(
  deps: Pick<Deps, "clock" | "db" | "environment" | "ids" | "log" | "time">,
  input: ImportInput,
): Promise<End> {
  try {
    const csv = await openCsv(input.file.bytes);
    const entries = rowsBelowHeader(csv.rows, (header) => importColumns(input.kind, header, input.mapping));
    for await (const batch of inBatches(entries)) await takeBatch(deps, input, batch);
    input.file.bytes.resume();
    return { error: null, sha256: csv.sha256(), refusal: null };
  } catch (error) {
    input.file.bytes.resume();
    if (error instanceof Refusal && error.kind === "unavailable") throw error;
    if (error instanceof UnusableFile) return { error: error.message, sha256: null, refusal: null };
    if (isOfForm(error)) return { error: error.detail, sha256: null, refusal: error };
    // An interrupted upload is the client's problem; anything else may be a bug.
    if (!(error instanceof Refusal))
      deps.log.error("an import was interrupted", error, { import_id: input.id });
    return { error: UPLOAD_INTERRUPTED, sha256: null, refusal: null };
  }
}

/** Rolls back a batch of a dry run after it was counted. */
class DryRun extends Error {}

async function takeBatch(
  deps: Pick<Deps, "clock" | "db" | "environment" | "ids" | "time">,
  input: ImportInput,
  batch: readonly (CsvEntry | BrokenLine)[],
): Promise<void> {
  const { tenant, id, dryRun } = input;
  const rejections: Rejection[] = [];
  let counts: Counts | null = null;
  const write = async (tx: Tx): Promise<void> => {
    rejections.length = 0;
    await lockImports(tx, tenant);
    const taken = await takeKind(deps, tx, input, batch, rejections);
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
  deps: Pick<Deps, "clock" | "environment" | "ids" | "time">,
  tx: Tx,
  input: ImportInput,
  batch: readonly (CsvEntry | BrokenLine)[],
  rejections: Rejection[],
): Promise<Taken> {
  return input.kind === "transactions"
    ? takeTransactions(deps, tx, input, batch, rejections)
    : takeChargebacks(deps, tx, input, batch, rejections);
}

/** Imported transactions emit no events. */
async function takeTransactions(
  deps: Pick<Deps, "clock" | "environment" | "ids" | "time">,
  tx: Tx,
  { tenant, gatewayId, dates, values }: ImportInput,
  batch: readonly (CsvEntry | BrokenLine)[],
  rejections: Rejection[],
): Promise<Taken> {
  const read = ({ places, cells }: CsvEntry) => readTransaction(places, cells, dates, values);
  const rows = [...readableRows(batch, read, (rejection) => rejections.push(rejection))].map(({ row }) => ({
    ...row,
    id: deps.ids.uuid(),
    email_key: row.customer_email === null ? null : leadKey(row.customer_email),
  }));
  const { created, linked } = await insertTransactions(tx, tenant, gatewayId, rows, deps.clock.now());
  await linkChargebacks(deps, tx, tenant, gatewayId, rows);
  return { created, linked, duplicate: rows.length - created };
}

async function takeChargebacks(
  deps: Pick<Deps, "clock" | "environment" | "ids" | "time">,
  tx: Tx,
  input: ImportInput,
  batch: readonly (CsvEntry | BrokenLine)[],
  rejections: Rejection[],
): Promise<Taken> {
  const taken = { created: 0, duplicate: 0, linked: 0 };
  const read = ({ places, cells }: CsvEntry) => readChargeback(places, cells, input.dates);
  for (const { line, row } of readableRows(batch, read, (rejection) => rejections.push(rejection))) {
    const outcome = await importChargeback(deps, tx, input, row);
    if ("reason" in outcome) rejections.push({ line, reasons: [outcome.reason] });
    else {
      taken[outcome.isNew ? "created" : "duplicate"] += 1;
      if (outcome.isLinked) taken.linked += 1;
    }
  }
  return taken;
}
