/** The SQL that erases a person from the books of an account at a bank, and from its files. */
import { sql, type Tx } from "../../db/database.ts";

const ERASE_COLLECTIONS = sql(
  "erase.sepa_collections",
  `update sepa_collections set debtor = null, debtor_name = 'erased',
          remittance = case when remittance ~* :own then 'erased' else remittance end,
          mandate_reference = case when mandate_reference ~* :own then 'ERASED' else mandate_reference end
    where tenant = :tenant and reference = any (:references::text[])`,
);

const ERASE_NEWS = sql(
  "erase.sepa_news",
  `update sepa_news set reason_message = case when reason_message is null then null else 'erased' end
    where tenant = :tenant and reference = any (:references::text[])`,
);

const ERASE_ENTRIES = sql(
  "erase.sepa_entries",
  `update sepa_entries set detail = 'erased'
    where tenant = :tenant and reference = any (:references::text[]) and detail <> ''`,
);

/** @param own the pattern of the person's names, addresses and accounts. */
export async function eraseBankBooks(
  tx: Tx,
  tenant: number,
  references: readonly string[],
  own: string,
): Promise<void> {
  await tx.write(ERASE_COLLECTIONS, { tenant, references, own });
  await tx.write(ERASE_NEWS, { tenant, references });
  await tx.write(ERASE_ENTRIES, { tenant, references });
}

const ERASE_UNMATCHED = sql(
  "erase.sepa_unmatched",
  `update sepa_unmatched set facts = :facts::jsonb, why = :why, resolution = :resolution
    where tenant = :tenant and id = :id`,
);

export async function eraseUnmatched(
  tx: Tx,
  tenant: number,
  id: string,
  said: { readonly facts: string; readonly why: string; readonly resolution: string | null },
): Promise<void> {
  await tx.write(ERASE_UNMATCHED, { tenant, id, ...said });
}

const PUT_FIRST = sql(
  "erase.sepa_file",
  "update sepa_files set content = :content where tenant = :tenant and id = :id",
);
const PUT_PIECE = sql(
  "erase.sepa_file_piece",
  `insert into sepa_file_pieces (tenant, file_id, number, content) values (:tenant, :id, :number, :content)
       on conflict (tenant, file_id, number) do update set content = excluded.content`,
);

/** Puts a piece of a file's content in place of what is there. */
export async function putPiece(
  tx: Tx,
  tenant: number,
  id: string,
  number: number,
  content: Buffer,
): Promise<void> {
  if (number === 0) await tx.write(PUT_FIRST, { tenant, id, content });
  else await tx.write(PUT_PIECE, { tenant, id, number, content });
}
