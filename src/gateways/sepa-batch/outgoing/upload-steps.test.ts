import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deps } from "../../../deps.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { manualClock, MINUTE_MS } from "../../../lib/clock.ts";
import { scheduleRetry } from "./upload-steps.ts";

const NOW = new Date("2026-11-23T12:00:00Z");

/** The minutes until a file whose upload has failed this many times is sent again. */
async function pauseOf(attempts: number, pauseMs?: number): Promise<number> {
  const due: unknown[] = [];
  const deps = {
    clock: manualClock(NOW),
    db: {
      commit(_: unknown, { dueAt }: { readonly dueAt: Date }) {
        due.push(dueAt);
        return Promise.resolve([]);
      },
    },
    log: { warn: () => {} },
  } as unknown as Pick<Deps, "clock" | "db" | "log">;
  const file = { tenant: 1, id: "", gateway_id: "", lease_no: "1", attempts } as unknown as SepaFileRow;
  await scheduleRetry(deps, file, "The line was cut.", pauseMs);
  const [at] = due as readonly Date[];
  assert.ok(at !== undefined && due.length === 1);
  return (at.getTime() - NOW.getTime()) / MINUTE_MS;
}

test("a file that could not be sent is sent again after 1, 2, 4 … minutes, at most an hour later", async () => {
  const pauses: number[] = [];
  for (const attempts of [1, 2, 3, 4, 5, 6, 7, 8, 12, 2_000]) pauses.push(await pauseOf(attempts));
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
});

test("a pause that the caller sets does not depend on the attempts", async () => {
  assert.deepEqual([await pauseOf(1, 5 * MINUTE_MS), await pauseOf(9, 5 * MINUTE_MS)], [5, 5]);
});
