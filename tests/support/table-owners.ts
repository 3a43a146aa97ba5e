/** The folder of src/ that may write a table, and where the text of a write is. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadModule, parseSync } from "libpg-query";
import type { Json } from "./service.ts";

await loadModule();

/** Each table is written by one folder. Other folders use its fragments or call its functions. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  backup: ["database_places"],
  banks: ["banks"],
  db: ["schema_migrations", "idempotency_keys"],
  gateways: ["gateways"],
  "gateways/sandbox": ["sandbox_books"],
  "gateways/sepa-batch": [
    "ebics_events",
    "ebics_orders",
    "ebics_users",
    "sepa_accounts",
    "sepa_bookings",
    "sepa_withdrawn",
    "sepa_collections",
    "sepa_creditor_accounts",
    "sepa_entries",
    "sepa_file_approvals",
    "sepa_file_pieces",
    "sepa_files",
    "sepa_later_fees",
    "sepa_news",
    "sepa_page_entries",
    "sepa_statements",
    "sepa_unmatched",
  ],
  keys: ["master_keys"],
  integrations: ["integrations", "integration_activities", "integration_postback_keys"],
  "management/audit": ["audit_log", "audit_chain", "audit_pending"],
  "management/request-log": ["requests"],
  mandates: ["mandates", "mandate_amendments"],
  messages: ["messages"],
  "payment-page": ["hosted_pages", "mandate_texts"],
  people: [
    "people",
    "person_passkeys",
    "person_recovery_codes",
    "person_links",
    "console_sessions",
    "oidc_providers",
    "saved_views",
  ],
  payments: ["orders", "transactions", "chargebacks", "imports", "gateway_news_set_aside", "payment_notes"],
  reports: ["figure_days", "daily_figures", "expected_counts", "expected_figures"],
  sessions: ["sessions", "session_moves", "leads", "payment_counts", "offers", "campaigns", "payment_links"],
  subscriptions: ["subscriptions", "billing_cycles", "notices"],
  tenants: ["tenants", "tenant_clocks", "api_keys"],
  webhooks: ["events", "webhook_profiles", "webhook_receivers", "webhook_deliveries", "webhook_attempts"],
};

/** A table that a text writes, with the verb. */
export type Write = `${"insert into" | "update" | "delete from"} ${string}`;

/** An alias may precede `set`. `for update of` and `do update set` do not write another table. */
const WRITE =
  /\b(insert\s+into|delete\s+from|update)\s+(?!set\b)(\w+|\$\{\w+\})(?=(\s+(?:as\s+)?\w+)?\s+set\b|(\s|$))/gi;

/** The writes in SQL, or in a source file that contains SQL; sorted. */
export function writesIn(text: string): readonly Write[] {
  const found: Write[] = [];
  for (const [, verb = "", table = "", , other] of text.matchAll(WRITE)) {
    const name = verb.toLowerCase().replace(/\s+/, " ") as "update";
    if (name !== "update" || other === undefined) found.push(`${name} ${table}`);
  }
  return found.toSorted();
}

/** The writes of a statement, found with PostgreSQL's grammar; sorted. */
export function writesOf(text: string): readonly Write[] {
  const found: Write[] = [];
  const verbs = { InsertStmt: "insert into", UpdateStmt: "update", DeleteStmt: "delete from" } as const;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node as Json)) {
      if (key === "MergeStmt" || key === "TruncateStmt") throw new Error(`${key} is not understood`);
      const verb = key in verbs ? verbs[key as keyof typeof verbs] : undefined;
      if (verb !== undefined) found.push(`${verb} ${value.relation.relname}`);
      visit(value);
    }
  };
  visit(parseSync(text).stmts);
  return found.toSorted();
}

/** A place in the source that contains a write. */
export interface Place {
  /** Below src/. */
  readonly file: string;
  readonly table: string;
}

/**
 * Every write in the source, once per file. A table that is passed to `recordStore` counts as written by the caller.
 */
export async function placesOfWrites(): Promise<readonly Place[]> {
  const root = join(import.meta.dirname, "../../src");
  const places: Place[] = [];
  for await (const file of glob("**/*.ts", { cwd: root })) {
    if (file.endsWith(".test.ts")) continue;
    const source = await readFile(join(root, file), "utf8");
    const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
    const tables = writesIn(code).map((write) => write.split(" ").at(-1) ?? "");
    const stored = [...code.matchAll(/\brecordStore(?:<\w+>)?\(\s*"(\w+)"/g)].map(([, table]) => table ?? "");
    const sealed = [...code.matchAll(/\bsealedColumn\(\s*"(\w+)"/g)].map(([, table]) => table ?? "");
    for (const table of new Set([...tables, ...stored, ...sealed])) places.push({ file, table });
  }
  return places.toSorted((a, b) => `${a.file} ${a.table}`.localeCompare(`${b.file} ${b.table}`));
}
