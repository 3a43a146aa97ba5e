/** Bugs that a payer, or the payer's lawyer, meets. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const TEXTS = "tests/mandates/merchant-text.test.ts";
const GATEWAYS = "src/gateways/records/gateway-record.test.ts";

export const BY_PAYERS: readonly PlantedBug[] = [
  putBack(
    "a form with a mandate text that was replaced since is signed",
    [["payment-page/mandate-text.ts", "${own.toSorted().join()}", "${own.length > 99}"]],
    [TEXTS, "a form that shows a text which has been replaced since signs nothing"],
  ),
  putBack(
    "a mandate of the merchant's own text is recorded under the scheme's",
    [
      [
        "payment-page/mandate-text.ts",
        "return own === undefined ? textVersion(",
        'return own === undefined || own.id !== "" ? textVersion(',
      ],
    ],
    [TEXTS, "the page shows it, the mandate names its version, and the document keeps it"],
  ),
  putBack(
    "a mandate text without a creditor identifier is published",
    [
      [
        "mandates/merchant-text.ts",
        '["creditor", "identifier", "reference", "type"]',
        '["creditor", "reference", "type"]',
      ],
    ],
    [TEXTS, "a text without a place for the creditor, the identifier, the reference or the type is refused"],
  ),
  putBack(
    "a live account without a creditor identifier collects",
    [["mandates/creditor.ts", "return testMode || named !== null", 'return testMode || named !== ""']],
    [GATEWAYS, "a live account without a creditor identifier is refused at setup"],
  ),
];
