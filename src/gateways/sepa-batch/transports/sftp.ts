/** The bank's folders over SFTP: only to a host with the pinned key. */
import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { posix } from "node:path";
import { PassThrough } from "node:stream";
import SftpClient from "ssh2-sftp-client";
import { SECOND_MS } from "../../../lib/clock.ts";
import type { Transport } from "../settings.ts";
import { isPublicAddress } from "../../../webhooks/delivery/target.ts";
import { isPlainName, OTHER_HOST_KEY, type Mailbox } from "./mailbox.ts";

/** Limits both the login and the server's silence while a request is pending. */
const SILENCE_MS_MAX = 20 * SECOND_MS;

interface SftpSecrets {
  readonly password?: string;
  readonly private_key?: string;
  readonly passphrase?: string;
}

interface SftpOptions {
  readonly allowPrivate: boolean;
  /** Closes the connection when it aborts. */
  readonly signal: AbortSignal;
  /** How long the server may be silent, in milliseconds; tests set less. */
  readonly silenceMs?: number;
}

/**
 * Connects and logs in.
 * @throws Error when the host's key is not the pinned one, the host is not public where it must be, or the login fails.
 */
export async function openSftp(
  transport: Transport,
  secrets: SftpSecrets,
  { allowPrivate, signal, silenceMs = SILENCE_MS_MAX }: SftpOptions,
): Promise<Mailbox> {
  // The library's own output is silenced: the connection's error reports the same.
  const quiet = { error: () => {}, end: () => {}, close: () => {} };
  const client = new SftpClient("bank", quiet);
  // Connects to the address that was checked.
  const { address } = await unlessAborted(lookup(transport.host), signal);
  if (!allowPrivate && !isPublicAddress(address)) {
    throw new Error("The SFTP host resolves to a non-public address.");
  }
  const line = openLine(address, transport.port, signal, silenceMs);
  const pinned = transport.hostKey.replace(/=+$/, "");
  let shown = "";
  try {
    await line.ask(
      client.connect({
        sock: line.socket,
        username: transport.username,
        ...(secrets.password === undefined ? {} : { password: secrets.password }),
        ...(secrets.private_key === undefined ? {} : { privateKey: secrets.private_key }),
        ...(secrets.passphrase === undefined ? {} : { passphrase: secrets.passphrase }),
        readyTimeout: silenceMs,
        hostVerifier: (key: Buffer) => {
          shown = fingerprint(key);
          return shown === pinned;
        },
      }),
    );
  } catch (error) {
    line.socket.destroy();
    if (shown !== "" && shown !== pinned) {
      throw new Error(`The SFTP host presents the key ${shown}, ${OTHER_HOST_KEY}.`, {
        cause: error,
      });
    }
    throw error;
  }
  return mailbox(client, transport, line);
}

function mailbox(client: SftpClient, transport: Transport, { socket, ask }: Line): Mailbox {
  const out = (name: string) => posix.join(transport.outbox, name);
  const incoming = (name: string) => posix.join(transport.inbox, name);
  return {
    outgoing: async () => (await ask(client.list(transport.outbox))).map(({ name }) => name),
    async upload(temporaryName, bytes) {
      await ask(client.put(bytes, out(temporaryName)));
    },
    async uploaded(temporaryName) {
      const files = await ask(client.list(transport.outbox));
      return files.find(({ name }) => name === temporaryName)?.size ?? null;
    },
    async publish(temporaryName, name) {
      if ((await ask(client.exists(out(name)))) !== false) throw new Error(`${name} already exists`);
      // SFTP's own rename never replaces a file.
      await ask(client.rename(out(temporaryName), out(name)));
    },
    async discard(temporaryName) {
      await ask(client.delete(out(temporaryName), true));
    },
    async incoming() {
      const files = await ask(client.list(transport.inbox));
      return files
        .filter(({ type, name }) => type === "-" && isPlainName(name))
        .map(({ name, size }) => ({ name, size }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async version(name) {
      const { size, modifyTime } = await ask(client.stat(incoming(name)));
      return [size, modifyTime].join();
    },
    download(name) {
      const bytes = new PassThrough();
      ask(client.get(incoming(name), bytes)).catch((error: Error) => bytes.destroy(error));
      return bytes;
    },
    async putAway(name) {
      if (transport.archive === null) await ask(client.delete(incoming(name)));
      else await ask(client.rename(incoming(name), posix.join(transport.archive, name)));
    },
    async close() {
      await ask(client.end()).finally(() => socket.destroy());
    },
  };
}

/** A connection with a deadline. */
interface Line {
  readonly socket: Socket;
  /** The result, or the error that the connection ended with. */
  readonly ask: <T>(answer: Promise<T>) => Promise<T>;
}

/**
 * Connects to a server. The connection closes when the session is over or the server leaves a request without an answer
 * for `silenceMs`, so that no request waits forever.
 */
export function openLine(host: string, port: number, signal: AbortSignal, silenceMs: number): Line {
  const socket = connect({ host, port, noDelay: true });
  const ended = new Promise<never>((_resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The SFTP server has closed the connection.")));
  });
  ended.catch(() => {});
  const cut = () => socket.destroy(new Error("The SFTP session took too long or was stopped."));
  signal.addEventListener("abort", cut, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", cut));
  if (signal.aborted) cut();
  socket.on("timeout", () =>
    socket.destroy(new Error(`The SFTP server did not answer for ${silenceMs / SECOND_MS} seconds.`)),
  );
  let asked = 0;
  return {
    socket,
    ask: async (answer) => {
      asked += 1;
      socket.setTimeout(silenceMs);
      try {
        return await Promise.race([answer, ended]);
      } finally {
        asked -= 1;
        if (asked === 0) socket.setTimeout(0);
      }
    },
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** In the format of `ssh-keygen -lf`. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
