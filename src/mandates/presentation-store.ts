/** The SQL of signed presentations from wallets. */
import { sql, type Reader, type Tx } from "../db/database.ts";

const WRITE = sql(
  "mandates.write_presentation",
  `update mandates
      set wallet_presentation = :sealed, wallet_presentation_format = :format, wallet_presentation_sha256 = :digest,
          wallet_presentation_at = :now, updated_at = :now
    where tenant = :tenant and id = :id`,
);

export async function writePresentation(
  tx: Tx,
  tenant: number,
  id: string,
  given: { readonly sealed: Buffer; readonly format: string; readonly digest: string; readonly now: Date },
): Promise<void> {
  await tx.write(WRITE, { tenant, id, ...given });
}

const FIND = sql(
  "mandates.find_presentation",
  "select wallet_presentation from mandates where tenant = :tenant and id = :id",
).gives<{ wallet_presentation: Buffer | null }>();

/** Sealed; null without one, or if its customer was erased. */
export async function findPresentation(reader: Reader, tenant: number, id: string): Promise<Buffer | null> {
  return (await reader.query(FIND, { tenant, id }))[0]?.wallet_presentation ?? null;
}
