/**
 * Statements of the bank's collections and refunds (`books-store.ts` and `cancel/` of `src/gateways/sepa-batch`):
 * their effect, and the rows that they must leave alone (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_COLLECTIONS: Entries = {
  "sepa.open": {
    given: {
      sepa_collections: [],
      with: {
        state: "accepted", amount: 30, currency: "EUR", recurring: true, scheme: "B2B", remittance: "r",
        debtorName: "d", mandateReference: "m", reasonCode: null, refundOf: null,
      },
    },
    gives: [{ state: "accepted", asked_count: 1 }],
    does: {
      sepa_collections: added({
        state: "accepted", amount: 30, debtor: BYTES, scheme: "B2B", currency: "EUR", recurring: true,
        reference: "x", created_at: "2026-02-01", gateway_id: ID, not_before: "2026-02-01", remittance: "r",
        updated_at: "2026-02-01", debtor_name: "d", mandate_reference: "m", mandate_signed_on: "2026-02-01",
      }),
    },
    also: {
      "asked again: counted": {
        given: { sepa_collections: { asked_count: 1 } },
        gives: [{ state: "x", asked_count: 2 }],
        does: {
          sepa_collections: {
            state: undefined, amount: undefined, debtor: undefined, scheme: undefined, currency: undefined,
            recurring: undefined, reference: undefined, created_at: undefined, gateway_id: undefined,
            not_before: undefined, remittance: undefined, updated_at: undefined, debtor_name: undefined,
            mandate_reference: undefined, mandate_signed_on: undefined, added: undefined, asked_count: 2,
          },
        },
      },
    },
  },
  "sepa.open_refund": {
    given: {
      sepa_collections: {
        refund_of: null, state: "settled", amount: 30, settled_on: "2026-01-20", debtor_name: "d",
        mandate_reference: "m", scheme: "CORE",
      },
      with: { reference: "refund", amount: 10, reversibleUntil: null, settledBy: "2026-01-25", remittance: "text" },
    },
    gives: [{ state: "accepted" }],
    does: {
      sepa_collections: added({
        state: "accepted", amount: 10, debtor: BYTES, scheme: "CORE", currency: "x", recurring: false,
        reference: "refund", refund_of: "x", created_at: "2026-02-01", gateway_id: ID, not_before: "2026-02-01",
        remittance: "text", updated_at: "2026-02-01", debtor_name: "d", collected_on: "2026-01-20",
        mandate_reference: "m",
      }),
    },
    also: {
      "asked again: counted": {
        given: {
          sepa_collections: [
            { refund_of: null, state: "settled", amount: 30 },
            { reference: "refund", refund_of: "x", state: "accepted", amount: 10 },
          ],
        },
        does: {
          sepa_collections: {
            state: undefined, amount: undefined, debtor: undefined, scheme: undefined, currency: undefined,
            recurring: undefined, refund_of: undefined, created_at: undefined, gateway_id: undefined,
            not_before: undefined, remittance: undefined, updated_at: undefined, debtor_name: undefined,
            collected_on: undefined, mandate_reference: undefined, added: undefined, asked_count: 2,
          },
        },
      },
      "credited on the last day": { given: { with: { settledBy: "2026-01-20" } } },
      "credited too recently": {
        given: { with: { settledBy: "2026-01-19" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "DT01" } },
      },
      "all of it": { given: { with: { amount: 30 } }, does: { sepa_collections: { amount: 30 } } },
      "more than it": {
        given: { with: { amount: 31 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", amount: 31, reason_code: "AM02" } },
      },
      "more than the rest of it": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "accepted", amount: 21 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM02" } },
      },
      "a refund in a file counts": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "batched", amount: 21 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM02" } },
      },
      "a refund that has settled counts": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "settled", amount: 21 } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM02" } },
      },
      "a refund that was rejected does not count": {
        given: { "+sepa_collections": { reference: "other", refund_of: "x", state: "rejected", amount: 21 } },
      },
      "another collection's refund does not count": {
        given: { "+sepa_collections": { reference: "other", refund_of: "y", state: "settled", amount: 21 } },
      },
      "another account's refund does not count": {
        given: {
          "+sepa_collections": { gateway_id: OTHER, reference: "other", refund_of: "x", state: "settled", amount: 21 },
        },
      },
      "a collection that is in a file": {
        given: { sepa_collections: { state: "batched" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "ARDT" } },
      },
      "another currency": {
        given: { with: { currency: "y" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", currency: "y", reason_code: "NOOR" } },
      },
      "an unknown collection": {
        given: { sepa_collections: [] },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "another collection": {
        given: { sepa_collections: { reference: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "a refund is not refunded": {
        given: { sepa_collections: { refund_of: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: {
            state: "refused", debtor: undefined, scheme: undefined, debtor_name: "", collected_on: undefined,
            mandate_reference: "", reason_code: "NOOR",
          },
        },
      },
      "a collection that is only assumed to have settled": { given: { sepa_collections: { assumed: true } } },
      "a reversal of all of it": {
        given: { with: { reversibleUntil: "2026-02-10", amount: 30, settledBy: "2026-01-19" } },
        does: { sepa_collections: { amount: 30, reversible_until: "2026-02-10" } },
      },
      "a reversal of a part": {
        given: { with: { reversibleUntil: "2026-02-10" } },
        gives: [{ state: "refused" }],
        does: { sepa_collections: { state: "refused", reason_code: "AM09", reversible_until: "2026-02-10" } },
      },
      "a reversal of a debit that is in no file": {
        given: { sepa_collections: { file_id: null, block_id: null }, with: { reversibleUntil: "2026-02-10", amount: 30 } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: { state: "refused", amount: 30, reason_code: "AG02", reversible_until: "2026-02-10" },
        },
      },
      "a transfer for a debit that is in no file": { given: { sepa_collections: { file_id: null, block_id: null } } },
      "a reversal of what is only assumed to have settled": {
        given: { sepa_collections: { assumed: true }, with: { reversibleUntil: "2026-02-10", amount: 30 } },
        gives: [{ state: "refused" }],
        does: {
          sepa_collections: { state: "refused", amount: 30, reason_code: "ARDT", reversible_until: "2026-02-10" },
        },
      },
    },
  },
  "sepa.fence": {
    given: { sepa_collections: { asked_count: 3 } },
    gives: [{ state: "x", asked_count: 3 }],
    also: {
      "an unknown collection without an entry": {
        given: { sepa_collections: [] },
        gives: [{ state: "fenced", asked_count: 0 }],
        does: {
          sepa_collections: added({
            state: "fenced", amount: 0, currency: "", recurring: false, reference: "x", created_at: "2026-02-01",
            gateway_id: ID, remittance: "", updated_at: "2026-02-01", asked_count: 0, debtor_name: "",
            mandate_reference: "",
          }),
        },
      },
    },
    same: { "dropped assignment: sepa_collections.asked_count": "It sets the present value, only to return the row." },
  },
  "sepa.withdraw": {
    given: { sepa_collections: { state: "accepted" } },
    gives: [{ reference: "x" }],
    does: { sepa_collections: { state: "fenced", updated_at: "2026-02-01" } },
    not: {
      "a collection of another account": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a collection that is mandate only": { sepa_collections: { state: "mandate_only" } },
    },
    also: {
      "a collection that is fenced": {
        given: { sepa_collections: { state: "fenced" } },
        does: { sepa_collections: { state: undefined } },
      },
    },
  },
  "sepa.acknowledge": {
    given: { sepa_news: { kind: "fee", bank_fee: 2 }, with: { fee: 2 } },
    also: { "news of another kind": { given: { sepa_news: { kind: "settled" }, with: { fee: null } } } },
    does: { sepa_news: { acknowledged_at: "2026-02-01" } },
    not: {
      "a piece of news of another account": { sepa_news: { gateway_id: OTHER } },
      "another piece of news": { sepa_news: { number: 0 } },
      "a fee that has grown since": { sepa_news: { bank_fee: 3 } },
      "a piece of news that was acknowledged": { sepa_news: { acknowledged_at: "2025-12-01" } },
    },
  },
  "sepa.cancel": {
    given: { sepa_collections: { state: "accepted" }, sepa_news: [], with: { on: "2026-01-30" } },
    gives: [{ reference: "x" }],
    does: {
      sepa_collections: {
        state: "rejected", updated_at: "2026-02-01", reason_code: "CUST", returned_on: "2026-01-30",
      },
      sepa_news: added({ at: "2026-02-01", kind: "returned", reference: "x", gateway_id: ID, reason_code: "CUST", reason_message: "x" }),
    },
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
      "a collection that is in a file": { sepa_collections: { state: "batched" } },
    },
    also: {
      "a collection whose return is already in the news": {
        given: { sepa_news: { kind: "returned", round: 0 } },
        does: { sepa_news: [] },
      },
    },
  },
  "sepa.find_instruction": {
    given: { sepa_collections: { state: "settled" } },
    gives: [{ state: "settled", reference: "x" }],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
    },
  },
  "sepa.find_to_cancel": {
    given: { transactions: { status: "pending" }, sepa_collections: { state: "accepted", reason_code: null } },
    gives: [{ id: ID, state: "accepted", status: "pending", reference: "x", gateway_id: ID, reason_code: null }],
    not: {
      "another payment": { transactions: { id: OTHER } },
    },
    also: {
      "another account's collection": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ state: null }],
      },
      "another payment's collection": { given: { sepa_collections: { reference: "y" } }, gives: [{ state: null }] },
    },
  },
  "sepa.lock_collected": {
    gives: [{ "?column?": 1 }],
    not: {
      "another account's collection": { sepa_collections: { gateway_id: OTHER } },
      "another collection": { sepa_collections: { reference: "y" } },
    },
  },
  "sepa.open_news": {
    given: {
      sepa_news: [{ number: 3, kind: "settled", reference: "b" }, { number: 2, kind: "returned", reference: "a" }],
      with: { limit: 5, skip: 0 },
    },
    gives: [{ kind: "returned", number: 2, reference: "a" }, { kind: "settled", number: 3, reference: "b" }],
    not: {
      "another account's news": { sepa_news: [{ gateway_id: OTHER }] },
      "news that was taken": { sepa_news: [{ acknowledged_at: "2026-01-02" }] },
    },
    also: {
      "the first": { given: { with: { limit: 1 } }, gives: [{ kind: "returned", number: 2, reference: "a" }] },
      "later ones": { given: { with: { skip: 1 } }, gives: [{ kind: "settled", number: 3, reference: "b" }] },
    },
  },
};
