/** Cuts abusive connections: clients that do not read their response, and too many connections from one address. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { MINUTE_MS } from "../lib/clock.ts";

interface ConnectionLimits {
  /** Connections that one address may hold at once (IPv6: a /64). */
  readonly perAddress: number;
  /** Whom a peer's connections are counted for; null for a trusted proxy, which brings many customers. */
  readonly keyOf: (peer: string) => string | null;
  /** How long a client may take nothing of an answer that waits for it; a minute unless said otherwise. */
  readonly stalledMs?: number;
}

/** The slowest client allowed takes a piece a minute, kernel buffers included: about a kilobyte a second. */
const STALLED_MS = MINUTE_MS;
const LOOKS_PER_STALL = 4;

interface Progress {
  bytes: number;
  looks: number;
}

/** Watches every connection of the server for as long as it runs. */
export function guardConnections(server: Server, limits: ConnectionLimits): void {
  const { perAddress, keyOf, stalledMs = STALLED_MS } = limits;
  const open = new Map<string, number>();
  const progress = new Map<Socket, Progress>();
  server.on("connection", (socket: Socket) => {
    const counted = keyOf(socket.remoteAddress ?? "");
    const held = counted === null ? 0 : (open.get(counted) ?? 0);
    if (held >= perAddress) {
      socket.resetAndDestroy();
      return;
    }
    if (counted !== null) open.set(counted, held + 1);
    progress.set(socket, { bytes: 0, looks: 0 });
    socket.once("close", () => {
      progress.delete(socket);
      if (counted === null) return;
      const left = (open.get(counted) ?? 1) - 1;
      if (left === 0) open.delete(counted);
      else open.set(counted, left);
    });
  });
  const timer = setInterval(() => cutStalled(progress), stalledMs / LOOKS_PER_STALL);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

function cutStalled(progress: ReadonlyMap<Socket, Progress>): void {
  for (const [socket, seen] of progress) {
    const stalled = socket.writableLength > 0 && socket.bytesWritten === seen.bytes;
    seen.bytes = socket.bytesWritten;
    seen.looks = stalled ? seen.looks + 1 : 0;
    // Closed, it would leave the kernel what it holds for the client, who may take it for hours.
    if (seen.looks >= LOOKS_PER_STALL) socket.resetAndDestroy();
  }
}
