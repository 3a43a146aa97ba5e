/** A crash after the work was committed and before its answer was stored. */
import assert from "node:assert/strict";
import type { Service } from "./service.ts";

/** Forgets the stored answer, so that the same Idempotency-Key runs the operation again. */
export async function loseAnswer(service: Pick<Service, "rows">, key: string): Promise<void> {
  const lost = await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = '2000-01-01' where key = $1 returning key",
    [key],
  );
  assert.equal(lost.length, 1, `there is no answer under ${key}`);
}
