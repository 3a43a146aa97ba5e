/** Statements of `src/gateways/sepa-batch/unmatched`: what each is for, and what it leaves alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";
import { OTHER } from "./rows.ts";

// A case is a line, or a few.
// prettier-ignore
export const BANK_UNMATCHED: Entries = {
  "sepa_unmatched.resolve": {
    given: { sepa_unmatched: { status: "open" }, with: { reference: "part", note: "part", bankFee: 0 } },
    does: {
      sepa_unmatched: { status: "x", bank_fee: 0, reference: "part", resolution: "part", resolved_at: "2026-02-01" },
    },
    not: {
      "another unmatched entry": { sepa_unmatched: { id: OTHER } },
      "an unmatched entry that is applied": { sepa_unmatched: { status: "applied" } },
    },
    also: {
      "no bank fee": { given: { with: { bankFee: null } }, does: { sepa_unmatched: { bank_fee: undefined } } },
      "an entry without a target": {
        given: { sepa_unmatched: { target: null } },
        does: { sepa_unmatched: { target: {} } },
      },
      "an entry that is decided in part": {
        given: { with: { status: "part" } },
        does: { sepa_unmatched: { status: "part", resolved_at: undefined } },
      },
      "an entry that was decided in part": { given: { sepa_unmatched: { status: "part" } } },
    },
  },
  "sepa_unmatched.find_applied": {
    given: { sepa_unmatched: { status: "applied" } },
    gives: [{ identity: "x" }],
    not: {
      "an entry with another identity": { sepa_unmatched: { identity: "y" } },
      "an entry that is open": { sepa_unmatched: { status: "open", resolved_at: null } },
      "an entry that was dismissed": { sepa_unmatched: { status: "dismissed" } },
    },
  },
  "sepa_unmatched.mark_parts": {
    given: { sepa_unmatched: { status: "part" } },
    does: { sepa_unmatched: { status: "x", resolved_at: "2026-02-01" } },
    not: {
      "an entry without a target": { sepa_unmatched: { target: null } },
      "an unmatched entry that is open": { sepa_unmatched: { status: "open" } },
    },
  },
};
