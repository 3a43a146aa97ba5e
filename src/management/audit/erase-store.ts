/** The only way in which an entry of the audit log changes: through a function of the tables' owner. */
import { sql, type Tx } from "../../db/database.ts";

const ERASE = sql(
  "audit_log.erase",
  "select erase_audit_entry(:tenant, :id, :before::jsonb, :after::jsonb) as erased",
);

/** The caller holds the chain (`lockChain`), and writes an entry that names this one. */
export async function eraseEntry(
  tx: Tx,
  tenant: number,
  id: string,
  before: unknown,
  after: unknown,
): Promise<void> {
  const text = (value: unknown) => (value === null ? null : JSON.stringify(value));
  await tx.write(ERASE, { tenant, id, before: text(before), after: text(after) });
}
