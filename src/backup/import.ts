/** Reads a file of `export` into an empty database, in one transaction. */
import type { Readable } from "node:stream";
import {
  type AppliedMigration,
  type CopiedTable,
  type Filling,
  fillInOneTransaction,
  isRefusedByData,
  type MasterKeyUse,
  readUse,
  type Use,
} from "../db/copy.ts";
import { migrate } from "../db/migrate.ts";
import { knownMigrations } from "../db/migrations.ts";
import { DamagedArchive, readTar, type TarFile } from "../files/tar.ts";
import {
  BackupRefused,
  CHECKSUMS,
  checksumsOf,
  FORMAT,
  MANIFEST,
  type Manifest,
  type Progress,
  Summing,
  tableOfPart,
  type TableSum,
} from "./format.ts";

/** What was imported. */
export interface Imported {
  /** The time of the snapshot. */
  readonly at: Date;
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  /** The same as the export's. */
  readonly sha256: string;
  readonly keys: readonly MasterKeyUse[];
}

/**
 * Fills the empty database at `ownerUrl` from a file, after applying this version's migrations. Everything is read back
 * and compared before it is committed.
 * @throws BackupRefused for a file that is damaged or has another schema, and for a database with rows or a running service.
 */
export async function importDatabase(
  { ownerUrl, url }: { readonly ownerUrl: string; readonly url: string },
  from: Readable,
  onProgress: (progress: Progress) => void = () => {},
): Promise<Imported> {
  const files = readTar(from);
  try {
    const first = await next(files);
    const manifest = readManifest(first);
    checkSchema(manifest.migrations, await knownMigrations());
    refuseUsed(await readUse(ownerUrl));
    await migrate(ownerUrl, url);
    return await fillInOneTransaction(ownerUrl, refuseUsed, async (filling) => {
      const sums = await fill(filling, manifest, { files, first, onProgress });
      await filling.restoreRules();
      await checkReadBack(filling, sums);
      const { rows, bytes, sha256 } = checksumsOf(first.bytes, sums);
      return { at: new Date(manifest.at), tables: sums.size, rows, bytes, sha256, keys: manifest.keys };
    });
  } catch (error) {
    throw worded(error);
  } finally {
    await files.return(undefined);
  }
}

function refuseUsed({ filled, connections }: Use): void {
  if (filled.length > 0) {
    throw new BackupRefused(
      `The database is not empty: ${filled.slice(0, 5).join(", ")}${filled.length > 5 ? ", …" : ""} ${filled.length === 1 ? "has" : "have"} rows. ` +
        "An import never adds to a database. Create a new one and name it in DATABASE_URL, or set DATA_DIR to a new folder.",
    );
  }
  // Its jobs would send what the file says is due before they learn that it is a copy.
  if (connections > 0) {
    throw new BackupRefused(
      `The service has ${connections} connections to the database. Stop every instance first; nothing was imported.`,
    );
  }
}

/**
 * Compares the schemas.
 * @throws BackupRefused when this version's schema is not the file's, with what to do.
 */
function checkSchema(theirs: readonly AppliedMigration[], ours: readonly AppliedMigration[]): void {
  const differs = theirs.find(({ number, name, hash }) => {
    const own = ours[number - 1];
    return own !== undefined && (own.name !== name || own.hash !== hash);
  });
  if (differs !== undefined) {
    throw new BackupRefused(
      `The file was made with other migrations: its ${differs.name} is not this version's. Import it with the version of the service that made it.`,
    );
  }
  if (theirs.length > ours.length) {
    throw new BackupRefused(
      `The file is of a newer version: it has ${theirs.length} migrations, this version knows ${ours.length}. Import it with the newer version.`,
    );
  }
  if (theirs.length < ours.length) {
    throw new BackupRefused(
      `The file is of an older version: it has ${theirs.length} migrations, this version has ${ours.length}. ` +
        "Import it with the version of the service that made it, then start this one on the database: it applies what is missing.",
    );
  }
}

async function next(files: AsyncIterator<TarFile>): Promise<TarFile> {
  const { value, done } = await files.next();
  if (done === true) throw new DamagedArchive("it ends too early");
  return value;
}

function readManifest({ name, bytes }: TarFile): Manifest {
  const manifest = name === MANIFEST ? (parsed(bytes) as Partial<Manifest> | null) : null;
  const format: unknown = manifest?.format;
  if (manifest === null || typeof format !== "number") {
    throw new BackupRefused("This is not a file that `npm run cli -- export` has written.");
  }
  if (format !== FORMAT) {
    throw new BackupRefused(
      `The file has the format ${format}, this version reads ${FORMAT}. Import it with the version of the service that made it.`,
    );
  }
  return manifest as Manifest;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

interface Rest {
  readonly files: AsyncIterator<TarFile>;
  readonly first: TarFile;
  readonly onProgress: (progress: Progress) => void;
}

/** Adds every part of the file; returns the sums of its tables, which match those at the end of the file. */
async function fill(
  filling: Filling,
  manifest: Manifest,
  { files, first, onProgress }: Rest,
): Promise<ReadonlyMap<string, TableSum>> {
  refuseNewerSchema(manifest.migrations, filling.migrations);
  const own = new Map(filling.tables.map((table) => [table.name, table]));
  checkTables(manifest.tables, own);
  const sums = new Map(manifest.tables.map(({ name }) => [name, new Summing()]));
  let file = await next(files);
  for (; file.name !== CHECKSUMS; file = await next(files)) {
    const name = tableOfPart(file.name) ?? "";
    const table = manifest.tables.find((one) => one.name === name);
    const summing = sums.get(name);
    if (table === undefined || summing === undefined) throw new DamagedArchive(`it has a file ${file.name}`);
    await filling.add(table, file.bytes);
    summing.add(file.bytes);
    onProgress({ table: name, rows: summing.rows, bytes: summing.bytes, done: false });
  }
  const found = new Map([...sums].map(([name, summing]) => [name, summing.sum()]));
  if (JSON.stringify(parsed(file.bytes)) !== JSON.stringify(checksumsOf(first.bytes, found))) {
    throw new DamagedArchive("its checksums do not match its contents");
  }
  if ((await files.next()).done !== true) throw new DamagedArchive("it contains data after its end");
  for (const counter of manifest.counters) await filling.setCounter(counter);
  return found;
}

/** The file's rows would lack what the migrations of a newer version change in rows. */
function refuseNewerSchema(theirs: readonly AppliedMigration[], own: readonly AppliedMigration[]): void {
  if (own.length === theirs.length) return;
  throw new BackupRefused(
    `The database has the schema of a newer version: it has ${own.length} migrations, the file has ${theirs.length}. Import it into a new database.`,
  );
}

/** The migrations are the same, so the tables are, unless the file or the database was changed by hand. */
function checkTables(theirs: readonly CopiedTable[], own: ReadonlyMap<string, CopiedTable>): void {
  const shape = ({ name, columns }: CopiedTable) => `${name} (${columns.toSorted().join(", ")})`;
  const ours = new Set([...own.values()].map(shape));
  const missing = theirs.map(shape).filter((one) => !ours.has(one));
  if (missing.length === 0 && theirs.length === own.size) return;
  throw new BackupRefused(
    `The file's tables are not those of this database's schema${missing[0] === undefined ? "" : `: ${missing[0]}`}. One of them was changed by hand.`,
  );
}

/**
 * Compares what was read back.
 * @throws Error when the database returns other rows than it was given.
 */
async function checkReadBack(filling: Filling, sums: ReadonlyMap<string, TableSum>): Promise<void> {
  for (const table of filling.tables) {
    const summing = new Summing();
    for await (const piece of filling.rowsOf(table)) summing.add(piece);
    const given = sums.get(table.name)?.sha256;
    if (summing.sum().sha256 !== given) {
      throw new Error(
        `The table ${table.name} was read back with other rows than were written to it: nothing was imported.`,
      );
    }
  }
}

/** Adds to the error that nothing was imported. */
function worded(error: unknown): unknown {
  if (error instanceof DamagedArchive) {
    return new BackupRefused(`The file is damaged or incomplete (${error.message}): nothing was imported.`, {
      cause: error,
    });
  }
  if (isRefusedByData(error)) {
    return new BackupRefused(
      `The database refuses rows of the file (${error.message}): nothing was imported.`,
      {
        cause: error,
      },
    );
  }
  return error;
}
