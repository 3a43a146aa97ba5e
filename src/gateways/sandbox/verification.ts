/** The decision of the sandbox bank's customer about a mandate; its page is src/payment-page/sandbox-bank/. */
import type { Database } from "../../db/database.ts";
import type { TenantTime } from "../../lib/clock.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { returnUrlContext } from "./sandbox.ts";
import { answerBook, type Book } from "./store.ts";

/** Whether it is still to be decided. */
export function isUndecided(book: Book): boolean {
  return book.state === "awaiting_customer";
}

/** Where the customer goes back to, with the verification's id (docs/api.md, The sandbox). */
export function returnUrlOf({ keys }: { readonly keys: Keyring }, book: Book): URL | null {
  if (book.return_url === null) return null;
  const url = new URL(keys.open(book.tenant, returnUrlContext(book.reference), book.return_url).toString());
  url.searchParams.set("verification_id", book.verification_id ?? "");
  return url;
}

/** The first answer counts; after a fence none is accepted. */
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
