/** Each turn of an upload in three segments: what is sent, what is recorded before it, and the outcome. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { NoAnswer } from "../../src/gateways/sepa-batch/transports/ebics/host.ts";
import { orderOf } from "../../src/gateways/sepa-batch/transports/ebics/orders.ts";
import { upload, type Session } from "../../src/gateways/sepa-batch/transports/ebics/upload.ts";
import type { Injected } from "../../tools/ebics-host/host.ts";
import { readySession, startTestBank, type TestBank } from "./bank.ts";

const FILE = Buffer.from(Array.from({ length: 100 }, (_, index) => (index * index * 7) % 251));
/** Of base64: the file takes three segments. */
const SEGMENT_CHARS = 60;

let bank: TestBank;
let session: Session;
before(async () => {
  bank = await startTestBank();
  session = await readySession(bank);
});
after(() => bank.close());

/**
 * What happens to a request. `unreached`: it certainly did not arrive; `lost`: it did not arrive, which is unknown;
 * `unanswered`: it arrived, and its answer is lost; `garbled`: its answer is not signed.
 */
type Turn = "ok" | "unreached" | "lost" | "unanswered" | "garbled" | Injected;

interface Played {
  /** `start`, the numbers of segments, `began` and `last` for what is recorded. */
  readonly steps: string;
  readonly outcome: string;
  readonly arrived: number;
}

async function play(turns: readonly Turn[], isMine = true): Promise<Played> {
  const steps: string[] = [];
  const taken = bank.books.taken.length;
  let number = 0;
  const ask = async (request: string): Promise<string> => {
    steps.push(/<SegmentNumber[^>]*>(\d+)</.exec(request)?.[1] ?? "start");
    const turn = turns[number] ?? "ok";
    number += 1;
    if (turn === "unreached" || turn === "lost") throw new NoAnswer(turn, turn === "lost");
    bank.fault = () => (typeof turn === "object" ? { kind: "code", injected: turn } : null);
    const answer = await session.host.ask(request);
    bank.fault = () => null;
    if (turn === "unanswered") throw new NoAnswer(turn, true);
    return turn === "garbled" ? answer.replace(/<AuthSignature>.*<\/AuthSignature>/, "") : answer;
  };
  const recorded = {
    started: async ({ transactionId, orderId }: { transactionId: string; orderId: string | null }) => {
      assert.match(`${transactionId} ${orderId}`, /^[0-9A-F]{32} [A-Z0-9]{4}$/);
      steps.push("began");
    },
    beforeLast: async () => {
      steps.push("last");
      return isMine;
    },
  };
  const outcome = await upload(
    { ...session, host: { ...session.host, ask } },
    orderOf("SDD//COR//pain.008"),
    FILE,
    recorded,
    SEGMENT_CHARS,
  );
  const arrived = bank.books.taken.slice(taken);
  for (const { data } of arrived) assert.deepEqual(data, FILE);
  const kind = outcome.kind === "not_accepted" ? outcome.verdict : outcome.kind;
  return { steps: steps.join(" "), outcome: kind, arrived: arrived.length };
}

const recover = (segment?: number): Injected => ({
  code: "061101",
  ...(segment === undefined ? {} : { segment }),
});
const RESTART: Injected = { code: "061101", phase: "Initialisation" };
const BUSY = { code: "061099" };

/** Turns from the first request on; the following are answered. */
const TURNS: readonly (readonly [
  what: string,
  turns: readonly Turn[],
  steps: string,
  outcome: string,
  arrived: number,
])[] = [
  ["all answers arrive", [], "start began 1 2 last 3", "accepted", 1],

  ["the start does not arrive", ["unreached"], "start", "repeat", 0],
  ["the start is lost", ["lost"], "start", "repeat", 0],
  ["the start has no answer", ["unanswered"], "start", "repeat", 0],
  ["the answer to the start is not signed", ["garbled"], "start", "repeat", 0],
  ["the bank begins no transaction", [{ code: "000000" }], "start", "repeat", 0],

  ["a segment does not arrive", ["ok", "unreached"], "start began 1 1 2 last 3", "accepted", 1],
  ["a segment is lost", ["ok", "lost"], "start began 1 1 2 last 3", "accepted", 1],
  [
    "a segment has no answer: the bank names it when it comes again, and the next one follows",
    ["ok", "ok", "unanswered"],
    "start began 1 2 2 last 3",
    "accepted",
    1,
  ],
  ["the answer to a segment is not signed", ["ok", "garbled"], "start began 1 1 2 last 3", "accepted", 1],
  [
    "a segment is lost three times",
    ["ok", "lost", "lost", "lost"],
    "start began 1 1 1 1 2 last 3",
    "accepted",
    1,
  ],
  [
    "a segment is lost four times",
    ["ok", "lost", "lost", "lost", "lost"],
    "start began 1 1 1 1",
    "repeat",
    0,
  ],

  [
    "the last segment certainly did not arrive",
    ["ok", "ok", "ok", "unreached"],
    "start began 1 2 last 3 last 3",
    "accepted",
    1,
  ],
  [
    "the last segment certainly did not arrive, four times",
    ["ok", "ok", "ok", "unreached", "unreached", "unreached", "unreached"],
    "start began 1 2 last 3 last 3 last 3 last 3",
    "repeat",
    0,
  ],
  ["the last segment is lost", ["ok", "ok", "ok", "lost"], "start began 1 2 last 3", "unknown", 0],
  [
    "the last segment has no answer",
    ["ok", "ok", "ok", "unanswered"],
    "start began 1 2 last 3",
    "unknown",
    1,
  ],
  [
    "the answer to the last segment is not signed",
    ["ok", "ok", "ok", "garbled"],
    "start began 1 2 last 3",
    "unknown",
    1,
  ],

  ["a busy bank", ["ok", "ok", BUSY], "start began 1 2", "repeat", 0],
  ["a busy bank after the last segment", ["ok", "ok", "ok", BUSY], "start began 1 2 last 3", "unknown", 0],

  ["the bank asks for a segment again", ["ok", "ok", recover(1)], "start began 1 2 2 last 3", "accepted", 1],
  [
    "the bank asks for a segment again three times",
    ["ok", "ok", recover(1), recover(1), recover(1)],
    "start began 1 2 2 2 2 last 3",
    "accepted",
    1,
  ],
  [
    "the bank asks for a segment again four times",
    ["ok", "ok", recover(1), recover(1), recover(1), recover(1)],
    "start began 1 2 2 2 2",
    "repeat",
    0,
  ],
  [
    "the bank asks for all segments again, and then says which one it has",
    ["ok", "ok", RESTART],
    "start began 1 2 1 2 last 3",
    "accepted",
    1,
  ],
  [
    "the bank asks for a segment and does not say which",
    ["ok", "ok", recover()],
    "start began 1 2",
    "repeat",
    0,
  ],
  [
    "the bank asks for the last segment again",
    ["ok", "ok", "ok", recover(2)],
    "start began 1 2 last 3 last 3",
    "accepted",
    1,
  ],
  [
    "the bank asks for a segment after the last one",
    ["ok", "ok", "ok", recover(3)],
    "start began 1 2 last 3",
    "unknown",
    0,
  ],
  [
    "the bank asks for a segment after the last one was sent, and does not say which",
    ["ok", "ok", "ok", recover()],
    "start began 1 2 last 3",
    "unknown",
    0,
  ],

  [
    "the answer is about another segment",
    ["ok", { code: "000000", segment: 2 }],
    "start began 1",
    "repeat",
    0,
  ],
  [
    "the answer to the last segment is about another one",
    ["ok", "ok", "ok", { code: "000000", segment: 2 }],
    "start began 1 2 last 3",
    "unknown",
    0,
  ],
  [
    "a refusal of another segment after the last one",
    ["ok", "ok", "ok", { code: "090003", segment: 2 }],
    "start began 1 2 last 3",
    "unknown",
    0,
  ],
];

for (const [what, turns, steps, outcome, arrived] of TURNS)
  test(`${what}: ${outcome}`, async () => assert.deepEqual(await play(turns), { steps, outcome, arrived }));

test("a segment has at most 700,000 characters, and the start of each upload sixteen new bytes", async () => {
  const count = bank.server.messages.length;
  const steps = { started: async () => {}, beforeLast: async () => true };
  for (const length of [1, 525_008]) {
    // Three quarters of the characters; compressed and encrypted it is longer.
    const { kind } = await upload(session, orderOf("SDD//COR//pain.008"), randomBytes(length), steps);
    assert.equal(kind, "accepted");
  }
  const requests = bank.server.messages.slice(count).map(({ request }) => request);
  const segments = requests.flatMap(
    (request) => /<OrderData>(.*)<\/OrderData>/.exec(request)?.[1]?.length ?? [],
  );
  assert.deepEqual([segments.length, segments[1]], [3, 700_000]);
  const nonces = requests.flatMap((request) => /<Nonce>([0-9A-F]{32})<\/Nonce>/.exec(request)?.[1] ?? []);
  assert.equal(new Set(nonces).size, 2);
});

test("when another worker has taken over the file, its last segment is not sent", async () => {
  assert.deepEqual(await play([], false), { steps: "start began 1 2 last", outcome: "left", arrived: 0 });
});
