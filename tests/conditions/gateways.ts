/** Statements of `src/gateways`: their effect, and the rows that they must leave alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const GATEWAYS: Entries = {
  "gateways.identifier_of_tenant": {
    given: { tenants: { creditor_identifier: "DE98ZZZ09999999999" } },
    gives: [{ creditor_identifier: "DE98ZZZ09999999999" }],
  },
};
