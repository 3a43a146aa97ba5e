/**
 * `npm run release:pack -- [COMMIT]`: stores the code of a release, with its API tests, for the upgrade tests, as
 * tests/releases/VERSION.json.br, because a clone may have no history. It replaces the previous one.
 */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "tests/releases");
/** The code of an instance and the commands, and of the API tests. */
const KEPT =
  /^(src|tools(?!\/(chaos|fuzz))|tests\/(api|support))\/.*\.(ts|sql|txt)$|^web\/pay\/[\w.-]+\.(js|css)$|^package\.json$/;
const TEST = /\.test\.ts$/;

const commit = process.argv[2] ?? "HEAD";
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 100_000_000 });

const files: Record<string, string> = {};
for (const path of git("ls-tree", "-r", "--name-only", commit).trim().split("\n")) {
  const isTestOfParts = TEST.test(path) && !path.startsWith("tests/api/");
  if (KEPT.test(path) && !isTestOfParts) files[path] = git("show", `${commit}:${path}`);
}
const { version } = JSON.parse(files["package.json"] ?? "{}") as { readonly version: string };
const packed = brotliCompressSync(
  JSON.stringify({ version, commit: git("rev-parse", commit).trim(), files }),
  {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  },
);
await mkdir(FOLDER, { recursive: true });
for (const old of await readdir(FOLDER)) await rm(join(FOLDER, old));
const name = `${version}.json.br`;
await writeFile(join(FOLDER, name), packed);
console.log(
  `tests/releases/${name}: ${Object.keys(files).length} files, ${(packed.length / 1_024).toFixed(0)} KiB`,
);
