/** Closes abusive connections: from clients that do not read their response, and beyond a limit per address. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { MINUTE_MS } from "../lib/clock.ts";

interface ConnectionLimits {
  /** The most concurrent connections of one address (IPv6: a /64). */
  readonly perAddress: number;
  /** The key under which a peer's connections are counted; null for a trusted proxy, which serves many customers. */
  readonly keyOf: (peer: string) => string | null;
  /** How long a client may read nothing of a pending response; a minute by default. */
  readonly stalledMs?: number;
}

/** The slowest client allowed reads one piece per minute, kernel buffers included: about a kilobyte a second. */
const STALLED_MS = MINUTE_MS;
const LOOKS_PER_STALL = 4;

interface Progress {
  bytes: number;
  looks: number;
}

/** Watches every connection of the server while it runs. */
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
    // Closing would leave the kernel with the data for a client who may read them for hours.
    if (seen.looks >= LOOKS_PER_STALL) socket.resetAndDestroy();
  }
}
