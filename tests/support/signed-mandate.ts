/** A mandate as signed on the payment page, for tests of its papers without a service. */
import type { ShownNotice } from "../../src/mandates/notices.ts";
import type { ShownWords } from "../../src/mandates/sheet.ts";
import type { MandateDetailRow } from "../../src/mandates/store.ts";

/** Words that return their names, so that each line shows which text it has. */
const WORDS: ShownWords["words"] = {
  language: "de",
  direction: "ltr",
  say: (key, values) => (values === undefined ? key : `${key} of ${Object.values(values).join()}`),
  amount: (decimal, currency) => `${decimal} ${currency}`,
  date: (day) => (typeof day === "string" ? day : day.toISOString().slice(0, 10)),
  interval: (frequency) => `each ${frequency}`,
  duration: (unit, period) => `${period} ${unit}`,
  country: (code) => `country ${code}`,
};
export const SHOWN: ShownWords = { words: WORDS, accepted: true, ownText: null };

/** Signed on the payment page, and unchanged since. */
export const SIGNED: MandateDetailRow = {
  id: "00000000-0000-4000-8000-000000000001",
  reference: "MND-1",
  lead_id: "00000000-0000-4000-8000-000000000002",
  session_id: null,
  source: "payment",
  scheme: "CORE",
  type: "recurrent",
  status: "active",
  status_reason: null,
  acceptance_mode: "checkbox",
  accepted_at: new Date("2026-03-04T10:00:00.123Z"),
  accepted_ip: "192.0.2.1",
  accepted_user_agent: null,
  text_version: "2026-11-3/de",
  language: "de",
  pre_notification_days: 5,
  creditor_name: "Shop",
  creditor_identifier: "DE98ZZZ09999999999",
  creditor_address: "Street 1",
  creditor_postal_code: "10115",
  creditor_city: "Berlin",
  creditor_country: "DE",
  holder_name: "Ada",
  iban_last4: "3000",
  iban_country: "DE",
  bic: "COBADEFFXXX",
  bank_name: "Bank",
  last_used_at: null,
  account_blocked_at: null,
  bank_confirmed_on: null,
  cancelled_at: null,
  cancelled_by: null,
  wallet_presentation_format: null,
  wallet_presentation_sha256: null,
  wallet_presentation_at: null,
  created_at: new Date("2026-03-04T10:00:00Z"),
  updated_at: new Date("2026-03-09T10:00:00Z"),
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Example",
  country: "DE",
  amendments: [],
  subscriptions: [],
};

/** Of a debit under it, not given yet. */
export const NOTICE: ShownNotice = {
  id: "00000000-0000-4000-8000-000000000003",
  subscription_id: "00000000-0000-4000-8000-000000000004",
  due_date: "2026-04-01",
  collection_date: "2026-04-02",
  amount: "29.90",
  currency: "EUR",
  billing_frequency: "MONTHLY",
  mandate_reference: "MND-1",
  creditor_identifier: null,
  iban_last4: "3000",
  notice_days: 5,
  told_by: "message",
  created_at: new Date("2026-03-20T10:00:00Z"),
  told_at: null,
  message_id: null,
  message_state: null,
  text_version: "2026-11-1/de",
  recipient: "ada@example.com",
};
