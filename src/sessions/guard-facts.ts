/** What the event of a guard says of the session whose payment was stopped. Pure. */
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
