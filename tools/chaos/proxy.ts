/** A proxy between the service and its database that cuts, delays, hangs, and drops the responses to commits. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createWriteWatcher, type WriteWatcher } from "./wire.ts";

export interface FaultProxy {
  readonly port: number;
  /** Where new connections lead. */
  lead(url: string): void;
  /** Resets this share of the open connections. @returns how many. */
  cut(share: number): number;
  /** Delays each piece of data by this time, in both directions. */
  delay(ms: number): void;
  /** From now on this share of the open connections is permanently half-open: nothing is passed on. */
  freeze(share: number): number;
  /** New connections are accepted and never answered. */
  holdNew(on: boolean): void;
  /** New connections are refused by a reset. */
  refuseNew(on: boolean): void;
  /** The database commits this share of the writes; its response is lost, and the connection is closed. */
  swallow(share: number): void;
  /** How many answers were lost since the last call, by the statement's name. */
  takeSwallowed(): ReadonlyMap<string, number>;
  /** Ends all faults. Frozen connections stay frozen on the service's side, as behind a firewall that dropped them. */
  heal(): void;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  readonly watcher: WriteWatcher;
  frozen: boolean;
  /** The response in flight has to be lost. */
  swallowing: boolean;
}

export async function startProxy(random: () => number): Promise<FaultProxy> {
  const links = new Set<Link>();
  const held = new Set<Socket>();
  const swallowed = new Map<string, number>();
  const faults = { delayMs: 0, holdNew: false, refuseNew: false, swallow: 0 };
  let target = { host: "127.0.0.1", port: 0 };

  const chosen = (share: number) => [...links].filter((link) => !link.frozen && random() < share);

  const server = createServer({ noDelay: true }, (client) => {
    client.on("error", () => {});
    if (faults.refuseNew) {
      client.resetAndDestroy();
      return;
    }
    if (faults.holdNew) {
      held.add(client);
      client.once("close", () => held.delete(client));
      client.resume();
      return;
    }
    const upstream = connect({ ...target, noDelay: true });
    upstream.on("error", () => client.resetAndDestroy());
    const link = {
      client,
      server: upstream,
      watcher: createWriteWatcher(),
      frozen: false,
      swallowing: false,
    };
    links.add(link);
    void toServer(link);
    void toClient(link);
  });

  async function toServer(link: Link): Promise<void> {
    await each(link.client, async (data) => {
      if (faults.delayMs > 0) await sleep(faults.delayMs);
      if (link.frozen) return;
      const write = link.watcher.sent(data);
      if (write !== null && random() < faults.swallow) {
        link.swallowing = true;
        swallowed.set(write, (swallowed.get(write) ?? 0) + 1);
      }
      await put(link.server, data);
    });
    // A firewall that has dropped a connection does not notify the database either.
    if (!link.frozen) link.server.end();
    if (link.server.destroyed || link.frozen) return;
    link.client.destroy();
  }

  async function toClient(link: Link): Promise<void> {
    await each(link.server, async (data) => {
      if (faults.delayMs > 0) await sleep(faults.delayMs);
      if (link.frozen) return;
      if (!link.swallowing) await put(link.client, data);
      else if (link.watcher.answered(data)) {
        link.client.resetAndDestroy();
        link.server.destroy();
      }
    });
    if (link.frozen) return;
    links.delete(link);
    link.client.destroy();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");

  return {
    port: address.port,
    lead(url) {
      const { hostname, port } = new URL(url);
      target = { host: hostname, port: Number(port) };
    },
    cut(share) {
      const ended = chosen(share);
      for (const { client, server: upstream } of ended) {
        client.resetAndDestroy();
        upstream.resetAndDestroy();
      }
      return ended.length;
    },
    delay(ms) {
      faults.delayMs = ms;
    },
    freeze(share) {
      const frozen = chosen(share);
      for (const link of frozen) link.frozen = true;
      return frozen.length;
    },
    holdNew(on) {
      faults.holdNew = on;
    },
    refuseNew(on) {
      faults.refuseNew = on;
    },
    swallow(share) {
      faults.swallow = share;
    },
    takeSwallowed() {
      const taken = new Map(swallowed);
      swallowed.clear();
      return taken;
    },
    heal() {
      Object.assign(faults, { delayMs: 0, holdNew: false, refuseNew: false, swallow: 0 });
      for (const link of links) {
        if (!link.frozen) continue;
        link.server.destroy();
        if (link.client.destroyed) links.delete(link);
      }
    },
    async close() {
      server.close();
      for (const socket of held) socket.destroy();
      for (const { client, server: upstream } of links) {
        client.destroy();
        upstream.destroy();
      }
      await once(server, "close");
    },
  };
}

/** Yields every piece that arrives; ends with the socket, in any way. */
async function each(socket: Socket, take: (data: Buffer) => Promise<void>): Promise<void> {
  try {
    for await (const data of socket) await take(data as Buffer);
  } catch {
    // A reset is an end as well.
  }
}

async function put(socket: Socket, data: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(data)) return;
  await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
}
