/** Erases a person from stored responses. They are sealed, so all that may concern the person are opened. */
import { answerContext } from "../lib/answer-store.ts";
import type { Keyring } from "../lib/keyring.ts";
import { sql, type Tx } from "./database.ts";

const CALLERS = sql(
  "erase.answer_callers",
  `select 'key:' || k.id as caller from api_keys k where k.tenant = :tenant
    union all
   select 'person:' || p.id from people p where p.tenant = :tenant`,
).gives<{ caller: string }>();

const READ = sql(
  "erase.read_answers",
  `select key, answer from idempotency_keys
    where tenant = :tenant and caller = :caller and key > :after and answer is not null
    order by key
    limit :limit`,
).gives<{ key: string; answer: Buffer | null }>();

const WRITE = sql(
  "erase.write_answer",
  "update idempotency_keys set answer = :answer where tenant = :tenant and caller = :caller and key = :key",
);

const BATCH = 500;

/**
 * The key stays: a repeated request is still not run again. Responses to sessions of other customers, which are the
 * majority, only concern those and are not read.
 * @param sessions the person's.
 * @param without rewrites an unsealed response; returns it unchanged if it says nothing about the person.
 */
export async function eraseStoredAnswers(
  tx: Tx,
  keys: Keyring,
  tenant: number,
  sessions: readonly string[],
  without: (caller: string, answer: string) => string,
): Promise<void> {
  const callers = (await tx.query(CALLERS, { tenant })).map(({ caller }) => caller);
  for (const caller of [...sessions.map((session) => `session:${session}`), ...callers])
    await eraseAnswersOf(tx, keys, tenant, caller, (answer) => without(caller, answer));
}

async function eraseAnswersOf(
  tx: Tx,
  keys: Keyring,
  tenant: number,
  caller: string,
  without: (answer: string) => string,
): Promise<void> {
  let after = "";
  for (;;) {
    const rows = await tx.query(READ, { tenant, caller, after, limit: BATCH });
    for (const { key, answer } of rows) {
      const context = answerContext({ caller, key });
      const said = answer === null ? null : opened(keys, tenant, context, answer);
      const left = said === null ? null : without(said);
      if (left !== null && left !== said)
        await tx.write(WRITE, { tenant, caller, key, answer: keys.seal(tenant, context, left) });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.key;
  }
}

/** Null if its key is gone: it cannot be read at all. */
function opened(keys: Keyring, tenant: number, context: string, answer: Buffer): string | null {
  try {
    return keys.open(tenant, context, answer).toString();
  } catch {
    return null;
  }
}
