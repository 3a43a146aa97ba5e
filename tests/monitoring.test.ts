/**
 * deploy/monitoring and docs/runbooks: Prometheus accepts the rules, their metrics exist, each alert has a page, and
 * the commands work.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { adHoc } from "../tools/ad-hoc.ts";
import { startService, type Service } from "./support/service.ts";

const ROOT = join(import.meta.dirname, "..");
const MONITORING = join(ROOT, "deploy/monitoring");
const RUNBOOKS = join(ROOT, "docs/runbooks");
const run = promisify(execFile);
const promtool = await run("promtool", ["--version"]).then(
  () => true,
  () => false,
);
const skip = promtool ? false : "promtool is not installed (Debian: prometheus)";

const rules = await readFile(join(MONITORING, "rules.yaml"), "utf8");
const dashboard = JSON.parse(await readFile(join(MONITORING, "dashboard.json"), "utf8")) as {
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
};
const drawn = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const recorded = new Set([...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => name ?? ""));
/** In the rules' files an expression is one line, or a block below `|`. */
const inRules = [...rules.matchAll(/^ {8}expr: (?:\|\n((?: {10,}.*\n)+)|(.+)\n)/gm)].map(
  ([, block, line]) => block ?? line ?? "",
);
const alerts = new Map(
  [...rules.matchAll(/- alert: (\w+)\n[\s\S]*?runbook_url: (\S+)/g)].map(([, name, page]) => [
    name ?? "",
    page ?? "",
  ]),
);

let service: Service;
let exposed: ReadonlySet<string>;

before(async () => {
  service = await startService();
  service.app.metrics.rateLimitStore(true);
  service.app.metrics.replica(() => null);
  const { body } = await service.app.scrape();
  exposed = new Set(
    [...body.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
});
after(() => service.close());

/** The metrics that an expression reads: its words, without labels, groupings, functions and numbers. */
function metricsIn(expression: string): readonly string[] {
  const bare = expression
    .replace(/"[^"]*"/g, "")
    .replace(/\{[^}]*\}/g, "")
    .replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, "")
    .replace(/\[[^\]]*\]/g, "");
  return [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)]
    .map(([word]) => word)
    .filter((word) => !/^(?:and|or|unless|bool|by|sum|max)$/.test(word))
    .filter((word) => !new RegExp(`${word}\\s*\\(`).test(bare));
}

test("the service has every metric of the dashboard and the rules", () => {
  const known = (name: string) => exposed.has(name) || recorded.has(name) || name === "up";
  for (const expression of [...drawn, ...inRules]) {
    const named = metricsIn(expression);
    assert.ok(named.length > 0, expression);
    assert.deepEqual(
      named.filter((name) => !known(name)),
      [],
      expression,
    );
  }
  assert.equal(inRules.length, recorded.size + alerts.size);
  assert.ok(drawn.length > 30);
});

test("no metric has a label for tenants, sessions or payments", async () => {
  const { body } = await service.app.scrape();
  assert.doesNotMatch(body, /[{,](?:tenant|session|session_id|transaction|profile|gateway_id)=/);
});

test("the rules are valid, and each alert fires when it should and not earlier", { skip }, async () => {
  await run("promtool", ["check", "rules", "rules.yaml"], { cwd: MONITORING });
  await run("promtool", ["check", "config", "--syntax-only", "prometheus.yaml"], { cwd: MONITORING });
  await run("promtool", ["test", "rules", "rules.test.yaml"], { cwd: MONITORING });
  const tested = await readFile(join(MONITORING, "rules.test.yaml"), "utf8");
  for (const alert of alerts.keys())
    assert.match(tested, new RegExp(`alertname: ${alert}\\n\\s+exp_alerts:\\n`), alert);
});

test("Prometheus accepts every expression of the dashboard", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  t.after(() => rm(folder, { recursive: true }));
  const all = drawn.map((expr, n) => ({ record: `panel:${n}`, expr }));
  // JSON is YAML.
  await writeFile(join(folder, "panels.yaml"), JSON.stringify({ groups: [{ name: "panels", rules: all }] }));
  await run("promtool", ["check", "rules", join(folder, "panels.yaml")]);
});

test("every alert has a runbook, every runbook has an alert, and the list names them all", async () => {
  const files = (await readdir(RUNBOOKS)).filter((name) => name !== "README.md");
  const list = await readFile(join(RUNBOOKS, "README.md"), "utf8");
  assert.deepEqual(
    [...alerts.values()].map((page) => page.replace("docs/runbooks/", "")).toSorted(),
    files.toSorted(),
  );
  for (const [alert, page] of alerts) {
    await access(join(ROOT, page));
    const text = await readFile(join(ROOT, page), "utf8");
    assert.ok(text.startsWith(`# ${alert}\n`), page);
    for (const heading of ["What it means", "See it", "What to do", "When to wake someone"])
      assert.ok(text.includes(`\n## ${heading}\n`), `${page}: ${heading}`);
    assert.ok(list.includes(`[${alert}](${page.replace("docs/runbooks/", "")})`), alert);
  }
});

test("the commands of the runbooks work: their statements, paths of the API and metrics exist", async () => {
  const api = JSON.parse(await readFile(join(ROOT, "docs/openapi.json"), "utf8")) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  let statements = 0;
  for (const name of await readdir(RUNBOOKS)) {
    const text = await readFile(join(RUNBOOKS, name), "utf8");
    for (const [, statement = ""] of text.matchAll(/^```sql\n([\s\S]*?)^```/gm)) {
      statements += 1;
      await service.db.query(...adHoc(statement.trim().replace(/;$/, "")));
    }
    for (const [line, path = ""] of text.matchAll(/curl .*"\$URL(\/api[^"?]*)[^"]*"/g)) {
      const method = line.includes(" -d ") ? "post" : "get";
      assert.ok(api.paths[path.replace("$ID", "{id}")]?.[method] !== undefined, `${name}: ${method} ${path}`);
    }
    for (const [, pattern = ""] of text.matchAll(/"\$METRICS" \| grep '([^']+)'/g)) {
      const prefix = /^\^([a-z_]+)/.exec(pattern)?.[1];
      if (prefix === undefined) assert.equal(pattern, 'status="5xx"', name);
      else
        assert.ok(
          [...exposed].some((metric) => metric.startsWith(prefix)),
          `${name}: ${pattern}`,
        );
    }
    for (const [, page = ""] of text.matchAll(/\]\((payments-[\w-]+\.md)\)/g))
      await access(join(RUNBOOKS, page));
  }
  assert.ok(statements > 12);
});
