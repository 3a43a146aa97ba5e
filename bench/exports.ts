/** Reconciliation lists: whole data sets read page by page compared with PostgreSQL's COPY, and pages at both ends. */
import pg from "pg";
import { seed, type Seeded } from "../tools/seed.ts";
import type { Config } from "../src/config.ts";
import { beside, course, type Figures, type Measured, type Measure, type Parts } from "./measures.ts";

const DAYS = 89;
const PAGE = 1_000;
const PAGE_SIZES = [100, PAGE] as const;
const FORMATS = ["json", "xml", "csv"] as const;
const WALK_S_MAX = 1_200;
/** One page at a time, to measure the cost of a page, not the throughput. */
const ONE_AT_A_TIME = 1;
const KEYS = 40;

type Format = (typeof FORMATS)[number];

export interface Ledger {
  readonly rows: number;
  readonly tenant: number;
  readonly keys: readonly string[];
}

/** A tenant with this many transactions, and enough keys, because each is limited to 50 pages per second. */
export async function seedLedger(
  config: Config,
  databaseUrl: string,
  port: number,
  rows: number,
): Promise<Ledger> {
  const seeded = await seed(config, databaseUrl, rows, DAYS);
  const keys = [seeded.apiKey];
  while (keys.length < KEYS) keys.push(await newKey(port, seeded));
  return { rows, keys, tenant: seeded.tenant };
}

async function newKey(port: number, { apiKey }: Seeded): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/management/api-keys/`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: '{"name":"Bench"}',
  });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { readonly api_key: string }).api_key;
}

/** One measure for each format's whole list, then both ends of it in each page size. */
export function exportMeasures(ledger: Ledger): readonly Measure[] {
  const lastUrls = new Map<Format, string>();
  const walks = FORMATS.map((format) => walk(ledger, format, lastUrls));
  const pages = FORMATS.flatMap((format) =>
    PAGE_SIZES.map((size) => lastPage(ledger, format, size, lastUrls)),
  );
  return [...walks, ...pages];
}

function firstUrl(format: Format, size: number): string {
  const start = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10);
  return `/api/v1/reconciliation/transactions/?start_date=${start}&page_size=${size}&format=${format}`;
}

/** Rows per second; latencies and processor time are those of a page. */
function walk(ledger: Ledger, format: Format, lastUrls: Map<Format, string>): Measure {
  return {
    name: `export ${format}`,
    limit: "COPY",
    target: format === "csv" ? "≥ 0.4" : "",
    async run(parts) {
      const urls = [firstUrl(format, PAGE)];
      const walked = await read(parts, ledger, "walk", { urls, seconds: WALK_S_MAX });
      if (walked.requests < ledger.rows / PAGE) throw new Error(`${format}: only ${walked.requests} pages`);
      lastUrls.set(format, walked.lastUrl);
      const rowsPerSecond = (walked.perSecond * ledger.rows) / walked.requests;
      return beside({ ...walked, perSecond: rowsPerSecond }, await copiedPerSecond(parts, ledger));
    },
  };
}

/** The last page; its ratio is relative to the first one. */
function lastPage(ledger: Ledger, format: Format, size: number, lastUrls: Map<Format, string>): Measure {
  return {
    name: `last page ${format} ${size}`,
    limit: "pages at the first end",
    target: "≥ 0.83 (1.2 ×)",
    async run(parts): Promise<Figures> {
      const last = lastUrls.get(format) ?? "";
      const at = (url: string) =>
        read(parts, ledger, "get", { urls: [url], seconds: Math.max(1, parts.seconds / 5) });
      const first = await at(firstUrl(format, size));
      const measured = await at(last.replace(/page_size=\d+/, `page_size=${size}`));
      return { ...beside(measured, first.perSecond), ratio: first.p50 / measured.p50 };
    },
  };
}

function read(
  parts: Parts,
  { keys }: Ledger,
  kind: "walk" | "get",
  more: { readonly urls: readonly string[]; readonly seconds: number },
): Promise<Measured> {
  const shops = parts.shops.map((shop) => ({ ...shop, keys }));
  return course({ ...parts, shops }, kind, { ...more, connections: ONE_AT_A_TIME });
}

/** PostgreSQL's time to write the same columns of the same rows in the same order. */
async function copiedPerSecond({ databaseUrl }: Parts, { tenant, rows }: Ledger): Promise<number> {
  const text = `copy (
    select t.id, t.gateway_reference, t.merchant_transaction_id, t.gateway_reference, t.tenant_reference_id, t.status,
           t.type, t.amount, t.currency, t.processed_at, m.iban_last4, m.bic, t.customer_email_csv, t.customer_name_csv,
           m.reference, m.accepted_at, t.source, t.order_id, t.subscription_id, t.lead_id, t.gateway_id, t.created_at,
           t.updated_at
      from transactions t
      left join mandates m on m.tenant = t.tenant and m.id = t.mandate_id
     where t.tenant = ${tenant} and t.processed_at is not null
     order by t.processed_at desc, t.id desc
  ) to stdout (format csv)`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const started = performance.now();
  await new Promise<void>((resolve, reject) => {
    // The part of a query object that the driver needs; rows are read and discarded.
    const query = {
      submit: (connection: pg.Connection) => connection.query(text),
      handleCopyData() {},
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    };
    client.query(query);
  });
  const seconds = (performance.now() - started) / 1_000;
  await client.end();
  return rows / seconds;
}
