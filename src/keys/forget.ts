/** Gives up a lost master key: the service starts without it, and without what it sealed. */
import type { Database } from "../db/database.ts";
import { keyName } from "../lib/keyring.ts";
import { KeyError, keyLabel } from "./register.ts";
import { readKeys, setDropped } from "./store.ts";

/**
 * Marks the key as lost.
 * @param given a key's name or number.
 * @throws KeyError when there is no such key, or it is available.
 */
export async function forgetKey(
  db: Database,
  secrets: readonly Buffer[],
  given: string,
  now: Date,
): Promise<string> {
  const row = (await readKeys(db)).find(({ name, number }) => name === given || String(number) === given);
  if (row === undefined) throw new KeyError(`This database knows no master key ${given}.`);
  if (secrets.some((secret) => keyName(secret) === row.name))
    throw new KeyError(`${keyLabel(row)} is in MASTER_KEYS: take it out first.`);
  await setDropped(db, row.number, now);
  return `The service starts without ${keyLabel(row)}. What it has sealed cannot be read.`;
}
