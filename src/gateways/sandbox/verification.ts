/** The sandbox customer's decision about a mandate; the page is src/payment-page/sandbox-bank/. */
import type { Database } from "../../db/database.ts";
import type { TenantTime } from "../../lib/clock.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { returnUrlContext } from "./sandbox.ts";
import { answerBook, type Book } from "./store.ts";

/** Whether it has not been decided yet. */
export function isUndecided(book: Book): boolean {
  return book.state === "awaiting_customer";
}

/** The URL that the customer returns to, with the verification's id (docs/api.md, The sandbox). */
export function returnUrlOf({ keys }: { readonly keys: Keyring }, book: Book): URL | null {
  if (book.return_url === null) return null;
  const url = new URL(keys.open(book.tenant, returnUrlContext(book.reference), book.return_url).toString());
  url.searchParams.set("verification_id", book.verification_id ?? "");
  return url;
}

/** Records the answer. Only the first one counts; after a fence none does. */
export async function answerVerification(
  { db, time }: { readonly db: Database; readonly time: TenantTime },
  book: Book,
  decision: "confirm" | "refuse",
): Promise<void> {
  const account = { tenant: book.tenant, gatewayId: book.gateway_id };
  await answerBook(db, account, book.reference, {
    verificationId: book.verification_id,
    refuses: decision === "refuse",
    now: time.now(book.tenant),
  });
}
