/** The mutator: its changes as tables, and that it distinguishes tested from untested code. */
import assert from "node:assert/strict";
import { cp, glob, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { allMutants, MONEY_CORE } from "../scripts/mutate/all-mutants.ts";
import { LEFT_OUT, record, type FileTraces } from "../scripts/mutate/coverage.ts";
import { HARMLESS, harmlessEntry } from "../scripts/mutate/harmless.ts";
import { changed, mutantsOf, type Proposal } from "../scripts/mutate/mutant.ts";
import { sqlMutants } from "../scripts/mutate/sql.ts";
import { tryMutant, type Trying } from "../scripts/mutate/try.ts";
import { typescriptMutants } from "../scripts/mutate/typescript.ts";
import { tellingBy } from "../scripts/mutate/telling.ts";
import { Turns } from "../scripts/mutate/turns.ts";
import { Workshop } from "../scripts/mutate/workshop.ts";

const LISTS = [{ name: "status", members: ["open", "paid", "gone"] }];
const ROOT = join(import.meta.dirname, "..");

/** Each mutant as `operator: the whole text with it`. */
function written(text: string, proposals: readonly Proposal[]): readonly string[] {
  return mutantsOf("a.ts", null, text, proposals).map(
    ({ operator, change }) => `${operator}: ${changed(text, change)}`,
  );
}

const TYPESCRIPT: readonly (readonly [text: string, ...mutants: string[]])[] = [
  ["x = a < b;", "removed assignment: ;", "boundary: x = a <= b;"],
  ["f(a === b);", "removed call: ;", "negated condition: f(a !== b);"],
  ["await save(row);", "removed call: ;"],
  ["const y = a + 1;", "arithmetic: const y = a - 1;", "off by one: const y = a + 2;"],
  ["const y = a && b;", "removed condition: const y = a;", "removed condition: const y = b;"],
  ["const y = a ?? b;", "removed default: const y = a;", "removed default: const y = b;"],
  ["if (a) throw b;", "removed branch: ;", "negated condition: if (!(a)) throw b;"],
  ["const y = !a;", "negated condition: const y = a;"],
  ["const y = true;", "boolean: const y = false;"],
  [
    'const y = ["a", "b"];',
    "emptied list: const y = [];",
    'shortened list: const y = ["b"];',
    'shortened list: const y = ["a"];',
  ],
  ['const y: "open" | "paid" = "open";', 'other word: const y: "open" | "paid" = "paid";'],
  ["const y = Math.min(a, b);", "extreme: const y = Math.max(a, b);"],
  ["const y = list.some(f);", "quantifier: const y = list.every(f);"],
  // Changes without an effect, or outside code.
  ['import a from "open";'],
  ['type A = "open" | "paid";'],
  ["const y = { open: a };"],
  ['deps.log.warn("open");'],
  ["assert(a < b);"],
  ["const y = list.toString();"],
  ['sql("open", `select 1 where a < b`);'],
  ["// a < b"],
];

test("TypeScript: what is changed, and what is not", () => {
  for (const [text, ...mutants] of TYPESCRIPT)
    assert.deepEqual(written(text, typescriptMutants("a.ts", text, LISTS)), mutants, text);
});

const SQL: readonly (readonly [text: string, ...mutants: string[]])[] = [
  [
    "select a from t where tenant = $1 and id = $2",
    "dropped tenant: select a from t where ($1::integer is not null) and id = $2",
    "dropped condition: select a from t where tenant = $1 and (id = $2 or true)",
  ],
  [
    "select a from t join u on u.id = t.id",
    "dropped condition: select a from t join u on (u.id = t.id or true)",
  ],
  [
    "select a from t where b between $1 and $2",
    "dropped condition: select a from t where (b between $1 and $2 or true)",
  ],
  [
    "select a from t where (b or c)",
    "dropped condition: select a from t where ((b or c) or true)",
    "dropped alternative: select a from t where ((b and false) or c)",
    "dropped alternative: select a from t where (b or (c and false))",
  ],
  [
    "select a from t where b <= $1",
    "dropped condition: select a from t where (b <= $1 or true)",
    "boundary: select a from t where b < $1",
  ],
  [
    "select case when a then b end from t",
    "dropped condition: select case when (a or true) then b end from t",
    "never: select case when (a and false) then b end from t",
  ],
  [
    "update t set a = $1, updated_at = $2",
    "dropped assignment: update t set a = case when true then t.a else $1 end, updated_at = $2",
  ],
  [
    "insert into t (a) values ($1) on conflict (a) do nothing",
    "dropped on conflict: insert into t (a) values ($1) ",
  ],
  ["delete from t returning a", "dropped returning: delete from t "],
  [
    "select a from t for update of t skip locked",
    "dropped lock: select a from t ",
    "dropped skip locked: select a from t for update of t ",
  ],
  ["select coalesce(a, $1) from t", "removed default: select (a) from t"],
  ["select greatest(a, b) from t", "extreme: select least(a, b) from t"],
  ["select a - $1 from t", "arithmetic: select a + $1 from t"],
  ["select a is null from t", "negated condition: select a is not null from t"],
  ["select a from t order by a desc", "order: select a from t order by a asc"],
  [
    "select status in ('open', 'paid') from t",
    "other word: select status in ('paid', 'paid') from t",
    "shortened list: select status in ( 'paid') from t",
    "shortened list: select status in ('open') from t",
    "other word: select status in ('open', 'gone') from t",
  ],
  ["select 'open <= a' -- a < b\n from t"],
];

test("SQL: what is changed, and what is not", () => {
  for (const [text, ...mutants] of SQL)
    assert.deepEqual(written(text, sqlMutants(text, LISTS)), mutants, text);
});

const RULE = `import pg from "pg";
import { sql } from "./db/database.ts";
export const isDue = (day: number, today: number): boolean => day <= today;
export const isLate = (day: number, today: number): boolean => day < today;
const ASK = sql("fixture.ask", "select 1 + 2 as sum, 1 + 1 as other");
export function ask(client: pg.Client) {
  return client.query({ ...ASK });
}
`;

const RULE_TEST = `import assert from "node:assert/strict";
import test from "node:test";
import pg from "pg";
import { ask, isDue, isLate } from "./rule.ts";
test("what is due today is due", () => { assert.ok(isDue(1, 1)); });
test("something is late", () => { assert.ok(isLate(1, 9)); });
test("the sum is 3", async () => {
  const client = new pg.Client({ connectionString: process.env["TEST_SERVER_URL"] ?? "" });
  await client.connect();
  await client.query("select 1");
  const { rows } = await ask(client).finally(() => client.end());
  assert.equal(rows[0].sum, 3);
});
`;

/** A workshop that has the mutator, these files and nothing else. */
async function withWorkshop(
  files: Readonly<Record<string, string>>,
  work: (shop: Workshop) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-mutants-"));
  const shop = new Workshop(folder, {
    url: "",
    nodes: 1,
    env: { TEST_SERVER_URL: process.env["TEST_SERVER_URL"] ?? "" },
    clear: async () => {},
    stop: async () => {},
  });
  try {
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
    for (const file of ["src/db/database.ts", "src/lib/assert.ts", "scripts/test-groups.ts"])
      await cp(join(ROOT, file), join(folder, file));
    await cp(join(ROOT, "scripts/mutate"), join(folder, "scripts/mutate"), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await work(shop);
  } finally {
    await shop.close();
  }
}

/** Who is asked: table tests in threads, then the others in processes; all in processes; or table tests alone. */
type Asking = "both" | "processes" | "tables";

function trying(recorded: readonly FileTraces[], asking: Asking): Trying {
  return {
    recorded,
    perMutantMs: 60_000,
    seeds: 0,
    kills: new Map(),
    alone: new Map(),
    tables: new Map(asking === "processes" ? recorded.map(({ file }) => [file, false]) : []),
    onlyTables: asking === "tables",
    turns: new Turns(),
    telling: () => 0,
  };
}

/** Tries the mutants of one operator in src/rule.ts, or in a statement of it: what changed, the outcome and who noticed. */
async function outcomes(
  shop: Workshop,
  recorded: readonly FileTraces[],
  operator: string,
  statement: string | null = null,
  text: string = RULE,
  asking: Asking = "processes",
): Promise<readonly string[]> {
  const proposals = statement === null ? typescriptMutants("src/rule.ts", text, []) : sqlMutants(text, []);
  const own = proposals.filter((proposal) => proposal.operator === operator);
  const told: string[] = [];
  for (const mutant of mutantsOf("src/rule.ts", statement, text, own)) {
    const { outcome, by } = await tryMutant(trying(recorded, asking), shop, mutant, text);
    const what = statement === null ? mutant.line.slice(13, 19).trim() : `sql ${mutant.change.start}`;
    told.push(`${what} ${outcome} ${by}`);
  }
  return told;
}

test("a mutant in tested code is killed, one in untested code survives, in TypeScript and in SQL", () =>
  withWorkshop({ "src/rule.ts": RULE, "src/rule.test.ts": RULE_TEST }, async (shop) => {
    const traces = await record(shop, "src/rule.test.ts", {});
    assert.equal(traces.passed, true);
    assert.deepEqual(await outcomes(shop, [traces], "boundary"), [
      "isDue killed src/rule.test.ts: what is due today is due",
      "isLate survived null",
    ]);
    const text = "select 1 + 2 as sum, 1 + 1 as other";
    assert.deepEqual(await outcomes(shop, [traces], "arithmetic", "fixture.ask", text), [
      "sql 9 killed src/rule.test.ts: the sum is 3",
      "sql 23 survived null",
    ]);
  }));

const TABLE = `export const isDue = (day: number, today: number): boolean => day <= today;
export const isLate = (day: number, today: number): boolean => day < today;
export const rests = (text: string | null): number => (text ?? "").length;
const LIMITS = [2, 3];
if (LIMITS.length !== 2) throw new Error("one too few");
export const isLimit = (day: number): boolean => LIMITS.includes(day);
`;

const TABLE_TEST = `import assert from "node:assert/strict";
import test from "node:test";
import { isDue, isLate, isLimit, rests } from "./rule.ts";
test("what is due today is due", () => { assert.ok(isDue(1, 1)); });
test("something is late", () => { assert.ok(isLate(1, 9)); assert.ok(isLimit(2)); });
test("no text has no rest", () => { assert.equal(rests(null), 0); });
`;

/** Passes only with a server, so it is not a table test. */
const SERVER_TEST = `import assert from "node:assert/strict";
import test from "node:test";
import { isLate } from "./rule.ts";
test("the server is late", () => { assert.ok("TEST_SERVER_URL" in process.env); assert.ok(!isLate(1, 1)); });
`;

test("a table test kills the same mutants in a thread as in a process, and one that needs a server has a process", () =>
  withWorkshop(
    { "src/rule.ts": TABLE, "src/rule.test.ts": TABLE_TEST, "src/server.test.ts": SERVER_TEST },
    async (shop) => {
      const files = ["src/rule.test.ts", "src/server.test.ts"];
      const [rule, server] = await Promise.all(files.map((file) => record(shop, file, {})));
      assert.ok(rule?.passed && server?.passed);
      for (const [recorded, operator, ...expected] of [
        [
          [rule],
          "boundary",
          "isDue killed src/rule.test.ts: what is due today is due",
          "isLate survived null",
        ],
        // Not an assertion's failures: of a test, and of the import.
        [
          [rule],
          "removed default",
          "rests killed src/rule.test.ts: no text has no rest",
          "rests survived null",
        ],
        [[rule], "shortened list", ...Array<string>(2).fill("= [2, killed src/rule.test.ts: (a hook)")],
        [
          [server],
          "boundary",
          "isDue uncovered null",
          "isLate killed src/server.test.ts: the server is late",
        ],
      ] as const) {
        for (const asking of ["both", "processes"] as const) {
          const told = await outcomes(shop, recorded, operator, null, TABLE, asking);
          assert.deepEqual(told, expected, `${operator}, ${asking}`);
        }
      }
      assert.deepEqual(await outcomes(shop, [rule, server], "boundary", null, TABLE, "tables"), [
        "isDue killed src/rule.test.ts: what is due today is due",
        "isLate undecided null",
      ]);
    },
  ));

test("a test file is about a mutant whose line has words that few other files have", () => {
  const telling = tellingBy(
    new Map([
      ["a.test.ts", "service.settings({ timeZone, cutOff })"],
      ["b.test.ts", "service.settings({ cutOff })"],
      ["c.test.ts", "service.settings({})"],
    ]),
  );
  const [mutant] = mutantsOf("src/settings.ts", null, "given.time_zone ?? cut_off", [
    { operator: "removed default", start: 0, end: 26, to: "cut_off" },
  ]);
  assert.ok(mutant !== undefined);
  const [a, b, c] = ["a", "b", "c"].map((name) => telling(mutant, `${name}.test.ts`));
  assert.ok(a !== undefined && b !== undefined && a > b && b > 0);
  assert.equal(c, 0);
});

/** A test file that runs `isLate`. @param looks what its test does besides. */
function lateTest(looks: string): string {
  return `import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import test from "node:test";
import { isLate } from "./rule.ts";
test("something is late", () => { assert.ok(isLate(1, 9)); ${looks} });
`;
}

const HAS_FAILED = "new URL('has-failed', import.meta.url)";
const FAILS_ONCE = `if (!existsSync(${HAS_FAILED})) { writeFileSync(${HAS_FAILED}, ""); throw new Error("too slow"); }`;

test("files that share a process are distinguished, and a failure that does not repeat kills nothing", () =>
  withWorkshop(
    {
      "src/rule.ts": RULE,
      "src/has-failed": "",
      "src/a.test.ts": lateTest(""),
      "src/b.test.ts": lateTest(""),
      "src/fails-once.test.ts": lateTest(FAILS_ONCE),
      "src/notices.test.ts": lateTest("assert.ok(!isLate(1, 1));"),
    },
    async (shop) => {
      const recorded: FileTraces[] = [];
      // As if each took longer than the one before: the last two share a process.
      for (const [n, name] of ["a", "b", "fails-once", "notices"].entries()) {
        const one = await record(shop, `src/${name}.test.ts`, {});
        assert.equal(one.passed, true);
        recorded.push({ ...one, traces: one.traces.map((trace) => ({ ...trace, ms: n * 1_000 })) });
      }
      const without = recorded.filter(({ file }) => file !== "src/notices.test.ts");
      for (const [files, outcome] of [
        [recorded, "isLate killed src/notices.test.ts: something is late"],
        [without, "isLate survived null"],
      ] as const) {
        await rm(join(shop.folder, "src/has-failed"), { force: true });
        assert.equal((await outcomes(shop, files, "boundary")).at(-1), outcome);
      }
    },
  ));

test("each entry of the harmless mutants matches a mutant that is made, and has a reason", async () => {
  const { mutants } = await allMutants(MONEY_CORE);
  const stale = HARMLESS.filter(
    (entry) => !mutants.some((mutant) => harmlessEntry(mutant, [entry]) !== null),
  );
  assert.deepEqual(stale, []);
  assert.deepEqual(
    HARMLESS.filter(({ reason }) => reason.length < 20),
    [],
  );
});

test("each part of a path that leaves tests out names a test that there is", async () => {
  const files = await Array.fromAsync(glob("{src,tests,tools}/**/*.test.ts", { cwd: ROOT }));
  assert.deepEqual(
    LEFT_OUT.filter((part) => !files.some((file) => file.includes(part))),
    [],
  );
});
