/**
 * Statements of the bank's files (`files-store.ts` and `approve/` of `src/gateways/sepa-batch`): their effect, and
 * the rows that they must leave alone (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, FOURTH, OTHER, THIRD } from "./rows.ts";

const OVERDUE =
  "A row cannot name a day by the database's clock; tests/sepa/following.test.ts tells it apart.";

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_FILES: Entries = {
  "sepa_files.insert_approval": {
    given: { sepa_file_approvals: [] },
    gives: [{ "?column?": 1 }],
    does: { sepa_file_approvals: added({ file_id: ID, approver: "x", actor_name: "x", approved_at: "2026-02-01" }) },
    not: {
      "a person who has approved it already": { sepa_file_approvals: {} },
    },
  },
  "sepa_files.count_approval": {
    given: { sepa_files: { status: "to_approve" } },
    does: { sepa_files: { due_at: "2026-02-01", status: "stored", approvals: 2, updated_at: "2026-02-01" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is ready": { sepa_files: { status: "ready" } },
    },
    also: {
      "a file that needs three approvals": {
        given: { sepa_files: { approvals_required: 3 } },
        does: { sepa_files: { due_at: undefined, status: undefined } },
      },
      "a file that needs two approvals": { given: { sepa_files: { approvals_required: 2 } } },
      "a file that a person delivers": {
        given: { with: { manual: true } },
        does: { sepa_files: { due_at: undefined, status: "ready" } },
      },
    },
  },
  "sepa_files.lease_mailbox": {
    given: { sepa_accounts: { polled_at: null, lease_no: 4 }, with: { leaseMs: 120000 } },
    gives: [{ lease_no: 5 }],
    does: { sepa_accounts: { lease_no: 5, locked_until: "in 2 minutes" } },
    not: {
      "an account that another worker has": { sepa_accounts: { locked_until: "2100-01-01" } },
      "an account that was asked a moment ago": { sepa_accounts: { polled_at: "2026-03-01" } },
    },
    also: {
      "an account that was asked long ago": { given: { sepa_accounts: { polled_at: "2026-01-15" } } },
      "an account that was asked when it had to be": { given: { sepa_accounts: { polled_at: "2026-02-01" } } },
      "a lease that has ended": { given: { sepa_accounts: { locked_until: "2026-01-02" } } },
      "an account that is new": {
        given: { sepa_accounts: [] },
        gives: [{ lease_no: 1 }],
        does: { sepa_accounts: added({ lease_no: 1, gateway_id: ID }) },
      },
    },
    same: { "boundary: >= $3 * interval '1 millisecond'": "The next pass takes a lease that ends in this microsecond." },
  },
  "sepa_files.release_mailbox": {
    given: { sepa_accounts: { locked_until: "2025-12-01" }, with: { error: "y" } },
    does: { sepa_accounts: { polled_at: "2026-02-01", poll_error: "y", locked_until: null } },
    not: {
      "another account": { sepa_accounts: { gateway_id: OTHER } },
      "an account that another worker has": { sepa_accounts: { lease_no: 0 } },
    },
  },
  "sepa_files.poll_soon": {
    given: { sepa_accounts: { polled_at: "2025-12-01" } },
    does: { sepa_accounts: { polled_at: null } },
    not: {
      "another account": { sepa_accounts: { gateway_id: OTHER } },
    },
  },
  "sepa_files.lock": {
    given: { sepa_files: { status: "unclear", attempts: 3 } },
    gives: [{ status: "unclear", attempts: 3 }],
    not: {
      "another file": { sepa_files: { id: OTHER } },
    },
  },
  "sepa_files.decide_unclear": {
    given: { sepa_files: { status: "unclear" }, with: { arrived: false } },
    gives: [{ "?column?": 1 }],
    does: { sepa_files: { error: null, due_at: "2026-02-01", status: "stored", updated_at: "2026-02-01" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is to approve": { sepa_files: { status: "to_approve" } },
    },
    also: {
      "a file that has arrived": {
        given: { with: { arrived: true } },
        does: { sepa_files: { due_at: undefined, status: "sent", sent_at: "2026-02-01" } },
      },
    },
  },
  "sepa_files.find_unexpected": {
    given: {
      sepa_files: [
        { direction: "out", status: "withdrawn", message_id: "b" },
        { id: OTHER, direction: "out", status: "unclear", message_id: "a" },
      ],
      with: { messageIds: ["b", "a"] },
    },
    gives: [
      { id: OTHER, gateway_id: ID, message_id: "a", status: "unclear" }, { id: ID, gateway_id: ID, message_id: "b", status: "withdrawn" },
    ],
    not: {
      "files of other names": { with: { messageIds: ["c"] } },
      "other accounts": { "sepa_files[0]": { gateway_id: OTHER }, "sepa_files[1]": { gateway_id: OTHER } },
      "the bank's files": { "sepa_files[0]": { direction: "in" }, "sepa_files[1]": { direction: "in" } },
      "files that are sent, or to be sent": { "sepa_files[0]": { status: "sent" }, "sepa_files[1]": { status: "stored" } },
    },
  },
  "sepa_files.content": {
    given: { sepa_files: { direction: "out", status: "ready", name: "a.xml", kind: "pain.008" } },
    gives: [{ kind: "pain.008", name: "a.xml", status: "ready", content: BYTES, direction: "out" }],
    not: {
      "another file": { sepa_files: { id: OTHER } },
    },
  },
  "sepa_files.piece": {
    given: { sepa_file_pieces: { number: 2, content: "\\x61" }, with: { number: 2 } },
    gives: [{ content: "\\x61" }],
    not: {
      "another file": { sepa_file_pieces: { file_id: OTHER } },
      "another piece": { sepa_file_pieces: { number: 1 } },
    },
  },
  "sepa_files.find": {
    given: {
      sepa_files: { status: "sent", amount: 30 },
      sepa_collections: [
        { state: "batched" }, { reference: "y", state: "batched" }, { reference: "z", state: "settled" },
      ],
      sepa_news: { file_id: ID },
      sepa_file_approvals: [
        { approver: "b", actor_name: "Bea", approved_at: "2026-01-03" },
        { approver: "a", actor_name: "Ann", approved_at: "2026-01-03" },
        { approver: "c", actor_name: "Cem", approved_at: "2026-01-02" },
      ],
    },
    gives: [
      {
        id: ID, amount: "30.00", sha256: "78", status: "sent", following: 1, unanswered: 2,
        approved_by: ["Cem", "Ann", "Bea"],
      },
    ],
    not: {
      "another file": { sepa_files: { id: OTHER } },
    },
    also: {
      "another file's collections, news and approvals": {
        given: {
          sepa_collections: { file_id: OTHER }, sepa_news: { file_id: OTHER },
          sepa_file_approvals: { file_id: OTHER },
        },
        gives: [{ following: 0, unanswered: 1, approved_by: ["Cem", "Ann"] }],
      },
      "news that the payments have": {
        given: { sepa_news: { acknowledged_at: "2026-01-02" } },
        gives: [{ following: 0 }],
      },
    },
  },
  "sepa_files.known": {
    given: {
      sepa_files: [
        { direction: "in", status: "applied", created_at: "2026-01-03" },
        { id: OTHER, gateway_id: OTHER, direction: "in", status: "applied", created_at: "2026-01-02" },
        { id: THIRD, gateway_id: THIRD, direction: "in", status: "applied", created_at: "2026-01-02" },
      ],
      sepa_collections: [{ state: "batched", file_id: OTHER }, { reference: "z", file_id: OTHER, state: "settled" }],
      sepa_news: { file_id: OTHER },
      sepa_file_approvals: [
        { file_id: OTHER, approver: "b", actor_name: "Bea", approved_at: "2026-01-03" },
        { file_id: OTHER, approver: "a", actor_name: "Ann", approved_at: "2026-01-03" },
        { file_id: OTHER, approver: "c", actor_name: "Cem", approved_at: "2026-01-02" },
      ],
      with: { gatewayIds: [ID, OTHER, THIRD] },
    },
    gives: [{ id: OTHER, status: "applied", following: 1, unanswered: 1, approved_by: ["Cem", "Ann", "Bea"] }],
    not: {
      "another account's file": { with: { gatewayIds: [FOURTH] } },
      "another content": { with: { sha256: "\\x61" } },
      "a file that goes out": { sepa_files: [{ direction: "out", status: "applied" }] },
      "a file that was refused": { sepa_files: [{ direction: "in", status: "refused" }] },
    },
    also: {
      "news that the payments have": {
        given: { sepa_news: { acknowledged_at: "2026-01-02" } },
        gives: [{ following: 0 }],
      },
      "another file's collections, news and approvals": {
        given: { sepa_collections: { file_id: ID }, sepa_news: { file_id: ID }, sepa_file_approvals: { file_id: ID } },
        gives: [{ following: 0, unanswered: 0, approved_by: ["Cem", "Ann"] }],
      },
    },
  },
  "sepa_files.accounts": {
    given: {
      gateways: {
        id: OTHER, adapter: "sepa_batch",
        settings: {
          creditor_name: "G", creditor_identifier: "GI", creditor_city: "GC", creditor_address: "GA",
          creditor_postal_code: "GP", creditor_country: "GL", scheme: "B2B", pre_notification_days: "5",
        },
      },
      tenants: {
        name: "T", creditor_identifier: "TI", city: "TC", address: "TA", postal_code: "TP", country: "TL",
        pre_notification_days: 14,
      },
      sepa_accounts: { gateway_id: OTHER, last_run_on: "2026-01-02", polled_at: "2026-01-03" },
      with: { gatewayId: null },
    },
    gives: [
      {
        id: OTHER,
        creditor: {
          city: "GC", name: "G", scheme: "B2B", address: "GA", country: "GL", identifier: "GI", postal_code: "GP",
          pre_notification_days: 5,
        },
        polled_at: "2026-01-03", last_run_at: null, last_run_on: "2026-01-02",
      },
    ],
    not: {
      "an account at another gateway": { gateways: { adapter: "sandbox" } },
      "another account": { with: { gatewayId: ID } },
      "another tenant": { with: { tenant: 2 } },
    },
    also: {
      "an account that is named": { given: { with: { gatewayId: OTHER } } },
      "every tenant": { given: { with: { tenant: null } } },
      "two accounts": {
        given: { "+gateways": { id: ID, adapter: "sepa_batch", settings: { creditor_name: "H" } } },
        gives: [
          {
            id: ID,
            creditor: {
              city: "TC", name: "H", scheme: "CORE", address: "TA", country: "TL", identifier: "TI",
              postal_code: "TP", pre_notification_days: 14,
            },
            polled_at: null, last_run_at: null, last_run_on: null,
          },
          {
            id: OTHER,
            creditor: {
              city: "GC", name: "G", scheme: "B2B", address: "GA", country: "GL", identifier: "GI", postal_code: "GP",
              pre_notification_days: 5,
            },
            polled_at: "2026-01-03", last_run_at: null, last_run_on: "2026-01-02",
          },
        ],
      },
      "two tenants": {
        given: {
          "+gateways": { tenant: 2, id: ID, adapter: "sepa_batch", settings: { creditor_name: "H" } },
          "+tenants": { tenant: 2, id: OTHER, name: "U", pre_notification_days: 3, city: null },
          with: { tenant: null },
        },
        gives: [
          {
            id: OTHER,
            creditor: {
              city: "GC", name: "G", scheme: "B2B", address: "GA", country: "GL", identifier: "GI", postal_code: "GP",
              pre_notification_days: 5,
            },
            polled_at: "2026-01-03", last_run_at: null, last_run_on: "2026-01-02",
          },
          {
            id: ID,
            creditor: {
              city: null, name: "H", scheme: "CORE", address: null, country: null, identifier: "x", postal_code: null,
              pre_notification_days: 3,
            },
            polled_at: null, last_run_at: null, last_run_on: null,
          },
        ],
      },
      "an account that has not run yet": {
        given: { sepa_accounts: [] },
        gives: [{ polled_at: null, last_run_on: null }],
      },
      "another account's runs": {
        given: { sepa_accounts: { gateway_id: ID } },
        gives: [{ polled_at: null, last_run_on: null }],
      },
      "a creditor as the tenant names it": {
        given: { gateways: { settings: {} } },
        gives: [
          {
            creditor: {
              city: "TC", name: "T", scheme: "CORE", address: "TA", country: "TL", identifier: "TI",
              postal_code: "TP", pre_notification_days: 14,
            },
          },
        ],
      },
      "a creditor without a city": {
        given: { gateways: { settings: {} }, tenants: { city: null } },
        gives: [
          {
            creditor: {
              city: null, name: "T", scheme: "CORE", address: null, country: null, identifier: "TI",
              postal_code: null, pre_notification_days: 14,
            },
          },
        ],
      },
    },
  },
  "sepa_files.lock_settings": {
    given: {
      gateways: {
        id: OTHER, adapter: "sepa_batch", test_mode: false,
        settings: {
          creditor_name: "G", creditor_identifier: "GI", creditor_city: "GC", creditor_address: "GA",
          creditor_postal_code: "GP", creditor_country: "GL", scheme: "B2B", pre_notification_days: "5",
        },
      },
      tenants: {
        name: "T", creditor_identifier: "TI", city: "TC", address: "TA", postal_code: "TP", country: "TL",
        pre_notification_days: 14,
      },
      sepa_accounts: { gateway_id: OTHER, last_run_on: "2026-01-02", polled_at: "2026-01-03" },
      with: { gatewayId: OTHER },
    },
    gives: [
      {
        id: OTHER, test_mode: false,
        creditor: {
          city: "GC", name: "G", scheme: "B2B", address: "GA", country: "GL", identifier: "GI", postal_code: "GP",
          pre_notification_days: 5,
        },
        polled_at: "2026-01-03", last_run_at: null, last_run_on: "2026-01-02",
      },
    ],
    not: {
      "an account at another gateway": { gateways: { adapter: "sandbox" } },
      "another account": { with: { gatewayId: ID } },
    },
    also: {
      "an account that has not run yet": {
        given: { sepa_accounts: [] },
        gives: [{ polled_at: null, last_run_on: null }],
      },
      "another account's runs": {
        given: { sepa_accounts: { gateway_id: ID } },
        gives: [{ polled_at: null, last_run_on: null }],
      },
      "a creditor as the tenant names it": {
        given: { gateways: { settings: {} } },
        gives: [
          {
            creditor: {
              city: "TC", name: "T", scheme: "CORE", address: "TA", country: "TL", identifier: "TI",
              postal_code: "TP", pre_notification_days: 14,
            },
          },
        ],
      },
      "a creditor without a city": {
        given: { gateways: { settings: {} }, tenants: { city: null } },
        gives: [
          {
            creditor: {
              city: null, name: "T", scheme: "CORE", address: null, country: null, identifier: "TI",
              postal_code: null, pre_notification_days: 14,
            },
          },
        ],
      },
    },
  },
  "sepa_files.file_scope": {
    given: {
      gateways: [
        { adapter: "sepa_batch", settings: { creditor_iban: "IBAN: de02-1203 0000.0000 2020 51" } },
        { id: OTHER, adapter: "sepa_batch", settings: { creditor_iban: "DE02120300000000202051" } },
        { id: THIRD, adapter: "sepa_batch", settings: { creditor_iban: "DE02500105170137075030" } },
      ],
      sepa_creditor_accounts: [
        { gateway_id: ID, iban: "DE02100500000054540402" }, { gateway_id: FOURTH, iban: "DE02100500000054540402" },
        { gateway_id: FOURTH, iban: "DE02120300000000202051" },
      ],
    },
    gives: [{ ibans: ["DE02100500000054540402", "DE02120300000000202051"], gateway_ids: [ID, OTHER, FOURTH] }],
    also: {
      "another gateway's account": {
        given: { with: { gatewayId: THIRD } },
        gives: [{ ibans: ["DE02500105170137075030"], gateway_ids: [THIRD] }],
      },
      "an account of another adapter": {
        given: { "gateways[1]": { adapter: "sandbox" } },
        gives: [{ gateway_ids: [ID, FOURTH] }],
      },
      "an unknown account": {
        given: { with: { gatewayId: "00000000-0000-4000-8000-000000000009" } },
        gives: [{ ibans: [], gateway_ids: [] }],
      },
    },
  },
  "sepa_files.remember_account": {
    given: { sepa_creditor_accounts: [], with: { iban: "DE02120300000000202051" } },
    does: {
      sepa_creditor_accounts: added({ iban: "DE02120300000000202051", gateway_id: ID, last_used_at: "2026-02-01", first_used_at: "2026-02-01" }),
    },
    also: {
      "an account that was used before": {
        given: {
          sepa_creditor_accounts: {
            iban: "DE02120300000000202051", first_used_at: "2026-01-02", last_used_at: "2026-01-03",
          },
        },
        does: { sepa_creditor_accounts: { gateway_id: undefined, first_used_at: undefined, added: undefined } },
      },
      "an account that was used later, by a clock that is ahead": {
        given: {
          sepa_creditor_accounts: {
            iban: "DE02120300000000202051", first_used_at: "2026-02-02", last_used_at: "2026-02-03",
          },
        },
        does: { sepa_creditor_accounts: { gateway_id: undefined, last_used_at: undefined, added: undefined } },
      },
    },
  },
  "sepa_files.sum_waiting": {
    given: {
      sepa_collections: [
        { reference: "a", gateway_id: OTHER, state: "accepted", amount: 3, currency: "EUR" },
        { reference: "b", state: "accepted", amount: 30, currency: "EUR" },
        { reference: "c", state: "accepted", amount: 12, currency: "EUR" },
        { reference: "d", state: "accepted", amount: 5, currency: "CHF" },
        { reference: "e", state: "batched", amount: 7, currency: "EUR" },
      ],
    },
    gives: [
      { count: 1, amount: "5.00", currency: "CHF", gateway_id: ID },
      { count: 2, amount: "42.00", currency: "EUR", gateway_id: ID },
      { count: 1, amount: "3.00", currency: "EUR", gateway_id: OTHER },
    ],
  },
  "sepa_files.count_waiting": {
    given: {
      sepa_files: [
        { due_at: "2026-01-02", status: "stored", message_id: "a" },
        { id: OTHER, status: "to_approve", message_id: "b" }, { id: THIRD, status: "ready", message_id: "c" },
        { id: FOURTH, status: "unclear", message_id: "d" },
      ],
      ebics_users: { state: "stopped" }, sepa_unmatched: { status: "open" },
      sepa_collections: { state: "batched", due_date: "2025-01-01" }, sepa_statements: { gap: "one is missing" },
    },
    gives: [
      {
        overdue: 1, to_send: 1, unclear: 1, unmatched: 1, to_approve: 1, to_download: 1, not_approved: 0,
        stopped_users: 1, statement_gaps: 1,
      },
    ],
    also: {
      "nothing is waiting": {
        given: {
          sepa_files: [{ status: "sent" }], ebics_users: { state: "ready" }, sepa_unmatched: { status: "applied" },
          sepa_collections: { state: "settled" }, sepa_statements: { gap: null },
        },
        gives: [
          {
            overdue: 0, to_send: 0, unclear: 0, unmatched: 0, to_approve: 0, to_download: 0, stopped_users: 0,
            statement_gaps: 0,
          },
        ],
      },
      "only a file to approve": {
        given: { sepa_files: [{ status: "to_approve" }] },
        gives: [{ to_send: 0, unclear: 0, to_download: 0 }],
      },
      "only a file to download": {
        given: { sepa_files: [{ status: "ready" }] },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0 }],
      },
      "an entry that is decided in part": { given: { sepa_unmatched: { status: "part" } } },
      "a collection that is due today": {
        given: { sepa_collections: { due_date: "today" } },
        gives: [{ overdue: 0 }],
      },
      "a collection that is due later": {
        given: { sepa_collections: { due_date: "2100-01-01" } },
        gives: [{ overdue: 0 }],
      },
      "two collections of a file that is overdue": {
        given: { "+sepa_collections": { reference: "y", state: "batched", due_date: "2025-01-01" } },
      },
      "collections of two files that are overdue": {
        given: { "+sepa_collections": { reference: "y", state: "batched", due_date: "2025-01-01", file_id: OTHER } },
        gives: [{ overdue: 2 }],
      },
      "a file that missed its approval": {
        given: { sepa_files: [{ direction: "out", missed_approval: true, status: "withdrawn" }] },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
      "a file that missed its approval, where a later one was sent": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            { id: OTHER, direction: "out", status: "sent", created_at: "2026-01-02", message_id: "b" },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0 }],
      },
      "a file that missed its approval, where an earlier one was sent": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            { id: OTHER, direction: "out", status: "sent", created_at: "2025-12-31", message_id: "b" },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
      "a file that missed its approval, where one with the same time was sent": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            { id: OTHER, direction: "out", status: "sent", message_id: "b" },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
      "a file that missed its approval, where a later one waits": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            { id: OTHER, direction: "out", status: "renaming", created_at: "2026-01-02", message_id: "b" },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
      "a file that missed its approval, with a later incoming one": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            { id: OTHER, direction: "in", status: "sent", created_at: "2026-01-02", message_id: "b" },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
      "a file that missed its approval, where another account sent a later one": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            {
              id: OTHER, gateway_id: OTHER, direction: "out", status: "sent", created_at: "2026-01-02",
              message_id: "b",
            },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
      "a file that missed its approval, where another tenant sent a later one": {
        given: {
          sepa_files: [
            { direction: "out", missed_approval: true, status: "withdrawn", message_id: "a" },
            { tenant: 2, id: OTHER, direction: "out", status: "sent", created_at: "2026-01-02", message_id: "b" },
          ],
        },
        gives: [{ to_send: 0, unclear: 0, to_approve: 0, to_download: 0, not_approved: 1 }],
      },
    },
    same: {
      "boundary: < current_date - 7": OVERDUE,
      "off by one: 7)::integer as overdue": OVERDUE,
    },
  },
};
