/** What the bank's protocol says of an order: whether the bank has it, and whether the bank will execute it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRejected, hasArrived, readHac } from "../../src/gateways/sepa-batch/transports/ebics/hac.ts";

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

/** A protocol with one event. @param reason the content of its StsRsnInf. */
const protocol = (reason: string, action = "FILE_UPLOAD") =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt><OrgnlPmtInfAndSts><OrgnlPmtInfId>${action}</OrgnlPmtInfId><StsRsnInf>${reason}</StsRsnInf></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;

const originator = (...parts: readonly string[]) =>
  `<Orgtr><Id><OrgId>${parts.join("")}</OrgId></Id></Orgtr>`;

const part = (name: string, id: string, scheme = "Prtry") =>
  `<Othr><Id>${id}</Id><SchmeNm><${scheme}>${name}</${scheme}></SchmeNm></Othr>`;

const NOTHING = { action: "FILE_UPLOAD", orderId: null, orderType: null, at: null, reason: null, text: "" };

for (const [what, reason, expected] of [
  ["nothing more", "", {}],
  [
    "the order and the time, each by its name",
    originator(
      part("PartnerID", "P"),
      part("OrderID", "A001"),
      part("TimeStamp", "2026-11-23T12:00:00.000Z"),
    ),
    { orderId: "A001", at: new Date("2026-11-23T12:00:00Z") },
  ],
  ["the order, named by a code", originator(part("OrderID", "A001", "Cd")), { orderId: "A001" }],
  ["the order's type", originator(part("OrderType", "CDD")), { orderType: "CDD" }],
  ["the order's type of H005", originator(part("AdminOrderType", "BTU")), { orderType: "BTU" }],
  ["a time that is none", originator(part("TimeStamp", "noon")), {}],
  ["a reason", "<Rsn><Cd>TS01</Cd></Rsn>", { reason: "TS01" }],
  ["a reason of the bank's own", "<Rsn><Prtry>X9</Prtry></Rsn>", { reason: "X9" }],
  ["several lines", "<AddtlInf>order</AddtlInf><AddtlInf>accepted</AddtlInf>", { text: "order accepted" }],
  ["a text of 1,001 characters", `<AddtlInf>${"x".repeat(1_001)}</AddtlInf>`, { text: "x".repeat(1_000) }],
] as const)
  test(`an event of the protocol is read: ${what}`, () =>
    assert.deepEqual(readHac(protocol(reason)), [{ ...NOTHING, ...expected }]));

test("a protocol of more than 32 MiB is not read", () =>
  assert.throws(() => readHac("<Document/>".padEnd(32 * 1_024 ** 2 + 1)), /more than 33554432 characters/));

test("of an action's name 35 characters are kept", () =>
  assert.deepEqual(
    readHac(protocol("", "A".repeat(36))).map(({ action }) => action.length),
    [35],
  ));
