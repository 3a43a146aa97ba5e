/**
 * `npm run bench:console -- --data FOLDER --rows 10000000 [--times 20] [--only TEXT]`: measures the time to the first
 * byte of each page of the console with this many transactions, for each filter and each kind of search, one request
 * at a time. `--only` selects pages whose address contains the text.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { SETUP_PAGES } from "../src/console/setup/tabs.ts";
import { DEVELOPER_PAGES } from "../src/console/developers/tabs.ts";
import { OPERATOR_PAGES } from "../src/console/operator/places.ts";
import { runningEmbedded } from "../src/embedded-postgres/server.ts";
import { must } from "../src/lib/assert.ts";
import { browser, PASSWORD, setUpTotp } from "../tests/support/people.ts";
import { filtersOf } from "./console-filters.ts";
import { withHistory } from "./console-history.ts";
import { machineFacts } from "./machine.ts";
import { seededFolder } from "./seeded.ts";
import { startInstance } from "./service.ts";

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    rows: { type: "string", default: "10000000" },
    times: { type: "string", default: "20" },
    only: { type: "string", default: "" },
    "only-data": { type: "boolean", default: false },
  },
});
const times = Number(options.times);
const FIRST_BYTE_MS_MAX = 50;
const SEARCH_MS_MAX = 100;
const BYTES_MAX = 60_000;
const EXPORT = /\/export\.(csv|xlsx)/;
const UUID = "[0-9a-f]{8}-[0-9a-f-]{27}";
const DAY_MS = 86_400_000;
const LIMIT_MS = 5_000;
/** Inserting ten million events would take longer than everything else. */
const TRANSACTIONS_FOR_EACH_EVENT = 5;
const CLI = join(import.meta.dirname, "../src/cli.ts");

/** The result of a page: milliseconds until its first byte, and its compressed size. */
interface Answer {
  readonly status: number;
  readonly firstByteMs: number;
  readonly bytes: number;
}

const base = resolve(must(options.data, "--data FOLDER"));
const { apiKey, dataDir, tenant } = await seededFolder(base, Number(options.rows));
const startedAt = new Date();
const instance = await startInstance({ dataDir, databaseUrl: null, profileDir: null, checkout: null });
try {
  const databaseUrl = must(await runningEmbedded(dataDir), "the running database");
  const { loadAtStart } = await machineFacts(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await withReceiver();
  await withHistory(client, tenant, Number(options.rows) / TRANSACTIONS_FOR_EACH_EVENT);
  await untilAddedUp(client);
  const loaded = loadAtStart.join(" ");
  if (!options["only-data"]) console.log(`${await timed(client)}\nload of the machine before: ${loaded}`);
  await client.end();
} finally {
  await instance.stop();
}

/** @returns a table of the selected pages. */
async function timed(client: pg.Client): Promise<string> {
  const cookie = await signIn(client);
  const pages = await pagesOf(cookie);
  const operators = await signInOperator();
  const filters = (await filtersOf(client, tenant)).map((path) => [path, [path]] as const);
  const searches = await searchesOf(client);
  const lines = ["| page | first byte ms, p50 | p95 | kB |", "|---|---|---|---|"];
  const isAsked = ([name]: readonly [string, ...unknown[]]) => name.includes(options.only);
  const ofMerchant = new Map([...pages, ...filters, ...searches].filter(isAsked));
  for (const [name, paths] of ofMerchant) lines.push(await measured(cookie, name, paths));
  for (const [path] of OPERATOR_PAGES.filter(isAsked)) lines.push(await measured(operators, path, [path]));
  if (options.only === "") lines.push(await triedRules(cookie));
  return lines.join("\n");
}

/** Somebody who gets the deliveries. Nothing is sent: all of them are done. */
async function withReceiver(): Promise<void> {
  const address = `http://127.0.0.1:${instance.port}/api/v1/management/webhook-profiles/`;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const { results } = (await (await fetch(address, { headers })).json()) as { results: readonly object[] };
  if (results.length > 0) return;
  const body = JSON.stringify({ name: "Shop", url: "https://shop.example.com/webhooks" });
  const answer = await fetch(address, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`A receiver: ${answer.status} ${await answer.text()}`);
}

/**
 * Waits for the job that adds up past days: after a seed it has all of them to do, and after a pause those of 70 days. That takes
 * minutes of a core, and would be measured with the pages.
 */
async function untilAddedUp(client: pg.Client): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const { rows } = await client.query<{ noted: number; left: number }>(
      `select count(*)::integer as noted, (count(*) filter (where due_at <= $2))::integer as left
         from figure_days where tenant = $1`,
      [tenant, startedAt],
    );
    if ((rows[0]?.noted ?? 0) > 0 && rows[0]?.left === 0) break;
    await sleep(1_000);
  }
  console.error(`past days were added up after ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
}

/** An owner of the seeded tenant. @returns the cookie. */
async function signIn(client: pg.Client): Promise<string> {
  const url = `http://127.0.0.1:${instance.port}`;
  const operatorKey = (await readFile(join(dataDir, "operator.key"), "utf8")).trim();
  const { rows } = await client.query<{ id: string }>("select id from tenants where tenant = $1", [tenant]);
  const email = `owner-${Date.now()}@example.com`;
  const invited = await fetch(`${url}/api/v1/management/tenants/${rows[0]?.id}/people/`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" },
    body: JSON.stringify({ email, name: "Ada Owner", role: "owner" }),
  });
  const { link } = (await invited.json()) as { link: string };
  const { pathname } = new URL(link);
  const own = browser({ url }, "127.0.0.1");
  const accepted = await own.submit(pathname, pathname, { name: "Ada Owner", password: PASSWORD });
  if (accepted.status !== 303) throw new Error(`Signing in: ${accepted.status} ${accepted.text}`);
  return [...own.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** @returns the cookie. */
async function signInOperator(): Promise<string> {
  const email = `operator-${Date.now()}@example.com`;
  const args = ["people", "invite", "--operator", "--email", email, "--name", "Grace Operator"];
  const env = { PATH: process.env["PATH"], DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { env });
  const { pathname } = new URL(must(/https?:\/\/\S+/.exec(stdout)?.[0], "a link"));
  const own = browser({ url: `http://127.0.0.1:${instance.port}` }, "127.0.0.1");
  const accepted = await own.submit(pathname, pathname, { name: "Grace", password: PASSWORD });
  if (accepted.status !== 303) throw new Error(`The operator: ${accepted.status} ${accepted.text}`);
  await setUpTotp(own, new Date());
  return [...own.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** Other rules for the most frequent return codes, the most expensive request of a page. */
async function triedRules(cookie: string): Promise<string> {
  const path = "/console/setup/return-codes/";
  const { text } = await textOf(path, cookie);
  const csrf = must(/name="csrf" value="([^"]+)"/.exec(text)?.[1], "a token");
  const body = new URLSearchParams({ csrf, act: "try" });
  for (const [, code = ""] of text.matchAll(/name="rule\.([A-Z0-9]+)"/g))
    body.set(`rule.${code}`, "block_account");
  const startedMs = performance.now();
  const answer = await fetch(`http://127.0.0.1:${instance.port}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, origin: `http://127.0.0.1:${instance.port}`, "sec-fetch-site": "same-origin" },
    body,
  });
  await answer.text();
  return `| other return codes, tried once | ${(performance.now() - startedMs).toFixed(0)} (${answer.status}) | | |`;
}

type Named = readonly (readonly [string, readonly string[]])[];

/** Every list, and the records on its first page. */
async function pagesOf(cookie: string): Promise<Named> {
  const monthAgo = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
  const lists = [
    "/console/payments/",
    "/console/customers/",
    "/console/subscriptions/",
    "/console/mandates/",
    "/console/chargebacks/",
    "/console/payment-links/",
    "/console/developers/deliveries/",
    "/console/developers/events/",
    "/console/developers/requests/",
    "/console/developers/keys/",
    "/console/setup/gateways/",
    "/console/setup/audit-log/",
  ];
  const records = await Promise.all(
    lists.map(async (path) => {
      const { text } = await textOf(path, cookie);
      const found = [...text.matchAll(new RegExp(`href="(${path}${UUID}/)"`, "g"))];
      return [`one of ${path}`, [...new Set(found.map(([, href = ""]) => href))]] as const;
    }),
  );
  // The dialogs of actions, and records beyond a list's first page.
  const acts = (list: string, act: string) =>
    [
      `one of ${list} ?act=${act}`,
      (records.find(([name]) => name === `one of ${list}`)?.[1] ?? []).map((path) => `${path}?act=${act}`),
    ] as const;
  const older = await Promise.all(
    lists.map(async (path) => {
      const { text } = await textOf(path, cookie);
      const href = /href="([^"]*cursor=[^"]*)"/.exec(text)?.[1];
      return [`older than ${path}`, href === undefined ? [] : [unescaped(href)]] as const;
    }),
  );
  const monthAhead = new Date(Date.now() + 31 * DAY_MS).toISOString().slice(0, 7);
  const single = [
    "/console/",
    "/console/?days=1",
    "/console/?days=90",
    ...lists,
    "/console/payments/?status=declined",
    "/console/payments/?status=refunded",
    `/console/payments/?from=${monthAgo}`,
    `/console/payments/?status=approved&from=${monthAgo}&country=DE`,
    "/console/payments/export/?status=approved",
    "/console/payments/export.csv",
    "/console/payments/export.xlsx",
    "/console/payments/export.csv?status=approved",
    "/console/payments/?period=last_month",
    "/console/payments/?reason=AM04",
    "/console/payments/?held=true",
    "/console/payments/?columns=date,own_reference,mandate,gateway,amount,reason,country",
    "/console/subscriptions/?status=PAST_DUE",
    "/console/subscriptions/due/",
    `/console/subscriptions/due/?month=${monthAhead}`,
    "/console/mandates/?lapsing=true",
    "/console/mandates/?account_blocked=true",
    "/console/chargebacks/?linked=false",
    "/console/developers/deliveries/?status=exhausted",
    "/console/developers/requests/?status=refused",
    "/console/setup/audit-log/?verify=1",
    "/console/restores/",
    "/console/figures.csv?days=90",
    "/console/returns.csv",
    "/console/expected.csv",
    "/console/bank/",
    "/console/bank/statements/",
    "/console/bank/unmatched/",
    "/console/test-mode/",
    "/console/people/",
    "/console/people/single-sign-on/",
    "/console/access/",
    "/console/account/",
    ...DEVELOPER_PAGES.map(([path]) => path),
    ...SETUP_PAGES.map(([path]) => path),
  ];
  return [
    ...[...new Set(single)].map((path) => [path, [path]] as const),
    ...[
      ...records,
      ...older,
      acts("/console/payments/", "refund"),
      acts("/console/subscriptions/", "change"),
      acts("/console/subscriptions/", "cancel"),
      acts("/console/mandates/", "amend"),
    ].filter(([, paths]) => paths.length > 0),
  ];
}

/** An address in a page. */
function unescaped(href: string): string {
  return href.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

interface Known {
  readonly email: string;
  readonly name: string;
  readonly last4: string;
  readonly order_number: string;
  readonly merchant_transaction_id: string;
  readonly mandate: string;
  readonly amount: string;
}

/** Each kind of search text, with customers from everywhere in the tables. */
async function searchesOf(client: pg.Client): Promise<Named> {
  const { rows } = await client.query<Known>(
    `select l.email, concat_ws(' ', l.first_name, l.last_name) as name, m.iban_last4 as last4, o.order_number,
            t.merchant_transaction_id, m.reference as mandate, t.amount::text as amount
       from (select * from transactions where tenant = $1 and mandate_id is not null and session_id is not null
              order by id limit 200000) t
       join mandates m on m.tenant = $1 and m.id = t.mandate_id
       join leads l on l.tenant = $1 and l.id = t.lead_id
       join orders o on o.tenant = $1 and o.id = t.order_id
      order by hashtext(t.id::text)
      limit $2`,
    [tenant, times],
  );
  const by = (kind: string, text: (known: Known) => string) =>
    [
      `search: ${kind}`,
      rows.map((known) => `/console/search/?text=${encodeURIComponent(text(known))}`),
    ] as const;
  return [
    by("e-mail", ({ email }) => email),
    by("name", ({ name }) => name),
    by("name and last four", ({ name, last4 }) => `${name} ${last4}`),
    by("last four", ({ last4 }) => last4),
    by("order number", ({ order_number: number }) => number),
    by("merchant transaction id", ({ merchant_transaction_id: id }) => id),
    by("mandate reference", ({ mandate }) => mandate),
    by("amount", ({ amount }) => amount),
    by("what nobody has", (known) => `${known.name}xyzzy`),
  ];
}

/** The paths in turn. */
async function measured(cookie: string, name: string, paths: readonly string[]): Promise<string> {
  const answers: Answer[] = [];
  for (let n = 0; n < times; n += 1) {
    const path = must(paths[n % paths.length], "a path");
    const answer = await asked(path, cookie);
    // A search with one result redirects to it.
    if (answer.status !== 200 && answer.status !== 303)
      return `| ${name} | **${answer.status}** after ${answer.firstByteMs.toFixed(0)} ms | | |`;
    answers.push(answer);
  }
  const sorted = answers.map(({ firstByteMs }) => firstByteMs).toSorted((a, b) => a - b);
  const at = (share: number): number => must(sorted[Math.ceil(sorted.length * share) - 1], "a time");
  const bytes = Math.max(...answers.map((answer) => answer.bytes));
  const limit = name.startsWith("search") ? SEARCH_MS_MAX : FIRST_BYTE_MS_MAX;
  const p95 = at(0.95) > limit ? `**${at(0.95).toFixed(0)}**` : at(0.95).toFixed(0);
  const kilobytes = bytes > BYTES_MAX ? `**${(bytes / 1_000).toFixed(1)}**` : (bytes / 1_000).toFixed(1);
  return `| ${name} | ${at(0.5).toFixed(0)} | ${p95} | ${kilobytes} |`;
}

/** Waits when the limit of pages per minute is reached. */
async function asked(path: string, cookie: string): Promise<Answer> {
  for (;;) {
    const { status, firstByteMs, bytes } = await fetched(path, cookie, "gzip");
    if (status !== 429) return { status, firstByteMs, bytes: bytes.length };
    await sleep(LIMIT_MS);
  }
}

async function textOf(path: string, cookie: string): Promise<{ readonly text: string }> {
  const { bytes } = await fetched(path, cookie, "identity");
  return { text: bytes.toString() };
}

function fetched(
  path: string,
  cookie: string,
  encoding: string,
): Promise<{ readonly status: number; readonly firstByteMs: number; readonly bytes: Buffer }> {
  return new Promise((done, failed) => {
    const startedMs = performance.now();
    const headers = { cookie, "accept-encoding": encoding, "accept-language": "en" };
    const call = request({ host: "127.0.0.1", port: instance.port, path, headers }, (response) => {
      const firstByteMs = performance.now() - startedMs;
      const chunks: Buffer[] = [];
      const answered = () =>
        done({ status: response.statusCode ?? 0, firstByteMs, bytes: Buffer.concat(chunks) });
      // The rest of an export is not waited for.
      const isExport = response.statusCode === 200 && EXPORT.test(path);
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (isExport) {
          answered();
          response.destroy();
        }
      });
      response.on("error", failed);
      response.on("end", answered);
    });
    call.on("error", failed);
    call.end();
  });
}
