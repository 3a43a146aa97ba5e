/** Bugs that a reader of the code alone found or planted, and that no test noticed before. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const JOURNAL = "tests/sepa/journal.test.ts";

export const OF_STRANGERS: readonly PlantedBug[] = [
  putBack(
    "a later fee with an earlier day takes the first one to that day",
    [
      [
        "gateways/sepa-batch/incoming/changes-store.ts",
        "set bank_fee = excluded.bank_fee, acknowledged_at = null",
        "set bank_fee = excluded.bank_fee, at = least(sepa_news.at, excluded.at), acknowledged_at = null",
      ],
    ],
    [JOURNAL, "a second fee that the bank dates before the first stands on its own day"],
  ),
  putBack(
    "what the pages of a file report is written once, at its end",
    [
      ["gateways/sepa-batch/incoming/apply-items.ts", "  await at.pages.write();\n", ""],
      [
        "gateways/sepa-batch/incoming/read-delivery.ts",
        "  await keepStatements(",
        "  await at.pages.write();\n  await keepStatements(",
      ],
    ],
    [
      "tests/sepa/resolutions.test.ts",
      "of a file with several statements each page is remembered with its own movements",
    ],
  ),
  putBack(
    "a missed cycle is collected beside that of the coming closed days",
    [["subscriptions/renew.ts", "    lastDueDate(row, today),\n  );", "    today,\n  );"]],
    [
      "tests/billing/collection-days.test.ts",
      "closed_day previous: if the service was down, the cycle of the coming Sunday is collected on Friday",
    ],
  ),
  putBack(
    "a journal takes its first statement for that of one day",
    [
      [
        "reports/journal/store.ts",
        "where s.tenant = :tenant and s.ends_on <= :to::date",
        "where s.tenant = :tenant and s.ends_on >= :from::date and s.ends_on <= :to::date",
      ],
    ],
    [JOURNAL, "a journal that begins between two statements has what moved since the earlier one"],
  ),
  putBack(
    "a file that must not be sent is withdrawn while a bank's file is read",
    [
      [
        "gateways/sepa-batch/outgoing/withdraw-unfit.ts",
        "const isRead = !(await tryLockReading(tx, tenant));",
        "const isRead = tryLockReading === null;",
      ],
    ],
    [
      "tests/sepa/take-back.test.ts",
      "a file that has become too late, the reading first, is not withdrawn while a sum of its instructions is read",
    ],
  ),
  putBack(
    "a file is sent while a bank's file is read",
    [
      [
        "gateways/sepa-batch/outgoing/withdraw-unfit.ts",
        "const may = looked.why === null && !looked.isRead;",
        "const may = looked.why === null;",
      ],
    ],
    [
      "tests/sepa/transport.test.ts",
      "if a file is to be sent while a booking is read that names the withdrawn file of its debit, the reading first",
    ],
  ),
  putBack(
    "of concurrent visits to banks the last one counts",
    [
      [
        "gateways/sepa-batch/transports/visits.ts",
        "const result = await work(signal);\n          // Added only now: other visits have ended meanwhile.\n          done += result;",
        "done += await work(signal);",
      ],
    ],
    ["src/gateways/sepa-batch/transports/visits.test.ts", "32 visits run at once"],
  ),
];
