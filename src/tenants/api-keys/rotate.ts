/** Rotation and revocation of API keys. */
import type { ApiKeyRow } from "../../db/rows.ts";
import { later, SECOND_MS } from "../../lib/clock.ts";
import { Refusal } from "../../refusals.ts";
import { changeRecord, type Target } from "../../management/resource-write.ts";
import type { RecordDeps } from "../../management/resource.ts";
import { apiKeyKind } from "./api-key.ts";
import type { IssuedKey } from "./issue.ts";
import { grantorOf, mayRotate } from "./granting.ts";
import { keyOfOperation, secretGivenBefore } from "./secret.ts";

/**
 * Replaces the key under the same id; the old one works for the overlap. A key that an earlier rotation had left
 * working ends now.
 * @throws Refusal record_in_use when the key is archived, revoked or expired; scope_missing when it may do more than
 * the key that asks.
 */
export async function rotateKey(
  deps: RecordDeps,
  target: Target,
  overlapSeconds: number,
): Promise<IssuedKey> {
  const { hash, prefix } = keyOfOperation(deps.keys, target.tenant, target.operationId);
  const row = await changeRecord(deps, apiKeyKind, target, "rotate", async (write, before) => {
    const { tx, now, repeated } = write;
    if (!mayRotate(await grantorOf(write), before)) {
      throw new Refusal("scope_missing", {
        detail:
          "The key to rotate has more scopes or expires later than this API key. Rotate it with that key.",
      });
    }
    refuseDead(before, now);
    // Run again, it changes nothing: the key that it has given may be in use, or be replaced by now.
    if (repeated) return before;
    const previous = previousKey(before, overlapSeconds, now);
    return apiKeyKind.store.update(tx, { ...before, hash, prefix, ...previous }, now);
  });
  return { row, text: secretGivenBefore(deps.keys, target.tenant, target.operationId, row) };
}

/** Ends the key, and the one before it, at once; a key that is revoked stays as it is. */
export function revokeKey(deps: RecordDeps, target: Target): Promise<ApiKeyRow> {
  return changeRecord(deps, apiKeyKind, target, "revoke", async ({ tx, now }, before) =>
    before.revoked_at === null ? apiKeyKind.store.update(tx, { ...before, revoked_at: now }, now) : before,
  );
}

function refuseDead({ revoked_at, expires_at }: ApiKeyRow, now: Date): void {
  if (revoked_at !== null) throw new Refusal("record_in_use", { detail: "This API key is revoked." });
  if (expires_at !== null && expires_at <= now) {
    throw new Refusal("record_in_use", {
      detail: "This API key has expired. Set a new expires_at first.",
    });
  }
}

function previousKey({ hash }: ApiKeyRow, overlapSeconds: number, now: Date) {
  if (overlapSeconds === 0) return { previous_hash: null, previous_expires_at: null };
  return { previous_hash: hash, previous_expires_at: later(now, overlapSeconds * SECOND_MS) };
}
