/** Replaces the instances of a fleet one after the other, as in docs/upgrades.md. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Balancer } from "./balancer.ts";
import type { Member, Spec } from "./member.ts";

const READY_MS_MAX = 90_000;
const LOOK_MS = 50;

/** @throws Error with the instance's output if one does not become ready. */
export async function replaceAll(balancer: Balancer, members: readonly Member[], spec: Spec): Promise<void> {
  for (const member of members) {
    await member.stop();
    member.start(spec);
    await untilReady(balancer, member);
  }
}

export async function untilReady(balancer: Balancer, member: Member): Promise<void> {
  const { name } = member;
  const deadline = performance.now() + READY_MS_MAX;
  // First discards the balancer's state of the previous instance.
  await balancer.forget(name);
  while (!balancer.isReady(name)) {
    if (performance.now() > deadline) throw new Error(`${name} is not ready: ${member.output()}`);
    await sleep(LOOK_MS);
  }
}
