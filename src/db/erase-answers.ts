/** Stored answers that say something of a person: found by opening them, as they are sealed. */
import { answerContext } from "../lib/answer-store.ts";
import type { Keyring } from "../lib/keyring.ts";
import { sql, type Tx } from "./database.ts";

const READ = sql(
  "erase.read_answers",
  `select caller, key, answer from idempotency_keys
    where tenant = :tenant and answer is not null and (caller, key) > (:caller, :key)
    order by caller, key
    limit :limit`,
).gives<{ caller: string; key: string; answer: Buffer | null }>();

const WRITE = sql(
  "erase.write_answer",
  "update idempotency_keys set answer = :answer where tenant = :tenant and caller = :caller and key = :key",
);

const BATCH = 500;

/**
 * The key stays: a repeated request is still not run again.
 * @param without makes an answer anew, in clear; it returns the same text where nothing is said of the person.
 */
export async function eraseStoredAnswers(
  tx: Tx,
  keys: Keyring,
  tenant: number,
  without: (caller: string, answer: string) => string,
): Promise<void> {
  let after = { caller: "", key: "" };
  for (;;) {
    const rows = await tx.query(READ, { tenant, ...after, limit: BATCH });
    for (const { caller, key, answer } of rows) {
      const context = answerContext({ caller, key });
      const said = answer === null ? null : opened(keys, tenant, context, answer);
      const left = said === null ? null : without(caller, said);
      if (left !== null && left !== said)
        await tx.write(WRITE, { tenant, caller, key, answer: keys.seal(tenant, context, left) });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = { caller: last.caller, key: last.key };
  }
}

/** Null for one whose key is gone: it cannot be read at all. */
function opened(keys: Keyring, tenant: number, context: string, answer: Buffer): string | null {
  try {
    return keys.open(tenant, context, answer).toString();
  } catch {
    return null;
  }
}
