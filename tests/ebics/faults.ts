/** Faults between a client and the simulated bank, drawn from a seed. */
import type { Random } from "../../tools/random.ts";
import type { Fault } from "../../tools/ebics-host/server.ts";

const CODES = [
  "011101",
  "061001",
  "061002",
  "061099",
  "061101",
  "090003",
  "090005",
  "091002",
  "091008",
  "091101",
  "091102",
  "091103",
  "091116",
  "091117",
  "091119",
  "091301",
  "099999",
];
/** Faults after which it is unknown whether the bank has the order. */
const VAGUE = ["061099", "091116", "091101", "091102"];

export function faultOf(random: Random): Fault {
  return random.pick<() => Fault>([
    () => ({ kind: "cut_before" }),
    () => ({ kind: "cut_after" }),
    () => ({ kind: "flip", at: random.next() }),
    () => ({ kind: "status", status: random.pick([403, 500, 502, 503]) }),
    // A bank that answers with an error does not have the order, except after the errors of VAGUE.
    () => ({ kind: "code", injected: { code: random.pick(CODES) } }),
    () => ({ kind: "code", injected: { code: random.pick(VAGUE), processed: true } }),
  ])();
}
