/** Limits on payments and the counts that they apply to, for statements that read or write them. */
import { type Given } from "../support/conditions.ts";
import { type Row } from "../support/one-row.ts";

/** The limits of a tenant, and of a tenant without limits. */
export const LIMITS = {
  iban_payments_max: 10,
  lead_payments_max: 20,
  address_payments_max: 50,
  invalid_ibans_max: 30,
  lead_accounts_max: 5,
  address_accounts_max: 6,
  device_accounts_max: 7,
};
export const NO_LIMITS = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, null]));
export const JUST_NOW = { counted_at: "2026-01-31T23:59:30Z" };

/** A count that began and was last raised yesterday at noon, for other accounts than the customer's. */
export function counted(kind: string, key: string, count: number, more: Row = {}): Row {
  const accounts = kind.endsWith("accounts") ? ["\\x61"] : null;
  return {
    kind,
    key,
    started_at: "2026-01-31T12:00:00Z",
    counted_at: "2026-01-31T12:00:00Z",
    count,
    most: 9,
    accounts,
    ...more,
  };
}

/** The only count, with this value. */
export function reached(kind: string, key: string, count: number, more: Row = {}): Given {
  return { payment_counts: [counted(kind, key, count, more)] };
}
