/** The record of an attempt after its gateway's response, and how long writing it is retried. */
import assert from "node:assert/strict";
import test from "node:test";
import { resolveDelayMs, type UnattendedOutcome } from "../../gateways/calling.ts";
import { later } from "../../lib/clock.ts";
import { Refusal } from "../../refusals.ts";
import { errorOf, retryWrite, reportedBy, unattendedEnd } from "./end.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const PROCESSED = new Date("2026-03-01T11:58:00Z");
const CLAIM = { lease_no: "7", resolve_count: 2 };
const REPORTED = { gatewayReference: "g-1", processedAt: PROCESSED };

const APPROVED: UnattendedOutcome = { kind: "approved", ...REPORTED };
const PENDING: UnattendedOutcome = { kind: "pending", ...REPORTED };
const DECLINED: UnattendedOutcome = {
  kind: "declined",
  code: "insufficient_funds",
  gatewayCode: "AM04",
  gatewayMessage: "Not enough",
  ...REPORTED,
};
const UNREACHABLE: UnattendedOutcome = { kind: "unreachable", gatewayMessage: "refused" };
const UNRESOLVED: UnattendedOutcome = { kind: "unresolved", gatewayMessage: "timed out" };

test("under an outdated claim only a movement of money is recorded; an unknown outcome is asked about again", () => {
  const again = later(NOW, resolveDelayMs(2));
  for (const [outcome, to, leaseNo, resolveAt] of [
    [APPROVED, "approved", null, null],
    [PENDING, "pending", null, null],
    [DECLINED, "declined", "7", null],
    [UNREACHABLE, "declined", "7", null],
    [UNRESOLVED, "unresolved", "7", again],
  ] as const) {
    const end = unattendedEnd(outcome, CLAIM, NOW);
    assert.deepEqual([end.to, end.leaseNo, end.resolveAt], [to, leaseNo, resolveAt], outcome.kind);
    assert.deepEqual(end.from, ["submitted", "unresolved"]);
    assert.deepEqual(end.error, errorOf(outcome));
  }
});

test("the gateway's reference and time are stored if it gave them", () => {
  for (const outcome of [APPROVED, PENDING, DECLINED]) assert.deepEqual(reportedBy(outcome), REPORTED);
  for (const outcome of [UNREACHABLE, UNRESOLVED])
    assert.deepEqual(reportedBy(outcome), { gatewayReference: null, processedAt: null });
});

test("a decline has the gateway's message or the default one, and a missing answer says that the gateway is unavailable", () => {
  assert.equal(errorOf(APPROVED), null);
  assert.equal(errorOf(PENDING), null);
  assert.equal(
    errorOf({ kind: "verification_required", gatewayReference: null, verificationId: "v", url: "u" }),
    null,
  );
  assert.deepEqual(errorOf(DECLINED), {
    code: "insufficient_funds",
    gatewayCode: "AM04",
    gatewayMessage: "Not enough",
    message: "Not enough",
  });
  const own = errorOf({ ...DECLINED, gatewayMessage: null })?.message ?? "";
  assert.match(own, /funds/);
  const unavailable = errorOf(UNREACHABLE, "We do not know yet.");
  assert.deepEqual([unavailable?.code, unavailable?.gatewayCode], ["gateway_unavailable", null]);
  assert.equal(unavailable?.gatewayMessage, "refused");
  assert.match(unavailable?.message ?? "", /could not be reached|unavailable|not available/i);
  assert.equal(errorOf(UNRESOLVED, "We do not know yet.")?.message, "We do not know yet.");
  assert.equal(errorOf(UNRESOLVED)?.message, unavailable?.message, "and not the words for what is unknown");
});

test("recording an outcome is tried five times within three seconds while the database is away", async () => {
  const away = (tries: number) => {
    const pauses: number[] = [];
    let left = tries;
    const write = async () => {
      if (left === 0) return "written";
      left -= 1;
      throw new Refusal("unavailable");
    };
    const parts = {
      pause: async (ms: number) => {
        pauses.push(ms);
      },
    };
    return { pauses, end: retryWrite(parts, write, "It could not be recorded yet.") };
  };
  const four = away(4);
  assert.equal(await four.end, "written");
  assert.deepEqual(four.pauses, [300, 600, 900, 1_200]);
  const five = away(5);
  await assert.rejects(five.end, (error) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual(
      [error.kind, error.detail, error.retryAfter],
      ["unavailable", "It could not be recorded yet.", 30],
    );
    return true;
  });
  assert.equal(five.pauses.length, 4);
});

test("any other error than the database being away is not retried", async () => {
  let tries = 0;
  const write = async () => {
    tries += 1;
    throw new Error("a bug");
  };
  await assert.rejects(retryWrite({ pause: async () => {} }, write, ""), /a bug/);
  assert.equal(tries, 1);
});
