/** The SQL of tenants: for the operator, across all tenants. */
import { sql, type Reader } from "../db/database.ts";
import { listed } from "../db/lists.ts";
import type { TenantClockRow, TenantRow } from "../db/rows.ts";
import { must } from "../lib/assert.ts";
import { later } from "../lib/clock.ts";
import type { RecordStore } from "../management/resource-store.ts";

/** What requests can set, in the order in which answers show it: the one list of a tenant's settings. */
export const SETTABLE = [
  "name",
  "country",
  "address",
  "postal_code",
  "city",
  "creditor_identifier",
  "session_lifetime_seconds",
  "default_locale",
  "pre_notification_days",
  "subscription_after_chargeback",
  "subscription_after_refund",
  "closed_day",
  "retry_days",
  "return_rules",
  "iban_payments_max",
  "lead_payments_max",
  "address_payments_max",
  "invalid_ibans_max",
  "lead_accounts_max",
  "address_accounts_max",
  "device_accounts_max",
  "ask_about_duplicates",
  "token_detail_days",
  "step_up_refunds_above",
  "refund_hold_days",
  "redirect_hosts",
  "messages",
  "message_sender",
  "message_address",
  "message_reply_to",
  "notice_check",
] as const satisfies readonly (keyof TenantRow)[];

const COLUMNS = `tenant, id, ${SETTABLE.join(", ")}, notice_check_since, created_at, updated_at, archived_at`;

const INSERT = sql(
  "tenants.insert",
  `insert into tenants (id, created_at, updated_at, notice_check_since, ${SETTABLE.join(", ")})
   values (:id, :at, :at, :at, ${SETTABLE.map((column) => `:${column}`).join(", ")})
       on conflict (id) do nothing
   returning ${COLUMNS}`,
).gives<TenantRow>();
const FIND = sql(
  "tenants.find",
  `-- every tenant: the operator names one by its id
   select ${COLUMNS} from tenants where id = :id`,
).gives<TenantRow>();
const FIND_OWN = sql(
  "tenants.find_own",
  `select ${COLUMNS} from tenants where tenant = :tenant`,
).gives<TenantRow>();
const LOCK = sql(
  "tenants.lock",
  `-- every tenant: the operator names one by its id
   select ${COLUMNS} from tenants where id = :id for update`,
).gives<TenantRow>();
const UPDATE = sql(
  "tenants.update",
  `update tenants
      set updated_at = :at,
          notice_check_since = case when notice_check = :notice_check then notice_check_since else :since end,
          ${SETTABLE.map((column) => `${column} = :${column}`).join(", ")}
    where tenant = :tenant
   returning ${COLUMNS}`,
).gives<TenantRow>();
/** By itself: on Citus a statement that changes a table of all workers reads none that is spread over them. */
const AHEAD = sql("tenants.clock_ahead", "select ahead_ms from tenant_clocks where tenant = :tenant").gives<
  Pick<TenantClockRow, "ahead_ms">
>();
const ARCHIVE = sql(
  "tenants.archive",
  `update tenants set archived_at = :at, updated_at = :at
    where tenant = :tenant
   returning ${COLUMNS}`,
).gives<TenantRow>();
const LIST = listed(
  "tenants.list",
  `-- every tenant: the operator lists them
     select ${COLUMNS} from tenants
      where (:withArchived or archived_at is null)`,
  ["created_at", "id"],
).gives<TenantRow>();

/** The tenant of an authenticated call. */
export async function findOwnTenant(reader: Reader, tenant: number): Promise<TenantRow> {
  return must((await reader.query(FIND_OWN, { tenant }))[0], "the tenant of an authenticated call");
}

/** The database assigns the tenant's number; the operator's calls have none. */
export const tenantStore: RecordStore<TenantRow> = {
  async insert(tx, _tenant, id, at, values) {
    const rows = await tx.write(INSERT, { ...settable(values), id, at });
    return rows[0] ?? null;
  },
  find: async (reader, _tenant, id) => (await reader.query(FIND, { id }))[0] ?? null,
  lock: async (tx, _tenant, id) => (await tx.query(LOCK, { id }))[0] ?? null,
  async update(tx, row, at) {
    const { tenant, notice_check } = row;
    const [clock] = await tx.query(AHEAD, { tenant });
    const since = later(at, Number(clock?.ahead_ms ?? 0));
    return written(await tx.write(UPDATE, { ...settable(row), notice_check, since, tenant, at }));
  },
  archive: async (tx, row, at) => written(await tx.write(ARCHIVE, { tenant: row.tenant, at })),
  list: (reader, _tenant, withArchived, { towards, at, id, limit }) =>
    reader.query(LIST[towards], { withArchived, at, id, limit }),
};

function settable(values: Partial<TenantRow>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(SETTABLE.map((column) => [column, values[column] ?? null]));
}

function written(rows: readonly TenantRow[]): TenantRow {
  return must(rows[0], "the locked tenant");
}
