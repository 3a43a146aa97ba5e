/** The SQL of what only a person can decide. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { SepaUnmatchedRow } from "../db/rows.ts";
import type { Window } from "../http/paging.ts";

export type UnmatchedRow = SepaUnmatchedRow;

export interface NewUnmatched extends Pick<
  SepaUnmatchedRow,
  "id" | "entry" | "kind" | "why" | "amount" | "bank_fee" | "booked_on"
> {
  readonly facts: object;
}

const INSERT = sql(
  "sepa_unmatched.insert",
  `insert into sepa_unmatched (tenant, id, gateway_id, file_id, entry, kind, why, amount, bank_fee, booked_on, facts, created_at)
   select $1, u.id, $2, $3, u.entry, u.kind, u.why, u.amount, u.bank_fee, u.booked_on, u.facts, $5
     from jsonb_to_recordset($4::jsonb) as u
       (id uuid, entry integer, kind text, why text, amount numeric, bank_fee numeric, booked_on date, facts jsonb)`,
);

export async function insertUnmatched(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  fileId: string,
  all: readonly NewUnmatched[],
  now: Date,
): Promise<void> {
  if (all.length > 0) await tx.write(INSERT, [tenant, gatewayId, fileId, JSON.stringify(all), now]);
}

const FIND = sql("sepa_unmatched.find", "select * from sepa_unmatched where tenant = $1 and id = $2");

export async function findUnmatched(db: Reader, tenant: number, id: string): Promise<UnmatchedRow | null> {
  return (await db.query<UnmatchedRow>(FIND, [tenant, id]))[0] ?? null;
}

const LOCK = sql(
  "sepa_unmatched.lock",
  "select * from sepa_unmatched where tenant = $1 and id = $2 for update",
);

export async function lockUnmatched(tx: Tx, tenant: number, id: string): Promise<UnmatchedRow | null> {
  return (await tx.query<UnmatchedRow>(LOCK, [tenant, id]))[0] ?? null;
}

const RESOLVE = sql(
  "sepa_unmatched.resolve",
  `update sepa_unmatched set status = $3, reference = $4, resolution = $5, resolved_at = $6
    where tenant = $1 and id = $2 and status = 'open'`,
);

export async function writeResolution(
  tx: Tx,
  tenant: number,
  id: string,
  to: {
    readonly status: "applied" | "dismissed";
    readonly reference: string | null;
    readonly note: string | null;
  },
  now: Date,
): Promise<void> {
  await tx.write(RESOLVE, [tenant, id, to.status, to.reference, to.note, now]);
}

const LISTED = `select * from sepa_unmatched u where u.tenant = $1 and ($5::text is null or u.status = $5)`;
const LIST = {
  older: sql(
    "sepa_unmatched.list_older",
    `${LISTED} and (u.created_at, u.id) < ($2, $3::uuid) order by u.created_at desc, u.id desc limit $4`,
  ),
  newer: sql(
    "sepa_unmatched.list_newer",
    `${LISTED} and (u.created_at, u.id) > ($2, $3::uuid) order by u.created_at, u.id limit $4`,
  ),
};

export function listUnmatched(
  db: Reader,
  tenant: number,
  status: string | null,
  { towards, at, id, limit }: Window,
): Promise<readonly UnmatchedRow[]> {
  return db.query<UnmatchedRow>(LIST[towards], [tenant, at, id, limit, status]);
}

const REFERENCE_OF = sql(
  "sepa_unmatched.reference_of",
  "select gateway_id, merchant_transaction_id from transactions where tenant = $1 and id = $2",
);

/** The end-to-end id of a transaction, and its gateway. */
export async function findReference(
  db: Reader,
  tenant: number,
  transactionId: string,
): Promise<{ readonly gateway_id: string; readonly merchant_transaction_id: string } | null> {
  const rows = await db.query<{ gateway_id: string; merchant_transaction_id: string }>(REFERENCE_OF, [
    tenant,
    transactionId,
  ]);
  return rows[0] ?? null;
}
