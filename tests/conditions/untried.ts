/** Statements whose tables have not been tried with every change yet, as they are now: what no row tells apart is not known. */
export const UNTRIED: readonly string[] = [
  "billing.announce_unnotified_again",
  "billing.find_next_renewals",
  "billing.find_upcoming",
  "billing.follow",
  "billing.record_outcome",
];
