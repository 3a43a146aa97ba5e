/** The SQL of unmatched entries, which only a person can resolve. */
import { sql, type Reader, type Tx } from "../../../db/database.ts";
import { listed } from "../../../db/lists.ts";
import type { SepaUnmatchedRow } from "../../../db/rows.ts";
import type { SepaCollection } from "../books-store.ts";
import type { Window } from "../../../lib/window.ts";
import { centsFromDatabase, type Cents } from "../../../lib/money.ts";

export type UnmatchedRow = SepaUnmatchedRow;

export interface NewUnmatched extends Pick<
  SepaUnmatchedRow,
  "id" | "entry" | "kind" | "why" | "amount" | "bank_fee" | "booked_on" | "identity"
> {
  readonly facts: object;
}

const INSERT = sql(
  "sepa_unmatched.insert",
  `insert into sepa_unmatched (tenant, id, gateway_id, file_id, entry, kind, why, amount, bank_fee, booked_on, facts, identity, created_at)
   select :tenant, u.id, :gatewayId, :fileId, u.entry, u.kind, u.why, u.amount, u.bank_fee, u.booked_on, u.facts, u.identity, :now
     from jsonb_to_recordset(:all::jsonb) as u
       (id uuid, entry integer, kind text, why text, amount numeric, bank_fee numeric, booked_on date, facts jsonb, identity text)
       on conflict (tenant, identity) do nothing
   returning entry`,
).gives<{ entry: number }>();

/** Inserts those that no earlier file contained. Returns their numbers. */
export async function insertUnmatched(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  fileId: string,
  all: readonly NewUnmatched[],
  now: Date,
): Promise<ReadonlySet<number>> {
  const rows = await tx.write(INSERT, { tenant, gatewayId, fileId, all: JSON.stringify(all), now });
  return new Set(rows.map(({ entry }) => entry));
}

const FIND_APPLIED = sql(
  "sepa_unmatched.find_applied",
  `select identity from sepa_unmatched
    where tenant = :tenant and identity = any (:identities::text[]) and status = 'applied' and facts -> 'another' is null`,
).gives<{ identity: string }>();

/** Those of the identities whose entry a person has applied, unless it repeated a line of its file. */
export async function findApplied(
  tx: Tx,
  tenant: number,
  identities: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query(FIND_APPLIED, { tenant, identities });
  return new Set(rows.map(({ identity }) => identity));
}

const FIND = sql(
  "sepa_unmatched.find",
  "select * from sepa_unmatched where tenant = :tenant and id = :id",
).gives<UnmatchedRow>();

export async function findUnmatched(db: Reader, tenant: number, id: string): Promise<UnmatchedRow | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

const LOCK = sql(
  "sepa_unmatched.lock",
  "select * from sepa_unmatched where tenant = :tenant and id = :id for update",
).gives<UnmatchedRow>();

export async function lockUnmatched(tx: Tx, tenant: number, id: string): Promise<UnmatchedRow | null> {
  return (await tx.query(LOCK, { tenant, id }))[0] ?? null;
}

const RESOLVE = sql(
  "sepa_unmatched.resolve",
  `update sepa_unmatched
      set status = :status, reference = :reference, resolution = :note, bank_fee = coalesce(:bankFee::numeric, bank_fee), target = :target::jsonb,
          resolved_at = case when :status <> 'part' then :now::timestamptz end
    where tenant = :tenant and id = :id and status in ('open', 'part')`,
);

export async function writeResolution(
  tx: Tx,
  tenant: number,
  id: string,
  to: {
    readonly status: "applied" | "part" | "dismissed";
    readonly reference: string | null;
    readonly note: string | null;
    /** With two decimals. */
    readonly bankFee: string | null;
    readonly target: EntryTarget | null;
  },
  now: Date,
): Promise<void> {
  const target = to.target === null ? null : JSON.stringify(to.target);
  await tx.write(RESOLVE, {
    tenant,
    id,
    status: to.status,
    reference: to.reference,
    note: to.note,
    bankFee: to.bankFee,
    target,
    now,
  });
}

/** The target of an entry, in the same form for the same collections. */
export type EntryTarget =
  | { readonly block: string }
  | { readonly file: string }
  /** Sorted. */
  | { readonly references: readonly string[] };

const PARTS = sql(
  "sepa_unmatched.parts",
  `select (amount + coalesce(bank_fee, 0))::numeric(14,2)::text as amount from sepa_unmatched
    where tenant = :tenant and target = :target::jsonb and status = 'part' and id <> :but
    order by id
      for update`,
).gives<{ amount: string }>();

/**
 * The recorded parts of a target, including fees.
 * @param but the entry that is being decided.
 */
export async function findParts(
  tx: Tx,
  tenant: number,
  target: EntryTarget,
  but: string,
): Promise<readonly Cents[]> {
  const rows = await tx.query(PARTS, { tenant, target: JSON.stringify(target), but });
  return rows.map(({ amount }) => centsFromDatabase(amount));
}

const PARTS_BECOME = sql(
  "sepa_unmatched.mark_parts",
  `update sepa_unmatched set status = :status, resolved_at = :now
    where tenant = :tenant and target = :target::jsonb and status = 'part'`,
);

/** Marks all parts of a target as settled. */
export async function markParts(
  tx: Tx,
  tenant: number,
  target: EntryTarget,
  status: "applied",
  now: Date,
): Promise<void> {
  await tx.write(PARTS_BECOME, { tenant, target: JSON.stringify(target), status, now });
}

const LOCK_TARGET = sql(
  "sepa_unmatched.lock_target",
  `select * from sepa_collections
    where tenant = :tenant and gateway_id = any (:gatewayIds::uuid[]) and (block_id = :blockId or file_id = :fileId or file_id in (
            select f.id from sepa_files f
             where f.tenant = :tenant and f.gateway_id = any (:gatewayIds::uuid[]) and f.message_id = :messageId and f.direction = 'out'))
      and (refund_of is null or :refundsToo)
    order by reference
      for update`,
).gives<SepaCollection>();

/** Locks the collections of a block or file, and its refunds where they are included, until the transaction ends. */
export function lockTarget(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  named: {
    readonly blockId: string | null;
    readonly fileId: string | null;
    /** The message id, where a file is named. */
    readonly messageId: string | null;
    readonly refundsToo: boolean;
  },
): Promise<readonly SepaCollection[]> {
  return tx.query(LOCK_TARGET, { tenant, gatewayIds, ...named });
}

const LISTED = `select * from sepa_unmatched u where u.tenant = :tenant and (:status::text is null or u.status = :status)`;
const LIST = listed("sepa_unmatched.list", LISTED, ["u.created_at", "u.id"], {
  plannedByValues: true,
}).gives<UnmatchedRow>();

export function listUnmatched(
  db: Reader,
  tenant: number,
  status: string | null,
  { towards, at, id, limit }: Window,
): Promise<readonly UnmatchedRow[]> {
  return db.query(LIST[towards], { tenant, at, id, limit, status });
}

const REFERENCES_OF = sql(
  "sepa_unmatched.references_of",
  "select merchant_transaction_id as reference from transactions where tenant = :tenant and id = any (:transactionIds::uuid[])",
).gives<{ reference: string }>();

/** The end-to-end ids of these transactions, at any gateway. */
export async function findEndToEndIds(
  db: Reader,
  tenant: number,
  transactionIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await db.query(REFERENCES_OF, { tenant, transactionIds });
  return rows.map(({ reference }) => reference);
}
