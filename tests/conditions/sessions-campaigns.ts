/**
 * Statements of `src/sessions/campaigns` and `src/sessions/set-up.ts`: their effect, and the rows that they must
 * leave alone (tests/conditions.test.ts).
 */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER, OTHER_PAYMENT, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SESSIONS_CAMPAIGNS: Entries = {
  "campaigns.stop": {
    given: {
      campaigns: { return_rate_min_payments: 10, return_rate_max: 20 },
      with: { countedFrom: null, collected: 10, returned: 3 },
    },
    gives: [{ id: ID }],
    does: { campaigns: { stopped_at: "2026-02-01", updated_at: "2026-02-01" } },
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-15" } },
      "a campaign that was resumed after the count": { campaigns: { counted_from: "2026-01-15" } },
      "too few payments": { campaigns: { return_rate_min_payments: 11 } },
      "returns within the limit": { with: { returned: 2 } },
    },
    also: {
      "counted since it was resumed": {
        given: { campaigns: { counted_from: "2026-01-15" }, with: { countedFrom: "2026-01-15" } },
      },
    },
  },
  "campaigns.resume": {
    given: { campaigns: { stopped_at: "2025-12-01" } },
    gives: [{ id: ID }],
    does: { campaigns: { stopped_at: null, updated_at: "2026-02-01", counted_from: "2026-02-01" } },
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is not stopped": { campaigns: { stopped_at: null } },
    },
  },
  "campaigns.count_stopped": {
    given: { campaigns: { stopped_at: "now", archived_at: null } },
    gives: [{ count: 1 }],
    also: {
      "a campaign that is not stopped": { given: { campaigns: { stopped_at: null } }, gives: [{ count: 0 }] },
      "a campaign that was stopped long ago": {
        given: { campaigns: { stopped_at: "2020-01-01" } },
        gives: [{ count: 0 }],
      },
      "a campaign that is archived": { given: { campaigns: { archived_at: "2026-01-01" } }, gives: [{ count: 0 }] },
    },
    same: {
      "boundary: > statement_timestamp()": "It would count longer by a microsecond.",
    },
  },
  "campaigns.find_over_limit": {
    given: {
      campaigns: {
        return_rate_max: 49, return_rate_min_payments: 2, stopped_at: null, counted_from: null, name: "Spring",
      },
      sessions: { campaign_id: ID },
      transactions: [
        { type: "sdd_sale", status: "charged_back", created_at: "2026-01-20" },
        { ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", created_at: "2026-01-20" },
      ],
    },
    gives: [{ id: ID, name: "Spring", returned: 1, collected: 2, test_mode: false, counted_from: null }],
    not: {
      "a campaign without a limit": { campaigns: { return_rate_max: null } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-25" } },
      "a campaign that is archived": { campaigns: { archived_at: "2026-01-25" } },
      "exactly as many returns as the limit allows": { campaigns: { return_rate_max: 50 } },
      "fewer payments than it takes": { campaigns: { return_rate_min_payments: 3 } },
      "payments of another campaign": { sessions: { campaign_id: OTHER } },
      "old payments": { transactions: { created_at: "2025-12-03" }, "transactions[1]": { created_at: "2025-12-03" } },
      "payments from before it was resumed": { campaigns: { counted_from: "2026-01-20" } },
      "a return that is a refund": { transactions: { type: "sdd_refund" }, campaigns: { return_rate_min_payments: 1 } },
      "a payment of another type": { transactions: { type: "other_type" }, campaigns: { return_rate_min_payments: 1 } },
      "a payment that is pending": { "transactions[1]": { status: "pending" } },
      "no payments": { transactions: [], campaigns: { return_rate_min_payments: 0 } },
    },
    also: {
      "a payment that was refunded": { given: { "transactions[1]": { status: "refunded" } } },
      "a payment that was declined": {
        given: {
          "+transactions": { ...THIRD_PAYMENT, type: "sdd_sale", status: "declined", created_at: "2026-01-20" },
        },
      },
      "payments of renewals": {
        given: { transactions: { type: "sdd_rebill" }, "transactions[1]": { type: "sdd_rebill" } },
      },
      "payments of just less than sixty days ago": {
        given: {
          transactions: { created_at: "2025-12-03T00:00:01Z" },
          "transactions[1]": { created_at: "2025-12-03T00:00:01Z" },
        },
      },
      "payments from after it was resumed": {
        given: { campaigns: { counted_from: "2026-01-19" } },
        gives: [{ counted_from: "2026-01-19" }],
      },
      "more returns": { given: { "transactions[1]": { status: "charged_back" } }, gives: [{ returned: 2 }] },
    },
    same: {
      "dropped condition: c.return_rate_max is not null": "No rate is above an unknown limit; the condition only saves the counting.",
    },
  },
  "campaigns.find_references": {
    given: { offers: { currency: "EUR" }, gateways: { adapter: "sandbox" } },
    gives: [
      {
        adapter: "sandbox", currency: "EUR", offer_usable: true, gateway_usable: true, hosted_page_usable: true,
        webhook_profile_usable: true,
      },
    ],
    also: {
      "an offer that is archived": {
        given: { offers: { archived_at: "2026-01-01" } },
        gives: [{ offer_usable: false }],
      },
      "no offer": { given: { with: { offerId: OTHER } }, gives: [{ currency: null, offer_usable: false }] },
      "a gateway that is archived": {
        given: { gateways: { archived_at: "2026-01-01" } },
        gives: [{ gateway_usable: false }],
      },
      "no gateway": { given: { with: { gatewayId: OTHER } }, gives: [{ adapter: null, gateway_usable: false }] },
      "a page that is archived": {
        given: { hosted_pages: { archived_at: "2026-01-01" } },
        gives: [{ hosted_page_usable: false }],
      },
      "no page": { given: { with: { hostedPageId: OTHER } }, gives: [{ hosted_page_usable: false }] },
      "a receiver that is archived": {
        given: { webhook_profiles: { archived_at: "2026-01-01" } },
        gives: [{ webhook_profile_usable: false }],
      },
      "no receiver": { given: { with: { webhookProfileId: OTHER } }, gives: [{ webhook_profile_usable: false }] },
    },
  },
  "campaigns.is_stopped": {
    given: { campaigns: { stopped_at: "2026-01-01" } },
    gives: [{}],
    not: {
      "another campaign": { campaigns: { id: OTHER } },
      "a campaign that is not stopped": { campaigns: { stopped_at: null } },
    },
  },
  "campaigns.tenants_with_limits": {
    given: { campaigns: { return_rate_max: 5, stopped_at: null }, with: { limit: 9 } },
    gives: [{ tenant: 1 }],
    not: {
      "a campaign without a limit": { campaigns: { return_rate_max: null } },
      "a campaign that is stopped": { campaigns: { stopped_at: "2026-01-01" } },
      "a campaign that is archived": { campaigns: { archived_at: "2026-01-01" } },
    },
    also: {
      "two campaigns of a tenant": { given: { "+campaigns": { id: OTHER, return_rate_max: 5 } } },
    },
  },
  "merchants.find_session_parts": {
    given: {
      campaigns: { active: true, name: "Spring", max_payment_attempts: 3 },
      gateways: { active: true, adapter: "sandbox" }, offers: { price: 30, currency: "EUR", trial_price: 5 },
    },
    gives: [
      {
        n: 1,
        offer: {
          id: ID, name: "x", price: "30.00", currency: "EUR", billing_day: "x", trial_price: "5.00",
          billing_type: "x", product_name: "x", trial_period: 1, billing_frequency: "x", product_description: "x",
          trial_interval_unit: "x",
        },
        tenant: {
          id: ID, name: "x", country: "x", default_locale: "x", redirect_hosts: ["x"], creditor_identifier: "x",
          session_lifetime_seconds: 1,
        },
        gateway: { id: ID, name: "x", adapter: "sandbox", settings: {}, test_mode: false, descriptor: "x" },
        campaign: { id: ID, name: "Spring", stopped: false, max_payment_attempts: 3 },
        hostedPage: { id: ID, name: "x", locale: "x", offer_overrides: {}, mandate_acceptance_mode: "x" },
        webhookProfile: { id: ID, name: "x", active: false },
      },
    ],
    also: {
      "a campaign that is stopped": {
        given: { campaigns: { stopped_at: "2026-01-01" } },
        gives: [{ campaign: { id: ID, name: "Spring", stopped: true, max_payment_attempts: 3 } }],
      },
      "a campaign that is switched off": {
        given: { campaigns: { active: false } },
        gives: [{ offer: null, campaign: null }],
      },
      "a campaign that is archived": {
        given: { campaigns: { archived_at: "2026-01-01" } },
        gives: [{ offer: null, campaign: null }],
      },
      "no campaign": { given: { with: { campaignId: [OTHER] } }, gives: [{ offer: null, campaign: null }] },
      "a tenant that is archived": {
        given: { tenants: { archived_at: "2026-01-01" } },
        gives: [{ offer: null, campaign: null, gateway: null }],
      },
      "an offer that is archived": { given: { offers: { archived_at: "2026-01-01" } }, gives: [{ offer: null }] },
      "a gateway that is switched off": { given: { gateways: { active: false } }, gives: [{ gateway: null }] },
      "a gateway that is archived": {
        given: { gateways: { archived_at: "2026-01-01" } },
        gives: [{ gateway: null }],
      },
      "no gateway": { given: { with: { gatewayId: [OTHER] } }, gives: [{ gateway: null }] },
      "a page that is archived": {
        given: { hosted_pages: { archived_at: "2026-01-01" } },
        gives: [{ hostedPage: null }],
      },
      "no page": { given: { with: { hostedPageId: [OTHER] } }, gives: [{ hostedPage: null }] },
      "a receiver that is archived": {
        given: { webhook_profiles: { archived_at: "2026-01-01" } },
        gives: [{ webhookProfile: null }],
      },
      "no receiver": { given: { with: { webhookProfileId: [OTHER] } }, gives: [{ webhookProfile: null }] },
      "the campaign's values": {
        given: { with: { gatewayId: [null], hostedPageId: [null], webhookProfileId: [null] } },
      },
      "another gateway than the campaign's": {
        given: { campaigns: { gateway_id: OTHER, hosted_page_id: OTHER, webhook_profile_id: OTHER } },
      },
      "two at once": {
        given: {
          with: {
            campaignId: [ID, OTHER], gatewayId: [ID, null], hostedPageId: [ID, null], webhookProfileId: [ID, null],
          },
        },
        gives: [
          {
            n: 1,
            offer: {
              id: ID, name: "x", price: "30.00", currency: "EUR", billing_day: "x", trial_price: "5.00",
              billing_type: "x", product_name: "x", trial_period: 1, billing_frequency: "x", product_description: "x",
              trial_interval_unit: "x",
            },
            tenant: {
              id: ID, name: "x", country: "x", default_locale: "x", redirect_hosts: ["x"], creditor_identifier: "x",
              session_lifetime_seconds: 1,
            },
            gateway: { id: ID, name: "x", adapter: "sandbox", settings: {}, test_mode: false, descriptor: "x" },
            campaign: { id: ID, name: "Spring", stopped: false, max_payment_attempts: 3 },
            hostedPage: { id: ID, name: "x", locale: "x", offer_overrides: {}, mandate_acceptance_mode: "x" },
            webhookProfile: { id: ID, name: "x", active: false },
          },
          {
            n: 2, offer: null,
            tenant: {
              id: ID, name: "x", country: "x", default_locale: "x", redirect_hosts: ["x"], creditor_identifier: "x",
              session_lifetime_seconds: 1,
            },
            gateway: null, campaign: null, hostedPage: null, webhookProfile: null,
          },
        ],
      },
    },
  },
};
