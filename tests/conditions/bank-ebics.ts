/**
 * Statements of `src/gateways/sepa-batch/transports/ebics`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER, THIRD } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_EBICS: Entries = {
  "ebics_orders.conclude": {
    given: {
      sepa_files: {
        status: "unclear", error: "e", locked_until: "2026-01-02", due_at: "2026-01-02", sent_at: null,
        created_at: "2026-01-10",
      },
      with: { arrived: true, orderId: "order" }, ebics_orders: { order_id: "order", number: 2 },
    },
    gives: [{ "?column?": 1 }],
    does: {
      sepa_files: {
        error: null, due_at: null, status: "sent", sent_at: "2026-02-01", lease_no: 2, updated_at: "2026-02-01",
        locked_until: null,
      },
    },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is sent": { sepa_files: { status: "sent" } },
      "a file that was taken back": { sepa_files: { status: "withdrawn" } },
      "a file that waits, without a report of its arrival": { sepa_files: { status: "stored" }, with: { arrived: false } },
      "another order, without a report of its arrival": { with: { arrived: false, orderId: "other" } },
      "an earlier order, without a report of its arrival": { "+ebics_orders": { order_id: "newest", number: 3 }, with: { arrived: false } },
    },
    also: {
      "not arrived: it is sent again": {
        given: { with: { arrived: false } },
        does: { sepa_files: { due_at: "2026-02-01", status: "stored", sent_at: undefined } },
      },
      "a file that is renamed at the bank, without a report of its arrival": {
        given: { sepa_files: { status: "renaming" }, with: { arrived: false } },
        does: { sepa_files: { due_at: "2026-02-01", status: "stored", sent_at: undefined } },
      },
      "a file that waits, and has arrived": { given: { sepa_files: { status: "stored" } } },
      "a file that is being sent, and has arrived": { given: { sepa_files: { status: "uploading" } } },
      "another order, but it has arrived": { given: { with: { orderId: "other" } } },
      "the newest order, without a report of its arrival": {
        given: { "+ebics_orders": { order_id: "old", number: 1 }, with: { arrived: false } },
        does: { sepa_files: { due_at: "2026-02-01", status: "stored", sent_at: undefined } },
      },
      "arrived, by a clock that is behind": {
        given: { sepa_files: { created_at: "2026-03-01" } },
        does: { sepa_files: { sent_at: "2026-03-01" } },
      },
    },
  },
  "ebics_orders.rejected": {
    given: { sepa_files: { status: "sent" }, with: { error: "sent" } },
    does: { sepa_files: { error: "sent", updated_at: "2026-02-01" } },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that is to approve": { sepa_files: { status: "to_approve" } },
    },
  },
  "ebics_orders.refuse": {
    given: { sepa_files: { status: "uploading", locked_until: "2026-01-02" }, with: { error: "e" } },
    does: {
      sepa_files: { error: "e", due_at: "2026-02-01", status: "stored", updated_at: "2026-02-01", locked_until: null },
    },
    not: {
      "another file": { sepa_files: { id: OTHER } },
      "a file that another worker has": { sepa_files: { lease_no: 2 } },
      "a file that is sent": { sepa_files: { status: "sent" } },
    },
    also: {
      "a file that waits": {
        given: { sepa_files: { status: "stored" } },
        does: { sepa_files: { status: undefined } },
      },
      "a file that is renamed at the bank": { given: { sepa_files: { status: "renaming" } } },
    },
  },
  "ebics_orders.send_refused": {
    given: { sepa_files: { direction: "out", status: "stored", due_at: "2026-03-01" } },
    does: { sepa_files: { due_at: "2026-02-01", updated_at: "2026-02-01" } },
    not: {
      "a file that is due now": { sepa_files: { due_at: "2026-02-01" } },
      "another account's file": { sepa_files: { gateway_id: OTHER } },
      "an incoming file": { sepa_files: { direction: "in" } },
      "a file that is sent": { sepa_files: { status: "sent" } },
      "a file that is due already": { sepa_files: { due_at: "2026-01-15" } },
    },
    also: {
      "a file that is being sent": { given: { sepa_files: { status: "uploading" } } },
    },
  },
  "ebics_users.keep_keys": {
    given: {
      ebics_users: {
        host_id: "x", state: "ready", ini_sent_at: "2026-01-02", hia_sent_at: "2026-01-02",
        confirmed_at: "2026-01-02", unanswered_since: "2026-01-02",
      },
      with: { hostId: "h", partnerId: "p", userId: "u", anew: true, keys: "\\x61", former: "\\x62" },
    },
    gives: [{ "?column?": 1 }],
    does: {
      ebics_users: {
        keys: "\\x61", state: "made", former: "\\x62", host_id: "h", user_id: "u", lease_no: 2, bank_keys: null,
        next_keys: null, partner_id: "p", updated_at: "2026-02-01", hia_sent_at: null, ini_sent_at: null,
        stop_reason: null, confirmed_at: null, unanswered_since: null, offered_bank_keys: null,
      },
    },
    not: {
      "a user whose keys stay": { with: { anew: false } },
      "a user that another worker has": { ebics_users: { locked_until: "2100-01-01" } },
    },
    also: {
      "a user that is new": {
        given: { ebics_users: [] },
        does: {
          ebics_users: added({
            lease_no: undefined, bank_keys: undefined, next_keys: undefined, hia_sent_at: undefined,
            ini_sent_at: undefined, stop_reason: undefined, confirmed_at: undefined, unanswered_since: undefined,
            offered_bank_keys: undefined, created_at: "2026-02-01", gateway_id: ID, locked_until: "in 0 minutes",
          }),
        },
      },
      "a lease that has ended": { given: { ebics_users: { locked_until: "2026-01-02" } } },
    },
    same: { "boundary: >= 0 * interval '1 millisecond'": "A lease that ends in this microsecond has ended a moment later.", "arithmetic: + 0 * interval": "It adds nothing." },
  },
  "ebics_users.save": {
    given: {
      with: {
        state: "s", keys: "\\x61", nextKeys: "\\x62", former: "\\x63", stopReason: "r", bankKeys: { n: 1 },
        offered: { n: 2 },
      },
    },
    gives: [{ "?column?": 1 }],
    does: {
      ebics_users: {
        keys: "\\x61", state: "s", former: "\\x63", bank_keys: { n: 1 }, next_keys: "\\x62", updated_at: "2026-02-01",
        hia_sent_at: "2026-02-01", ini_sent_at: "2026-02-01", stop_reason: "r", confirmed_at: "2026-02-01",
        unanswered_since: "2026-02-01", offered_bank_keys: { n: 2 },
      },
    },
    not: {
      "another account's user": { ebics_users: { gateway_id: OTHER } },
      "a user that another worker has": { ebics_users: { lease_no: 2 } },
    },
  },
  "ebics_users.lease": {
    given: { ebics_users: {}, with: { leaseMs: 120000 } },
    gives: [{ lease_no: 2 }],
    does: { ebics_users: { lease_no: 2, locked_until: "in 2 minutes" } },
    not: {
      "another account's user": { ebics_users: { gateway_id: OTHER } },
      "a user that another worker has": { ebics_users: { locked_until: "2100-01-01" } },
    },
    also: {
      "a user whose lease has ended": { given: { ebics_users: { locked_until: "2026-01-02" } } },
    },
  },
  "ebics_users.end_turn": {
    given: { ebics_users: { locked_until: "2025-12-01" } },
    does: { ebics_users: { locked_until: null } },
    not: {
      "a user of another account": { ebics_users: { gateway_id: OTHER } },
      "a user that another worker has": { ebics_users: { lease_no: 0 } },
    },
  },
  "ebics_events.of_file": {
    given: {
      ebics_events: [
        { number: 3, action: "c", at: "2026-01-02" }, { number: 2, action: "b", at: "2026-01-02" },
        { number: 4, action: "a", at: "2026-01-01" },
      ],
    },
    gives: [{ action: "a" }, { action: "b" }, { action: "c" }],
    not: {
      "another file": { with: { fileId: OTHER } },
    },
  },
  "ebics_events.orders": {
    given: {
      ebics_orders: [
        { number: 1, order_id: "A001", order_type: "CDD", transaction_id: "x", started_at: "2026-01-01" },
        { number: 2, order_id: "A002", order_type: "CCT", transaction_id: "y", started_at: "2026-01-02" },
      ],
      with: { orderIds: ["A001", "A002"] },
    },
    gives: [
      { file_id: ID, order_id: "A002", order_type: "CCT", started_at: "2026-01-02" },
      { file_id: ID, order_id: "A001", order_type: "CDD", started_at: "2026-01-01" },
    ],
    not: {
      "another account": { with: { gatewayId: OTHER } },
      "other orders": { with: { orderIds: ["A003"] } },
    },
  },
  "ebics_events.record": {
    given: {
      ebics_events: [],
      with: {
        now: "2026-02-01",
        events: [
          { order_id: "A001", action: "ORDER_HAC_FINAL_POS", reason: "", at: "2026-01-20", text: "done", file_id: ID },
        ],
      },
    },
    gives: [{ file_id: ID, order_id: "A001" }],
    does: {
      ebics_events: added({
        at: "2026-01-20", text: "done", action: "ORDER_HAC_FINAL_POS", reason: "", file_id: ID, read_at: "2026-02-01",
        order_id: "A001", gateway_id: ID,
      }),
    },
    also: {
      "a step that is known": {
        given: { ebics_events: [{ order_id: "A001", action: "ORDER_HAC_FINAL_POS", reason: "", at: "2026-01-20" }] },
        gives: [],
        does: { ebics_events: [] },
      },
      "another step of the order": {
        given: { ebics_events: [{ order_id: "A001", action: "FILE_UPLOAD", reason: "", at: "2026-01-20" }] },
      },
    },
  },
  "ebics_orders.awaited": {
    given: { sepa_files: { status: "renaming" } },
    gives: [{ one: 1 }],
    not: {
      "another account": { sepa_files: { gateway_id: OTHER } },
      "a file whose upload has ended": { sepa_files: { status: "sent" } },
      "a file that is being uploaded": { sepa_files: { status: "uploading" } },
    },
  },
  "ebics_orders.begin": {
    given: { ebics_orders: [], with: { transactionId: "T", orderId: "A001", orderType: "CDD", now: "2026-02-01" } },
    does: {
      ebics_orders: added({
        number: 1, file_id: ID, order_id: "A001", order_type: "CDD", gateway_id: ID, started_at: "2026-02-01", transaction_id: "T",
      }),
    },
    not: {
      "another file": { with: { fileId: OTHER } },
    },
    also: {
      "a second upload": { given: { ebics_orders: { number: 1 } }, does: { ebics_orders: { number: 2 } } },
      "an upload of another file": { given: { ebics_orders: { file_id: OTHER } } },
    },
  },
  "ebics_orders.latest": {
    given: {
      ebics_orders: [
        { number: 1, order_id: "A001", transaction_id: "x" }, { number: 2, order_id: "A002", transaction_id: "y" },
      ],
    },
    gives: [{ number: 2, order_id: "A002" }],
    not: {
      "another file": { with: { fileId: OTHER } },
    },
  },
  "ebics_orders.decided": {
    given: { sepa_files: { status: "withdrawn", message_id: "message" }, with: { fileIds: [ID] } },
    gives: [{ id: ID, message_id: "message", status: "withdrawn" }],
    not: {
      "another file": { with: { fileIds: [OTHER] } },
      "a file that waits for its upload": { sepa_files: { status: "stored" } },
    },
    also: {
      "a file that is sent": { given: { sepa_files: { status: "sent" } }, gives: [{ status: "sent" }] },
    },
  },
  "ebics_users.find": {
    given: { ebics_users: { state: "ready" } },
    gives: [{ state: "ready", gateway_id: ID }],
    not: {
      "another account": { ebics_users: { gateway_id: OTHER } },
    },
  },
  "ebics_users.lock": {
    given: { ebics_users: { state: "ready" } },
    gives: [{ state: "ready", gateway_id: ID }],
    not: {
      "another account": { ebics_users: { gateway_id: OTHER } },
    },
  },
  "ebics_users.list": {
    given: { ebics_users: { state: "stopped" }, with: { state: "stopped" } },
    gives: [{ state: "stopped", gateway_id: ID }],
    not: {
      "a user in another state": { ebics_users: { state: "ready" } },
    },
    also: {
      "of every state": { given: { with: { state: null } } },
      "several, in the order of their changes": {
        given: {
          ebics_users: [
            { gateway_id: THIRD, state: "stopped", updated_at: "2026-01-02" },
            { gateway_id: OTHER, state: "stopped", updated_at: "2026-01-02" },
            { gateway_id: ID, state: "stopped", updated_at: "2026-01-03" },
          ],
        },
        gives: [
          { state: "stopped", gateway_id: OTHER }, { state: "stopped", gateway_id: THIRD },
          { state: "stopped", gateway_id: ID },
        ],
      },
    },
  },
};
