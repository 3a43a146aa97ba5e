/** Bugs in the approval of bank files: one sent without approval, and one not reported. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const APPROVALS = "tests/sepa/approvals.test.ts";

export const OF_APPROVALS: readonly PlantedBug[] = [
  putBack(
    "a person who has two API keys approves a file twice",
    [
      [
        "gateways/sepa-batch/approve/approve.ts",
        'return caller.kind === "person" ? actorOf(caller).actor : "keys";',
        "return actorOf(caller).actor;",
      ],
    ],
    [APPROVALS, "two approvals need two people; all API keys together count as one"],
  ),
  putBack(
    "a file that waits for approval is handed out",
    [
      [
        "gateways/sepa-batch/file-commands.ts",
        'if (status === "to_approve") return "This file waits for approval.";',
        "",
      ],
    ],
    [APPROVALS, "a file that one person has to approve is neither handed out nor marked before"],
  ),
  putBack(
    "two concurrent approvals both count where one is needed",
    [
      [
        "gateways/sepa-batch/outgoing/withdraw-store.ts",
        "\n      for update of f`,\n).gives<UnsentFile>();",
        "`,\n).gives<UnsentFile>();",
      ],
    ],
    [
      APPROVALS,
      "concurrent approvals: two people count twice, one person counts once, and more than needed are refused",
    ],
  ),
  putBack(
    "a file that was not approved in time is withdrawn without a report",
    [
      [
        "gateways/sepa-batch/outgoing/withdraw-unfit.ts",
        'const missedApproval = file.status === "to_approve" && isTooLate(file, today);',
        "const missedApproval = false;",
      ],
    ],
    [APPROVALS, "a file that is not approved in time is withdrawn and listed"],
  ),
];
