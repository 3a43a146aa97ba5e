/**
 * Statements of `src/gateways/sandbox`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SANDBOX: Entries = {
  "sandbox.open_book": {
    given: { sandbox_books: { asked_count: 1 } },
    gives: [{ state: "x", asked_count: 2 }],
    does: { sandbox_books: { asked_count: 2 } },
    also: {
      "two at once": {
        given: {
          sandbox_books: [{ asked_count: 1 }, { reference: "y", verification_id: OTHER, asked_count: 5 }],
          with: {
            gatewayId: [ID, ID], reference: ["x", "y"], bankReference: ["b", "b"], verificationId: [null, null],
            scenario: ["s", "s"], state: ["charged", "charged"], amount: [1, 1], currency: ["EUR", "EUR"],
            mandateReference: ["m", "m"], creditorName: ["c", "c"], ibanLast4: ["1", "1"], returnUrl: [null, null],
            now: ["2026-02-01", "2026-02-01"],
          },
        },
        gives: [{ state: "x", asked_count: 2 }, { state: "x", asked_count: 6 }],
        does: { sandbox_books: [{ asked_count: 2 }, { reference: "y", asked_count: 6 }] },
      },
      "two accounts at once": {
        given: {
          sandbox_books: [{ asked_count: 1 }, { gateway_id: OTHER, verification_id: OTHER, asked_count: 5 }],
          with: {
            gatewayId: [ID, OTHER], reference: ["x", "x"], bankReference: ["b", "b"], verificationId: [null, null],
            scenario: ["s", "s"], state: ["charged", "charged"], amount: [1, 1], currency: ["EUR", "EUR"],
            mandateReference: ["m", "m"], creditorName: ["c", "c"], ibanLast4: ["1", "1"], returnUrl: [null, null],
            now: ["2026-02-01", "2026-02-01"],
          },
        },
        gives: [{ state: "x", asked_count: 2 }, { state: "x", asked_count: 6 }],
        does: { sandbox_books: [{ asked_count: 2 }, { gateway_id: OTHER, asked_count: 6 }] },
      },
      "a payment that is new": {
        given: {
          sandbox_books: [],
          with: {
            chargedAt: ["2026-01-30"], answerCode: ["code"], answerMessage: ["m"], scenario: ["s"],
            state: ["charged"], amount: [30], currency: ["EUR"],
          },
        },
        gives: [{ state: "charged", asked_count: 1 }],
        does: {
          sandbox_books: added({
            asked_count: undefined, state: "charged", amount: 30, currency: "EUR", scenario: "s", reference: "x",
            charged_at: "2026-01-30", created_at: "2026-02-01", gateway_id: ID, iban_last4: "x", return_url: BYTES,
            answer_code: "code", creditor_name: "x", answer_message: "m", bank_reference: "x", verification_id: ID,
            mandate_reference: "x",
          }),
        },
      },
    },
  },
  "sandbox.answer_verification": {
    given: { sandbox_books: { state: "awaiting_customer" } },
    gives: [{ state: "charged" }],
    does: { sandbox_books: { state: "charged", charged_at: "2026-02-01", answer_code: null, answer_message: null } },
    not: {
      "a collection of another account": { sandbox_books: { gateway_id: OTHER } },
      "another collection": { sandbox_books: { reference: "y" } },
      "a collection of another verification": { sandbox_books: { verification_id: OTHER } },
      "a collection that is charged": { sandbox_books: { state: "charged" } },
    },
    also: {
      "a customer who does not confirm": {
        given: { sandbox_books: { scenario: "verify_fails" } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: {
            state: "refused", charged_at: undefined, answer_code: "MD01",
            answer_message: "The account holder did not confirm the mandate.",
          },
        },
      },
      "a customer who refuses": {
        given: { with: { refuses: true } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: {
            state: "refused", charged_at: undefined, answer_code: "MD01",
            answer_message: "The account holder did not confirm the mandate.",
          },
        },
      },
    },
  },
  "sandbox.open_refund": {
    given: {
      sandbox_books: {
        refund_of: null, state: "charged", amount: 30, refunded: 5, scenario: "s", mandate_reference: "m",
        creditor_name: "c", iban_last4: "1234",
      },
      with: { reference: "refund", amount: 10 },
    },
    gives: [{ state: "refunded" }],
    does: {
      sandbox_books: [
        added({
          state: "refunded", amount: 10, currency: "x", scenario: "s", reference: "refund", refund_of: "x",
          charged_at: "2026-02-01", created_at: "2026-02-01", gateway_id: ID, iban_last4: "1234", creditor_name: "c",
          bank_reference: "x", mandate_reference: "m",
        }),
        { refunded: 15 },
      ],
    },
    also: {
      "asked again: counted once": {
        given: {
          sandbox_books: [
            { refund_of: null, state: "charged", amount: 30, refunded: 5 },
            {
              reference: "refund", refund_of: "x", state: "refunded", amount: 10, verification_id: null,
              asked_count: 1,
            },
          ],
        },
        does: { sandbox_books: [{ reference: "refund", asked_count: 2 }] },
      },
      "a collection that has settled": { given: { sandbox_books: { state: "settled" } } },
      "a collection that settles later": {
        given: { sandbox_books: { scenario: "settle_later" } },
        gives: [{ state: "pending" }],
        does: { sandbox_books: [{ state: "pending", scenario: "settle_later" }, {}] },
      },
      "exactly the rest": {
        given: { with: { amount: 25 } },
        does: { sandbox_books: [{ amount: 25 }, { refunded: 30 }] },
      },
      "more than the rest": {
        given: { with: { amount: 26 } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 26, currency: "x", scenario: "s", reference: "refund", refund_of: "x",
              created_at: "2026-02-01", gateway_id: ID, iban_last4: "1234", answer_code: "AM02", creditor_name: "c",
              answer_message: "The refund is above what is left of the collection.", bank_reference: "x",
              mandate_reference: "m",
            }),
          ],
        },
      },
      "a collection that was refused": {
        given: { sandbox_books: { state: "refused" } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 10, currency: "x", scenario: "s", reference: "refund", refund_of: "x",
              created_at: "2026-02-01", gateway_id: ID, iban_last4: "1234", answer_code: "ARDT", creditor_name: "c",
              answer_message: "This collection was not paid, or has gone back already.", bank_reference: "x",
              mandate_reference: "m",
            }),
          ],
        },
      },
      "another currency": {
        given: { with: { currency: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 10, currency: "y", scenario: "s", reference: "refund", refund_of: "x",
              created_at: "2026-02-01", gateway_id: ID, iban_last4: "1234", answer_code: "NOOR", creditor_name: "c",
              answer_message: "No such collection.", bank_reference: "x", mandate_reference: "m",
            }),
          ],
        },
      },
      "an unknown collection": {
        given: { sandbox_books: [] },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 10, currency: "x", scenario: "unknown collection", reference: "refund",
              refund_of: "x", created_at: "2026-02-01", gateway_id: ID, iban_last4: "", answer_code: "NOOR",
              creditor_name: "", answer_message: "No such collection.", bank_reference: "x", mandate_reference: "",
            }),
          ],
        },
      },
      "another account's collection": {
        given: { sandbox_books: { gateway_id: OTHER } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 10, currency: "x", scenario: "unknown collection", reference: "refund",
              refund_of: "x", created_at: "2026-02-01", gateway_id: ID, iban_last4: "", answer_code: "NOOR",
              creditor_name: "", answer_message: "No such collection.", bank_reference: "x", mandate_reference: "",
            }),
          ],
        },
      },
      "another collection": {
        given: { sandbox_books: { reference: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 10, currency: "x", scenario: "unknown collection", reference: "refund",
              refund_of: "x", created_at: "2026-02-01", gateway_id: ID, iban_last4: "", answer_code: "NOOR",
              creditor_name: "", answer_message: "No such collection.", bank_reference: "x", mandate_reference: "",
            }),
          ],
        },
      },
      "a refund is not refunded": {
        given: { sandbox_books: { refund_of: "y" } },
        gives: [{ state: "refused" }],
        does: {
          sandbox_books: [
            added({
              state: "refused", amount: 10, currency: "x", scenario: "unknown collection", reference: "refund",
              refund_of: "x", created_at: "2026-02-01", gateway_id: ID, iban_last4: "", answer_code: "NOOR",
              creditor_name: "", answer_message: "No such collection.", bank_reference: "x", mandate_reference: "",
            }),
          ],
        },
      },
    },
  },
  "sandbox.fence": {
    given: { sandbox_books: { state: "awaiting_customer" } },
    gives: [{ state: "fenced" }],
    does: { sandbox_books: { state: "fenced" } },
    also: {
      "an unknown collection without an entry": {
        given: { with: { gatewayId: OTHER } },
        does: {
          sandbox_books: added({
            amount: 0, currency: "", scenario: "never received", reference: "x", created_at: "2026-02-01",
            gateway_id: OTHER, iban_last4: "", asked_count: 0, reported_at: "2026-02-01", creditor_name: "",
            bank_reference: "", mandate_reference: "",
          }),
        },
      },
      "a collection that is charged": {
        given: { sandbox_books: { state: "charged" } },
        gives: [{ state: "charged" }],
        does: { sandbox_books: [] },
      },
    },
  },
  "sandbox.reported": {
    given: { with: { state: "y" } },
    does: { sandbox_books: { state: "y", reported_at: "2026-02-01" } },
    not: {
      "a collection of another account": { sandbox_books: { gateway_id: OTHER } },
      "another collection": { sandbox_books: { reference: "y" } },
      "a collection that was reported": { sandbox_books: { reported_at: "2025-12-01" } },
    },
  },
  "sandbox.come_back": {
    given: {
      sandbox_books: {
        refund_of: null, refunded: 0, state: "charged", reported_at: "2026-01-20", charged_at: "2026-01-19",
      },
    },
    gives: [{ reference: "x" }],
    does: { sandbox_books: { scenario: "charge_back", reported_at: null } },
    not: {
      "another payment": { sandbox_books: { reference: "y" } },
      "a refund": { sandbox_books: { refund_of: "y" } },
      "a payment that is refunded in part": { sandbox_books: { refunded: 2 } },
      "a payment that was refused": { sandbox_books: { state: "refused" } },
    },
    also: {
      "a payment that is pending is returned": {
        given: { sandbox_books: { state: "pending" } },
        does: { sandbox_books: { scenario: "return_later" } },
      },
      "a payment that has settled": {
        given: { sandbox_books: { state: "settled" } },
        does: { sandbox_books: { charged_at: "2026-01-20" } },
      },
      "a payment that has settled, without news yet": {
        given: { sandbox_books: { state: "settled", reported_at: null } },
        does: { sandbox_books: { reported_at: undefined } },
      },
    },
  },
  "sandbox.by_verification": {
    given: { sandbox_books: { verification_id: ID } },
    gives: [{ reference: "x", verification_id: ID }],
    not: {
      "another confirmation": { sandbox_books: { verification_id: OTHER } },
      "a debit without a confirmation": { sandbox_books: { verification_id: null } },
    },
  },
  "sandbox.can_come_back": {
    given: { sandbox_books: { state: "settled", refund_of: null, refunded: 0 } },
    gives: [{ state: "settled" }],
    not: {
      "another debit": { sandbox_books: { reference: "y" } },
      "a refund": { sandbox_books: { refund_of: "y" } },
      "a debit that was partly refunded": { sandbox_books: { refunded: 0.01 } },
      "a debit that is refused": { sandbox_books: { state: "refused" } },
      "a debit that is fenced": { sandbox_books: { state: "fenced" } },
      "a debit that waits for its customer": { sandbox_books: { state: "awaiting_customer" } },
      "a debit that was returned": { sandbox_books: { state: "returned" } },
      "a debit that was charged back": { sandbox_books: { state: "charged_back" } },
    },
    also: {
      "a debit that is pending": { given: { sandbox_books: { state: "pending" } }, gives: [{ state: "pending" }] },
      "a debit that is charged": { given: { sandbox_books: { state: "charged" } }, gives: [{ state: "charged" }] },
    },
  },
  "sandbox.find_book": {
    given: { sandbox_books: { state: "settled" } },
    gives: [{ state: "settled", reference: "x" }],
    not: {
      "another account": { sandbox_books: { gateway_id: OTHER } },
      "another debit": { sandbox_books: { reference: "y" } },
    },
  },
  "sandbox.newest_of_mandate": {
    given: { sandbox_books: { state: "settled", refund_of: null } },
    gives: [{ state: "settled" }],
    not: {
      "another account": { sandbox_books: { gateway_id: OTHER } },
      "another mandate": { sandbox_books: { mandate_reference: "y" } },
      "a refund": { sandbox_books: { refund_of: "y" } },
    },
    also: {
      "a later debit": {
        given: {
          "+sandbox_books": {
            reference: "y", verification_id: null, refund_of: null, state: "charged", created_at: "2026-01-02",
          },
        },
        gives: [{ state: "charged" }],
      },
      "an earlier debit": {
        given: {
          "+sandbox_books": {
            reference: "y", verification_id: null, refund_of: null, state: "charged", created_at: "2025-12-31",
          },
        },
      },
    },
  },
  "sandbox.unreported": {
    given: {
      sandbox_books: { state: "pending", reported_at: null, amount: 30, scenario: "charge_back" },
      with: { limit: 9, skip: 0 },
    },
    gives: [{ reference: "x" }],
    not: {
      "another account": { sandbox_books: { gateway_id: OTHER } },
      "a debit that was reported": { sandbox_books: { reported_at: "2026-01-02" } },
      "a charged debit that stays charged": { sandbox_books: { state: "charged", scenario: "approve" } },
      "nothing that could be returned": { sandbox_books: { state: "charged", amount: 0 } },
      "a debit that is refused": { sandbox_books: { state: "refused" } },
      "a debit that is fenced": { sandbox_books: { state: "fenced" } },
      "a debit that waits for its customer": { sandbox_books: { state: "awaiting_customer" } },
      "a refund": { sandbox_books: { state: "refunded" } },
      "as many are skipped as there are": { with: { skip: 1 } },
    },
    also: {
      "a debit that has settled": { given: { sandbox_books: { state: "settled", scenario: "settle" } } },
      "a debit that was returned": { given: { sandbox_books: { state: "returned", scenario: "settle" } } },
      "a debit that was charged back": { given: { sandbox_books: { state: "charged_back", scenario: "settle" } } },
      "a debit that is pending, of any scenario and amount": {
        given: { sandbox_books: { scenario: "settle", amount: 0 } },
      },
      "a charged debit that will be returned": { given: { sandbox_books: { state: "charged", amount: 1 } } },
      "the oldest first": {
        given: {
          sandbox_books: [
            { reference: "c", verification_id: null, state: "pending", reported_at: null, created_at: "2026-01-03" },
            { reference: "b", verification_id: null, state: "pending", reported_at: null, created_at: "2026-01-02" },
            { reference: "a", verification_id: null, state: "pending", reported_at: null, created_at: "2026-01-02" },
          ],
        },
        gives: [{ reference: "a" }, { reference: "b" }, { reference: "c" }],
      },
      "no more than requested": {
        given: {
          sandbox_books: [
            { reference: "b", verification_id: null, state: "pending", reported_at: null },
            { reference: "a", verification_id: null, state: "pending", reported_at: null },
          ],
          with: { limit: 1 },
        },
        gives: [{ reference: "a" }],
      },
    },
  },
};
