/** The SQL of the chain of the audit log. */
import { sql, type Reader, type Tx } from "../../db/database.ts";
import type { AuditLogRow } from "../../db/rows.ts";

/** An entry as hashed by the chain: every value as text. */
export interface EntryText {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string | null;
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** JSON and times in PostgreSQL's text format, which is the same in every version. */
const ENTRY =
  `l.id, to_char(l.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at, l.actor, l.actor_name, l.action,
          l.resource, l.resource_id, l.ip, l.request_id, l.before::text as before, l.after::text as after` as const;

const TENANTS_TO_CHAIN = sql(
  "audit_chain.tenants_pending",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from audit_pending limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsToChain(db: Reader, limit: number): Promise<readonly number[]> {
  return (await db.query(TENANTS_TO_CHAIN, { limit })).map(({ tenant }) => tenant);
}

const LOCK = sql(
  "audit_chain.lock",
  "select pg_advisory_xact_lock(hashtextextended('audit chain', :tenant)) -- a tenant = :tenant has its own number",
);

/** Serialises appending to a tenant's chain and erasing from it, until the end of the transaction. */
export async function lockChain(tx: Tx, tenant: number): Promise<void> {
  await tx.write(LOCK, { tenant });
}

const PENDING = sql(
  "audit_chain.pending",
  `select ${ENTRY}, p.number::text as place,
          exists (select from audit_chain c where c.tenant = :tenant and c.entry_id = p.entry_id) as chained
     from audit_pending p
     join audit_log l on l.tenant = :tenant and l.id = p.entry_id
    where p.tenant = :tenant
    order by p.number
    limit :limit`,
).gives<EntryText & { place: string; chained: boolean }>();

export function pendingEntries(
  reader: Reader,
  tenant: number,
  limit: number,
): Promise<readonly (EntryText & { readonly place: string; readonly chained: boolean })[]> {
  return reader.query(PENDING, { tenant, limit });
}

const HEAD = sql(
  "audit_chain.head",
  `select number::text as number, hash from audit_chain where tenant = :tenant order by audit_chain.number desc limit 1`,
).gives<{ number: string; hash: Buffer }>();

export async function findHead(
  reader: Reader,
  tenant: number,
): Promise<{ readonly number: string; readonly hash: Buffer } | null> {
  return (await reader.query(HEAD, { tenant }))[0] ?? null;
}

const ADD = sql(
  "audit_chain.add",
  `insert into audit_chain (tenant, number, entry_id, key_number, salt, details, hash)
   select :tenant, number, entry_id, :keyNumber, salt, details, hash
     from unnest(:numbers::bigint[], :entries::uuid[], :salts::bytea[], :details::bytea[], :hashes::bytea[])
       as v (number, entry_id, salt, details, hash)`,
);

interface Link {
  readonly number: string;
  readonly entryId: string;
  readonly salt: Buffer;
  readonly details: Buffer;
  readonly hash: Buffer;
}

export async function addLinks(
  tx: Tx,
  tenant: number,
  keyNumber: number,
  links: readonly Link[],
): Promise<void> {
  await tx.write(ADD, {
    tenant,
    keyNumber,
    numbers: links.map(({ number }) => number),
    entries: links.map(({ entryId }) => entryId),
    salts: links.map(({ salt }) => salt),
    details: links.map(({ details }) => details),
    hashes: links.map(({ hash }) => hash),
  });
}

const FORGET = sql(
  "audit_chain.forget_pending",
  `delete from audit_pending where tenant = :tenant and number = any (:places::bigint[])`,
);

export async function forgetPending(tx: Tx, tenant: number, places: readonly string[]): Promise<void> {
  await tx.write(FORGET, { tenant, places });
}

export interface ChainedRow extends EntryText {
  readonly number: string;
  readonly key_number: number;
  readonly salt: Buffer | null;
  readonly details: Buffer;
  readonly hash: Buffer;
}

const READ = sql(
  "audit_chain.read",
  `select c.number::text as number, c.key_number, c.salt, c.details, c.hash, ${ENTRY}
     from audit_chain c
     join audit_log l on l.tenant = :tenant and l.id = c.entry_id
    where c.tenant = :tenant and c.number > :after::bigint
    order by c.number
    limit :limit`,
).gives<ChainedRow>();

/** A line whose entry is gone is omitted, so that its number is missing. */
export function readChain(
  reader: Reader,
  tenant: number,
  after: string,
  limit: number,
): Promise<readonly ChainedRow[]> {
  return reader.query(READ, { tenant, after, limit });
}

const UNCHAINED = sql(
  "audit_chain.unchained",
  `select l.id, l.at
     from audit_log l
    where l.tenant = :tenant
      and not exists (select from audit_chain c where c.tenant = :tenant and c.entry_id = l.id)
      and not exists (select from audit_pending p where p.tenant = :tenant and p.entry_id = l.id)
    order by l.at, l.id
    limit 100`,
).gives<{ id: string; at: Date }>();

/** Entries that are not in the chain and do not wait for it. */
export function unchainedEntries(
  reader: Reader,
  tenant: number,
): Promise<readonly { readonly id: string; readonly at: Date }[]> {
  return reader.query(UNCHAINED, { tenant });
}

const WAITING = sql(
  "audit_chain.count_pending",
  `select count(*)::integer as count from audit_pending where tenant = :tenant`,
).gives<{ count: number }>();

export async function countPending(reader: Reader, tenant: number): Promise<number> {
  return (await reader.query(WAITING, { tenant }))[0]?.count ?? 0;
}

const ERASURES = sql(
  "audit_chain.erasures",
  `select after from audit_log where tenant = :tenant and action = 'erase'`,
).gives<Pick<AuditLogRow, "after">>();

/** What the entries of erasures say, chained or not. */
export function erasures(reader: Reader, tenant: number): Promise<readonly Pick<AuditLogRow, "after">[]> {
  return reader.query(ERASURES, { tenant });
}

const TENANTS = sql(
  "audit_chain.tenants",
  `-- every tenant: the operator checks the whole log
   select l.tenant, t.id
     from (select tenant from audit_log union select tenant from audit_chain) l
     left join tenants t on t.tenant = l.tenant
    order by l.tenant`,
).gives<{ tenant: number; id: string | null }>();

/** Every tenant that has entries. Those of the operator have the number 0, which no tenant has. */
export function tenantsWithEntries(
  db: Reader,
): Promise<readonly { readonly tenant: number; readonly id: string | null }[]> {
  return db.query(TENANTS, {});
}
