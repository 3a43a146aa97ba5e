/** The file format of `export`: an archive of a manifest, the tables in COPY's text format, and checksums. */
import { createHash } from "node:crypto";
import type { AppliedMigration, CopiedTable, Counter, MasterKeyUse } from "../db/copy.ts";

/** The format's number, increased when an older version could not read the file correctly. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
export const CHECKSUMS = "checksums.json";

/** The size of a table's parts; rows are never divided, so a part with a large row is larger. */
export const PART_BYTES = 8 * 1_024 * 1_024;

/** The file's first entry, which describes its contents. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** The time of the snapshot. */
  readonly at: string;
  /** The version of the exported database. */
  readonly postgres: string;
  readonly migrations: readonly AppliedMigration[];
  /**
   * Numbers of the master keys without which sealed values cannot be opened, with the number of values that each has
   * sealed.
   */
  readonly keys: readonly MasterKeyUse[];
  readonly tables: readonly CopiedTable[];
  readonly counters: readonly Counter[];
}

/** The totals of a table's parts. */
export interface TableSum {
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256 of all parts in order. */
  readonly sha256: string;
}

/** The file's last entry. */
export interface Checksums {
  readonly tables: Readonly<Record<string, TableSum>>;
  readonly rows: number;
  readonly bytes: number;
  /** A hash of the tables' sums: equal for two files with the same contents. */
  readonly sha256: string;
  /** SHA-256 of the manifest. */
  readonly manifest: string;
}

/** A file cannot be imported; the message says why and what to do. */
export class BackupRefused extends Error {}

/** `tables/07_sessions/000001.copy` */
export function partName(order: number, table: string, part: number): string {
  return `tables/${String(order + 1).padStart(3, "0")}_${table}/${String(part).padStart(6, "0")}.copy`;
}

/** The table of a part; null for any other name. */
export function tableOfPart(name: string): string | null {
  return /^tables\/\d{3,}_(\w+)\/\d{6,}\.copy$/.exec(name)?.[1] ?? null;
}

/** Sums the bytes of a table. */
export class Summing {
  readonly #hash = createHash("sha256");
  #rows = 0;
  #bytes = 0;

  add(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    // COPY writes a line end within a value as \n, in two characters.
    for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  sum(): TableSum {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.copy().digest("hex") };
  }
}

export const LINE_END = 0x0a;

/**
 * The checksums of a whole file.
 * @param manifest as in the file.
 */
export function checksumsOf(manifest: Buffer, tables: ReadonlyMap<string, TableSum>): Checksums {
  const sums = [...tables].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = sums.map(([name, { rows, bytes, sha256 }]) => `${name} ${rows} ${bytes} ${sha256}\n`);
  return {
    tables: Object.fromEntries(sums),
    rows: sums.reduce((sum, [, { rows }]) => sum + rows, 0),
    bytes: sums.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    sha256: hex(lines.join("")),
    manifest: hex(manifest),
  };
}

function hex(data: Buffer | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The progress of an export or import. */
export interface Progress {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  /** True when the table is complete. */
  readonly done: boolean;
}
