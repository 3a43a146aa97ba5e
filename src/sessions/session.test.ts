/** The rows of docs/states.md. */
import assert from "node:assert/strict";
import test from "node:test";
import { resolveDelayMs } from "../gateways/calling.ts";
import type { Outcome } from "../gateways/gateway.ts";
import { MINUTE_MS, later } from "../lib/clock.ts";
import {
  detailsOver,
  endedByTime,
  lifetimeOver,
  mayRetry,
  effectOf,
  type Ending,
  type OpenSession,
  type SessionStatus,
} from "./session.ts";

const now = new Date("2026-03-01T12:00:00Z");
const soon = new Date("2026-03-01T12:30:00Z");
const past = new Date("2026-03-01T11:59:59Z");

const approved: Outcome = { kind: "approved", gatewayReference: "b1", processedAt: now };
const pending: Outcome = { kind: "pending", gatewayReference: "b1", processedAt: now };
const verification: Outcome = {
  kind: "verification_required",
  gatewayReference: null,
  verificationId: "v",
  url: "u",
};
const refused: Outcome = {
  kind: "declined",
  attemptUsed: false,
  code: "do_not_honor",
  gatewayCode: "BE07",
  gatewayMessage: null,
  gatewayReference: null,
  processedAt: new Date(0),
};
const declined: Outcome = {
  kind: "declined",
  code: "do_not_honor",
  gatewayCode: null,
  gatewayMessage: null,
  gatewayReference: null,
  processedAt: now,
};
const unreachable: Outcome = { kind: "unreachable", gatewayMessage: null };
const unresolved: Outcome = { kind: "unresolved", gatewayMessage: null };

const P = "PENDING";
const A = "AWAITING_VERIFICATION";

type Row = readonly [
  from: SessionStatus,
  used: number,
  expiresAt: Date,
  outcome: Outcome,
  ending: Ending | null,
  session: SessionStatus,
  order: string,
  transaction: string,
  usedAfter: number,
  retry: boolean,
  held: boolean,
];

const ROWS: readonly Row[] = [
  [P, 1, soon, approved, null, "COMPLETED", "COMPLETED", "approved", 1, false, false],
  [P, 3, soon, approved, null, "COMPLETED", "COMPLETED", "approved", 3, false, false],
  [P, 1, past, approved, null, "COMPLETED", "COMPLETED", "approved", 1, false, false],
  [P, 1, soon, pending, null, "COMPLETED", "PENDING", "pending", 1, false, false],
  [P, 1, soon, declined, null, P, "FAILED", "declined", 1, true, false],
  [P, 3, soon, declined, null, "EXPIRED", "FAILED", "declined", 3, false, false],
  [P, 1, past, declined, null, P, "FAILED", "declined", 1, false, false],
  [P, 1, soon, refused, null, P, "FAILED", "declined", 0, true, false],
  [P, 3, soon, refused, null, P, "FAILED", "declined", 2, true, false],
  [P, 1, soon, unreachable, null, P, "FAILED", "declined", 0, true, false],
  [P, 3, soon, unreachable, null, P, "FAILED", "declined", 2, true, false],
  [P, 1, soon, unresolved, null, P, "PENDING", "unresolved", 1, false, true],
  [P, 1, soon, verification, null, A, "PENDING", "awaiting_verification", 1, false, true],
  [A, 1, soon, approved, null, "COMPLETED", "COMPLETED", "approved", 1, false, false],
  [A, 1, soon, pending, null, "COMPLETED", "PENDING", "pending", 1, false, false],
  [A, 1, soon, declined, null, P, "FAILED", "declined", 1, true, false],
  [A, 3, soon, declined, null, "EXPIRED", "FAILED", "declined", 3, false, false],
  [A, 1, soon, verification, null, A, "PENDING", "awaiting_verification", 1, false, true],
  [A, 1, soon, unreachable, null, A, "PENDING", "awaiting_verification", 1, false, true],
  [A, 1, soon, unresolved, null, A, "PENDING", "unresolved", 1, false, true],
  [A, 1, soon, declined, "cancelled", "EXPIRED", "FAILED", "declined", 1, false, false],
  [A, 1, past, declined, "lapsed", "EXPIRED", "FAILED", "declined", 1, false, false],
  [A, 1, past, approved, "lapsed", "COMPLETED", "COMPLETED", "approved", 1, false, false],
  [A, 1, soon, unresolved, "cancelled", A, "PENDING", "unresolved", 1, false, true],
];

for (const [
  from,
  used,
  expiresAt,
  outcome,
  ending,
  session,
  order,
  transaction,
  usedAfter,
  retry,
  held,
] of ROWS) {
  const when = `${from}, attempt ${used} of 3${expiresAt === past ? ", time over" : ""}${ending ? `, ${ending}` : ""}`;
  test(`${when}: ${outcome.kind} → ${session}, order ${order}, transaction ${transaction}`, () => {
    const before: OpenSession = { status: from, attemptsUsed: used, attemptsMax: 3, expiresAt };
    const after = effectOf(before, outcome, now, ending);
    assert.deepEqual(
      [after.session, after.order, after.transaction, after.attemptsUsed, after.retryAllowed, after.held],
      [session, order, transaction, usedAfter, retry, held],
    );
    assert.equal(after.resolveAt !== null, held);
  });
}

test("an outcome sets the mandate's status and the cause in the session's history", () => {
  const rows: readonly (readonly [SessionStatus, Outcome, Ending | null, mandate: string, cause: string])[] =
    [
      [P, approved, null, "active", "approved"],
      [P, pending, null, "active", "pending"],
      [A, approved, "lapsed", "active", "approved"],
      [P, declined, null, "rejected", "declined"],
      [P, refused, null, "rejected", "declined"],
      [P, unreachable, null, "rejected", "gateway_unreachable"],
      [A, declined, "cancelled", "rejected", "cancelled"],
      [A, declined, "lapsed", "rejected", "lapsed"],
      [P, verification, null, "pending", "verification_required"],
      [A, unreachable, null, "pending", "gateway_unreachable"],
      [P, unresolved, null, "pending", "unresolved"],
      [A, unresolved, "cancelled", "pending", "unresolved"],
    ];
  for (const [status, outcome, ending, mandate, cause] of rows) {
    const before: OpenSession = { status, attemptsUsed: 1, attemptsMax: 3, expiresAt: soon };
    const after = effectOf(before, outcome, now, ending);
    assert.deepEqual([after.mandate, after.cause], [mandate, cause], `${status} ${outcome.kind} ${ending}`);
  }
});

test("an unknown outcome is first queried after 10 s, and one of a customer at the bank when their time is over", () => {
  const before: OpenSession = { status: P, attemptsUsed: 1, attemptsMax: 3, expiresAt: soon };
  const at = (outcome: Outcome, asked?: number) => effectOf(before, outcome, now, null, asked).resolveAt;
  assert.deepEqual(at(unresolved), later(now, 10_000));
  assert.deepEqual(at(unresolved, 1), later(now, resolveDelayMs(1)));
  assert.deepEqual(at(verification), later(now, 60 * MINUTE_MS));
});

test("a session may be tried again while it is pending, has no attempt under way, attempts left and time", () => {
  const session = {
    session_status: P,
    open_transaction_id: null,
    attempts_used: 2,
    attempts_max: 3,
    expires_at: soon,
  } as const;
  assert.equal(mayRetry(session, now), true);
  for (const change of [
    { session_status: A },
    { session_status: "COMPLETED" },
    { session_status: "EXPIRED" },
    { open_transaction_id: "attempt" },
    { attempts_used: 3 },
    { expires_at: now },
    { expires_at: past },
  ] as const)
    assert.equal(mayRetry({ ...session, ...change }, now), false, JSON.stringify(change));
  assert.equal(
    effectOf({ status: P, attemptsUsed: 1, attemptsMax: 3, expiresAt: now }, declined, now).retryAllowed,
    false,
  );
});

test("details of a session are over the tenant's days after it was closed, to the millisecond", () => {
  const closed = new Date("2026-02-01T08:00:00Z");
  const at = (time: string) => detailsOver(closed, 28, new Date(time));
  assert.deepEqual([at("2026-03-01T07:59:59.999Z"), at("2026-03-01T08:00:00Z")], [false, true]);
  assert.equal(detailsOver(null, 28, now), false);
});

test("a customer who is sent to the bank gets 60 minutes more, and never less than there was", () => {
  const at = (expiresAt: Date) =>
    effectOf(
      { status: P, attemptsUsed: 1, attemptsMax: 3, expiresAt },
      verification,
      now,
    ).expiresAt.toISOString();
  assert.equal(at(soon), "2026-03-01T13:00:00.000Z");
  assert.equal(at(new Date("2026-03-02T12:00:00Z")), "2026-03-02T12:00:00.000Z");
});

test("an unknown outcome is asked about after 10 s, and then at 1 min, 5 min, 1 h, 1 day, and daily", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6].map(resolveDelayMs);
  const at = waits.map((_, index) => waits.slice(0, index + 1).reduce((sum, ms) => sum + ms, 0) / 1_000);
  assert.deepEqual(at.slice(0, 5), [10, 60, 300, 3_600, 86_400]);
  assert.equal(waits[5], waits[6]);
});

test("a session expires at expires_at, but never under an attempt in flight", () => {
  const rows = [
    [P, soon, null, false],
    [P, now, null, true],
    [P, past, null, true],
    [P, past, "attempt", false],
    [A, past, "attempt", true],
    ["COMPLETED", past, null, false],
    ["EXPIRED", past, null, false],
  ] as const;
  for (const [status, expiresAt, openTransactionId, over] of rows) {
    const session = { status, expires_at: expiresAt, open_transaction_id: openTransactionId };
    assert.equal(lifetimeOver(session, now), over, `${status} ${openTransactionId}`);
    assert.equal(endedByTime({ ...session, closed_at: null }, now), over);
  }
});

test("an expired session was ended by time when it was closed at expires_at or later", () => {
  const ended = (closed_at: Date) =>
    endedByTime({ status: "EXPIRED", expires_at: now, open_transaction_id: null, closed_at }, soon);
  assert.deepEqual([past, now, soon].map(ended), [false, true, true]);
});
