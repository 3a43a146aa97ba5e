/** Sample sessions for previews: one for each state of the page, with the settings of a real page. Pure. */
import { DAY_MS, later } from "../../lib/clock.ts";
import { addDays, utcDate } from "../../lib/dates.ts";
import { targetDayFrom } from "../../sepa/target.ts";
import { windowsOf } from "../../sepa/windows.ts";
import type { ShownDebit } from "../debit.ts";
import type { PageRow, SettingsRow } from "../store.ts";

export const SAMPLES = [
  "form",
  "declined",
  "verification",
  "processing",
  "unclear",
  "paid",
  "submitted",
  "failed",
  "cancelled",
  "expired",
] as const;

export type Sample = (typeof SAMPLES)[number];

export function sampleRow(settings: SettingsRow, sample: Sample, now: Date): PageRow {
  return { ...blank(settings, now), ...CHANGES[sample](now) };
}

/** The lead time that most banks require, in days. */
const LEAD_DAYS = 2;

/**
 * The debit shown in a preview.
 * @param noticeDays the notice period in the page's mandate: the debit is no earlier.
 */
export function sampleDebit(now: Date, noticeDays: number): ShownDebit {
  const day = targetDayFrom(addDays(utcDate(now), Math.max(LEAD_DAYS, noticeDays)));
  const { lastCoreReturn: pendingUntil } = windowsOf(day);
  return {
    ifPaidNow: day,
    made: { day, pendingUntil, statementText: "SHOP TXN-SAMPLE" },
    next: targetDayFrom(addDays(utcDate(now), 30)),
  };
}

const DECLINED = {
  transaction_status: "declined",
  error_code: "insufficient_funds",
  attempts_used: 1,
} as const;
const OPEN = { open_transaction_id: "00000000-0000-7000-8000-000000000001" } as const;
const COMPLETED = {
  status: "COMPLETED",
  transaction_amount: "29.90",
  mandate_reference: "MND-SAMPLE",
  iban_country: "DE",
  iban_last4: "0000",
  holder_name: "Ada Example",
} as const;

const CHANGES: Readonly<Record<Sample, (now: Date) => Partial<PageRow>>> = {
  form: () => ({}),
  declined: () => DECLINED,
  verification: () => ({
    ...OPEN,
    status: "AWAITING_VERIFICATION",
    transaction_status: "awaiting_verification",
    source: "hosted_page",
    verification_url: "#",
  }),
  processing: () => ({ ...OPEN, transaction_status: "submitted" }),
  unclear: () => ({ ...OPEN, transaction_status: "unresolved" }),
  paid: (now) => ({ ...COMPLETED, transaction_status: "approved", transaction_created_at: now }),
  submitted: (now) => ({ ...COMPLETED, transaction_status: "pending", transaction_created_at: now }),
  failed: (now) => ({ ...DECLINED, status: "EXPIRED", closed_at: now, attempts_used: 3 }),
  cancelled: (now) => ({ status: "EXPIRED", closed_at: now }),
  expired: (now) => ({ expires_at: now }),
};

function blank(
  { page, mandate_texts, merchant_name, creditor, default_locale, country }: SettingsRow,
  now: Date,
): PageRow {
  return {
    page,
    mandate_texts,
    merchant_name,
    creditor,
    default_locale,
    session_id: "00000000-0000-7000-8000-000000000000",
    status: "PENDING",
    open_transaction_id: null,
    attempts_used: 0,
    attempts_max: 3,
    expires_at: later(now, DAY_MS),
    closed_at: null,
    opened_at: null,
    token_detail_days: 30,
    device_accounts_max: null,
    amount: "29.90",
    currency: "EUR",
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    billing_day: null,
    trial_interval_unit: null,
    trial_period: null,
    trial_price: null,
    offer_name: "Sample offer",
    session_locale: null,
    success_redirect_url: null,
    failure_redirect_url: null,
    cancel_redirect_url: null,
    product_name: "Sample product",
    product_description: "Your product description appears here.",
    first_name: "Ada",
    last_name: "Example",
    country: country ?? "DE",
    city: null,
    gateway_id: "",
    adapter: "",
    settings: {},
    credentials: null,
    order_number: "ORD-SAMPLE",
    order_status: "COMPLETED",
    link_state: null,
    test_mode: true,
    descriptor: null,
    transaction_id: null,
    transaction_status: null,
    transaction_amount: null,
    merchant_transaction_id: null,
    source: null,
    error_code: null,
    verification_url: null,
    transaction_created_at: null,
    mandate_id: null,
    mandate_reference: null,
    iban_last4: null,
    iban_country: null,
    bank_name: null,
    holder_name: null,
    creditor_name: null,
    creditor_identifier: null,
    mandate_scheme: null,
    subscription_id: null,
    closed_day: "next",
    notice_check: "report",
  };
}
