/** What a list of transactions shows, all of it, as CSV that is written while it is read. */
import { Readable } from "node:stream";
import type { Deps } from "../../deps.ts";
import { csvText } from "../../files/csv-cells.ts";
import type { Answer } from "../../http/endpoint.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { utcDate } from "../../lib/dates.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { ManagedTransaction } from "./schemas.ts";
import { shownTransaction } from "./shown.ts";
import { listTransactions, type TransactionFilters } from "./store.ts";

const COLUMNS = Object.keys(ManagedTransaction.properties);
/** Read at once; what is made of them waits until the reader has taken it. */
const ROWS = 500;

interface ExportCommand {
  readonly tenant: number;
  /** Names the audit entry. */
  readonly operationId: string;
  readonly author: Author;
  /** As they were asked for, for the audit log. */
  readonly query: object;
  readonly filters: TransactionFilters;
}

/** The audit entry is written before the first byte. */
export async function exportAnswer(
  deps: Pick<Deps, "clock" | "db" | "reports" | "time">,
  { tenant, operationId, author, query, filters }: ExportCommand,
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
      after: query,
    }),
  );
  const day = utcDate(deps.time.now(tenant));
  return {
    status: 200,
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="payments_${day}.csv"`,
      "cache-control": "no-store",
    },
    body: Readable.from(lines(deps.reports, tenant, filters), { objectMode: false }),
  };
}

/** The header, then as many rows as are read at once, newest first. */
async function* lines(
  db: Deps["reports"],
  tenant: number,
  filters: TransactionFilters,
): AsyncGenerator<string> {
  yield `${COLUMNS.join(",")}\r\n`;
  let window: Parameters<typeof listTransactions>[3] = { ...NEWEST_FIRST, limit: ROWS };
  for (;;) {
    const rows = await listTransactions(db, tenant, filters, window);
    if (rows.length > 0) yield rows.map((row) => lineOf(shownTransaction(row))).join("");
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    window = { ...window, at: last.created_at, id: last.id };
  }
}

function lineOf(record: object): string {
  const values = record as Readonly<Record<string, unknown>>;
  return `${COLUMNS.map((column) => csvText(textOf(values[column]))).join(",")}\r\n`;
}

/** Metadata is an object: as JSON. */
function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
