/** A person's note on a payment, in its timeline. */
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../lib/ids.ts";
import { actorOf, writeEntry, type Author } from "../../management/audit/audit.ts";
import { Refusal } from "../../refusals.ts";
import { insertNote, isCustomerErased, lockPayment } from "./store.ts";

/** In characters. */
export const NOTE_MAX = 2_000;

const SENT_BEFORE =
  "This form was sent before, and its note was saved. Write a new note on the payment's page.";

interface NoteInput {
  readonly tenant: number;
  /** As given in the path. */
  readonly transactionId: string;
  readonly text: string;
  /** Id of the note and its audit entry, so that a repeated command is recorded once. */
  readonly operationId: string;
  readonly author: Author;
}

/**
 * Writes a note. The audit log records its author but not its text, which an erasure deletes.
 * @throws Refusal not_found, customer_erased; idempotency_mismatch when the operation has written another text before.
 */
export async function writeNote(
  deps: Pick<Deps, "clock" | "db" | "time">,
  { tenant, transactionId, text, operationId: id, author }: NoteInput,
): Promise<void> {
  if (!isUuid(transactionId)) throw new Refusal("not_found");
  await deps.db.transaction(async (tx) => {
    if (!(await lockPayment(tx, tenant, transactionId))) throw new Refusal("not_found");
    if (await isCustomerErased(tx, tenant, transactionId)) throw new Refusal("customer_erased");
    const told = await insertNote(tx, {
      ...actorOf(author.caller),
      tenant,
      id,
      transaction_id: transactionId,
      text: text.trim(),
      created_at: deps.time.now(tenant),
    });
    if (told !== text.trim()) throw new Refusal("idempotency_mismatch", { detail: SENT_BEFORE });
    await writeEntry(tx, author, {
      tenant,
      id,
      at: deps.clock.now(),
      action: "update",
      resource: "transactions",
      resourceId: transactionId.toLowerCase(),
      before: null,
      after: { note: id },
    });
  });
}
