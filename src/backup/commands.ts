/** The commands `export` and `import`: files, pipes, and progress. */
import { createReadStream, createWriteStream } from "node:fs";
import { access, link, rename, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { randomIds } from "../lib/ids.ts";
import { exportDatabase, type Exported } from "./export.ts";
import { BackupRefused, type Progress } from "./format.ts";
import { importDatabase, type Imported } from "./import.ts";

/** The parts of the process that a command uses. */
interface Console {
  readonly stdin: Readable;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Prints what is not part of the file: progress and results. */
  readonly tell: (line: string) => void;
  readonly nowMs: () => number;
}

/** How often progress is printed within a table. */
const TOLD_EVERY_MS = 5_000;

/**
 * Exports the database at `url` to a new file, or to standard output for `-`. The file gets its name once it is
 * complete and on disk.
 */
export async function exportTo(url: string, file: string, { stdout, ...console }: Console): Promise<string> {
  const onProgress = teller(console);
  if (file === "-") {
    if (stdout.isTTY === true)
      throw new BackupRefused("The file would be printed here: redirect it, or name a file.");
    return resultText(await exportDatabase(url, stdout, onProgress));
  }
  if (await exists(file)) throw alreadyThere(file);
  const part = `${file}.${randomIds.uuid()}.part`;
  try {
    // Readable only by its owner, and on disk before it gets its name.
    const to = createWriteStream(part, { flags: "wx", mode: 0o600, flush: true });
    const exported = await exportDatabase(url, to, onProgress);
    await nameNew(part, file);
    return resultText(exported);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Names the file without replacing one, such as that of another export.
 * @throws BackupRefused when there is one.
 */
async function nameNew(part: string, file: string): Promise<void> {
  const isLinked = await link(part, file).then(
    () => true,
    () => false,
  );
  if (isLinked) return;
  if (await exists(file)) throw alreadyThere(file);
  // The file system has no links, as on a USB stick.
  await rename(part, file);
}

function alreadyThere(file: string): BackupRefused {
  return new BackupRefused(`${file} is already there. Name another file.`);
}

/**
 * Imports a file, or standard input for `-`.
 * @param keys the names of the configured master keys.
 */
export async function importFrom(
  database: { readonly ownerUrl: string; readonly url: string },
  file: string,
  keys: readonly string[],
  { stdin, ...console }: Pick<Console, "stdin" | "tell" | "nowMs">,
): Promise<string> {
  const from = file === "-" ? stdin : createReadStream(file);
  const imported = await importDatabase(database, from, teller(console));
  return [resultText(imported), ...aboutKeys(imported, keys)].join("\n");
}

function resultText({ at, tables, rows, bytes, sha256 }: Exported | Imported): string {
  return `${rows} rows in ${tables} tables, ${megabytes(bytes)}, as they were at ${at.toISOString()}\nsha256 ${sha256}`;
}

/** Which master keys the file's sealed values need, and whether they are configured. */
function aboutKeys({ keys }: Imported, held: readonly string[]): readonly string[] {
  return keys.map(({ number, name, values }) => {
    const key =
      name === null ? `a master key that has no name yet, numbered ${number}` : `the master key ${name}`;
    const sealed = `${values} values are sealed with ${key}`;
    if (name === null) return `${sealed}: \`keys status\` says whether MASTER_KEYS has it.`;
    if (held.includes(name)) return `${sealed}: MASTER_KEYS has it.`;
    return `${sealed}: MASTER_KEYS LACKS IT. Add it before the service starts, or these values cannot be opened.`;
  });
}

function teller({ tell, nowMs }: Pick<Console, "tell" | "nowMs">): (progress: Progress) => void {
  let last = nowMs();
  return ({ table, rows, bytes, done }) => {
    if (rows === 0 || (!done && nowMs() - last < TOLD_EVERY_MS)) return;
    last = nowMs();
    tell(`${table}: ${rows} rows, ${megabytes(bytes)}${done ? "" : " so far"}`);
  };
}

function megabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 100_000) / 10).toString()} MB`;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
