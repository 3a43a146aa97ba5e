/** An attempt as work that is taken up again: in the trace that it began in, under the names that logs know it by. */
import type { continuing } from "../../lib/trace.ts";

interface TracedRow {
  readonly merchant_transaction_id: string;
  readonly session_id: string | null;
  readonly traceparent: string | null;
}

/** For `continuing`. */
export function attemptAsWork(
  name: string,
  tenant: number,
  { merchant_transaction_id, session_id, traceparent }: TracedRow,
): Parameters<typeof continuing>[0] {
  const subject = { tenant, merchant_transaction_id, ...(session_id === null ? {} : { session_id }) };
  return { name, parent: traceparent, subject };
}
