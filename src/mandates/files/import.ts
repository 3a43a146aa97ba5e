/** Imports mandates signed elsewhere while their file arrives: in batches, each written atomically. */
import type { Readable } from "node:stream";
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { utcDate } from "../../lib/dates.ts";
import { isOfForm } from "../../http/upload.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import type { DateFormat } from "../../files/cells.ts";
import type { BrokenLine } from "../../files/csv-reader.ts";
import {
  UPLOAD_INTERRUPTED,
  FILE_NAME_CHARS_MAX,
  inBatches,
  readableRows,
  REJECTIONS_KEPT,
  UnusableFile,
  type CsvEntry,
  type Rejection,
} from "../../files/import-rows.ts";
import { Refusal } from "../../refusals.ts";
import { leadKey } from "../../sessions/leads.ts";
import { accountOf, sealFormerIban } from "../account.ts";
import { isDocumentationIban } from "../../sepa/iban.ts";
import { referenceKey } from "../../sepa/mandate-reference.ts";
import { lockReferences } from "../amendment-store.ts";
import { csvEntries, jsonEntries } from "./entries.ts";
import { readMandate, type MandateFileRow } from "./rows.ts";
import {
  hasLiveGateway,
  insertImported,
  knownReferences,
  type NewMandate,
  type NewOriginal,
} from "./store.ts";

export interface ImportInput {
  readonly tenant: number;
  readonly operationId: string;
  readonly format: "csv" | "json";
  readonly dates: DateFormat | null;
  /** Writes nothing and only reports. */
  readonly dryRun: boolean;
  readonly file: { readonly name: string; readonly bytes: Readable };
  readonly author: Author;
}

/** The results of the lines, and the problems of rejected ones. */
interface Report {
  lines: number;
  created: number;
  duplicate: number;
  rejected: number;
  readonly rejections: Rejection[];
  /** The error of the file as a whole; rows written before it stay. */
  error: string | null;
}

/** The number of references that a dry run remembers, as it writes none; a file may contain millions. */
const DRY_RUN_KEYS_MAX = 200_000;

/** References known beyond the database: those of this batch, and in a dry run those of all batches before. */
type Taken = Map<string, string | null>;

/**
 * Imports the file.
 * @throws Refusal unavailable; payload_too_large and too_slow, with what was written before.
 */
export async function importMandates(
  deps: Pick<Deps, "banks" | "clock" | "db" | "ids" | "keys" | "log" | "time">,
  input: ImportInput,
): Promise<Report> {
  const report: Report = { lines: 0, created: 0, duplicate: 0, rejected: 0, rejections: [], error: null };
  await deps.db.transaction((tx) => audit(deps, tx, input));
  const taken: Taken = new Map();
  try {
    const { bytes } = input.file;
    const entries = input.format === "csv" ? csvEntries(bytes) : jsonEntries(bytes);
    for await (const batch of inBatches(entries)) await takeBatch(deps, input, batch, taken, report);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "unavailable") throw error;
    if (isOfForm(error)) throw error;
    report.error = error instanceof UnusableFile ? error.message : UPLOAD_INTERRUPTED;
    // An interrupted upload is the client's problem; anything else may be a bug.
    const theirs = error instanceof UnusableFile || error instanceof Refusal;
    if (!theirs) deps.log.error("an import of mandates was interrupted", error);
  } finally {
    input.file.bytes.resume();
  }
  return report;
}

function audit(
  deps: Pick<Deps, "clock">,
  tx: Tx,
  { tenant, operationId, author, format, dryRun, file }: ImportInput,
) {
  return writeEntry(tx, author, {
    tenant,
    id: operationId,
    at: deps.clock.now(),
    action: "create",
    resource: "mandate-imports",
    resourceId: operationId,
    before: null,
    after: { file_name: file.name.slice(0, FILE_NAME_CHARS_MAX), format, dry_run: dryRun },
  });
}

interface ReadRow {
  readonly line: number;
  readonly row: MandateFileRow;
}

async function takeBatch(
  deps: Pick<Deps, "banks" | "db" | "ids" | "keys" | "time">,
  input: ImportInput,
  batch: readonly (CsvEntry | BrokenLine)[],
  taken: Taken,
  report: Report,
): Promise<void> {
  const now = deps.time.now(input.tenant);
  const today = utcDate(now);
  const read = ({ places, cells }: CsvEntry) => readMandate(places, cells, input.dates, today);
  const rows = [...readableRows(batch, read, (rejection) => reject(report, rejection))];
  report.lines += batch.length;
  if (rows.length === 0) return;
  const { created, duplicate, rejected, rejections } = report;
  const kept = rejections.length;
  const added: string[] = [];
  await deps.db.transaction(async (tx) => {
    // A transaction may be retried: the counts of this batch start again.
    Object.assign(report, { created, duplicate, rejected });
    rejections.length = kept;
    for (const key of added.splice(0)) taken.delete(key);
    await lockReferences(tx, input.tenant);
    const fresh = await unknown(deps, tx, input.tenant, rows, taken, report, added);
    if (!input.dryRun) {
      await write(deps, tx, input.tenant, fresh, now);
      taken.clear();
    } else if (taken.size > DRY_RUN_KEYS_MAX) taken.clear();
    report.created += fresh.length;
  });
}

function reject(report: Report, rejection: Rejection): void {
  report.rejected += 1;
  if (report.rejections.length < REJECTIONS_KEPT) report.rejections.push(rejection);
}

/** Rows that are not a mandate yet; one with the same reference and account as a mandate is a duplicate. */
async function unknown(
  deps: Pick<Deps, "keys">,
  tx: Tx,
  tenant: number,
  rows: readonly ReadRow[],
  taken: Taken,
  report: Report,
  added: string[],
): Promise<readonly MandateFileRow[]> {
  const known = await knownReferences(
    tx,
    tenant,
    rows.flatMap(({ row }) => keysOf(row)),
  );
  for (const [key, account] of known) taken.set(key, account?.toString("hex") ?? null);
  const areExamplesRefused = rows.some(isOfExample) && (await hasLiveGateway(tx, tenant));
  const fresh: MandateFileRow[] = [];
  for (const { line, row } of rows) {
    if (areExamplesRefused && isOfExample({ row })) {
      reject(report, { line, reasons: ["iban is an example from documentation, not a real account."] });
      continue;
    }
    const [key = "", originalKey] = keysOf(row);
    const accounts = deps.keys.fingerprints(tenant, row.iban.iban).map((bytes) => bytes.toString("hex"));
    const account = taken.get(key);
    if (account !== undefined && account !== null && accounts.includes(account)) report.duplicate += 1;
    else if (account !== undefined) reject(report, { line, reasons: [whyTaken(account)] });
    else if (originalKey !== undefined && taken.has(originalKey)) {
      const reasons = ["original_reference is or was the reference of another mandate."];
      reject(report, { line, reasons });
    } else {
      taken.set(key, accounts[0] ?? null);
      if (originalKey !== undefined) taken.set(originalKey, null);
      added.push(...keysOf(row));
      fresh.push(row);
    }
  }
  return fresh;
}

function isOfExample({ row }: Pick<ReadRow, "row">): boolean {
  return isDocumentationIban(row.iban.iban);
}

function keysOf({ reference, original }: MandateFileRow): readonly string[] {
  return [reference, original.reference].filter((text) => text !== null).map(referenceKey);
}

function whyTaken(account: string | null): string {
  return account === null
    ? "reference once belonged to another mandate, and references cannot be reused."
    : "reference belongs to a mandate with another account.";
}

async function write(
  deps: Pick<Deps, "banks" | "ids" | "keys">,
  tx: Tx,
  tenant: number,
  rows: readonly MandateFileRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const made = rows.map((row) => ({ row, id: deps.ids.uuid() }));
  const mandates = made.map(({ row, id }) => newMandate(deps, tenant, id, row));
  const originals = made.flatMap(({ row, id }) => originalsOf(deps, tenant, id, row));
  await insertImported(tx, tenant, mandates, originals, now);
}

function newMandate(
  deps: Pick<Deps, "banks" | "ids" | "keys">,
  tenant: number,
  id: string,
  { iban, lead, original: _, ...row }: MandateFileRow,
): NewMandate {
  const account = accountOf(deps, tenant, id, iban, row.bic);
  return {
    ...row,
    ...lead,
    ...account,
    id,
    lead_id: deps.ids.uuid(),
    email_key: leadKey(lead.email),
    iban_sealed: hex(account.iban_sealed),
    iban_fingerprint: hex(account.iban_fingerprint),
  };
}

function originalsOf(
  deps: Pick<Deps, "keys">,
  tenant: number,
  mandateId: string,
  { original }: MandateFileRow,
): readonly NewOriginal[] {
  const made: Omit<NewOriginal, "mandate_id" | "number">[] = [];
  const nothing = {
    original_reference: null,
    original_creditor_identifier: null,
    original_creditor_name: null,
    original_iban_sealed: null,
    original_iban_country: null,
    original_iban_last4: null,
    same_bank: null,
  };
  const { reference, creditor_identifier, creditor_name, iban, same_bank } = original;
  if (reference !== null) made.push({ ...nothing, kind: "reference", original_reference: reference });
  if (creditor_identifier !== null || creditor_name !== null) {
    made.push({
      ...nothing,
      kind: "creditor",
      original_creditor_identifier: creditor_identifier,
      original_creditor_name: creditor_name,
    });
  }
  if (same_bank !== null) {
    const amendment = { tenant, mandateId, number: made.length + 1 };
    made.push({
      ...nothing,
      kind: "account",
      original_iban_sealed: iban === null ? null : hex(sealFormerIban(deps, amendment, iban.iban)),
      original_iban_country: iban?.country ?? null,
      original_iban_last4: iban?.last4 ?? null,
      same_bank,
    });
  }
  return made.map((change, index) => ({ ...change, mandate_id: mandateId, number: index + 1 }));
}

/** Bytes in PostgreSQL's text format. */
function hex(bytes: Buffer): string {
  return `\\x${bytes.toString("hex")}`;
}
