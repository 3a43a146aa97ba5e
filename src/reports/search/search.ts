/** Searches a text everywhere: references, customers, accounts, amounts. */
import type { Reader } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { shownStatus } from "../../payments/transaction.ts";
import {
  byAccount,
  byAmount,
  byEmail,
  byId,
  byLast4,
  byName,
  byNames,
  byPayer,
  byReference,
  type FoundRow,
} from "./store.ts";
import { searchTerms } from "./terms.ts";

/**
 * What a text may refer to for this tenant: exact matches first, then prefixes and amounts. At most ten of each kind. A
 * whole IBAN is compared by its fingerprint.
 */
export async function search(
  { db, keys }: Pick<Deps, "keys"> & { readonly db: Reader },
  tenant: number,
  text: string,
): Promise<readonly FoundRow[]> {
  const { iban, uuid, reference, emailStart, names, last4, payer, amount } = searchTerms(text);
  const [first, second] = names ?? [];
  const meanings = [
    iban !== null && byAccount(db, tenant, keys.fingerprints(tenant, iban)),
    uuid !== null && byId(db, tenant, uuid),
    reference !== null && byReference(db, tenant, reference),
    emailStart !== null && byEmail(db, tenant, emailStart),
    first !== undefined &&
      (second === undefined ? byName(db, tenant, first) : byNames(db, tenant, first, second)),
    last4 !== null && byLast4(db, tenant, last4),
    payer !== null && byPayer(db, tenant, payer),
    amount !== null && byAmount(db, tenant, amount),
  ].filter((found) => found !== false);
  const all = (await Promise.all(meanings)).flat();
  const once = new Map(all.map((row) => [`${row.kind}:${row.id}`, row]));
  return [...once.values()].map((row) => ({ ...row, status: row.status && shownStatus(row.status) }));
}
