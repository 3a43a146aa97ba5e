/** Bugs of the EBICS transport: files that are sent twice or lost, and a server that is not the bank's. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const EBICS = "gateways/sepa-batch/transports/ebics";
const PROTOCOL = "tests/ebics/protocol.test.ts";
const GATEWAY = "tests/ebics/gateway.test.ts";

export const OVER_EBICS: readonly PlantedBug[] = [
  putBack(
    "an EBICS upload whose last answer is lost counts as not accepted",
    [
      [
        `${EBICS}/upload.ts`,
        'if (last && maybeArrived) return { kind: "unknown", reason };',
        'if (last && maybeArrived) return notAccepted("repeat", reason);',
      ],
    ],
    [PROTOCOL, "after a cut connection at any phase and segment no order is sent twice, lost or guessed"],
  ),
  putBack(
    "the last segment of an EBICS upload is sent before it is recorded",
    [[`${EBICS}/upload.ts`, "if (last && !(await steps.beforeLast()))", "if (number === 0)"]],
    [GATEWAY, "killed at ebics.answered: the file is at the bank exactly once"],
  ),
  putBack(
    "an EBICS answer is accepted with any signature",
    [[`${EBICS}/answer.ts`, "!isMarkedWhole(root) || !isSignedBy(root, publicKey)", "!isMarkedWhole(root)"]],
    [PROTOCOL, "an answer signed with another key than the confirmed one is refused"],
  ),
  putBack(
    "the bank is told that a download is stored when it is not",
    [
      [
        `${EBICS}/download.ts`,
        "receiptRequest(subscriber, transactionId, false)",
        "receiptRequest(subscriber, transactionId, true)",
      ],
    ],
    [
      PROTOCOL,
      "a download is acknowledged only when it is stored; one that fails before is downloaded again",
    ],
  ),
  putBack(
    "the abort of an abandoned EBICS upload makes the file be sent again",
    [
      [
        `${EBICS}/orders-store.ts`,
        "(:arrived or :orderId = (select",
        "(:arrived or :orderId <> '' or :orderId = (select",
      ],
    ],
    [
      GATEWAY,
      "the protocol reports an aborted upload: the file is sent again, and only entries about the last upload count",
    ],
  ),
  putBack(
    "the bank's EBICS keys are confirmed with any hashes",
    [
      [
        `${EBICS}/users.ts`,
        "return !hashes.some((hash) => sameBytes(hash, given));",
        "return hashes.length + given.length === 0;",
      ],
    ],
    [GATEWAY, "the bank's keys are used only when a person has confirmed both hashes of the letter"],
  ),
];
