/** An API key's text: a routed secret that begins with `rk_`. */
import type { ApiKeyRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import { sha256, type Keyring } from "../../lib/keyring.ts";
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

/**
 * The key that an operation gives: the same one however often it runs, so that a run whose answer was lost and one that
 * repeats it show the same, and neither ends what the other has shown.
 * @param operationId drawn once per operation; without the master key it says nothing about the key.
 */
export function keyOfOperation(
  keys: Keyring,
  tenant: number,
  operationId: string,
  masterKeyId: number = keys.currentKeyId,
): NewKey {
  const secret = must(
    keys.mac(masterKeyId, "api-key", `${tenant}:${operationId}`),
    "a master key that is held",
  );
  const text = routedSecret(KEY_PREFIX, tenant, secret);
  return { text, hash: sha256(text), prefix: text.slice(0, SHOWN_LENGTH) };
}

/**
 * The text to show for an operation that has run before: made under the master key of that time, which may be the
 * previous one by now.
 * @param row the key's record; where it has been rotated since, the text is what it is and opens nothing.
 */
export function secretGivenBefore(
  keys: Keyring,
  tenant: number,
  operationId: string,
  row: Pick<ApiKeyRow, "hash" | "previous_hash">,
): string {
  const given = keys.keyIds
    .map((masterKeyId) => keyOfOperation(keys, tenant, operationId, masterKeyId))
    .find(({ hash }) => hash.equals(row.hash) || row.previous_hash?.equals(hash) === true);
  return (given ?? keyOfOperation(keys, tenant, operationId)).text;
}
