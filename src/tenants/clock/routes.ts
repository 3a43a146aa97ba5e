/** `management/clock/`: reads and moves the clock of a staging tenant. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { isoDateOrTime } from "../../http/fields.ts";
import { MANAGEMENT, TAG } from "../../management/resource-routes.ts";
import { moveClock, type MovableClock } from "./move.ts";

const PATH = `${MANAGEMENT}clock/`;

const Move = Type.Object(
  {
    date: isoDateOrTime({
      description: "A day (its start in UTC) or a time with Z, later than the tenant's current time.",
    }),
  },
  { $id: "ClockMove" },
);
const Reading = Type.Object(
  { now: Type.String({ description: "The tenant's current time, UTC." }), moved: Type.Boolean() },
  { $id: "Clock" },
);

/** Declares both; only where time can be moved. */
export function clockRoutes(router: Router, deps: Deps, clockwork: MovableClock): void {
  const { time } = clockwork;
  const reading = (tenant: number) => ({
    now: time.now(tenant).toISOString(),
    moved: time.moved().includes(tenant),
  });

  router.add("GET", PATH, {
    summary: "Read the tenant's time",
    description: "Staging only.",
    tag: TAG,
    access: "read",
    schema: { response: { 200: Reading } },
    handle: async (call) => ({ status: 200, body: reading(tenantOf(call)) }),
  });

  router.add("POST", PATH, {
    summary: "Move the tenant's time forward",
    description:
      "Staging only. Sessions, trials, renewals, retries and the sandbox follow; due work is done before the response. Time continues from there and cannot go back.",
    tag: TAG,
    access: "settings",
    schema: { body: Move, response: { 200: Reading } },
    async handle(call) {
      const tenant = tenantOf(call);
      const target = { tenant, operationId: call.operationId, author: call };
      await moveClock(deps, clockwork, target, new Date(call.body.date));
      return { status: 200, body: reading(tenant) };
    },
  });
}
