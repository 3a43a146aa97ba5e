/** The SQL of the audit log: rows are added and read, never changed. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import type { AuditLogRow } from "../../db/rows.ts";
import type { Window } from "../../http/paging.ts";

const COLUMNS =
  "tenant, id, at, actor, actor_name, action, resource, resource_id, before, after, ip, request_id";

const INSERT = sql(
  "audit_log.insert",
  `insert into audit_log (${COLUMNS})
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (tenant, id) do nothing`,
);

/** An entry whose id is taken is there already: the same operation has run before. */
export async function insertEntry(tx: Tx, row: AuditLogRow): Promise<void> {
  await tx.write(INSERT, [
    row.tenant,
    row.id,
    row.at,
    row.actor,
    row.actor_name,
    row.action,
    row.resource,
    row.resource_id,
    row.before,
    row.after,
    row.ip,
    row.request_id,
  ]);
}

const FIND = sql("audit_log.find", `select ${COLUMNS} from audit_log where tenant = $1 and id = $2`);

export async function findEntry(reader: Reader, tenant: number, id: string): Promise<AuditLogRow | null> {
  const rows = await reader.query<AuditLogRow>(FIND, [tenant, id]);
  return rows[0] ?? null;
}

export interface AuditFilters {
  readonly resource: string | null;
  readonly resourceId: string | null;
  readonly actor: string | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
}

const MATCHES = `tenant = $1
        and ($2::text is null or resource = $2)
        and ($3::uuid is null or resource_id = $3)
        and ($4::text is null or actor = $4)
        and ($5::timestamptz is null or at >= $5)
        and ($6::timestamptz is null or at < $6)`;

const LIST = {
  older: sql(
    "audit_log.list_older",
    `select ${COLUMNS} from audit_log
      where ${MATCHES} and (at, id) < ($7, $8)
      order by at desc, id desc
      limit $9`,
  ),
  newer: sql(
    "audit_log.list_newer",
    `select ${COLUMNS} from audit_log
      where ${MATCHES} and (at, id) > ($7, $8)
      order by at, id
      limit $9`,
  ),
};

export function listEntries(
  reader: Reader,
  tenant: number,
  { resource, resourceId, actor, from, to }: AuditFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly AuditLogRow[]> {
  return reader.query<AuditLogRow>(LIST[towards], [
    tenant,
    resource,
    resourceId,
    actor,
    from,
    to,
    at,
    id,
    limit,
  ]);
}
