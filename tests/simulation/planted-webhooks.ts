/** Planted bugs in the parallel delivery of webhooks: order, claims, limits, dead instances. */
import { guarded } from "../planted/guarded.ts";
import type { PlantedBug } from "./planted.ts";

const STORE = "webhooks/delivery/store.ts";

const bug = (name: string, ...changes: PlantedBug["changes"]): PlantedBug => ({ name, changes, sql: "" });

export const PLANTED_IN_WEBHOOKS: readonly PlantedBug[] = [
  bug("webhooks of one subject are sent in the wrong order", {
    file: STORE,
    from: "earlier.event_number < d.event_number",
    to: "earlier.event_number > d.event_number",
  }),
  bug(
    "two instances send one event at once",
    { file: STORE, from: 'and ${isFree("d.locked_until")} and ${IS_NEXT', to: "and ${IS_NEXT" },
    {
      file: STORE,
      from: "and d.status in ('pending', 'failing') and ${isFree(\"d.locked_until\")}",
      to: "and d.status in ('pending', 'failing')",
    },
    {
      file: STORE,
      from: "and other.locked_until > statement_timestamp()",
      to: "and other.locked_until > statement_timestamp() + interval '1 hour'",
    },
  ),
  bug("a failed webhook is never retried", {
    file: STORE,
    from: "d.profile_id = :profileId and d.status in ('pending', 'failing')",
    to: "d.profile_id = :profileId and d.status = 'pending'",
  }),
  bug("max_in_flight is ignored", {
    file: STORE,
    from: "case when failures_in_a_row > 0 then 1 else in_flight_limit end",
    to: "10",
  }),
  bug("the running deliveries of a dead instance are never taken over", {
    file: STORE,
    from: "else least(next.at, :leaseEndsAt) end",
    to: "when :leaseEndsAt::timestamptz is null then :leaseEndsAt else next.at end",
  }),
  bug("a renewal's events have a subject of their own", {
    file: "webhooks/delivery/fan-out-store.ts",
    from: "coalesce(due.session_id, o.session_id, t.original_id, due.transaction_id, due.id)",
    to: "coalesce(due.session_id, t.original_id, due.transaction_id, due.id)",
  }),
];

/** No seed finds these: in the simulation no event is sent again by hand, and a failing receiver has no limit of its own. */
export const WEBHOOKS_BY_TESTS: readonly PlantedBug[] = [
  guarded(
    bug("an earlier event that is sent again does not wait for a running later one", {
      file: STORE,
      from: "and other.locked_until > statement_timestamp()",
      to: "and other.locked_until > statement_timestamp() + interval '1 hour'",
    }),
    [
      "tests/webhooks-side-by-side.test.ts",
      "an earlier event that is sent again by hand waits for a running later one of its subject",
    ],
  ),
  guarded(
    bug("a failing receiver gets as many concurrent requests as a healthy one", {
      file: STORE,
      from: "case when failures_in_a_row > 0 then 1 else in_flight_limit end",
      to: "case when failures_in_a_row < 0 then 1 else in_flight_limit end",
    }),
    [
      "tests/webhooks-side-by-side.test.ts",
      "a failing receiver gets single probes, and after the first success half of its former concurrent requests",
    ],
  ),
];
