/** What the bank's protocol says of an order: whether the bank has it, and whether the bank will execute it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejected, hasArrived } from "../../src/gateways/sepa-batch/transports/ebics/hac.ts";

/** Events after which the file would be sent a second time if the order counted as not arrived. */
const EVENTS: readonly (readonly [
  action: string,
  reason: string | null,
  arrived: boolean | null,
  rejected: boolean,
])[] = [
  ["FILE_UPLOAD", "TS01", true, false],
  ["FILE_UPLOAD", "TA01", false, false],
  ["FILE_UPLOAD", "DS04", null, false],
  ["FILE_UPLOAD", null, null, false],
  ["FILE_DOWNLOAD", "TD01", null, false],
  ["ES_UPLOAD", "TS01", true, false],
  ["ES_VERIFICATION", "DS01", true, false],
  // The bank has the order and finds its signature wrong.
  ["ES_VERIFICATION", "DS0A", true, false],
  ["VEU_FORWARDING", "DS02", true, false],
  ["VEU_VERIFICATION", "DS01", true, false],
  ["VEU_VERIFICATION_END", "DS05", true, false],
  ["VEU_CANCEL_ORDER", "DS02", true, true],
  ["ORDER_HAC_FINAL_POS", null, true, false],
  ["ORDER_HAC_FINAL_NEG", null, true, true],
  ["ADDITIONAL", null, null, false],
  ["NOTES_VEU_", null, null, false],
];

for (const [action, reason, arrived, rejected] of EVENTS) {
  test(`${action} ${reason ?? "without a reason"}: the order ${arrived === null ? "may have arrived" : arrived ? "has arrived" : "has not arrived"}, ${rejected ? "rejected" : "not rejected"}`, () => {
    const event = { action, orderId: "A001", at: null, reason, text: "" };
    assert.deepEqual([hasArrived(event), isRejected(event)], [arrived, rejected]);
  });
}
