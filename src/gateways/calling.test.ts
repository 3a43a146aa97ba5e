/** The meaning of a gateway's error for the attempt, and the part of the error that is stored. */
import assert from "node:assert/strict";
import test from "node:test";
import { withCallDeadline } from "./calling.ts";

const SECRETS = ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000", `rk_${"a".repeat(40)}`];

for (const secret of SECRETS) {
  test(`secrets that a gateway's error quotes are not kept: ${secret.slice(0, 4)}…`, async () => {
    const outcome = await withCallDeadline(async () => {
      throw new Error(`the request for ${secret} was refused`);
    });
    assert.deepEqual(outcome, {
      kind: "unresolved",
      gatewayMessage: "the request for [redacted] was refused",
    });
  });
}
