/**
 * Notifications between instances: an event is sent right after its commit, also after the listening connection was
 * lost.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listen } from "../src/db/listen.ts";
import { startReceiver } from "./support/receiver.ts";
import { startOutbox } from "./support/webhooks.ts";

test("a notified event wakes the delivery in other instances, and so does the return of a lost connection", async () => {
  const outbox = await startOutbox();
  const receiver = await startReceiver();
  const profile = await outbox.profile(receiver.url);
  const worker = outbox.worker();
  let heard: () => void = () => {};
  const notice = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
  const connected = notice();
  const lost: Error[] = [];
  const listener = listen(outbox.databaseUrl, "webhook_events", {
    onNotice() {
      heard();
      worker.wake();
    },
    onLost: (error) => lost.push(error),
  });
  await connected;
  const ready = Promise.withResolvers<void>();
  const other = listen(outbox.databaseUrl, "webhook_events", { onNotice: ready.resolve, onLost: () => {} });
  await ready.promise;

  await outbox.event(await outbox.session(profile));
  for (let count = 0; count < 100; count += 1) other.announce();
  await receiver.arrived(1);
  await other.close();

  const again = notice();
  await outbox.rows(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'payment-session-service-listener'",
  );
  await outbox.event(await outbox.session(profile));
  await again;
  await receiver.arrived(2);
  assert.equal(lost.length, 1);
  await listener.close();
  await outbox.close();
  await receiver.close();
});

test("without a notification the job finds the event in its next pass", async () => {
  const outbox = await startOutbox();
  const receiver = await startReceiver();
  const profile = await outbox.profile(receiver.url);
  await outbox.event(await outbox.session(profile));
  const [job] = outbox.worker().jobs;
  assert.ok(job !== undefined && job.everyMs <= 2_000);
  assert.ok((await job.runOnce(job.batch)) > 0);
  await receiver.arrived(1);
  await outbox.close();
  await receiver.close();
});

test("one notification is enough for any number of events", async () => {
  const outbox = await startOutbox();
  const receiver = await startReceiver();
  await outbox.profile(receiver.url, { events: ["transaction.created"] });
  await outbox.rows(
    `insert into events (tenant, id, type, payload, created_at)
     select $1, gen_random_uuid(), 'transaction.created', '{}', now() from generate_series(1, 1200)`,
    [outbox.tenant],
  );
  outbox.worker().wake();
  await receiver.arrived(1_200);
  await outbox.close();
  await receiver.close();
});
