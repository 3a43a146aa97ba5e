/** `management/clock/`: reads and moves the time of a staging tenant's business. */
import { Type } from "typebox";
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
      description: "A day (its first instant in UTC) or an instant with Z, after the tenant's present time.",
    }),
  },
  { $id: "ClockMove" },
);
const Reading = Type.Object(
  { now: Type.String({ description: "The tenant's present time, UTC." }), moved: Type.Boolean() },
  { $id: "Clock" },
);

/**
 * Declares both; only where time can be moved.
 * @param catchUp runs what the jobs would do for the tenant by themselves, so that the answer comes after what became due.
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
      "Staging only. Sessions, trials, renewals, retries and the sandbox follow; what became due is done before the answer. Time goes on from there, and never back.",
    tag: TAG,
    access: "settings",
    schema: { body: Move, response: { 200: Reading } },
    async handle(call) {
      const tenant = tenantOf(call);
      const at = new Date(call.body.date);
      if (at.getTime() - deps.clock.now().getTime() > AHEAD_MS_MAX) throw wrong("Move it 20 years at most.");
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
        throw wrong(`Give a time after ${time.now(tenant).toISOString()}: a clock only goes forward.`);
      }
      await catchUp(tenant);
      return { status: 200, body: reading(tenant) };
    },
  });
}

function wrong(message: string): FieldErrors {
  return new FieldErrors({ date: [message] });
}
