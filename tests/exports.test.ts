/** Every export is used and has a unique name. Unused exports and code that only tests call are reported. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import test from "node:test";

const ROOT = join(import.meta.dirname, "..");
const NOT_SHIPPED = /^tests\/|\.test\.ts$/;
/** Generated files, and files that exist once per language. */
const UNREAD = /^src\/db\/rows\.ts$|\.d\.ts$|\/texts\//;
/** Code that only tests use, with the reason why it is in src/. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  "src/lib/clock.ts#manualClock": "the other implementation of the clock's interface",
  "src/sepa/reasons.ts#ISO_CODES": "every code of the table, so that the simulated banks use each of them",
};

const files = await Array.fromAsync(glob("{src,tools,tests,scripts,bench,web}/**/*.{ts,mjs}", { cwd: ROOT }));
const texts = new Map(
  await Promise.all(
    files
      .map((file) => file.replaceAll("\\", "/"))
      .map(async (file) => [file, await readFile(join(ROOT, file), "utf8")] as const),
  ),
);
/** The files that import each export, by `file#name`. */
const users = new Map<string, Set<string>>();
for (const [file, text] of texts) for (const name of importedBy(file, text)) usersOf(name).add(file);

test("every export of src/ and tools/ is imported by another file", () => {
  const unused = exportsOf(/^(src|tools)\//).filter(({ name }) => usersOf(name).size === 0);
  assert.deepEqual(
    unused.map(({ name }) => name),
    [],
  );
});

test("an export that only tests import is used by its own file, or listed with the reason", () => {
  const wrong = exportsOf(/^src\//)
    .filter(
      ({ name }) => usersOf(name).size > 0 && [...usersOf(name)].every((file) => NOT_SHIPPED.test(file)),
    )
    .filter(({ name, uses }) => uses < 2 && !(name in FOR_TESTS));
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test("no two files of src/ export the same name, so that a search has one result", () => {
  const files = new Map<string, Set<string>>();
  for (const { name: place } of exportsOf(/^src\//, /\/texts\//)) {
    const [file = "", name = ""] = place.split("#");
    files.set(name, (files.get(name) ?? new Set()).add(file));
  }
  const shared = [...files].filter(([, places]) => places.size > 1);
  assert.deepEqual(
    shared.map(([name, places]) => `${name}: ${[...places].join(", ")}`),
    [],
  );
});

interface Export {
  /** `file#name`. */
  readonly name: string;
  /** The number of times that its own file names it, including the declaration. */
  readonly uses: number;
}

function exportsOf(where: RegExp, except = UNREAD): readonly Export[] {
  return [...texts]
    .filter(([file]) => where.test(file) && !NOT_SHIPPED.test(file) && !except.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)].map(
        ([, name = ""]) => ({
          name: `${file}#${name}`,
          uses: withoutComments(text).match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0,
        }),
      ),
    );
}

function importedBy(file: string, text: string): readonly string[] {
  const imports = text.matchAll(/^(?:import|export)(?: type)? \{([^}]*)\} from "(\.[^"]+)"/gm);
  const later = text.matchAll(/\{([^{}]*)\} = await import\(\s*"(\.[^"]+)"/g);
  return [...imports, ...later].flatMap(([, names = "", from = ""]) =>
    names
      .split(",")
      .map((name) => /^\s*(?:type )?(\w+)/.exec(name)?.[1])
      .filter((name) => name !== undefined)
      .map((name) => `${normalize(join(dirname(file), from)).replaceAll("\\", "/")}#${name}`),
  );
}

function usersOf(name: string): Set<string> {
  const found = users.get(name) ?? new Set<string>();
  users.set(name, found);
  return found;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
