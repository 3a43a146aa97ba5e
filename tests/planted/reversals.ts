/** Bugs around reversals of debits, and around what the bank rejects after it had credited a part. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const REVERSALS = "tests/sepa/reversals.test.ts";
const RESOLUTIONS = "tests/sepa/resolutions.test.ts";
const MEANT = "gateways/sepa-batch/incoming/debit-or-reversal.ts";

export const AROUND_REVERSALS: readonly PlantedBug[] = [
  putBack(
    "the booking of a reversal is a return of its debit",
    [[MEANT, 'if (item.reversal === true || isNamed(reversal, item)) return "reversal";', ""]],
    [REVERSALS, "the bank's booking under the debit's own id makes the payment refunded"],
    [REVERSALS, "a report that rejects the reversal, even under the debit's id"],
  ),
  putBack(
    "a return of a debit that was reversed is its reversal's booking",
    [
      [
        MEANT,
        'if (item.why.code !== null) return "debit";',
        'if (item.why.code !== null) return "reversal";',
      ],
    ],
    [
      REVERSALS,
      "a return by the customer's bank during the reversal is a chargeback, and the reversal's booking is a loss",
    ],
  ),
  putBack(
    "an entry that may be a return or a reversal is guessed",
    [[MEANT, 'if (waits) return "unclear";', 'if (waits) return "reversal";']],
    [
      REVERSALS,
      "a debit entry without a code and a reason may be a return or a reversal, and a person decides",
    ],
  ),
  putBack(
    "a reversal that was assumed to be booked awaits no booking",
    [[MEANT, '(state === "settled" && booked.debit === undefined)', "false"]],
    [
      REVERSALS,
      "a debit entry without a code, after a reversal whose booking was assumed, may be its booking or a return, and a person decides",
    ],
  ),
  putBack(
    "a person rejects debits by a report about reversals",
    [
      [
        "gateways/sepa-batch/unmatched/resolutions.ts",
        "item.reversal === true && wanted.some",
        "false && wanted.some",
      ],
    ],
    [REVERSALS, "a report that rejects reversals under the block of their debits"],
  ),
  putBack(
    "a report about reversals is not understood",
    [["sepa/messages/reading/status-codes.ts", 'return "reversals";', 'return "ours";']],
    ["src/sepa/messages/reading/status-codes.test.ts", "the answered message is recognised by its name"],
  ),
  putBack(
    "a part of a debit is reversed",
    [["gateways/sepa-batch/books-store.ts", "c.amount <> :amount::numeric then 'AM09'", "false then 'AM09'"]],
    [REVERSALS, "a part of a debit has no reversal"],
  ),
  putBack(
    "waiting reversals are sent after the account's reversals were switched off",
    [
      [
        "gateways/sepa-batch/outgoing/stopped-store.ts",
        "(c.reversible_until is not null and not :takesReversals)",
        "(c.reversible_until is not null and not (:takesReversals or true))",
      ],
    ],
    [
      REVERSALS,
      "an account whose reversals were switched off sends none that wait, in a file or not, and gives the reason",
    ],
  ),
  putBack(
    "a bank's fee for a reversal is no entry of the ledger",
    [["reports/journal/lines.ts", "[...refundLines(movement), ...fees]", "refundLines(movement)"]],
    [REVERSALS, "the bank's fee for a reversal is a separate entry in the ledger and in DATEV's file"],
  ),
  putBack(
    "a second fee of a return stands on the day of the first",
    [
      [
        "gateways/sepa-batch/incoming/changes-store.ts",
        "from reported where is_later_fee",
        "from reported where false",
      ],
    ],
    ["tests/sepa/journal.test.ts", "a second fee of a return, which a person applies, stands on its own day"],
  ),
  putBack(
    "fees of one file on two days stand on the first",
    [["gateways/sepa-batch/incoming/changes-store.ts", "f.day > 1 or exists", "exists"]],
    ["tests/sepa/journal.test.ts", "two fees of a return in one bank file stand on their own days"],
  ),
  putBack(
    "a reversal that is too late waits for ever",
    [
      [
        "gateways/sepa-batch/outgoing/stopped-store.ts",
        "is not null or c.reversible_until < :on::date or",
        "is not null or c.reversible_until < :on::date - 1000 or",
      ],
    ],
    [REVERSALS, "a reversal whose file was not sent in time is declined and never sent"],
  ),
  putBack(
    "a reversal is accepted after its last day",
    [
      [
        "gateways/sepa-batch/adapter.ts",
        "until !== null && submissionOf(account, now) > until",
        "until === null",
      ],
    ],
    [REVERSALS, "the last day is the fifth bank day after the due date"],
  ),
  putBack(
    "rejecting the rest of a block also rejects its credited debits",
    [
      [
        "gateways/sepa-batch/unmatched/resolutions.ts",
        '  const wanted = explicit ? all : all.filter(({ state }) => state === "batched");\n  const ended = wanted.find((one) => !isOpen(one));',
        '  const wanted = all;\n  const ended = wanted.find((one) => one.state === "fenced" && explicit);',
      ],
    ],
    [
      RESOLUTIONS,
      "when the bank rejects a block after crediting a part of it, the rest is rejected and credited debits stay",
    ],
  ),
  putBack(
    "a live account debits example IBANs of its days as a test account",
    [
      [
        "gateways/sepa-batch/outgoing/write-files.ts",
        "!account.test_mode && isDocumentationIban",
        "account.test_mode && isDocumentationIban",
      ],
    ],
    [
      "tests/sepa/documentation-ibans.test.ts",
      "a debit of a documentation IBAN accepted in test mode is rejected",
    ],
  ),
];
