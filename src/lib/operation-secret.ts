/** The secret that an operation gives: derived from its id, so that a repetition shows the one that was lost. */
import { must } from "./assert.ts";
import type { Keyring, MacPurpose } from "./keyring.ts";

/** The operation that gives a secret, and what the secret is for. */
interface Giving {
  readonly purpose: MacPurpose;
  readonly tenant: number;
  /** Drawn once per operation; without the master key it says nothing about the secret. */
  readonly operationId: string;
}

/**
 * 32 bytes: the same ones however often the operation runs under this master key, so that a run whose answer was lost
 * and one that repeats it show the same, and neither ends what the other has shown.
 */
export function secretOfOperation(keys: Keyring, giving: Giving): Buffer {
  return must(secretUnder(keys, keys.currentKeyId, giving), "the current master key");
}

/**
 * The secret of an operation that has run before: made under the master key of that time, which may be a previous one
 * by now.
 * @param isKept whether the record still has it; where it no longer has any, the current key's is returned, which opens
 * nothing.
 */
export function secretOfEarlierOperation(
  keys: Keyring,
  giving: Giving,
  isKept: (secret: Buffer) => boolean,
): Buffer {
  return secretsOfOperation(keys, giving).find(isKept) ?? secretOfOperation(keys, giving);
}

/** What an operation gives, or has given before: the secrets under all master keys, the current one's first. */
export function secretsOfOperation(keys: Keyring, giving: Giving): readonly Buffer[] {
  return keys.keyIds
    .map((masterKeyId) => secretUnder(keys, masterKeyId, giving))
    .filter((secret) => secret !== null);
}

/** Null for a retired key whose message keys were stored before this purpose existed. */
function secretUnder(
  keys: Keyring,
  masterKeyId: number,
  { purpose, tenant, operationId }: Giving,
): Buffer | null {
  return keys.mac(masterKeyId, purpose, `${tenant}:${operationId}`);
}
