/** When the files of a day are written, and what `sepa collect` prints. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { collectNow } from "../../src/gateways/sepa-batch/commands.ts";
import { claimUpload, moveUpload } from "../../src/gateways/sepa-batch/outgoing/store.ts";
import { bankMerchant, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  service = await startService({ clock });
  desk = deskOf(service);
});
after(() => service.close());

const collect = async ({ accountId }: BankMerchant) =>
  (await collectNow(service.app.deps, accountId)).replace(`${accountId}: `, "");

test("sepa collect before the cut-off writes waiting instructions, and the day's run still takes place", async () => {
  const merchant = await bankMerchant(service);
  assert.equal(await collect(merchant), "0 instructions in 0 files (nothing is waiting)");
  await payAt(merchant);
  assert.equal(await collect(merchant), "1 instructions in 1 files");
  await payAt(merchant);
  await desk.moveTo(merchant, "2026-11-23T11:00:00Z");
  assert.deepEqual(
    (await outgoing(service, merchant)).map(({ transactions, due_date }) => [transactions, due_date]),
    [
      [1, "2026-11-25"],
      [1, "2026-11-25"],
    ],
  );
  await payAt(merchant);
  assert.equal(
    await collect(merchant),
    "0 instructions in 0 files (the run of 2026-11-23 was done at 2026-11-23T11:00:00.000Z; the next is at 2026-11-24T11:00:00.000Z)",
  );
});

test("sepa collect gives the reason when it writes nothing: no banking day, or nothing due", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 10 });
  await payAt(merchant);
  assert.equal(
    await collect(merchant),
    "0 instructions in 0 files (nothing is due yet; the earliest due date is 2026-12-03)",
  );
  await desk.moveTo(merchant, "2026-11-28T09:00:00Z");
  assert.equal(
    await collect(merchant),
    "0 instructions in 0 files (2026-11-28 is not a TARGET business day)",
  );
});

test("a worker that has lost the lease of an upload records nothing about it", async () => {
  const merchant = await bankMerchant(service, { transport: { kind: "directory" } });
  await payAt(merchant);
  await collect(merchant);
  const [account] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const now = service.app.deps.clock.now();
  // A lease that ends at once.
  const claim = () => claimUpload(service.db, account?.["tenant"], now, 0);
  const slow = await claim();
  const other = await claim();
  assert.ok(slow !== null && other !== null);
  const to = { status: "sent", error: null, dueAt: null, keep: false } as const;
  assert.equal(await moveUpload(service.db, slow, to, now), false);
  assert.equal(await moveUpload(service.db, other, to, now), true);
});

test("if two tenants have the same reference, the outcome of one payment does not change the other", async () => {
  const [mine, theirs] = [await bankMerchant(service), await bankMerchant(service)];
  const [payment, other] = [await payAt(mine), await payAt(theirs)];
  await service.rows(
    "update transactions set merchant_transaction_id = $1, status = 'charged_back' where id = $2",
    [referenceOf(payment), other["transaction"].id],
  );
  await desk.moveTo(mine, "2026-11-23T12:00:00Z");
  assert.equal((await outgoing(service, mine))[0]?.["transactions"], 1);
  assert.equal((await desk.transaction(payment))["status"], "pending");
});
