/**
 * Statements of `src/sessions/links`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SESSIONS_LINKS: Entries = {
  "payment_links.release_idle_uses": {
    given: {
      sessions: { holds_link_use: true, status: "EXPIRED", open_transaction_id: null }, with: { sessionId: OTHER },
    },
    does: { sessions: { holds_link_use: false } },
    not: {
      "another payment link's session": { sessions: { payment_link_id: OTHER } },
      "the session itself": { with: { sessionId: ID } },
      "a session that is completed": { sessions: { status: "COMPLETED" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
    same: { "dropped condition: holds_link_use": "Those that hold none do not change." },
  },
  "payment_links.reserve_use": {
    given: { sessions: { status: "PENDING", open_transaction_id: null } },
    gives: [{ id: ID }],
    does: { sessions: { holds_link_use: true } },
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session that is awaiting verification": { sessions: { status: "AWAITING_VERIFICATION" } },
      "a session with an open attempt": { sessions: { open_transaction_id: OTHER } },
    },
  },
  "payment_links.count_paid": {
    given: {
      payment_links: { uses_max: 5 }, sessions: { status: "COMPLETED", payment_link_id: ID, closed_at: "2026-01-01" },
    },
    gives: [{ id: ID, paid: 1 }],
    not: {
      "another link": { with: { ids: [OTHER] } },
      "a link without a limit": { payment_links: { uses_max: null } },
    },
    also: {
      "a session of another link": { given: { sessions: { payment_link_id: OTHER } }, gives: [{ paid: 0 }] },
      "a session that is not paid": { given: { sessions: { status: "EXPIRED" } }, gives: [{ paid: 0 }] },
      "several": {
        given: {
          "+sessions": {
            id: OTHER, tenant_reference_id: null, status: "COMPLETED", payment_link_id: ID, closed_at: "2026-01-01",
          },
        },
        gives: [{ paid: 2 }],
      },
    },
  },
  "payment_links.count_taken": {
    given: {
      sessions: {
        status: "PENDING", open_transaction_id: null, holds_link_use: false, payment_link_id: ID,
        expires_at: "2026-03-01",
      },
      with: { sessionId: OTHER },
    },
    gives: [{ taken: 0, completed: 0 }],
    also: {
      "a session that holds a use": { given: { sessions: { holds_link_use: true } }, gives: [{ taken: 1 }] },
      "a session with an open attempt": { given: { sessions: { open_transaction_id: ID } }, gives: [{ taken: 1 }] },
      "a session that is paid": { given: { sessions: { status: "COMPLETED" } }, gives: [{ taken: 1, completed: 1 }] },
      "a session of another link": { given: { sessions: { status: "COMPLETED", payment_link_id: OTHER } } },
      "the session that asks": { given: { sessions: { status: "COMPLETED" }, with: { sessionId: ID } } },
    },
  },
  "payment_links.find_references": {
    given: { offers: { currency: "EUR" }, gateways: { adapter: "sandbox" } },
    gives: [
      {
        adapter: "sandbox", currency: "EUR", billing_type: "x", gateway_usable: true, campaign_usable: true,
        hosted_page_usable: true, webhook_profile_usable: true,
      },
    ],
    also: {
      "a campaign that is archived": {
        given: { campaigns: { archived_at: "2026-01-01" } },
        gives: [{ campaign_usable: false }],
      },
      "no campaign": {
        given: { with: { campaignId: OTHER } },
        gives: [{ currency: null, billing_type: null, campaign_usable: false }],
      },
      "a gateway that is archived": {
        given: { gateways: { archived_at: "2026-01-01" } },
        gives: [{ gateway_usable: false }],
      },
      "no gateway": { given: { with: { gatewayId: OTHER } }, gives: [{ adapter: null, gateway_usable: false }] },
      "the gateway of the campaign": { given: { with: { gatewayId: null } } },
      "another gateway than the campaign's": { given: { campaigns: { gateway_id: OTHER } } },
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
  "payment_links.lock_for_use": {
    given: { payment_links: { active: true, ends_at: null, uses_max: 5 } },
    gives: [{ is_open: true, link_id: ID, uses_max: 5 }],
    not: {
      "another session": { sessions: { id: OTHER } },
      "a session without a link": { sessions: { payment_link_id: null } },
    },
    also: {
      "a link that is switched off": { given: { payment_links: { active: false } }, gives: [{ is_open: false }] },
      "a link that is archived": {
        given: { payment_links: { archived_at: "2026-01-01" } },
        gives: [{ is_open: false }],
      },
      "a link that ends now": {
        given: { payment_links: { ends_at: "2026-02-01" } },
        gives: [{ is_open: false }],
      },
      "a link that ends later": { given: { payment_links: { ends_at: "2026-02-02" } } },
    },
  },
};
