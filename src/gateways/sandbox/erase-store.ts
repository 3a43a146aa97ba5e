/** The SQL that erases a person from the sandbox's books. */
import { sql, type Tx } from "../../db/database.ts";

const ERASE_BOOKS = sql(
  "erase.sandbox_books",
  `update sandbox_books set iban_last4 = 'XXXX', return_url = null,
          answer_message = case when answer_message ~* :own then 'erased' else answer_message end,
          mandate_reference = case when mandate_reference ~* :own then 'ERASED' else mandate_reference end
    where tenant = :tenant and reference = any (:references::text[])`,
);

export async function eraseSandboxBooks(
  tx: Tx,
  tenant: number,
  references: readonly string[],
  own: string,
): Promise<void> {
  await tx.write(ERASE_BOOKS, { tenant, references, own });
}
