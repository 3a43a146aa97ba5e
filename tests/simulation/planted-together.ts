/** Planted bugs of calls that share a statement: a call gets another call's result, or loses its own. */
import { putBack } from "../planted/guarded.ts";
import type { PlantedBug } from "./planted.ts";

const RUNS = "src/db/together.test.ts";
const CALLS = "tests/together.test.ts";
const POSTBACKS = "tests/postbacks-processing.test.ts";

export const PLANTED_TOGETHER: readonly PlantedBug[] = [
  putBack(
    "calls that share a statement get each other's rows",
    [["db/together.ts", "own[n - 1]?.push(row)", "own[members.length - n]?.push(row)"]],
    [RUNS, "calls that arrive during a run go out together in the next one"],
    [CALLS, "combined payments each debit their own account with their own reference"],
  ),
  putBack(
    "the refusal of one call is the response to all that share its statement",
    [
      [
        "db/together.ts",
        "if (members.length === 1 || isUncertain(error)) for",
        "if (members.length > 0) for",
      ],
    ],
    [RUNS, "when a run fails its members run one by one"],
    [CALLS, "of combined payments with one reference one"],
  ),
  putBack(
    "after a failed run only the first of its calls is repeated",
    [
      [
        "db/together.ts",
        "members.map((call) => call.as(() => runFor(kind, tenant, [call])))",
        "members.map((call, index) => (index > 0 ? call.resolve([]) : runFor(kind, tenant, [call])))",
      ],
    ],
    [RUNS, "when a run fails its members run one by one"],
  ),
  putBack(
    "calls of two tenants share a statement",
    [
      ["db/together.ts", "const waiting = ofKind.get(tenant);", "const waiting = ofKind.get(0);"],
      ["db/together.ts", "ofKind.set(tenant, mine);", "ofKind.set(0, mine);"],
      [
        "db/together.ts",
        "lanes.get(kind.statement)?.delete(tenant);",
        "lanes.get(kind.statement)?.delete(0);",
      ],
    ],
    [RUNS, "calls of two tenants, and of two statements"],
  ),
  putBack("a payment gets the order of another that shares its statement", [
    [
      "sessions/attempt-store.ts",
      "     join o on o.session_id = s.id\n     join m on m.session_id",
      "     join o on true\n     join m on m.session_id",
    ],
  ]),
  putBack("a session gets the outcome of a payment that shares a statement with its own", [
    [
      "sessions/outcome-store.ts",
      "from t join v on v.n = t.n\n      where sessions.tenant",
      "from t join v on v.n is not null\n      where sessions.tenant",
    ],
  ]),
  putBack("an event has the content of another that shares its statement", [
    [
      "sessions/outcome-store.ts",
      "select t.id, t.session_id, v.events, v.now from t join v on v.n = t.n)",
      "select t.id, t.session_id, (select events from v w where w.n = t.n % (select count(*) from v) + 1) as events, v.now from t join v on v.n = t.n)",
    ],
  ]),
];

/** The database makes most of these harmless, so no seed finds them. */
export const TOGETHER_BY_TESTS: readonly PlantedBug[] = [
  putBack(
    "the first of the calls that arrive together runs alone",
    [["db/together.ts", "await otherEvents();", ""]],
    [RUNS, "calls that arrive together go out together"],
  ),
  putBack(
    "two calls that write the same row run together",
    [["db/together.ts", "&& !call.apart.some((key) => held.has(key))", ""]],
    [RUNS, "two calls that would write the same row"],
  ),
  putBack(
    "of calls that take turns the last comes first",
    [["db/together.ts", "waiting.push(...left);", "waiting.push(...left.toReversed());"]],
    [RUNS, "two calls that would write the same row"],
  ),
  putBack(
    "a call that may have been executed is repeated",
    [["db/together.ts", "members.length === 1 || isUncertain(error)", "members.length === 1"]],
    [RUNS, "a run that may have been carried out"],
  ),
  putBack(
    "a payment is refused because another that shares its statement has reached a limit",
    [["sessions/attempt-store.ts", "where w.n = c.n and not exists", "where not exists"]],
    [CALLS, "of combined payments only the one that has reached a limit is refused"],
  ),
  putBack(
    "a postback is matched to the customer of one that is processed with it",
    [
      [
        "integrations/store.ts",
        "order_number = v.orderNumber",
        "order_number in (select w.orderNumber from v w)",
      ],
    ],
    [POSTBACKS, "postbacks that are processed together each find their own lead or none"],
  ),
];
