import assert from "node:assert/strict";
import test from "node:test";
import { answersDirectDebits, meaningOfStatus } from "./status-codes.ts";

test("a status accepts, waits, rejects, or points one level deeper", () => {
  const accepted = ["ACTC", "ACCP", "ACSP", "ACSC", "ACWC", "ACCC"];
  for (const code of accepted) assert.equal(meaningOfStatus(code), "accepted");
  for (const code of ["RCVD", "PDNG"]) assert.equal(meaningOfStatus(code), "waiting");
  assert.equal(meaningOfStatus("RJCT"), "rejected");
  assert.equal(meaningOfStatus("PART"), "partly");
  for (const code of ["rjct", "XXXX", "constructor", null]) assert.equal(meaningOfStatus(code), "unknown");
});

test("a report answers direct debits when its original message is a pain.008 of any version", () => {
  const report = (originalMessageName: string | null) =>
    answersDirectDebits({
      kind: "group_status",
      originalMessageId: null,
      originalMessageName,
      status: null,
      reasons: [],
    });
  assert.ok(report("pain.008.001.08") && report("PAIN.008.001.02") && report("pain.008"));
  assert.ok(!report("pain.001.001.03.ch.02") && !report(null));
});
