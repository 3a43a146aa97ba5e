/** The meaning of a pain.002 status code. */
import type { GroupStatus, StatusCode } from "./bank-records.ts";

/** `partly`: look one level deeper. `unknown`: a code that is not of the standard, or none at all: look deeper, too. */
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
    // Verification of payee: the bank has compared the name, and reports the transfer in another status.
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
 * Whether a report is about what we send: direct debits, their reversals, and the transfers of refunds. Banks write the name of
 * the message as they like, so only one that is certainly another's (a recall, a mandate) speaks against our own ids.
 */
export function orderAnsweredBy(group: GroupStatus | null): "ours" | "reversals" | "other" | "not_said" {
  const name = /(?:acmt|auth|camt|pacs|pain)[._-]?\d{3}/i.exec(group?.originalMessageName ?? "")?.[0];
  if (name === undefined) return "not_said";
  if (/^pain[._-]?007$/i.test(name)) return "reversals";
  return /^pain[._-]?00[18]$/i.test(name) ? "ours" : "other";
}
