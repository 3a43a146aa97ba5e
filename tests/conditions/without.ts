/** Statements of the money core that have no table of their own yet (tests/conditions.test.ts): mostly reads. The list only gets shorter. */
export const WITHOUT: readonly string[] = [
  "billing.find_due",
  "billing.find_next_renewals",
  "billing.find_upcoming",
  "billing.read_locked",
  "billing.tenants_due",
  "billing.tenants_upcoming",
  "failed_payments.find",
];

/** Statements whose tables have not been tried with every change yet, as they are now: what no row tells apart is not known. */
export const UNTRIED: readonly string[] = [
  "billing.announce_unnotified_again",
  "billing.follow",
  "billing.record_outcome",
  "ebics_orders.conclude",
  "ebics_orders.send_refused",
  "ebics_users.keep_keys",
  "ebics_users.save",
  "payments.reinstate",
];
