import assert from "node:assert/strict";
import test from "node:test";
import { meaningOfStatus, orderAnsweredBy } from "./status-codes.ts";

test("a status accepts, waits, rejects, or points one level deeper", () => {
  const accepted = ["ACTC", "ACCP", "ACSP", "ACSC", "ACWC", "ACCC"];
  for (const code of accepted) assert.equal(meaningOfStatus(code), "accepted");
  for (const code of ["RCVD", "PDNG", "RCVC", "RVCM", "RVMC", "RVNA", "RVNM"])
    assert.equal(meaningOfStatus(code), "waiting");
  assert.equal(meaningOfStatus("RJCT"), "rejected");
  assert.equal(meaningOfStatus("PART"), "partly");
  for (const code of ["rjct", "XXXX", "constructor", null]) assert.equal(meaningOfStatus(code), "unknown");
});

test("the answered message is recognised by its name where that is certain, however the bank writes it", () => {
  const answered = (originalMessageName: string | null) =>
    orderAnsweredBy({
      kind: "group_status",
      originalMessageId: null,
      originalMessageName,
      status: null,
      reasons: [],
    });
  for (const name of [
    "pain.008.001.08",
    "PAIN.008",
    "pain008",
    "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",
  ])
    assert.equal(answered(name), "ours", name);
  for (const name of ["pain.007.001.09", "PAIN007"]) assert.equal(answered(name), "reversals", name);
  for (const name of ["camt.055.001.08", "pacs.007.001.09", "pain.009"])
    assert.equal(answered(name), "other", name);
  for (const name of [null, "", "Lastschrift", "SDD CORE"]) assert.equal(answered(name), "not_said");
});
