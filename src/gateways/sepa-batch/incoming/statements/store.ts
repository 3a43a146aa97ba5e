/** The SQL of the statements that were read and of the gaps between them. */
import { sql, type Reader, type Tx } from "../../../../db/database.ts";
import { listed } from "../../../../db/lists.ts";
import type { SepaStatementRow } from "../../../../db/rows.ts";
import type { Window } from "../../../../lib/window.ts";

export type NewStatement = Pick<
  SepaStatementRow,
  "id" | "iban" | "ends_on" | "sequence" | "statement_id" | "opening" | "closing"
>;

const INSERT = sql(
  "sepa_statements.insert",
  `insert into sepa_statements (tenant, id, gateway_id, file_id, iban, ends_on, sequence, statement_id, opening, closing, created_at)
   select :tenant, s.id, :gatewayId, :id, s.iban, s.ends_on, s.sequence, s.statement_id, s.opening, s.closing, :now
     from jsonb_to_recordset(:all::jsonb) as s
       (id uuid, iban text, ends_on date, sequence bigint, statement_id text, opening numeric, closing numeric)`,
);

export async function insertStatements(
  tx: Tx,
  tenant: number,
  file: { readonly gatewayId: string; readonly id: string },
  all: readonly NewStatement[],
  now: Date,
): Promise<void> {
  await tx.write(INSERT, { tenant, gatewayId: file.gatewayId, id: file.id, all: JSON.stringify(all), now });
}

const CHAIN = sql(
  "sepa_statements.chain",
  `select * from sepa_statements
    where tenant = :tenant and iban = :iban
      and ends_on >= coalesce((select max(ends_on) from sepa_statements where tenant = :tenant and iban = :iban and ends_on < :since::date), :since::date)`,
).gives<SepaStatementRow>();

/** The statements of an account since a day, and those of the last day before it that has any. */
export function findChain(
  tx: Tx,
  tenant: number,
  iban: string,
  since: string,
): Promise<readonly SepaStatementRow[]> {
  return tx.query(CHAIN, { tenant, iban, since });
}

const WRITE_GAPS = sql(
  "sepa_statements.write_gaps",
  `update sepa_statements s set gap = g.gap
     from jsonb_to_recordset(:gaps::jsonb) as g (id uuid, gap text)
    where s.tenant = :tenant and s.id = g.id`,
);

export async function writeGaps(
  tx: Tx,
  tenant: number,
  gaps: readonly { readonly id: string; readonly gap: string | null }[],
): Promise<void> {
  if (gaps.length > 0) await tx.write(WRITE_GAPS, { tenant, gaps: JSON.stringify(gaps) });
}

const LISTED = `
  select * from sepa_statements s
   where s.tenant = :tenant and (:gap::boolean is null or (s.gap is not null) = :gap) and (:gatewayId::uuid is null or s.gateway_id = :gatewayId)`;
const LIST = listed("sepa_statements.list", LISTED, ["s.created_at", "s.id"], {
  plannedByValues: true,
}).gives<SepaStatementRow>();

/**
 * Lists statements.
 * @param gap true: only those after a gap; false: only the others; null: all.
 */
export function listStatements(
  db: Reader,
  tenant: number,
  { gap, gatewayId }: { readonly gap: boolean | null; readonly gatewayId: string | null },
  { towards, at, id, limit }: Window,
): Promise<readonly SepaStatementRow[]> {
  return db.query(LIST[towards], { tenant, at, id, limit, gap, gatewayId });
}
