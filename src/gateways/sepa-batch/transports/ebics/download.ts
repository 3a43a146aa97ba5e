/** Downloads an order's data from the bank and acknowledges it once it is stored. */
import { createInflate } from "node:zlib";
import { pipeline, Readable } from "node:stream";
import type { BankAnswer } from "./answer.ts";
import { decryption } from "./crypto.ts";
import { orderName, type Order } from "./orders.ts";
import { downloadRequest, receiptRequest, transferRequest } from "./requests.ts";
import { BankRefused, verdictOf } from "./return-codes.ts";
import { AGAIN_MAX, exchange, type Session } from "./upload.ts";

/** One megabyte each; larger deliveries are refused while they are read. */
const SEGMENTS_MAX = 2_000;

/**
 * Downloads once. Returns true if there were data, `store` has them, and the bank was sent the receipt: without it the
 * bank delivers the same data again, which changes nothing.
 * @param store stores the bytes before it returns; if it throws, the bank gets a negative receipt.
 * @throws BankRefused; what `store` throws; Error when the connection breaks.
 */
export async function download(
  session: Session,
  order: Order,
  store: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<boolean> {
  const { subscriber, ids, clock } = session;
  const moment = { nonce: ids.secret(16), at: clock.now() };
  const { answer: first, reason } = await exchange(session, downloadRequest(subscriber, order, moment));
  if (first === null) throw new Error(reason);
  const verdict = verdictOf(first.code);
  if (verdict === "empty") return false;
  if (verdict !== "good") throw new BankRefused(orderName(order), first.code);
  const { transactionId, transactionKey, orderData } = first;
  if (transactionId === null || transactionKey === null || orderData === null) {
    throw new Error(`${orderName(order)}: the bank's answer has no data.`);
  }
  try {
    await store(plain(session, order, { transactionId, transactionKey, first }));
  } catch (error) {
    await exchange(session, receiptRequest(subscriber, transactionId, false));
    throw error;
  }
  // A lost receipt does no harm: the bank delivers again, and the file is recognised.
  await exchange(session, receiptRequest(subscriber, transactionId, true));
  return true;
}

interface Begun {
  readonly transactionId: string;
  readonly transactionKey: Buffer;
  readonly first: BankAnswer;
}

/** The order data, decrypted and decompressed as a stream. */
function plain(session: Session, order: Order, begun: Begun): Readable {
  const decipher = decryption(begun.transactionKey);
  async function* decrypted(): AsyncGenerator<Buffer> {
    for await (const segment of segmentsOf(session, order, begun)) yield decipher.update(segment);
    yield decipher.final();
  }
  // An error on the way becomes the reader's error.
  return pipeline(Readable.from(decrypted()), createInflate(), () => {});
}

async function* segmentsOf(
  session: Session,
  order: Order,
  { transactionId, first }: Begun,
): AsyncGenerator<Buffer> {
  const count = first.segments ?? 1;
  if (count < 1 || count > SEGMENTS_MAX)
    throw new Error(`${orderName(order)}: the bank announces ${count} segments.`);
  for (let number = 1; number <= count; number += 1) {
    const last = number === count;
    const request = () => transferRequest(session.subscriber, { transactionId, number, last }, null);
    const answer = number === 1 ? first : await answered(session, request());
    if (verdictOf(answer.code) !== "good") throw new BankRefused(orderName(order), answer.code);
    const { segment, orderData } = answer;
    const isIt =
      orderData !== null &&
      answer.transactionId === transactionId &&
      (segment === null ? count === 1 : segment.number === number && segment.last === last);
    if (!isIt) throw new Error(`${orderName(order)}: the bank sent something other than segment ${number}.`);
    yield orderData;
  }
}

/**
 * Repeats a request until it is answered.
 * @throws Error when there is no answer after several attempts.
 */
async function answered(session: Session, request: string): Promise<BankAnswer> {
  for (let again = 0; ; again += 1) {
    const { answer, reason } = await exchange(session, request);
    if (answer !== null) return answer;
    if (again >= AGAIN_MAX) throw new Error(reason);
  }
}
