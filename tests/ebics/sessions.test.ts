/**
 * Sessions between the client and the simulated bank, with faults in any phase and segment drawn from a seed: no
 * outcome is a guess.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { download } from "../../src/gateways/sepa-batch/transports/ebics/download.ts";
import { orderOf } from "../../src/gateways/sepa-batch/transports/ebics/orders.ts";
import { upload, type Session } from "../../src/gateways/sepa-batch/transports/ebics/upload.ts";
import { seeded } from "../../tools/random.ts";
import { sized } from "../support/sized.ts";
import { readySession, startTestBank, type TestBank } from "./bank.ts";
import { faultOf } from "./faults.ts";

/** `PROVE=1 npm test -- tests/ebics/sessions.test.ts` runs a thousand seeds. */
const SEEDS = sized(40, 1_000);
/** The number of seeds in one test, which has a time limit. */
const BATCH = 20;
const ORDERS = {
  H004: { up: "CDD", down: "C53" },
  H005: { up: "SDD//COR//pain.008", down: "EOP/DE//ZIP/camt.053" },
} as const;

let bank: TestBank;
const sessions: Session[] = [];
before(async () => {
  bank = await startTestBank({ segmentChars: 60 });
  for (const version of ["H005", "H004"] as const) {
    bank.user.state = "new";
    sessions.push(await readySession(bank, { version }));
  }
});
after(() => bank.close());

const ends: Record<string, number> = {};

async function play(seed: number): Promise<void> {
  const random = seeded(seed);
  const session = random.pick(sessions);
  const { up, down } = ORDERS[session.subscriber.version];
  const content = Buffer.from(Array.from({ length: random.below(120) }, () => random.below(256)));
  bank.fault = () => (random.chance(0.15) ? faultOf(random) : null);
  let lasts = 0;
  const before = bank.books.taken.length;
  const outcome = await upload(
    session,
    orderOf(up),
    content,
    {
      started: async () => {},
      beforeLast: async () => {
        lasts += 1;
        return true;
      },
    },
    40,
  );
  const arrived = bank.books.taken.slice(before);
  const where = `seed ${seed}: ${JSON.stringify(outcome)}`;
  assert.ok(arrived.length <= 1, where);
  if (outcome.kind === "accepted") assert.equal(arrived.length, 1, where);
  if (outcome.kind === "not_accepted") assert.equal(arrived.length, 0, where);
  if (outcome.kind === "unknown") assert.ok(lasts > 0, where);
  for (const { data } of arrived) assert.deepEqual(data, content, where);
  ends[outcome.kind] = (ends[outcome.kind] ?? 0) + 1;

  bank.books.waiting.set(down, [content]);
  let stored: Buffer | null = null;
  const fetch = async () =>
    download(session, orderOf(down), async (bytes) => {
      const chunks: Buffer[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      stored = Buffer.concat(chunks);
    }).catch(() => false);
  await fetch();
  const left = () => bank.books.waiting.get(down)?.length;
  if (stored === null) assert.equal(left(), 1, `${where}: the bank still has it`);
  bank.fault = () => null;
  if (left() === 1) await fetch();
  assert.deepEqual(stored, content, where);
  assert.equal(left(), 0, where);
}

for (let first = 1; first <= SEEDS; first += BATCH) {
  test(`seeds from ${first}: an accepted file is at the bank once, a refused one is not, and stored files are complete`, async () => {
    for (let seed = first; seed < first + BATCH; seed += 1) await play(seed);
  });
}

test("the seeds together reach every outcome of a session", () => {
  assert.deepEqual(Object.keys(ends).toSorted(), ["accepted", "not_accepted", "unknown"]);
});
