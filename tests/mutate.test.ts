/** The mutator: its changes as tables, and whether it distinguishes tested from untested code. */
import assert from "node:assert/strict";
import { cp, glob, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { allMutants, MONEY_CORE } from "../scripts/mutate/all-mutants.ts";
import { ask } from "../scripts/mutate/ask.ts";
import { HARMLESS, harmlessEntry } from "../scripts/mutate/harmless.ts";
import { changed, mutantsOf, type Mutant, type Proposal } from "../scripts/mutate/mutant.ts";
import { sqlMutants } from "../scripts/mutate/sql.ts";
import { switched } from "../scripts/mutate/switched.ts";
import { LEFT_OUT } from "../scripts/mutate/test-files.ts";
import { typescriptMutants } from "../scripts/mutate/typescript.ts";
import { Workshop } from "../scripts/mutate/workshop.ts";

const LISTS = [{ name: "status", members: ["open", "paid", "gone"] }];
const ROOT = join(import.meta.dirname, "..");

/** Each mutant as `operator: the mutated text`. */
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
  // Code that is not mutated, because a change would have no effect or is not in code.
  ['import a from "open";'],
  ['type A = "open" | "paid";'],
  ["const y = { open: a };"],
  ['deps.log.warn("open");'],
  ["assert(a < b);"],
  ["const y = list.toString();"],
  ['sql("open", `select 1 where a < b`);'],
  ["// a < b"],
];

test("TypeScript: mutations of code, and none elsewhere", () => {
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

test("SQL: mutations of statements, and none elsewhere", () => {
  for (const [text, ...mutants] of SQL)
    assert.deepEqual(written(text, sqlMutants(text, LISTS)), mutants, text);
});

/** A text with all of its mutants behind switches. */
const SWITCHED: readonly (readonly [text: string, withSwitches: string])[] = [
  ["f(a < b);", 'if (m$("1")) {} else f((m$("2") ? (a <= b) : (a < b)));'],
  ["if (a) throw b;", 'if (m$("1")) {} else if ((m$("2") ? (!(a)) : (a))) throw b;'],
  [
    "const y = Math.min(a, 1);",
    'const y = (m$("1") ? (Math.max(a, 1)) : (Math.min(a, (m$("2") ? (2) : (1)))));',
  ],
  // A part of an optional chain is replaced with the whole chain; an argument in it is not.
  [
    "g(a?.list.some(f).at(1));",
    'if (m$("1")) {} else g((m$("2") ? (a?.list.every(f).at(1)) : (a?.list.some(f).at((m$("3") ? (2) : (1))))));',
  ],
  ["const y = { open: a };", "const y = { open: a };"],
];

test("a text contains all of its mutants at once, each behind a switch", () => {
  for (const [text, expected] of SWITCHED) {
    const mutants = mutantsOf("a.ts", null, text, typescriptMutants("a.ts", text, LISTS));
    const numbered = mutants.map((mutant, n) => ({ ...mutant, key: String(n + 1) }));
    assert.equal(switched("a.ts", text, numbered).text, expected);
  }
});

test("a mutant outside functions is evaluated at load", () => {
  const text = "const LIMIT = 3;\nexport const isOver = (n: number) => n > LIMIT;";
  const mutants = mutantsOf("a.ts", null, text, typescriptMutants("a.ts", text, LISTS));
  const { atLoad, text: withSwitches } = switched("a.ts", text, mutants);
  assert.deepEqual(
    mutants.filter(({ key }) => atLoad.has(key)).map(({ operator }) => operator),
    ["off by one"],
  );
  // Code at load is recorded for the tests that call a function of the file.
  assert.match(withSwitches, /=> \(m\$\("a\.ts"\), /);
});

const RULE = `import pg from "pg";
import { sql } from "./db/database.ts";
export const isDue = (day: number, today: number): boolean => day <= today;
export const isLate = (day: number, today: number): boolean => day < today;
const LIMITS = [2, 3];
export const isLimit = (day: number): boolean => LIMITS.includes(day);
let calls = 0;
export function counted(): number { calls += 1; return calls; }
export function forget(): void { calls = 0; }
const ASK = sql("fixture.ask", "select 1 + 2 as sum, 1 + 1 as other");
export function ask(client: pg.Client) {
  return client.query({ ...ASK });
}
`;

const RULE_TEST = `import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { ask, counted, forget, isDue, isLate, isLimit } from "./rule.ts";
let client: pg.Client;
before(async () => {
  client = new pg.Client({ connectionString: process.env["TEST_SERVER_URL"] ?? "" });
  await client.connect();
});
after(() => client.end());
test("what is due\\u2028today is due", () => { assert.ok(isDue(1, 1)); });
test("something is late", () => { assert.ok(isLate(1, 9)); });
test("2 is a limit", () => { assert.ok(isLimit(2)); });
test("it counts from one", () => { forget(); assert.equal(counted(), 1); });
test("the sum is 3", async () => {
  const { rows } = await ask(client);
  assert.equal(rows[0].sum, 3);
});
`;

/** A workshop that contains only the mutator and these files. */
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
    for (const file of ["src/db/database.ts", "src/lib/assert.ts"])
      await cp(join(ROOT, file), join(folder, file));
    await cp(join(ROOT, "scripts/mutate"), join(folder, "scripts/mutate"), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await work(shop);
  } finally {
    await shop.close();
  }
}

/** The result of a test file for each mutant of an operator: the changed line, the outcome and the test. */
async function outcomes(
  shop: Workshop,
  test: string,
  mutants: readonly Mutant[],
): Promise<readonly string[]> {
  const { answers, failed } = await ask(shop, test, mutants, 5);
  assert.deepEqual(failed, []);
  return mutants.map(({ key, line, change }) => {
    const { outcome = "not reached", by = null } = answers.get(key) ?? {};
    return `${line.slice(0, 20).trim()} ${change.to}: ${outcome}${by === null ? "" : `, ${by.split(": ")[1]}`}`;
  });
}

test("a mutant in tested code is killed, one in untested code is not, in functions, constants and SQL", () =>
  withWorkshop({ "src/rule.ts": RULE, "src/rule.test.ts": RULE_TEST }, async (shop) => {
    const proposals = typescriptMutants("src/rule.ts", RULE, []);
    const wanted = new Set(["boundary", "shortened list", "removed assignment"]);
    const mutants = mutantsOf("src/rule.ts", null, RULE, proposals).filter(({ operator }) =>
      wanted.has(operator),
    );
    const text = "select 1 + 2 as sum, 1 + 1 as other";
    const ofSql = mutantsOf("src/rule.ts", "fixture.ask", text, sqlMutants(text, [])).filter(
      ({ operator }) => operator === "arithmetic",
    );
    assert.deepEqual(await outcomes(shop, "src/rule.test.ts", [...mutants, ...ofSql]), [
      "export const isDue = <: killed, what is due\u2028today is due",
      "export const isLate <=: passed",
      "const LIMITS = [2, 3 : killed, 2 is a limit",
      "const LIMITS = [2, 3 : passed",
      "export function coun ;: killed, it counts from one",
      "export function forg ;: killed, it counts from one",
      "select 1 + 2 as sum, -: killed, the sum is 3",
      "select 1 + 2 as sum, -: passed",
    ]);
  }));

/** @param looks the assertion of its test about `isLate`. */
function lateTest(looks: string): string {
  return `import assert from "node:assert/strict";
import test from "node:test";
import { isLate } from "./rule.ts";
let runs = 0;
test("something is late", async () => { runs += 1; ${looks} });
`;
}

test("a mutant in code that runs once, before the tests, is killed", () =>
  withWorkshop(
    {
      "src/rule.ts": RULE,
      "src/start.test.ts": `import assert from "node:assert/strict";
import { before, test } from "node:test";
import { forget, isDue } from "./rule.ts";
let opens: boolean;
before(() => { opens = isDue(1, 1); });
test("it opens on its day", () => { forget(); assert.ok(opens); });
`,
    },
    async (shop) => {
      const mutants = mutantsOf("src/rule.ts", null, RULE, typescriptMutants("src/rule.ts", RULE, [])).filter(
        ({ operator, line }) => operator === "boundary" && line.includes("isDue"),
      );
      assert.deepEqual(await outcomes(shop, "src/start.test.ts", mutants), [
        "export const isDue = <: killed, it opens on its day",
      ]);
    },
  ));

test("a constant that a test uses without a function of its file is asked about where the test file is named", () =>
  withWorkshop(
    {
      "src/names.ts": 'export const NAMES = ["a", "b"];\n',
      "src/names.test.ts": `import assert from "node:assert/strict";
import test from "node:test";
import { NAMES } from "./names.ts";
test("a and b", () => { assert.deepEqual(NAMES, ["a", "b"]); });
`,
    },
    async (shop) => {
      const text = 'export const NAMES = ["a", "b"];\n';
      const mutants = mutantsOf("src/names.ts", null, text, typescriptMutants("src/names.ts", text, []));
      const killed = async (isNamed: boolean): Promise<number> =>
        (await ask(shop, "src/names.test.ts", mutants, 5, isNamed)).answers.size;
      assert.deepEqual([await killed(false), await killed(true)], [0, 3]);
    },
  ));

test("a test that fails without a mutant kills none, nor does one that passes only once", () =>
  withWorkshop(
    {
      "src/rule.ts": RULE,
      "src/fails.test.ts": lateTest("isLate(1, 1); assert.fail();"),
      "src/once.test.ts": lateTest("isLate(1, 1); assert.equal(runs, 1);"),
    },
    async (shop) => {
      const mutants = mutantsOf("src/rule.ts", null, RULE, typescriptMutants("src/rule.ts", RULE, [])).filter(
        ({ operator, line }) => operator === "boundary" && line.includes("isLate"),
      );
      const outcomes = async (test: string): Promise<readonly unknown[]> => {
        const { answers, failed } = await ask(shop, test, mutants, 5);
        return [answers.size, failed.length];
      };
      assert.deepEqual(await outcomes("src/fails.test.ts"), [0, 1]);
      assert.deepEqual(await outcomes("src/once.test.ts"), [0, 0]);
    },
  ));

test("a test that no longer passes once its mutant is off kills it only if it fails again in a new process", () =>
  withWorkshop(
    {
      "src/rule.ts": RULE,
      "src/breaks.test.ts": lateTest(
        "if (isLate(1, 1)) globalThis.broken = true; assert.ok(!globalThis.broken);",
      ),
    },
    async (shop) => {
      const mutants = mutantsOf("src/rule.ts", null, RULE, typescriptMutants("src/rule.ts", RULE, [])).filter(
        ({ operator, line }) => operator === "boundary" && line.includes("isLate"),
      );
      const { answers } = await ask(shop, "src/breaks.test.ts", mutants, 5);
      assert.deepEqual(
        [...answers.values()].map(({ outcome }) => outcome),
        ["killed"],
      );
    },
  ));

test("a mutant that ends the process is killed if it does so twice, and later mutants are still tried", () =>
  withWorkshop(
    {
      "src/rule.ts": RULE,
      "src/ends.test.ts": lateTest("if (isLate(1, 1)) process.exit(0); assert.ok(isLate(1, 9));"),
    },
    async (shop) => {
      const ofLate = mutantsOf("src/rule.ts", null, RULE, typescriptMutants("src/rule.ts", RULE, [])).filter(
        ({ operator, line }) => operator === "boundary" && line.includes("isLate"),
      );
      const [mutant] = ofLate;
      assert.ok(mutant !== undefined);
      const after = { ...mutant, key: "after", change: { ...mutant.change, to: ">" } };
      const { answers } = await ask(shop, "src/ends.test.ts", [mutant, after], 5);
      assert.deepEqual(
        [mutant, after].map(({ key }) => answers.get(key)?.outcome),
        ["killed", "killed"],
      );
      assert.match(answers.get(mutant.key)?.by ?? "", /the process ended$/);
    },
  ));

test("no answer is lost, however much a test file has to say before it ends", () => {
  const many = `import assert from "node:assert/strict";
import test from "node:test";
import { isLate } from "./rule.ts";
for (let n = 0; n < 1_000; n += 1)
  test(\`\${"long ".repeat(200)}\${n}\`, () => { assert.ok(!isLate(1, 1)); });
`;
  return withWorkshop({ "src/rule.ts": RULE, "src/many.test.ts": many }, async (shop) => {
    const ofLate = mutantsOf("src/rule.ts", null, RULE, typescriptMutants("src/rule.ts", RULE, [])).filter(
      ({ operator, line }) => operator === "boundary" && line.includes("isLate"),
    );
    const { answers } = await ask(shop, "src/many.test.ts", ofLate, 5);
    assert.deepEqual(
      ofLate.map(({ key }) => answers.get(key)?.outcome),
      ["killed"],
    );
  });
});

test("each entry of the harmless mutants matches an existing mutant, and has a reason", async () => {
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

test("each part of a path that excludes tests names an existing test", async () => {
  const files = await Array.fromAsync(glob("{src,tests,tools}/**/*.test.ts", { cwd: ROOT }));
  assert.deepEqual(
    LEFT_OUT.filter((part) => !files.some((file) => file.includes(part))),
    [],
  );
});
