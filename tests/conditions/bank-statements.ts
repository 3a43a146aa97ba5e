/**
 * Statements of `src/gateways/sepa-batch/incoming/statements`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { FOURTH, OTHER, THIRD } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const BANK_STATEMENTS: Entries = {
  "sepa_page_entries.find": {
    given: {
      sepa_page_entries: [
        { statement: "s", name: "credit x", page: 2, times: 2 },
        { statement: "s", name: "credit x", page: 3, times: 3 },
      ],
      with: { statement: "s", names: ["credit x", "credit y"], here: [1] },
    },
    gives: [{ name: "credit x", times: 5 }],
    not: {
      "another statement": { with: { statement: "t" } },
      "other entries": { with: { names: ["credit z"] } },
      "the pages themselves": { with: { here: [2, 3] } },
    },
    also: {
      "another page": { given: { with: { here: [1, 2] } }, gives: [{ times: 3 }] },
    },
  },
  "sepa_page_entries.insert": {
    given: { sepa_page_entries: [], with: { statement: "s", number: 2, entries: [{ name: "credit x", times: 3 }] } },
    does: { sepa_page_entries: added({ name: "credit x", page: 2, times: 3, statement: "s" }) },
    also: {
      "a page that contained it less often before": {
        given: { sepa_page_entries: { statement: "s", name: "credit x", page: 2, times: 1 } },
        does: { sepa_page_entries: { added: undefined } },
      },
      "a page that contained it more often before": {
        given: { sepa_page_entries: { statement: "s", name: "credit x", page: 2, times: 4 } },
        does: { sepa_page_entries: [] },
      },
    },
  },
  "sepa_statements.chain": {
    given: { sepa_statements: { ends_on: "2026-01-20" }, with: { since: "2026-01-20" } },
    gives: [{ id: ID, ends_on: "2026-01-20" }],
    not: {
      "another account": { with: { iban: "y" } },
    },
    also: {
      "the one before, from which the chain goes on": {
        given: {
          sepa_statements: [
            { ends_on: "2026-01-18" }, { id: THIRD, ends_on: "2026-01-19" },
            { id: FOURTH, iban: "y", ends_on: "2026-01-21" },
          ],
        },
        gives: [{ id: THIRD, ends_on: "2026-01-19" }],
      },
      "one of the day itself, and the one before": {
        given: { sepa_statements: [{ ends_on: "2026-01-18" }, { id: THIRD, ends_on: "2026-01-20" }] },
        gives: [{ id: ID, ends_on: "2026-01-18" }, { id: THIRD, ends_on: "2026-01-20" }],
      },
      "the one before, where another account has a later one": {
        given: { sepa_statements: [{ ends_on: "2026-01-18" }, { id: THIRD, iban: "y", ends_on: "2026-01-19" }] },
        gives: [{ ends_on: "2026-01-18" }],
      },
    },
  },
  "sepa_statements.write_gaps": {
    given: { sepa_statements: { gap: null }, with: { gaps: [{ id: ID, gap: "one is missing" }] } },
    does: { sepa_statements: { gap: "one is missing" } },
    not: {
      "another statement": { with: { gaps: [{ id: OTHER, gap: "one is missing" }] } },
    },
    also: {
      "no gap any more": {
        given: { sepa_statements: { gap: "one is missing" }, with: { gaps: [{ id: ID, gap: null }] } },
        does: { sepa_statements: { gap: null } },
      },
    },
  },
};
