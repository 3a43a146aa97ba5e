/**
 * Rules about the code itself that a machine can check: the import arrow, one door per library, and what only one file
 * may do.
 */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import test from "node:test";
import { ARROW, placeOf } from "../scripts/house.ts";

const ROOT = join(import.meta.dirname, "..");

/** The only files that may name a library. A library that is not listed may not be named anywhere. */
const DOORS: Readonly<Record<string, RegExp>> = {
  pg: /^(db|embedded-postgres)\//,
  "pg-copy-streams": /^db\/copy\.ts$/,
  "tar-stream": /^files\/tar\.ts$/,
  fastify: /^http\//,
  typebox: /^lib\/schema\.ts$/,
  ajv: /^(http\/|gateways\/records\/)/,
  "ajv-formats": /^http\//,
  "prom-client": /^http\/metrics\.ts$/,
  redis: /^http\/redis-counters\.ts$/,
  "ipaddr.js": /^http\/client-ip\.ts$/,
  pino: /^lib\/log\.ts$/,
  ibantools: /^sepa\/iban\.ts$/,
  "bankdata-germany": /^banks\/directory\.ts$/,
  "csv-parse": /^(banks\/import|files\/csv-reader)\.ts$/,
  "@fastify/busboy": /^http\/upload\.ts$/,
  "embedded-postgres": /^embedded-postgres\//,
  saxes: /^files\/xml-(reader|tree)\.ts$/,
  yazl: /^files\/zip-writer\.ts$/,
  yauzl: /^files\/zip-reader\.ts$/,
  "xmllint-wasm": /^sepa\/messages\/schema-check\.ts$/,
  "ssh2-sftp-client": /^gateways\/sepa-batch\/transports\/sftp\.ts$/,
  "@simplewebauthn/server": /^people\/passkeys\.ts$/,
  "openid-client": /^people\/oidc\.ts$/,
  "d3-scale": /^console\/design\/chart\.ts$/,
  "d3-shape": /^console\/design\/chart\.ts$/,
  fontkit: /^files\/pdf\.ts$/,
  pdfkit: /^files\/pdf\.ts$/,
  uqr: /^files\/qr-code\.ts$/,
  "@opentelemetry/api": /^lib\/telemetry\.ts$/,
  "@opentelemetry/exporter-metrics-otlp-http": /^lib\/telemetry\.ts$/,
  "@opentelemetry/exporter-trace-otlp-http": /^lib\/telemetry\.ts$/,
  "@opentelemetry/resources": /^lib\/telemetry\.ts$/,
  "@opentelemetry/sdk-metrics": /^lib\/telemetry\.ts$/,
  "@opentelemetry/sdk-trace": /^lib\/telemetry\.ts$/,
  nodemailer: /^messages\/smtp\.ts$/,
  undici: /^webhooks\/delivery\/send\.ts$/,
  "@scalar/fastify-api-reference": /^http\/docs-page\.ts$/,
};

const BANNED: readonly (readonly [pattern: RegExp, except: RegExp, advice: string])[] = [
  [/process\.env/, /^(config|embedded-postgres\/[a-z]+)\.ts$/, "take it from config.ts"],
  [/Date\.now\(|new Date\(\)|performance\.now\(/, /^lib\/clock\.ts$/, "ask deps.clock"],
  [/Math\.random|randomBytes|randomUUID|getRandomValues/, /^lib\/(ids|keyring)\.ts$/, "ask deps.ids"],
  [/\bparseFloat\(|\.toFixed\(/, /^$/, "money is cents: lib/money.ts"],
  [/\b(TODO|FIXME|XXX:)/, /^$/, "do it, or write it into the issue"],
  [/\bfetch\(/, /^$/, "calls out go through deps"],
  [/^import (?!type )[^;]*"node:http"/m, /^$/, "process.getBuiltinModule: an import loads undici, 5 MB"],
];

/** Phrases that are translated from German, or for which there is a standard term. */
const PHRASES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<!\b(?:there|Null|which|it)) is none\b(?! of)/, "is invalid, is missing, or null"],
  [/\b(?:it|this|that|what|which|one|who) is no (?!longer\b|more\b)[a-z]/i, "is not a"],
  [/\b(?:some|any|every|no)body\b(?!")/i, "another worker, a person, all tenants"],
  [/\bwhoever\b/i, "name who: the caller, the holder of the token"],
  [/\b(?:has|have|had) (?:it|them) in hand\b/, "holds the lease"],
  [/\blife time\b/i, "lifetime"],
  [/(?<!merchant's )\bown bank\b/, "their bank"],
  [/\bby (?:itself|themselves)\b/, "automatically, alone, separately"],
  [/\bbeside\b/, "besides, next to, with"],
  [/\bwritten down\b/, "recorded"],
  [/\bwhat (?:becomes?|became|has become) of\b/i, "the result of, the outcome of"],
];
/** Further phrases of this kind that the comments of tests avoid. */
const PHRASES_IN_TESTS: typeof PHRASES = [
  ...PHRASES,
  [/\bst(?:ands?|ood) still\b/i, "is stopped, is paused"],
  [/\b(?:hears?|heard) of\b/i, "is notified of, learns of"],
  [/\b(?:told|tells?) of\b/i, "is notified of, reports"],
  [/\bcom(?:es?|ing) to an end\b/i, "ends"],
];

/** Texts in other languages, a file generated from the migrations, and a file with the name of a system user. */
const UNREAD = /\.test\.ts$|\/texts\/|^src\/embedded-postgres\/programs\.ts$/;

/**
 * Code that may take all of `Deps`: it creates them, or defines what a gateway declares. Declarations of endpoints and
 * jobs may as well.
 */
const TAKES_ALL = new Set([
  "app.ts App",
  "app.ts createDeps",
  "commands/database.ts withService",
  "gateways/own.ts OwnGateway",
]);
const DECLARES = /(?:Routes?|Jobs?|Pages|Section)$/;

/** Modules that are loaded only if a setting needs them, so that other services do not hold their imports in memory. */
const LOADED_WHEN_USED = [
  "files/pdf.ts",
  "gateways/sepa-batch/transports/sftp.ts",
  "http/redis-counters.ts",
  "lib/telemetry.ts",
  "messages/smtp.ts",
  "sepa/messages/schema-check.ts",
];

interface Source {
  /** The path below src/. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = await readSources();
const shipped = sources.filter(({ path }) => !path.endsWith(".test.ts"));

test("a folder imports only itself and folders above it", () => {
  const wrong = shipped.flatMap(({ path, imports }) =>
    localImports(path, imports)
      .filter((target) => !mayImport(path, target))
      .map((target) => `${path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("deps.ts imports types only", () => {
  const { text } = sources.find(({ path }) => path === "deps.ts") ?? { text: "import deps" };
  assert.deepEqual([...text.matchAll(/^import (?!type )/gm)], []);
});

test("each library is named only in its door", () => {
  const wrong = shipped.flatMap(({ path, imports }) =>
    imports
      .filter((name) => !name.startsWith(".") && !name.startsWith("node:"))
      .map(packageName)
      .filter((name) => !(DOORS[name]?.test(path) ?? false))
      .map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(wrong, []);
});

test("modules that only some services use are not loaded by others", () => {
  const paths = new Set(sources.map(({ path }) => path));
  assert.deepEqual(
    LOADED_WHEN_USED.filter((path) => !paths.has(path)),
    [],
  );
  const wrong = shipped.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"/gm)]
      .map(([, target = ""]) => join(dirname(path), target))
      .filter((target) => LOADED_WHEN_USED.includes(target))
      .map((target) => `${path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("time, randomness, the environment and outgoing calls come from one place each, and HTTP not from undici", () => {
  const wrong = shipped.flatMap(({ path, text }) =>
    BANNED.filter(([pattern, except]) => !except.test(path) && pattern.test(withoutComments(text))).map(
      ([pattern, , advice]) => `${path}: ${pattern} - ${advice}`,
    ),
  );
  assert.deepEqual(wrong, []);
});

test("comments and messages are in plain English", async () => {
  const wrong = (await readSources(["src", "tools", "scripts"]))
    .filter(({ path }) => !UNREAD.test(path))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          PHRASES.filter(([pattern]) => pattern.test(line)).map(
            ([, instead]) => `${path}:${index + 1}: say "${instead}": ${line.trim()}`,
          ),
        ),
    );
  assert.deepEqual(wrong, []);
});

test("the comments of tests are in plain English", async () => {
  const files = await Array.fromAsync(glob(["tests/**/*.ts", "{src,tools}/**/*.test.ts"], { cwd: ROOT }));
  const wrong = await Promise.all(
    files.map(async (path) =>
      (await readFile(join(ROOT, path), "utf8"))
        .split("\n")
        .flatMap((line, index) =>
          /^\s*(?:\/\/|\/?\*)/.test(line)
            ? PHRASES_IN_TESTS.filter(([pattern]) => pattern.test(line)).map(
                ([, instead]) => `${path}:${index + 1}: say "${instead}": ${line.trim()}`,
              )
            : [],
        ),
    ),
  );
  assert.deepEqual(wrong.flat(), []);
});

test("the names of tests are in plain English", async () => {
  const files = await Array.fromAsync(glob("{src,tests,tools}/**/*.test.ts", { cwd: ROOT }));
  const wrong = await Promise.all(
    files.map(async (path) =>
      [...(await readFile(join(ROOT, path), "utf8")).matchAll(/\btest\(\s*(["`])(.+?)\1/g)].flatMap(
        ([, , name = ""]) =>
          PHRASES.filter(([pattern]) => pattern.test(name)).map(
            ([, instead]) => `${path}: say "${instead}": ${name}`,
          ),
      ),
    ),
  );
  assert.deepEqual(wrong.flat(), []);
});

test("a function declares the parts of Deps that it needs; only declarations of endpoints and jobs, and listed ones, take all of it", () => {
  const wrong = shipped
    .filter(({ path }) => path !== "deps.ts")
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(?:\bdeps\w*|\}): Deps\b/g)]
        .map(({ index }) => `${path} ${declaredBefore(text, index)}`)
        .filter((where) => !DECLARES.test(where) && !TAKES_ALL.has(where)),
    );
  assert.deepEqual(wrong, []);
});

/** The name of the last top-level declaration before a place in a file. */
function declaredBefore(text: string, place: number): string {
  const top = /^(?:export )?(?:async )?(?:function\*?|interface|type|const) (\w+)/gm;
  return [...text.slice(0, place).matchAll(top)].at(-1)?.[1] ?? "";
}

test("every file begins with a sentence that describes it", () => {
  const wrong = shipped.filter(({ text }) => !/^\/\*\*\n? ?\*? ?[A-Z`{]/.test(text)).map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

test("every file is imported by another one", () => {
  const imported = new Set(shipped.flatMap(({ path, imports }) => localImports(path, imports)));
  const roots =
    /^(main|cli|gateways\/sepa-batch\/incoming\/reading-thread)\.ts$|\.d\.ts$|^db\/(rows|schema-dump)\.ts$/;
  const lonely = shipped.map(({ path }) => path).filter((path) => !imported.has(path) && !roots.test(path));
  assert.deepEqual(lonely, []);
});

test("there are no default exports, no `any` and no non-null assertions", () => {
  const pattern = /\bexport default\b|: any\b|as any\b|<any>|[\w)\]]!(\.|;|,|\))/;
  const wrong = shipped.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

/**
 * The files below src/, with their paths there. Files of other folders have their paths below the repository's root.
 */
async function readSources(folders?: readonly string[]): Promise<readonly Source[]> {
  const root = join(import.meta.dirname, folders === undefined ? "../src" : "..");
  const patterns = folders?.map((folder) => `${folder}/**/*.ts`) ?? ["**/*.ts"];
  const paths = await Array.fromAsync(glob(patterns, { cwd: root }));
  return Promise.all(
    paths.toSorted().map(async (path) => {
      const text = await readFile(join(root, path), "utf8");
      const found = text.matchAll(/^(?:(?:import|export)\b[^;"]*?\bfrom\s*|import\s*)"([^"]+)";/gm);
      const later = text.matchAll(/\bawait import\("([^"]+)"\)/g);
      const imports = [...found, ...later].map((match) => match[1] ?? "");
      return { path, text, imports };
    }),
  );
}

function localImports(path: string, imports: readonly string[]): readonly string[] {
  return imports.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(path), name)));
}

function mayImport(from: string, to: string): boolean {
  if (from === "deps.ts") return true;
  if (to.startsWith("../tools/")) return /^(main|commands\/offline)\.ts$/.test(from);
  return placeOf(from) === placeOf(to) || lineOf(to) < lineOf(from);
}

function lineOf(path: string): number {
  const line = ARROW.findIndex((places) => places.includes(placeOf(path)));
  assert.notEqual(line, -1, `${path} has a line in the arrow`);
  return line;
}

function packageName(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
