/**
 * EBICS against the simulated bank: keys, uploads and downloads in both versions, each answer in each phase, and cut
 * connections.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { encrypt, wrapKey } from "../../src/gateways/sepa-batch/transports/ebics/crypto.ts";
import {
  fetchBankKeys,
  sendKeys,
  sendNewKeys,
  suspend,
} from "../../src/gateways/sepa-batch/transports/ebics/key-exchange.ts";
import { download } from "../../src/gateways/sepa-batch/transports/ebics/download.ts";
import { digestOf, makeKeys } from "../../src/gateways/sepa-batch/transports/ebics/keys.ts";
import { orderOf } from "../../src/gateways/sepa-batch/transports/ebics/orders.ts";
import { BankRefused } from "../../src/gateways/sepa-batch/transports/ebics/return-codes.ts";
import {
  upload,
  type Session,
  type UploadOutcome,
} from "../../src/gateways/sepa-batch/transports/ebics/upload.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { bankPair, hashOfKey } from "../../tools/ebics-host/crypto.ts";
import { readySession, startTestBank, subscriberOf, type TestBank } from "./bank.ts";

const CORE = { H004: orderOf("CDD"), H005: orderOf("SDD//COR//pain.008") } as const;
const STATEMENT = { H004: orderOf("C53"), H005: orderOf("EOP/DE//ZIP/camt.053") } as const;
const FILE = Buffer.from(`<Document>\r\n${"a debit\n".repeat(400)}</Document>\n`);

let bank: TestBank;
before(async () => {
  bank = await startTestBank({ segmentChars: 60 });
});
after(() => bank.close());

/** Uploads in segments of forty characters. @returns the recorded steps and the outcome. */
async function send(
  session: Session,
  file = FILE,
): Promise<UploadOutcome & { orderId: string | null; lasts: number }> {
  let orderId: string | null = null;
  let lasts = 0;
  const outcome = await upload(
    session,
    CORE[session.subscriber.version],
    file,
    {
      started: async (started) => {
        orderId = started.orderId;
      },
      beforeLast: async () => {
        lasts += 1;
        return true;
      },
    },
    40,
  );
  return { ...outcome, orderId, lasts };
}

async function fetched(session: Session): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  const got = await download(session, STATEMENT[session.subscriber.version], async (bytes) => {
    for await (const chunk of bytes) chunks.push(chunk);
  });
  return got ? Buffer.concat(chunks) : null;
}

for (const version of ["H005", "H004"] as const) {
  for (const signatureVersion of ["A006", "A005"] as const) {
    test(`${version} with ${signatureVersion}: keys, an upload in segments, a download in segments`, async () => {
      const own = await startTestBank({ segmentChars: 60 });
      try {
        const session = await readySession(own, { version, signatureVersion });
        const { bankKeys } = session.subscriber;
        assert.equal(
          digestOf(bankKeys.authentication, "key").toString("base64"),
          hashOfKey(bankPair("authentication", 0).publicKey),
        );
        const sent = await send(session);
        assert.deepEqual([sent.kind, sent.lasts], ["accepted", 1]);
        const [order] = own.books.taken;
        assert.deepEqual([order?.orderId, order?.waits], [sent.orderId, false]);
        assert.deepEqual(order?.data, FILE, "with its line ends");
        const name = version === "H005" ? "EOP/DE//ZIP/camt.053" : "C53";
        own.books.waiting.set(name, [FILE]);
        assert.deepEqual(await fetched(session), FILE);
        assert.deepEqual(own.books.waiting.get(name), [], "the receipt was sent");
        assert.equal(await fetched(session), null, "no more data is not an error");
      } finally {
        await own.close();
      }
    });
  }

  test(`${version}: orders of a user of class T need a person's release`, async () => {
    const own = await startTestBank({ signatureClass: "T" });
    try {
      const session = await readySession(own, { version, signatureClass: "T" });
      assert.equal((await send(session)).kind, "accepted");
      assert.equal(own.books.taken[0]?.waits, true);
      const alone = { ...session, subscriber: { ...session.subscriber, signatureClass: "E" as const } };
      const refused = await send(alone);
      assert.deepEqual([refused.kind, own.books.taken.length], ["not_accepted", 1]);
    } finally {
      await own.close();
    }
  });

  test(`${version}: new keys replace the old ones, and a suspended user is no longer accepted`, async () => {
    const own = await startTestBank();
    try {
      const session = await readySession(own, { version });
      const keys = await makeKeys(randomIds, "USER1", new Date());
      assert.equal((await sendNewKeys(session, keys)).kind, "accepted");
      const old = await send(session);
      assert.deepEqual([old.kind, "verdict" in old && old.verdict], ["not_accepted", "stopped"]);
      const changed = { ...session, subscriber: { ...session.subscriber, keys } };
      assert.equal((await send(changed)).kind, "accepted");
      assert.equal((await suspend(changed)).kind, "accepted");
      const locked = await send(changed);
      assert.deepEqual([locked.kind, "verdict" in locked && locked.verdict], ["not_accepted", "stopped"]);
    } finally {
      await own.close();
    }
  });
}

test("our keys are sent once, and the bank's keys are fetched once it has activated the user", async () => {
  const own = await startTestBank();
  try {
    const subscriber = await subscriberOf();
    await sendKeys(own.host, subscriber, "INI");
    await assert.rejects(sendKeys(own.host, subscriber, "INI"), BankRefused);
    await sendKeys(own.host, subscriber, "HIA");
    const moment = { nonce: randomIds.secret(16), at: new Date() };
    await assert.rejects(fetchBankKeys(own.host, subscriber, moment), /091002/);
    own.user.state = "ready";
    await fetchBankKeys(own.host, subscriber, moment);
  } finally {
    await own.close();
  }
});

test("keys are compared by the hash of their certificate with H005 hosts that do so", async () => {
  const own = await startTestBank({ digestOf: "certificate" });
  try {
    const wrong = await send(await readySession(own));
    assert.deepEqual([wrong.kind, "reason" in wrong && /091008/.test(wrong.reason)], ["not_accepted", true]);
    own.user.state = "new";
    assert.equal((await send(await readySession(own, { digestOf: "certificate" }))).kind, "accepted");
  } finally {
    await own.close();
  }
});

test("after a cut connection at any phase and segment no order is sent twice, lost or guessed", async () => {
  const session = await readySession(bank);
  const count = bank.server.messages.length;
  assert.equal((await send(session)).kind, "accepted");
  const requests = bank.server.messages.length - count;
  assert.ok(requests > 3, "several segments");
  const faults = [
    { kind: "cut_before" },
    { kind: "cut_after" },
    { kind: "status", status: 502 },
    { kind: "status", status: 502, processed: true },
  ] as const;
  for (let cut = 1; cut <= requests; cut += 1) {
    for (const fault of faults) {
      const processed = fault.kind === "cut_after" || ("processed" in fault && fault.processed);
      const taken = bank.books.taken.length;
      let number = 0;
      bank.fault = () => {
        number += 1;
        return number === cut ? fault : null;
      };
      const outcome = await send(session);
      bank.fault = () => null;
      const arrived = bank.books.taken.length - taken;
      const where = `${JSON.stringify(fault)} ${cut} of ${requests}`;
      if (cut === 1) {
        assert.deepEqual([outcome.kind, arrived], ["not_accepted", 0], where);
      } else if (cut < requests) {
        // The segment is sent again, and the bank answers which one it has.
        assert.deepEqual([outcome.kind, arrived, outcome.lasts], ["accepted", 1, 1], where);
      } else {
        assert.deepEqual([outcome.kind, arrived], ["unknown", processed ? 1 : 0], where);
        assert.equal(outcome.orderId === null, false, "the bank's protocol can be asked");
      }
    }
  }
});

test("every code at each phase has the meaning in the table, and the bank's books agree with it", async () => {
  const session = await readySessionAgain();
  const codes = [
    "061001",
    "061002",
    "061099",
    "061101",
    "090003",
    "091005",
    "091008",
    "091101",
    "091116",
    "091119",
    "099999",
  ];
  for (const code of codes) {
    for (const phase of ["Initialisation", "Transfer", "last"] as const) {
      for (const processed of phase === "last" ? [true, false] : [false]) {
        const taken = bank.books.taken.length;
        bank.fault = (about) =>
          about.phase === (phase === "last" ? "Transfer" : phase) && about.last === (phase === "last")
            ? { kind: "code", injected: { code, processed } }
            : null;
        const outcome = await send(session);
        bank.fault = () => null;
        const arrived = bank.books.taken.length - taken;
        const where = `${code} ${phase}`;
        if (outcome.kind === "not_accepted" && !processed) assert.equal(arrived, 0, where);
        if (phase !== "last") assert.equal(outcome.kind, "not_accepted", where);
        if (phase === "last" && /^(061099|061101|091101|091116|099999)$/.test(code)) {
          assert.equal(outcome.kind, "unknown", where);
        }
      }
    }
  }
});

async function readySessionAgain(): Promise<Session> {
  bank.user.state = "new";
  return readySession(bank);
}

test("an answer with one changed letter anywhere is not accepted as the bank's", async () => {
  const session = await readySessionAgain();
  for (let step = 0; step < 60; step += 1) {
    const taken = bank.books.taken.length;
    bank.fault = (about) => (about.last ? { kind: "flip", at: step / 60 } : null);
    const outcome = await send(session);
    bank.fault = () => null;
    assert.equal(bank.books.taken.length, taken + 1);
    assert.ok(outcome.kind === "unknown" || outcome.kind === "accepted", `${step}: ${outcome.kind}`);
  }
});

test("an answer signed with another key than the confirmed one is refused", async () => {
  const session = await readySessionAgain();
  bank.fault = (about) => {
    if (about.last) bank.books.generation = 1;
    return null;
  };
  const outcome = await send(session);
  bank.fault = () => null;
  bank.books.generation = 0;
  assert.equal(outcome.kind, "unknown");
});

test("the bank's answer to another upload is never taken for its answer to this one", async () => {
  const session = await readySessionAgain();
  assert.equal((await send(session)).kind, "accepted");
  const old = bank.server.messages.at(-1)?.answer ?? "";
  const taken = bank.books.taken.length;
  const replaying: Session = {
    ...session,
    host: {
      ...session.host,
      async ask(request) {
        const answer = await session.host.ask(request);
        return request.includes('lastSegment="true"') ? old : answer;
      },
    },
  };
  assert.equal((await send(replaying)).kind, "unknown");
  assert.equal(bank.books.taken.length, taken + 1);
});

/** An answer to a segment: which transaction it names, its code, and the outcome before the last segment and for it. */
const ANSWERS: readonly (readonly [
  names: "its own transaction" | "no transaction" | "another transaction",
  code: string,
  before: string,
  last: string,
])[] = [
  ["its own transaction", "090003", "refused", "refused"],
  ["its own transaction", "091002", "stopped", "stopped"],
  ["its own transaction", "091119", "repeat", "repeat"],
  ["its own transaction", "061099", "repeat", "unknown"],
  ["its own transaction", "099999", "refused", "unknown"],
  ["no transaction", "090003", "refused", "refused"],
  ["no transaction", "091002", "stopped", "stopped"],
  ["no transaction", "091119", "repeat", "repeat"],
  ["no transaction", "061099", "repeat", "unknown"],
  ["no transaction", "000000", "repeat", "unknown"],
  ["another transaction", "090003", "repeat", "unknown"],
  ["another transaction", "091002", "repeat", "unknown"],
  ["another transaction", "091119", "repeat", "unknown"],
  ["another transaction", "000000", "repeat", "unknown"],
];

test("an answer that names no transaction can refuse and cannot accept, one that names another can do neither", async () => {
  const session = await readySessionAgain();
  for (const [names, code, ...expected] of ANSWERS) {
    const found = [];
    for (const last of [false, true]) {
      const named =
        names === "its own transaction"
          ? {}
          : { transactionId: names === "no transaction" ? null : "AB".repeat(16) };
      bank.fault = (about) =>
        about.phase === "Transfer" && about.last === last
          ? { kind: "code", injected: { code, processed: code === "000000", ...named } }
          : null;
      const outcome = await send(session);
      bank.fault = () => null;
      found.push("verdict" in outcome ? outcome.verdict : outcome.kind);
    }
    assert.deepEqual(found, expected, `${names} ${code}`);
  }
});

test("an upload that the bank does not begin is sent again, refused or stopped, as its code says", async () => {
  const session = await readySessionAgain();
  for (const [code, verdict] of [
    ["061099", "repeat"],
    ["091119", "repeat"],
    ["090003", "refused"],
    ["061101", "refused"],
    ["091002", "stopped"],
  ] as const) {
    bank.fault = () => ({ kind: "code", injected: { code } });
    const outcome = await send(session);
    bank.fault = () => null;
    assert.deepEqual(["verdict" in outcome && outcome.verdict, outcome.lasts], [verdict, 0], code);
  }
});

test("a segment of another download is not accepted", async () => {
  const session = await readySessionAgain();
  const name = "EOP/DE//ZIP/camt.053";
  bank.books.waiting.set(name, [FILE]);
  const count = bank.server.messages.length;
  assert.deepEqual(await fetched(session), FILE);
  const second = bank.server.messages[count + 1]?.answer ?? "";
  assert.match(second, /<SegmentNumber lastSegment="true">2</);
  bank.books.waiting.set(name, [FILE]);
  let asked = 0;
  const host = {
    ...session.host,
    async ask(request: string) {
      const answer = await session.host.ask(request);
      asked += 1;
      return asked === 2 ? second : answer;
    },
  };
  await assert.rejects(fetched({ ...session, host }), /something other than segment 2/);
  assert.equal(bank.books.waiting.get(name)?.length, 1, "the bank still has it");
});

test("a segment of a download that comes a second time, in place of the next one, is not accepted", async () => {
  const own = await startTestBank({ segmentChars: 20 });
  try {
    const session = await readySession(own);
    own.books.waiting.set("EOP/DE//ZIP/camt.053", [FILE]);
    let asked = 0;
    let second = "";
    const ask = async (request: string) => {
      asked += 1;
      if (asked === 3) return second;
      const answer = await session.host.ask(request);
      if (asked === 2) second = answer;
      return answer;
    };
    await assert.rejects(
      fetched({ ...session, host: { ...session.host, ask } }),
      /something other than segment 3/,
    );
    assert.match(second, /<SegmentNumber lastSegment="false">2</);
  } finally {
    await own.close();
  }
});

test("a download is decrypted only with a key that the bank has signed", async () => {
  const session = await readySessionAgain();
  const count = bank.server.messages.length;
  assert.equal((await send(session)).kind, "accepted");
  const signed = bank.server.messages[count]?.answer ?? "";
  const key = randomIds.secret(16);
  const wrapped = wrapKey(session.subscriber.keys.encryption.publicKey, key).toString("base64");
  const data = encrypt(key, deflateSync("<Document>forged</Document>")).toString("base64");
  const forged =
    `<DataTransfer><DataEncryptionInfo><TransactionKey>${wrapped}</TransactionKey></DataEncryptionInfo>` +
    `<OrderData>${data}</OrderData></DataTransfer></body>`;
  const host = { ...session.host, ask: async () => signed.replace("</body>", forged) };
  await assert.rejects(fetched({ ...session, host }), /not signed/);
});

test("a download is acknowledged only when it is stored; one that fails before is downloaded again", async () => {
  const session = await readySessionAgain();
  const name = "EOP/DE//ZIP/camt.053";
  const count = bank.server.messages.length;
  bank.books.waiting.set(name, [FILE]);
  assert.deepEqual(await fetched(session), FILE);
  const requests = bank.server.messages.length - count;
  for (let cut = 1; cut <= requests; cut += 1) {
    for (const kind of ["cut_before", "cut_after", "flip"] as const) {
      bank.books.waiting.set(name, [FILE]);
      let number = 0;
      bank.fault = () => {
        number += 1;
        return number !== cut ? null : kind === "flip" ? { kind, at: 0.6 } : { kind };
      };
      const got = await fetched(session).catch(() => null);
      bank.fault = () => null;
      const left = bank.books.waiting.get(name)?.length;
      if (got === null) assert.equal(left, 1, `${kind} ${cut}: the bank still has it`);
      else assert.deepEqual(got, FILE);
      if (left === 1) assert.deepEqual(await fetched(session), FILE, "and hands it out again");
    }
  }
  bank.books.waiting.set(name, [FILE]);
  await assert.rejects(
    download(session, STATEMENT.H005, () => Promise.reject(new Error("the books are closed"))),
    /the books are closed/,
  );
  assert.equal(bank.books.waiting.get(name)?.length, 1);
});

for (const phase of ["Initialisation", "Transfer"])
  test(`a download that is refused at its ${phase} names the code`, async () => {
    const session = await readySessionAgain();
    bank.books.waiting.set("EOP/DE//ZIP/camt.053", [FILE]);
    bank.fault = (about) => (about.phase === phase ? { kind: "code", injected: { code: "090003" } } : null);
    await assert.rejects(
      fetched(session),
      (error) => error instanceof BankRefused && error.code === "090003",
    );
    bank.fault = () => null;
  });

test("an order in one segment may come without the segment's number", async () => {
  const own = await startTestBank({ segmentChars: 1_000_000, numbersOmitted: true });
  try {
    const session = await readySession(own);
    own.books.waiting.set("EOP/DE//ZIP/camt.053", [FILE]);
    assert.deepEqual(await fetched(session), FILE);
  } finally {
    await own.close();
  }
});
