/**
 * The role of the service: it reads and writes records, owns nothing, and cannot change history. The owner of the
 * tables is only used for migrations.
 */
import pg from "pg";
import { sha256 } from "../lib/keyring.ts";

/** The embedded server's role for the service; elsewhere DATABASE_URL names it. */
const EMBEDDED_ROLE = "payment_sessions";
/** Append-only tables. Triggers refuse changes of the first three even to the owner. */
const HISTORY = ["audit_chain", "audit_log", "session_moves", "ebics_events", "sepa_file_approvals"];
/** An event's content is also written once; the time when it was fanned out is not. */
const EVENT_COLUMNS = "fanned_out_at";
/** Tables whose old rows are deleted after a while; nothing else is ever deleted. */
const DELETED = [
  "daily_figures",
  "expected_counts",
  "expected_figures",
  "audit_pending",
  "banks",
  "chargebacks",
  "console_sessions",
  "gateway_news_set_aside",
  "idempotency_keys",
  "payment_counts",
  "requests",
  "integration_activities",
  "integration_postback_keys",
  "sepa_bookings",
  "webhook_attempts",
  "webhook_deliveries",
  "saved_views",
];

/** Creates the embedded server's role, or resets its password; returns the URL to connect as it. */
export async function ensureEmbeddedRole(ownerUrl: string): Promise<string> {
  const url = embeddedRoleUrl(ownerUrl);
  await connected(ownerUrl, async (client) => {
    const { rowCount } = await client.query("select from pg_roles where rolname = $1", [EMBEDDED_ROLE]);
    const verb = rowCount === 0 ? "create" : "alter";
    const password = client.escapeLiteral(new URL(url).password);
    await client.query(
      `${verb} role ${EMBEDDED_ROLE} login nosuperuser nocreatedb nocreaterole noreplication password ${password}`,
    );
  });
  return url;
}

/**
 * The same database as the embedded server's role. Its password is derived from the owner's, which is in the data
 * folder.
 */
export function embeddedRoleUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = sha256(`${EMBEDDED_ROLE}:${url.password}`).toString("hex");
  url.username = EMBEDDED_ROLE;
  return url.href;
}

/**
 * Grants the role of `serviceUrl` the rights that the service needs on every table, and no others; runs under the
 * migrations' lock. Does nothing when the service works as the owner.
 */
export async function grantToService(client: pg.Client, serviceUrl: string): Promise<void> {
  const role = decodeURIComponent(new URL(serviceUrl).username);
  if (role === "" || role === client.user) return;
  const to = client.escapeIdentifier(role);
  const { rows } = await client.query<{ sequence: string }>(
    "select c.oid::regclass::text as sequence from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' order by 1",
  );
  // Named individually: Citus then grants the right on its workers too.
  const sequences = rows.map(({ sequence }) => sequence).join(", ");
  await client.query(`begin;
    revoke all on all tables in schema public from ${to};
    grant usage on schema public to ${to};
    grant select, insert, update on all tables in schema public to ${to};
    grant usage on sequence ${sequences} to ${to};
    grant delete on ${DELETED.join(", ")} to ${to};
    revoke update on ${HISTORY.join(", ")} from ${to};
    revoke update on events from ${to};
    grant update (${EVENT_COLUMNS}) on events to ${to};
    revoke insert, update on schema_migrations from ${to};
    commit`);
}

/** Whether the URL's role is a superuser: neither rights nor triggers protect anything from the service then. */
export function isSuperuser(url: string): Promise<boolean> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ rolsuper: boolean }>(
      "select rolsuper from pg_roles where rolname = current_user",
    );
    return rows[0]?.rolsuper ?? false;
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  return work(client).finally(() => client.end());
}
