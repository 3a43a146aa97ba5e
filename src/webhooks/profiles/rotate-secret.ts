/** Replaces a profile's signing secret (contract: Rotation of signing secrets). */
import { changeRecord, type Target } from "../../management/resource-write.ts";
import type { RecordDeps } from "../../management/resource.ts";
import { generatedSecret, replacedSecret, webhookProfileKind } from "./profile.ts";
import type { ListedProfileRow } from "./profile-store.ts";

/**
 * Rotates the secret.
 * @param given the merchant's own; null for a generated one.
 * @throws Refusal not_found, record_in_use.
 */
export function rotateSecret(
  deps: RecordDeps,
  target: Target,
  given: string | null,
): Promise<ListedProfileRow> {
  return changeRecord(deps, webhookProfileKind, target, "rotate_secret", (write, before) => {
    const replaced = replacedSecret(write, given ?? generatedSecret(deps), before);
    // A repeated operation replaces the secret that was never shown, and the one in use keeps its day.
    const { previous_signing_secret, previous_signing_secret_until } = write.repeated ? before : replaced;
    const after = { ...before, ...replaced, previous_signing_secret, previous_signing_secret_until };
    return webhookProfileKind.store.update(write.tx, after, write.now);
  });
}
