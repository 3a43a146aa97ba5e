/** Suggests payments that an unmatched entry may be about, with the action for each. */
import type { Reader } from "../../../db/database.ts";
import { addDays, utcDate } from "../../../lib/dates.ts";
import { findFileScope } from "../files-store.ts";
import type { ResolveInput } from "./resolve.ts";
import { unmatchedNames } from "./schemas.ts";
import type { UnmatchedRow } from "./store.ts";
import { findCandidates, type Candidate } from "./suggest-store.ts";

const SUGGESTIONS_MAX = 10;
/** How many days before the booking a payment's file may have been written, for a suggestion by amount alone. */
const DAYS_BEFORE = 70;

export interface Suggestion extends Candidate {
  /** The action of a resolution that names this transaction. */
  readonly action: Extract<ResolveInput["action"], "apply" | "reinstate">;
  /** Whether the difference has to be accepted, or explained by the bank's fee. */
  readonly amount_differs: boolean;
}

/** At most ten suggestions, most likely first. */
export async function suggest(db: Reader, tenant: number, row: UnmatchedRow): Promise<readonly Suggestion[]> {
  const { gatewayIds } = await findFileScope(db, tenant, row.gateway_id);
  const { references, mandateReference } = unmatchedNames(row);
  const booked = row.booked_on ?? utcDate(row.created_at);
  const found = await findCandidates(db, tenant, gatewayIds, {
    references,
    mandate: mandateReference,
    amount: row.amount,
    booked,
    from: addDays(booked, -DAYS_BEFORE),
    before: addDays(booked, 1),
    refunds: row.kind === "transfer",
    limit: SUGGESTIONS_MAX,
  });
  return found.map((candidate) => ({
    ...candidate,
    action: actionFor(row.kind, candidate.state),
    amount_differs: row.amount !== null && row.amount !== candidate.amount,
  }));
}

/**
 * The action for an entry of this kind about a collection in this state. Money of one that the bank had rejected or
 * returned, or that ended when its file was withdrawn, reinstates it.
 */
export function actionFor(kind: string, state: string): Suggestion["action"] {
  if (kind === "withdrawn_return") return "reinstate";
  const isMoney = kind === "collection" || kind === "block";
  return isMoney && ["rejected", "returned", "fenced"].includes(state) ? "reinstate" : "apply";
}
