/** What a status code of a pain.002 means for what was sent. */
import type { GroupStatus, StatusCode } from "./records.ts";

/** `partly`: look one level deeper. `unknown`: a code that is not of the standard, or none at all: look deeper, too. */
export type StatusMeaning = "accepted" | "waiting" | "partly" | "rejected" | "unknown";

const MEANINGS: ReadonlyMap<string, StatusMeaning> = new Map(
  Object.entries({
    ACTC: "accepted",
    ACCP: "accepted",
    ACSP: "accepted",
    ACSC: "accepted",
    ACWC: "accepted",
    ACCC: "accepted",
    RCVD: "waiting",
    PDNG: "waiting",
    PART: "partly",
    RJCT: "rejected",
  } satisfies Record<string, StatusMeaning>),
);

export function meaningOfStatus(status: StatusCode | null): StatusMeaning {
  return MEANINGS.get(status ?? "") ?? "unknown";
}

/** Whether a status report answers a file of direct debits; some banks leave the version out. */
export function answersDirectDebits({ originalMessageName }: GroupStatus): boolean {
  return originalMessageName?.toLowerCase().startsWith("pain.008") ?? false;
}
