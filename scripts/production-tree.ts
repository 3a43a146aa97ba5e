/** The packages of a production installation, and their size. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

interface Weighed {
  readonly name: string;
  readonly bytes: number;
}

const ROOT = join(import.meta.dirname, "..");
const MODULES = "node_modules/";

/** Paths, below the clone, of the packages that `npm ci --omit=dev --omit=optional` installs, by the lockfile. */
export async function productionPaths(): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional, devOptional }]) =>
    path === "" || dev === true || optional === true || devOptional === true ? [] : [path],
  );
}

/** The largest first; bytes of the files, without file system overhead. */
export async function productionTree(): Promise<readonly Weighed[]> {
  const weighed = await Promise.all(
    (await productionPaths()).map(async (path) => ({
      name: path.slice(MODULES.length).replaceAll(`/${MODULES}`, " > "),
      bytes: await weightOf(join(ROOT, path)),
    })),
  );
  return weighed.toSorted((a, b) => b.bytes - a.bytes);
}

/** A package inside another one is counted separately, if production has it. */
async function weightOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? 0 : weightOf(path);
      return entry.isFile() ? (await stat(path)).size : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
