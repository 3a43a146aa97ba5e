/** Statements of `src/gateways`: the rows that each is for, and those that it leaves alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";

// A case is a line, or a few.
// prettier-ignore
export const GATEWAYS: Entries = {
  "gateways.identifier_of_tenant": {
    given: { tenants: { creditor_identifier: "DE98ZZZ09999999999" } },
    gives: [{ creditor_identifier: "DE98ZZZ09999999999" }],
  },
};
