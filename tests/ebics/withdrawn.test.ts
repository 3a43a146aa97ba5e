/**
 * A file that a person believed lost, and of which the bank's protocol (HAC) says later that the bank has it: withdrawn,
 * or sent again.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { withdrawUnfit } from "../../src/gateways/sepa-batch/outgoing/withdraw-unfit.ts";
import { createRace } from "../support/at-once.ts";
import { outgoing, payAt } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";
import { accountOf, ebicsMerchant, fetchNow, fileRow, send } from "./account.ts";
import { startTestBank, type TestBank } from "./bank.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const race = createRace();
let service: Service;

before(async () => {
  service = await startService({ clock, between: race.between });
});
after(() => service.close());

/** Advances the clock by an hour, after which a postponed file is retried and the bank visited again. */
async function later(): Promise<void> {
  clock.advance(HOUR_MS);
  await service.rows("update sepa_files set locked_until = null");
}

/** A file of one debit, of which a person said that it did not arrive: it can be withdrawn. */
async function believedLost(own: TestBank) {
  const other = await ebicsMerchant(service, own);
  await payAt(other, {}, "DE89370400440532013000");
  own.fault = ({ last }) => (last ? { kind: "cut_before" } : null);
  await treasury.moveTo(service, other, "2026-11-24T12:00:00Z");
  await send(service.app.deps);
  own.fault = () => null;
  await service.rows("update ebics_orders set started_at = started_at - interval '5 hours'");
  await later();
  await send(service.app.deps);
  const [file] = await outgoing(service, other);
  const [order] = await service.rows("select order_id from ebics_orders where file_id = $1", [file?.["id"]]);
  const post = (what: string, body?: object) =>
    service.post(`management/sepa-files/${file?.["id"]}/${what}/`, body, { key: other.key });
  const lost = await post("confirm", { arrived: false });
  assert.deepEqual([lost.status, lost.body["status"]], [200, "stored"], lost.text);
  const withdraw = () => post("withdraw");
  /** The bank's protocol, which names the order only now. */
  const says = (action: string, reason: string) => {
    const orderId = String(order?.["order_id"]);
    own.books.protocol.push({ action, reason, orderId, userId: "USER1", at: clock.now(), text: "" });
  };
  /** Writes the next file, and sends it unless it is held. */
  const sendNext = async (day: string) => {
    await treasury.moveTo(service, other, `${day}T12:00:00Z`);
    await later();
    await send(service.app.deps);
    return (await outgoing(service, other)).at(-1) ?? {};
  };
  const read = async () => {
    await later();
    await fetchNow(service, other);
    return treasury.unmatched(service, other);
  };
  return { other, file, withdraw, says, sendNext, read };
}

const ARRIVED = /the bank's protocol says that it has this file, which was withdrawn/;

test("if the bank's protocol names a withdrawn file, one entry waits for a person, and what was in the file is held until that is dismissed", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const { other, file, withdraw, says, sendNext, read } = await believedLost(own);
    assert.equal((await withdraw()).status, 200);
    says("FILE_UPLOAD", "TS01");
    says("ES_VERIFICATION", "DS01");
    const [entry = {}, ...more] = await read();
    assert.equal(more.length, 0);
    assert.match(entry["why"], ARRIVED);
    assert.deepEqual([entry["references"], entry["file_id"]], [[file?.["message_id"]], file?.["id"]]);
    const next = await sendNext("2026-11-25");
    assert.notEqual(next["id"], file?.["id"]);
    assert.match(next["error"], /This file is not sent: .* an earlier file, which was withdrawn/);
    assert.equal(own.books.taken.length, 0);
    const apply = await treasury.resolve(service, other, entry["id"], { action: "reject" });
    assert.equal(apply.status, 400, apply.text);
    assert.equal((await treasury.resolve(service, other, entry["id"], { action: "dismiss" })).status, 200);
    says("ORDER_HAC_FINAL_POS", "DS07");
    assert.deepEqual(await read(), [], "a person has decided");
    await later();
    await send(service.app.deps);
    assert.equal((await fileRow(service, next["id"])).status, "sent");
  } finally {
    await own.close();
  }
});

test("if the bank's protocol names a withdrawn file whose debit was sent again, a person is told that the bank has both", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const { file, withdraw, says, sendNext, read } = await believedLost(own);
    assert.equal((await withdraw()).status, 200);
    assert.equal((await sendNext("2026-11-25"))["status"], "sent");
    says("FILE_UPLOAD", "TS01");
    const [entry = {}, ...more] = await read();
    assert.equal(more.length, 0);
    assert.match(entry["why"], ARRIVED);
    assert.equal(entry["file_id"], file?.["id"]);
  } finally {
    await own.close();
  }
});

test("if the bank's protocol says of a withdrawn file that it is not executed, nothing waits for a person, and the next file is sent", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const { withdraw, says, sendNext, read } = await believedLost(own);
    assert.equal((await withdraw()).status, 200);
    says("FILE_UPLOAD", "TS01");
    says("ORDER_HAC_FINAL_NEG", "DS0H");
    assert.deepEqual(await read(), []);
    assert.equal((await sendNext("2026-11-25"))["status"], "sent");
  } finally {
    await own.close();
  }
});

test("a file with the same debit that must be withdrawn while the bank's protocol is read is held, not withdrawn", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const { other, withdraw, says, sendNext } = await believedLost(own);
    assert.equal((await withdraw()).status, 200);
    own.fault = () => ({ kind: "cut_before" });
    const next = await sendNext("2026-11-25");
    own.fault = () => null;
    await service.rows("update sepa_files set due_date = '2026-11-24' where id = $1", [next["id"]]);
    says("FILE_UPLOAD", "TS01");
    await later();
    const account = await accountOf(service, other);
    const withdrawn: number[] = [];
    const take = async () => void withdrawn.push(await withdrawUnfit(service.app.deps, account));
    await race.atOnce(service, () => fetchNow(service, other), take);
    await take();
    assert.deepEqual(withdrawn, [0, 0]);
    const held = await service.get("management/sepa-files/?held=true", { key: other.key });
    assert.deepEqual(
      (held.body["results"] as Json[]).map(({ id }) => id),
      [next["id"]],
    );
  } finally {
    await own.close();
  }
});

for (const [what, steps, waiting] of [
  ["has arrived, a person is told", [["FILE_UPLOAD", "TS01"]], 1],
  [
    "is not executed, nothing waits",
    [
      ["FILE_UPLOAD", "TS01"],
      ["ORDER_HAC_FINAL_NEG", "DS0H"],
    ],
    0,
  ],
] as const)
  test(`of a file that was sent again, if the bank's protocol says later that its first order ${what}`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const { file, says, read } = await believedLost(own);
      await send(service.app.deps);
      assert.equal((await fileRow(service, file?.["id"])).status, "sent");
      assert.deepEqual(await read(), [], "the second order alone");
      for (const [action, reason] of steps) says(action, reason);
      const entries = await read();
      assert.equal(entries.length, waiting);
      for (const { why, file_id: about, references } of entries) {
        assert.match(why, /the bank's protocol says that it has this file twice/);
        assert.deepEqual([about, references], [file?.["id"], [file?.["message_id"]]]);
      }
      says("ES_VERIFICATION", "DS01");
      assert.equal((await read()).length, waiting, "each file has one entry");
    } finally {
      await own.close();
    }
  });

test("of a file whose second upload had no answer either, if the bank's protocol names both orders at once, a person is told", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const { file, says, read } = await believedLost(own);
    own.fault = ({ last }) => (last ? { kind: "cut_after" } : null);
    await send(service.app.deps);
    own.fault = () => null;
    assert.notEqual((await fileRow(service, file?.["id"])).status, "sent");
    says("FILE_UPLOAD", "TS01");
    const [entry = {}, ...more] = await read();
    assert.equal(more.length, 0);
    assert.match(entry["why"], /the bank's protocol says that it has this file twice/);
    assert.equal((await fileRow(service, file?.["id"])).status, "sent");
  } finally {
    await own.close();
  }
});

for (const first of ["the withdrawal", "the protocol"] as const)
  test(`a file that is withdrawn while the bank's protocol names it, ${first} first, is sent or a person is told`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const { other, file, withdraw, says } = await believedLost(own);
      says("FILE_UPLOAD", "TS01");
      await later();
      const answers: number[] = [];
      const taking = async () => void answers.push((await withdraw()).status);
      const reading = () => fetchNow(service, other);
      // The visit commits its lease of the account in a statement; its only transaction reads the protocol.
      if (first === "the withdrawal") await race.atOnce(service, taking, reading);
      else await race.atOnce(service, reading, taking);
      const entries = await treasury.unmatched(service, other);
      const { status } = await fileRow(service, file?.["id"]);
      assert.deepEqual(
        [answers, status, entries.length],
        first === "the withdrawal" ? [[200], "withdrawn", 1] : [[409], "sent", 0],
      );
    } finally {
      await own.close();
    }
  });
