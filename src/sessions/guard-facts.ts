/** The session's data in the event of a guard that stopped its payment. Pure. */
import type { Deps } from "../deps.ts";
import { livemode } from "../payments/transaction.ts";
import type { RecordFacts } from "../webhooks/events.ts";
import type { AttemptRow } from "./attempt-store.ts";

export function factsOf(deps: Pick<Deps, "environment">, session: AttemptRow): RecordFacts {
  return {
    livemode: livemode(deps, session),
    tenantReferenceId: session.tenant_reference_id,
    orderNumber: session.order_number,
    metadata: session.metadata,
  };
}
