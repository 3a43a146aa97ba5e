/** Bugs of reads from a replica: wrong, outdated or missing results. */
import type { PlantedBug } from "../simulation/planted.ts";
import { putBack } from "./guarded.ts";

const REPLICA = "db/replica.ts";
const TESTS = "tests/replica.test.ts";

export const BESIDE_REPLICA: readonly PlantedBug[] = [
  putBack(
    "a replica's lag is counted from the check, not from its last replayed change",
    [
      [
        REPLICA,
        "asOf = moments.findLast((moment) => moment.position <= position)?.at ?? asOf;",
        "asOf = position >= 0n ? at : asOf;",
      ],
    ],
    [TESTS, "a replica is as current as its last replayed position"],
    [TESTS, "a replica that gets no changes is further behind at each check"],
  ),
  putBack(
    "a replica is as of the oldest moment that it has replayed",
    [[REPLICA, "moments.findLast((moment)", "moments.find((moment)"]],
    [TESTS, "a replica is as current as its last replayed position"],
  ),
  putBack(
    "a replica that is too far behind is read until the next check",
    [[REPLICA, "(lagMs() ?? Number.POSITIVE_INFINITY) <= lagMaxMs", "asOf !== null"]],
    [TESTS, "a replica is as current as its last replayed position"],
  ),
  putBack(
    "a replica that was never checked counts as current",
    [[REPLICA, "(lagMs() ?? Number.POSITIVE_INFINITY)", "(lagMs() ?? 0)"]],
    [TESTS, "before its first check the replica is not read, and its lag is unknown"],
  ),
  putBack(
    "another cluster's server is a replica",
    [[REPLICA, "replayed.server !== written.server", 'replayed.server === ""']],
    [TESTS, "another cluster's is not used"],
  ),
  putBack(
    "a replica that was promoted is read on",
    [
      [
        REPLICA,
        'else if (replayed.position === null) away("it does not follow the database");\n        else {',
        "else {",
      ],
      [
        REPLICA,
        "const position = BigInt(replayed.position);",
        'const position = BigInt(replayed.position ?? "10");',
      ],
    ],
    [TESTS, "one that was promoted is not used"],
  ),
  putBack(
    "a replica that is unavailable is tried again by each request",
    [[REPLICA, 'if (isUnavailable(error)) away("it does not answer");\n', ""]],
    [TESTS, "no request fails because the replica is unavailable, and it is used again only after a check"],
  ),
  putBack(
    "rows that were sent before the replica broke off are sent again",
    [
      [
        REPLICA,
        "if (!isUntouched()) throw error instanceof Refusal ? error : retryLater(error);",
        "void [isUntouched, retryLater];",
      ],
    ],
    [
      TESTS,
      "a read that the replica cancels before its first row is repeated on the primary; after the first row the caller has to repeat it",
    ],
  ),
  putBack(
    "a statement that was too slow on the replica begins again on the database",
    [[REPLICA, "if (isTimeout(error)) throw error;", "void isTimeout;"]],
    [TESTS, "a read that takes too long on the replica is not repeated on the primary"],
  ),
];
