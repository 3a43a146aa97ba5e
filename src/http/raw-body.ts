/**
 * Bodies that a handler reads itself: counted while they arrive, buffered once, and not awaited once the response is
 * known.
 */
import type { IncomingMessage } from "node:http";
import { Refusal } from "../refusals.ts";

/**
 * The initial buffer fits most bodies; for a longer one it doubles, so that less than twice the body's length is
 * allocated.
 */
const ROOM_AT_FIRST = 16 * 1_024;
const THROWN_AWAY_MAX = 8 * 1_024 * 1_024;
const THROWN_AWAY_MS_MAX = 10_000;

/**
 * Reads a body of at most `limit` bytes. They are copied out of the chunks, as a chunk of one byte costs hundreds.
 * @throws Refusal payload_too_large at the first byte beyond the limit; unreadable_request when the client disconnects.
 */
export function readRawBody(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let room: Buffer = Buffer.alloc(0);
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) {
        incoming.off("data", onData);
        reject(new Refusal("payload_too_large"));
        return;
      }
      room = grown(room, length, limit);
      chunk.copy(room, length - chunk.length);
    };
    incoming.on("data", onData);
    incoming.on("end", () => resolve(room.subarray(0, length)));
    incoming.on("error", () => reject(new Refusal("unreadable_request")));
  });
}

/**
 * Discards the rest of a body, so that a client that reads only after sending everything gets its response; ends one
 * that never stops sending.
 */
export function discardRest(incoming: IncomingMessage): void {
  let thrown = 0;
  incoming.unpipe();
  incoming.on("data", (chunk: Buffer) => {
    thrown += chunk.length;
    if (thrown > THROWN_AWAY_MAX) incoming.destroy();
  });
  incoming.on("error", () => {});
  incoming.resume();
  const timer = setTimeout(() => {
    if (!incoming.complete) incoming.destroy();
  }, THROWN_AWAY_MS_MAX);
  timer.unref();
  incoming.once("close", () => clearTimeout(timer));
  incoming.once("end", () => clearTimeout(timer));
}

function grown(room: Buffer, length: number, limit: number): Buffer {
  if (length <= room.length) return room;
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(length, room.length * 2, ROOM_AT_FIRST)));
  room.copy(larger);
  return larger;
}
