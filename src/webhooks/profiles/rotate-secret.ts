/** Replaces a profile's signing secret (contract: Rotation of signing secrets). */
import { changeRecord, type Target } from "../../management/resource-write.ts";
import type { RecordDeps } from "../../management/resource.ts";
import { generatedSecret, replacedSecret, secretGeneratedBefore, webhookProfileKind } from "./profile.ts";
import type { ListedProfileRow } from "./profile-store.ts";

interface Rotated {
  readonly row: ListedProfileRow;
  /** The secret of this rotation, to be shown this once. */
  readonly secret: string;
}

/**
 * Rotates the secret, once: a repeated operation changes nothing and shows the same secret.
 * @param given the merchant's own; null for a generated one.
 * @throws Refusal not_found, record_in_use.
 */
export async function rotateSecret(deps: RecordDeps, target: Target, given: string | null): Promise<Rotated> {
  const { tenant, operationId } = target;
  const row = await changeRecord(deps, webhookProfileKind, target, "rotate_secret", async (write, before) => {
    // Its secret may be in use, or be replaced by now.
    if (write.repeated) return before;
    const secret = given ?? generatedSecret(deps, tenant, operationId);
    const after = { ...before, ...replacedSecret(write, secret, before) };
    return webhookProfileKind.store.update(write.tx, after, write.now);
  });
  return { row, secret: given ?? secretGeneratedBefore(deps, operationId, row) };
}
