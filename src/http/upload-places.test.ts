/** Which uploads are read, which wait and which are refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { Refusal } from "../refusals.ts";
import { uploadPlaces } from "./upload-places.ts";

const OPTIONS = { atOnce: 3, atOncePerLane: 2, waiting: 3, waitingPerLane: 2, waitMs: 60_000 };
const here = () => new AbortController().signal;
const busy = (error: unknown) =>
  error instanceof Refusal && error.kind === "unavailable" && error.retryAfter !== null;

/** Whether a promise is settled once all pending work is done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => void (settled = true);
  promise.then(mark, mark);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return settled;
}

test("uploads of one lane leave a place for another lane's uploads, which pass those that wait", async () => {
  const places = uploadPlaces(OPTIONS);
  const leave = await places.take("1", here());
  await places.take("1", here());
  const third = places.take("1", here());
  const leaveOther = await places.take("2", here());
  assert.equal(await isSettled(third), false);
  leaveOther();
  assert.equal(await isSettled(third), false, "the lane has its share");
  leave();
  assert.equal(await isSettled(third), true);
});

test("a place that is released twice is freed once", async () => {
  const places = uploadPlaces({ ...OPTIONS, atOnce: 1 });
  const leave = await places.take("1", here());
  leave();
  leave();
  await places.take("1", here());
  assert.equal(await isSettled(places.take("2", here())), false);
});

test("beyond the limit of waiting uploads, per lane and in total, a client gets Retry-After", async () => {
  const places = uploadPlaces({ ...OPTIONS, atOnce: 1 });
  const leave = await places.take("1", here());
  const waiting = [places.take("1", here()), places.take("1", here())];
  await assert.rejects(places.take("1", here()), busy);
  waiting.push(places.take("2", here()));
  await assert.rejects(places.take("3", here()), busy);
  leave();
  (await waiting[0])?.();
  (await waiting[1])?.();
  (await waiting[2])?.();
  await places.take("3", here());
});

test("an upload that waits too long is refused with Retry-After, and gets no place later", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const places = uploadPlaces({ ...OPTIONS, atOnce: 1 });
  const leave = await places.take("1", here());
  const late = assert.rejects(places.take("2", here()), busy);
  await Promise.resolve();
  context.mock.timers.tick(OPTIONS.waitMs);
  await late;
  leave();
  await places.take("3", here());
});

test("a client that goes away gives up its turn", async () => {
  const places = uploadPlaces({ ...OPTIONS, atOnce: 1 });
  const leave = await places.take("1", here());
  const gone = new AbortController();
  const waited = assert.rejects(places.take("2", gone.signal), busy);
  const next = places.take("3", here());
  gone.abort();
  await waited;
  leave();
  assert.equal(await isSettled(next), true);
});
