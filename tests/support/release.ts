/**
 * The code of the last release (scripts/pack-release.ts), unpacked in a folder of its own with this repository's
 * packages.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const ROOT = join(import.meta.dirname, "../..");
const KEPT = join(ROOT, "tests/releases");

export interface Release {
  readonly version: string;
  /** The folder of its code. */
  readonly folder: string;
  /** The texts of its migrations, by name. */
  readonly migrations: ReadonlyMap<string, string>;
  remove(): Promise<void>;
}

interface Packed {
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
}

export async function unpackRelease(): Promise<Release> {
  const [name = ""] = await readdir(KEPT);
  const { version, files } = JSON.parse(
    brotliDecompressSync(await readFile(join(KEPT, name))).toString(),
  ) as Packed;
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-release-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  // git lists them in their order.
  const migrations = Object.entries(files).flatMap(([path, text]) => {
    const file = /^src\/db\/migrations\/(.*)$/.exec(path)?.[1];
    return file === undefined ? [] : [[file, text] as const];
  });
  return {
    version,
    folder,
    migrations: new Map(migrations),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
