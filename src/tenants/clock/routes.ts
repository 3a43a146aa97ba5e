/** `management/clock/`: reads and moves the clock of a staging tenant. */
import { Type } from "../../lib/schema.ts";
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { isoDateOrTime } from "../../http/fields.ts";
import { DAY_MS } from "../../lib/clock.ts";
import { FieldErrors } from "../../refusals.ts";
import { writeEntry } from "../../management/audit/audit.ts";
import { MANAGEMENT, TAG } from "../../management/resource-routes.ts";
import type { MovableTime } from "./time.ts";

const PATH = `${MANAGEMENT}clock/`;
/** Far enough to try a subscription's life, near enough that every date stays one. */
const AHEAD_MS_MAX = 20 * 366 * DAY_MS;

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

/**
 * Declares both; only where time can be moved.
 * @param catchUp runs the tenant's due jobs, so that the response comes after the due work.
 */
export function clockRoutes(
  router: Router,
  deps: Deps,
  time: MovableTime,
  catchUp: (tenant: number) => Promise<void>,
): void {
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
      const at = new Date(call.body.date);
      if (at.getTime() - deps.clock.now().getTime() > AHEAD_MS_MAX)
        throw wrong("Must be at most 20 years ahead.");
      const { operationId } = call;
      const change = {
        tenant,
        id: operationId,
        at: deps.clock.now(),
        action: "update",
        resource: "clock",
      } as const;
      const before = { now: time.now(tenant).toISOString() };
      const after = { now: at.toISOString() };
      const record = (tx: Tx) => writeEntry(tx, call, { ...change, resourceId: null, before, after });
      if (at <= time.now(tenant) || !(await time.moveTo(tenant, at, record))) {
        throw wrong(`Must be after ${time.now(tenant).toISOString()}: the clock only moves forward.`);
      }
      await catchUp(tenant);
      return { status: 200, body: reading(tenant) };
    },
  });
}

function wrong(message: string): FieldErrors {
  return new FieldErrors({ date: [message] });
}
