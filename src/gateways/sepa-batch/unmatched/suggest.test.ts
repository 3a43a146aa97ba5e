import assert from "node:assert/strict";
import test from "node:test";
import { actionFor } from "./suggest.ts";

const STATES = "mandate_only accepted batched settled rejected returned fenced refused".split(" ");
const ENDED = ["rejected", "returned", "fenced"];

/** The states of a payment that an entry of a kind reinstates; it is applied to all others. */
for (const [kind, reinstated] of [
  ["collection", ENDED],
  ["block", ENDED],
  ["withdrawn_return", STATES],
  ["return", []],
  ["reject", []],
  ["fee", []],
  ["transfer", []],
  ["unreadable", []],
] as const)
  test(`an entry of the kind ${kind} reinstates a payment that is ${reinstated.join(", ") || "in no state"}, and is applied to others`, () =>
    assert.deepEqual(
      STATES.filter((state) => actionFor(kind, state) === "reinstate"),
      reinstated,
    ));
