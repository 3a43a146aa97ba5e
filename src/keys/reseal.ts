/** Seals everything under the current key while the service runs (docs/operations.md, Keys). */
import type { Database } from "../db/database.ts";
import type { SealedColumn } from "../db/sealed-column.ts";
import type { Keyring } from "../lib/keyring.ts";
import { SEALED_COLUMNS } from "./columns.ts";
import { allTenants } from "./store.ts";
import { usageOf } from "./usage.ts";

interface ResealReport {
  readonly resealed: number;
  /** Sealed under an unavailable key, or altered: left unchanged. */
  readonly unreadable: readonly { readonly column: string; readonly count: number }[];
  /** Sealed under another key in the meantime, by an instance that still uses it. */
  readonly left: number;
}

/** A value has up to a quarter of a megabyte where files are stored, and a few hundred bytes elsewhere. */
const BATCH = 200;
const BATCH_OF_FILES = 16;
const FILES: ReadonlySet<string> = new Set(["sepa_files", "sepa_file_pieces", "integration_activities"]);
/** Values that other instances seal under the old key in the meantime are found by another pass. */
const PASSES_MAX = 5;
/** Records of operators have no tenant. */
const OPERATORS = 0;

/**
 * Can be stopped at any moment and run again: nothing is done twice.
 * @param onProgress called with how many of how many values are sealed under the current key.
 */
export async function reseal(
  db: Database,
  keys: Keyring,
  onProgress: (done: number, all: number) => void,
): Promise<ResealReport> {
  const open = await openValues(db, keys);
  let resealed = 0;
  let unreadable: Map<string, number> = new Map();
  let left = open;
  onProgress(0, open);
  for (let pass = 0; pass < PASSES_MAX && left > 0; pass += 1) {
    unreadable = new Map();
    for (const tenant of [OPERATORS, ...(await allTenants(db))]) {
      for (const column of SEALED_COLUMNS) {
        const failed = await resealColumn(db, keys, tenant, column, (count) => {
          resealed += count;
          onProgress(resealed, Math.max(open, resealed));
        });
        const name = `${column.table}.${column.column}`;
        if (failed > 0) unreadable.set(name, (unreadable.get(name) ?? 0) + failed);
      }
    }
    const hopeless = [...unreadable.values()].reduce((sum, count) => sum + count, 0);
    left = (await openValues(db, keys)) - hopeless;
  }
  return {
    resealed,
    left: Math.max(0, left),
    unreadable: [...unreadable].map(([column, count]) => ({ column, count })),
  };
}

/** Returns how many could not be opened. */
async function resealColumn(
  db: Database,
  keys: Keyring,
  tenant: number,
  column: SealedColumn,
  onBatch: (count: number) => void,
): Promise<number> {
  const limit = FILES.has(column.table) ? BATCH_OF_FILES : BATCH;
  let unreadable = 0;
  let after: Awaited<ReturnType<SealedColumn["reseal"]>>["next"] = null;
  do {
    const batch = await column.reseal(db, keys, tenant, after, limit);
    unreadable += batch.unreadable;
    onBatch(batch.resealed);
    after = batch.next;
  } while (after !== null);
  return unreadable;
}

async function openValues(db: Database, keys: Keyring): Promise<number> {
  const other = (await usageOf(db)).filter(({ number }) => number !== keys.currentKeyId);
  return other.reduce((sum, { count }) => sum + count, 0);
}
