/** Every state of a session has its page: one row per state. */
import assert from "node:assert/strict";
import test from "node:test";
import { sampleRow } from "../preview/sample.ts";
import type { PageRow, SettingsRow } from "../store.ts";
import { viewOf } from "./choose-page.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const PAST = new Date("2026-11-21T11:00:00Z");
const SETTINGS: SettingsRow = {
  merchant_name: "Shop",
  creditor: {
    name: "Shop",
    identifier: null,
    address: null,
    postal_code: null,
    city: null,
    country: null,
    scheme: "CORE",
    pre_notification_days: 14,
  },
  default_locale: null,
  mandate_texts: null,
  country: "DE",
  page: {
    branding: {},
    content: {},
    show_product_name: true,
    show_product_price: true,
    show_product_description: true,
    offer_overrides: {},
    success_redirect_url: null,
    failure_redirect_url: null,
    cancel_redirect_url: null,
    redirect_wait_seconds: 10,
    links: {},
    mandate_acceptance_mode: "checkbox",
    locale: null,
    frame_origins: [],
  },
};
const open = { open_transaction_id: "t" } as const;
const declined = { transaction_status: "declined", error_code: "account_closed" } as const;
const away = { ...open, status: "AWAITING_VERIFICATION", verification_url: "https://bank.example/" } as const;
const completed = { status: "COMPLETED", order_status: "COMPLETED", transaction_amount: "1.00" } as const;

const ROWS: readonly (readonly [name: string, Partial<PageRow>, object])[] = [
  ["nobody has tried", {}, { kind: "form", declined: null }],
  [
    "declined, attempts left",
    { ...declined, attempts_used: 1 },
    { kind: "form", declined: { reason: "account_closed", attemptsLeft: 2 } },
  ],
  ["at the gateway", { ...open, transaction_status: "submitted" }, { kind: "processing" }],
  [
    "at the gateway when its time ended",
    { ...open, expires_at: PAST, transaction_status: "submitted" },
    { kind: "processing" },
  ],
  ["the uses of its link are paid", { link_state: "used" }, { kind: "ended", why: "linkUsed", reason: null }],
  ["its link takes no payments", { link_state: "closed" }, { kind: "ended", why: "closed", reason: null }],
  ["others have the last uses of its link", { link_state: "in_use" }, { kind: "link_in_use" }],
  [
    "at the bank when its link was switched off",
    { ...away, transaction_status: "awaiting_verification", source: "hosted_page", link_state: "closed" },
    { kind: "verification", url: "https://bank.example/", ours: true },
  ],
  [
    "paid when its link is used up",
    { ...completed, transaction_status: "approved", link_state: "used" },
    { kind: "receipt", receipt: "paid" },
  ],
  ["no certain answer", { ...open, transaction_status: "unresolved" }, { kind: "unclear" }],
  [
    "at the bank, from this page",
    { ...away, transaction_status: "awaiting_verification", source: "hosted_page" },
    { kind: "verification", url: "https://bank.example/", ours: true },
  ],
  [
    "at the bank, from the merchant's form",
    { ...away, transaction_status: "awaiting_verification", source: "api_submission" },
    { kind: "verification", url: "https://bank.example/", ours: false },
  ],
  [
    "a gateway's address that is no web page",
    {
      ...away,
      transaction_status: "awaiting_verification",
      source: "hosted_page",
      verification_url: "javascript:1",
    },
    { kind: "verification", url: "#", ours: true },
  ],
  ["being verified", { ...away, transaction_status: "verifying" }, { kind: "processing" }],
  ["verification in doubt", { ...away, transaction_status: "unresolved" }, { kind: "unclear" }],
  ["approved", { ...completed, transaction_status: "approved" }, { kind: "receipt", receipt: "paid" }],
  [
    "approved for nothing today",
    { ...completed, transaction_amount: "0.00", transaction_status: "approved" },
    { kind: "receipt", receipt: "signed" },
  ],
  [
    "accepted, settled later",
    { ...completed, order_status: "PENDING", transaction_status: "pending" },
    { kind: "receipt", receipt: "submitted" },
  ],
  [
    "refunded",
    { ...completed, order_status: "REFUNDED", transaction_status: "refunded" },
    { kind: "receipt", receipt: "refunded" },
  ],
  [
    "charged back",
    { ...completed, order_status: "CHARGEDBACK", transaction_status: "charged_back" },
    { kind: "receipt", receipt: "returned" },
  ],
  [
    "returned before it was settled",
    { ...completed, order_status: "FAILED", transaction_status: "declined" },
    { kind: "receipt", receipt: "returned" },
  ],
  [
    "out of attempts",
    { ...declined, status: "EXPIRED", attempts_used: 3, closed_at: PAST },
    { kind: "ended", why: "failed", reason: "account_closed" },
  ],
  ["cancelled", { status: "EXPIRED", closed_at: PAST }, { kind: "ended", why: "cancelled", reason: null }],
  ["its time is over", { expires_at: PAST }, { kind: "ended", why: "expired", reason: null }],
  [
    "its time is over, and the sweeper was there",
    { status: "EXPIRED", expires_at: PAST, closed_at: NOW },
    { kind: "ended", why: "expired", reason: null },
  ],
];

for (const [name, changes, view] of ROWS) {
  test(name, () => {
    assert.deepEqual(viewOf({ ...sampleRow(SETTINGS, "form", NOW), ...changes }, NOW), view);
  });
}
