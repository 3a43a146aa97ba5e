/** Exports a whole list of transactions as CSV or XLSX, streamed. */
import { pipeline, Readable, Transform } from "node:stream";
import type { Deps } from "../../deps.ts";
import { csvText } from "../../files/csv-cells.ts";
import type { Cell } from "../../files/xlsx-writer.ts";
import { attachmentHeader, type Answer } from "../../http/endpoint.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { utcDate } from "../../lib/dates.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { EXPORT_TYPES, type ExportFormat } from "./schemas.ts";
import { isMoney, valueOf, type ExportColumn } from "./columns.ts";
import { listTransactions, type ListedTransaction, type TransactionFilters } from "./store.ts";

/** Rows read at a time; their output waits until the reader has taken it. The first are few: the download begins with them. */
const ROWS = 500;
const FIRST_ROWS = 50;

interface ExportCommand {
  readonly tenant: number;
  /** The audit entry's id. */
  readonly operationId: string;
  readonly author: Author;
  /** As requested, for the audit log. */
  readonly query: object;
  readonly filters: TransactionFilters;
  /** In their order. */
  readonly columns: readonly ExportColumn[];
  readonly format: ExportFormat;
  /** Whether the response reports its progress: see `framed`. */
  readonly progress?: boolean;
}

/** The audit entry is written before the first byte. */
export async function exportAnswer(
  deps: Pick<Deps, "clock" | "db" | "reports" | "time">,
  { tenant, operationId, author, query, filters, columns, format, progress = false }: ExportCommand,
): Promise<Answer> {
  await deps.db.transaction((tx) =>
    writeEntry(tx, author, {
      tenant,
      id: operationId,
      at: deps.clock.now(),
      action: "export",
      resource: "transactions",
      resourceId: null,
      before: null,
      after: format === "csv" ? query : { ...query, format },
    }),
  );
  const day = utcDate(deps.time.now(tenant));
  const read = { rows: 0 };
  const file = await WRITERS[format](columns, counting(read, allRows(deps.reports, tenant, filters)));
  const type = format === "csv" ? `${EXPORT_TYPES.csv}; charset=utf-8` : EXPORT_TYPES.xlsx;
  return {
    status: 200,
    headers: {
      "content-type": progress ? "application/octet-stream" : type,
      ...attachmentHeader(`payments_${day}.${format}`),
      "cache-control": "no-store",
    },
    body: progress ? framed(file, read) : file,
  };
}

/** Number of rows read. */
interface Count {
  rows: number;
}

async function* counting<Row>(
  count: Count,
  read: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of read) {
    count.rows += rows.length;
    yield rows;
  }
}

/**
 * The file in frames, for the console's script: each piece is preceded by the number of rows read so far and its length
 * in bytes, two 32-bit numbers (big endian). A frame of length 0 ends the file; without it the file is incomplete.
 */
function framed(file: Readable, count: Count): Readable {
  const head = (bytes: number) => {
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(count.rows, 0);
    numbers.writeUInt32BE(bytes, 4);
    return numbers;
  };
  const frames = new Transform({
    transform(piece: Buffer, _, done) {
      done(null, Buffer.concat([head(piece.length), piece]));
    },
    flush(done) {
      done(null, head(0));
    },
  });
  // When the client disconnects, reading stops; a failure leaves the download incomplete.
  pipeline(file, frames, () => {});
  return frames;
}

/** Pages of rows, newest first. */
async function* allRows(
  db: Deps["reports"],
  tenant: number,
  filters: TransactionFilters,
): AsyncGenerator<readonly ListedTransaction[]> {
  let window: Parameters<typeof listTransactions>[3] = { ...NEWEST_FIRST, limit: FIRST_ROWS };
  for (;;) {
    const rows = await listTransactions(db, tenant, filters, window);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < window.limit) return;
    window = { ...window, at: last.created_at, id: last.id, limit: ROWS };
  }
}

const WRITERS: Readonly<
  Record<
    ExportFormat,
    (columns: readonly ExportColumn[], read: AsyncIterable<readonly ListedTransaction[]>) => Promise<Readable>
  >
> = {
  csv: async (columns, read) => Readable.from(csvLines(columns, read), { objectMode: false }),
  // Loaded on first use.
  async xlsx(columns, read) {
    const { xlsx } = await import("../../files/xlsx-writer.ts");
    return xlsx({ name: "Payments", heads: columns, rows: cellsOf(columns, read) });
  },
};

async function* cellsOf(
  columns: readonly ExportColumn[],
  read: AsyncIterable<readonly ListedTransaction[]>,
): AsyncGenerator<readonly Cell[]> {
  for await (const rows of read) yield* rows.map((row) => columns.map((column) => sheetCell(row, column)));
}

function sheetCell(row: ListedTransaction, column: ExportColumn): Cell {
  const value = valueOf(row, column);
  return typeof value === "string" && isMoney(column) ? { money: value } : value;
}

async function* csvLines(
  columns: readonly ExportColumn[],
  read: AsyncIterable<readonly ListedTransaction[]>,
): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  for await (const rows of read)
    yield rows.map((row) => `${columns.map((column) => csvCell(row, column)).join(",")}\r\n`).join("");
}

function csvCell(row: ListedTransaction, column: ExportColumn): string {
  const value = valueOf(row, column);
  if (value instanceof Date) return value.toISOString();
  // A leading minus would begin a formula in text; in an amount it is just a sign.
  return isMoney(column) ? value : csvText(value);
}
