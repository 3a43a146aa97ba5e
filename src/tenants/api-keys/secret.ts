/** An API key's text: a routed secret that begins with `rk_`. */
import type { ApiKeyRow } from "../../db/rows.ts";
import { sha256, type Keyring } from "../../lib/keyring.ts";
import { secretOfEarlierOperation, secretOfOperation } from "../../lib/operation-secret.ts";
import { routedSecret } from "../routed-secret.ts";

interface NewKey {
  /** Shown once and never stored. */
  readonly text: string;
  readonly hash: Buffer;
  /** What a list shows, to tell keys apart. */
  readonly prefix: string;
}

/** What an API key begins with. */
export const KEY_PREFIX = "rk_";
const SHOWN_LENGTH = 10;
const PURPOSE = "api-key";

/** The key that an operation gives, however often it runs. */
export function keyOfOperation(keys: Keyring, tenant: number, operationId: string): NewKey {
  return keyOf(tenant, secretOfOperation(keys, { purpose: PURPOSE, tenant, operationId }));
}

/**
 * The text to show for an operation that has run before.
 * @param row the key's record; where it has been rotated since, the text is what it is and opens nothing.
 */
export function secretGivenBefore(
  keys: Keyring,
  tenant: number,
  operationId: string,
  row: Pick<ApiKeyRow, "hash" | "previous_hash">,
): string {
  const isKept = (secret: Buffer): boolean => {
    const { hash } = keyOf(tenant, secret);
    return hash.equals(row.hash) || row.previous_hash?.equals(hash) === true;
  };
  const giving = { purpose: PURPOSE, tenant, operationId } as const;
  return keyOf(tenant, secretOfEarlierOperation(keys, giving, isKept)).text;
}

function keyOf(tenant: number, secret: Buffer): NewKey {
  const text = routedSecret(KEY_PREFIX, tenant, secret);
  return { text, hash: sha256(text), prefix: text.slice(0, SHOWN_LENGTH) };
}
