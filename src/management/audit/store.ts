/** The SQL of the audit log: rows are added and read, never changed. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { AuditLogRow } from "../../db/rows.ts";
import type { Window } from "../../lib/window.ts";

const COLUMNS =
  "tenant, id, at, actor, actor_name, action, resource, resource_id, before, after, ip, request_id";

const INSERT = sql(
  "audit_log.insert",
  `insert into audit_log (${COLUMNS})
   values (:tenant, :id, :at, :actor, :actorName, :action, :resource, :resourceId, :before, :after, :ip, :requestId)
       on conflict (tenant, id) do nothing
   returning id`,
).gives<{ id: string }>();

/** False when the id is taken. */
export async function insertEntry(tx: Tx, row: AuditLogRow): Promise<boolean> {
  const inserted = await tx.write(INSERT, {
    tenant: row.tenant,
    id: row.id,
    at: row.at,
    actor: row.actor,
    actorName: row.actor_name,
    action: row.action,
    resource: row.resource,
    resourceId: row.resource_id,
    before: row.before ?? null,
    after: row.after ?? null,
    ip: row.ip,
    requestId: row.request_id,
  });
  return inserted.length === 1;
}

const FIND = sql(
  "audit_log.find",
  `select ${COLUMNS} from audit_log where tenant = :tenant and id = :id`,
).gives<AuditLogRow>();

export async function findEntry(reader: Reader, tenant: number, id: string): Promise<AuditLogRow | null> {
  const rows = await reader.query(FIND, { tenant, id });
  return rows[0] ?? null;
}

interface AuditFilters {
  readonly resource: string | null;
  readonly resourceId: string | null;
  readonly actor: string | null;
  readonly from: Date | null;
  /** Entries before this time; null: no limit. */
  readonly to: Date | null;
}

const MATCHES = `tenant = :tenant
        and (:resource::text is null or resource = :resource)
        and (:resourceId::uuid is null or resource_id = :resourceId)
        and (:actor::text is null or actor = :actor)
        and (:from::timestamptz is null or at >= :from)
        and (:to::timestamptz is null or at < :to)`;

const LIST = listed(
  "audit_log.list",
  `select ${COLUMNS} from audit_log
      where ${MATCHES}`,
  ["at", "id"],
  { plannedByValues: true },
).gives<AuditLogRow>();

export function listAuditEntries(
  reader: Reader,
  tenant: number,
  { resource, resourceId, actor, from, to }: AuditFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly AuditLogRow[]> {
  return reader.query(LIST[towards], { tenant, resource, resourceId, actor, from, to, at, id, limit });
}
