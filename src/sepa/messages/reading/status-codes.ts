/** The meaning of a pain.002 status code. */
import type { GroupStatus, StatusCode } from "./bank-records.ts";

/** `partly`: look one level deeper. `unknown`: a non-standard code, or none: look deeper, too. */
type StatusMeaning = "accepted" | "waiting" | "partly" | "rejected" | "unknown";

const MEANINGS: ReadonlyMap<string, StatusMeaning> = new Map(
  Object.entries({
    ACTC: "accepted",
    ACCP: "accepted",
    ACSP: "accepted",
    ACSC: "accepted",
    ACWC: "accepted",
    ACWP: "accepted",
    ACFC: "accepted",
    ACPD: "accepted",
    ACCC: "accepted",
    RCVD: "waiting",
    PDNG: "waiting",
    // Verification of payee: the bank has compared the name, and reports the transfer with another status.
    RCVC: "waiting",
    RVCM: "waiting",
    RVMC: "waiting",
    RVNA: "waiting",
    RVNM: "waiting",
    PART: "partly",
    RJCT: "rejected",
  } satisfies Record<string, StatusMeaning>),
);

export function meaningOfStatus(status: StatusCode | null): StatusMeaning {
  return MEANINGS.get(status ?? "") ?? "unknown";
}

/**
 * Whether a report is about orders that we send: direct debits, their reversals, and transfers of refunds. Banks spell
 * the name of the message freely, so only one that is certainly something else (a recall, a mandate) outweighs our own
 * ids.
 */
export function orderAnsweredBy(group: GroupStatus | null): "ours" | "reversals" | "other" | "not_said" {
  const name = /(?:acmt|auth|camt|pacs|pain)[._-]?\d{3}/i.exec(group?.originalMessageName ?? "")?.[0];
  if (name === undefined) return "not_said";
  if (/^pain[._-]?007$/i.test(name)) return "reversals";
  return /^pain[._-]?00[18]$/i.test(name) ? "ours" : "other";
}
