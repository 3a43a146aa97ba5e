/** The bank's folders by SFTP: only to the host whose key is pinned. */
import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { posix } from "node:path";
import SftpClient from "ssh2-sftp-client";
import { SECOND_MS } from "../../lib/clock.ts";
import type { Transport } from "../../gateways/sepa/settings.ts";
import { isPublicAddress } from "../../webhooks/target.ts";
import { isPlainName, type Mailbox } from "./transport.ts";

const READY_TIMEOUT_MS = 20 * SECOND_MS;

export interface SftpSecrets {
  readonly password?: string;
  readonly private_key?: string;
  readonly passphrase?: string;
}

/** @throws Error when the host is not the one with the pinned key, is not public where it must be, or does not let us in. */
export async function openSftp(
  transport: Transport,
  secrets: SftpSecrets,
  { allowPrivate }: { readonly allowPrivate: boolean },
): Promise<Mailbox> {
  const client = new SftpClient();
  // Connects to the very address that was checked.
  const { address } = await lookup(transport.host);
  if (!allowPrivate && !isPublicAddress(address)) {
    throw new Error("The SFTP host resolves to an address that is not a public one.");
  }
  let shown = "";
  try {
    await client.connect({
      host: address,
      port: transport.port,
      username: transport.username,
      ...(secrets.password === undefined ? {} : { password: secrets.password }),
      ...(secrets.private_key === undefined ? {} : { privateKey: secrets.private_key }),
      ...(secrets.passphrase === undefined ? {} : { passphrase: secrets.passphrase }),
      readyTimeout: READY_TIMEOUT_MS,
      hostVerifier: (key: Buffer) => {
        shown = fingerprint(key);
        return shown === transport.hostKey.replace(/=+$/, "");
      },
    });
  } catch (error) {
    await client.end().catch(() => {});
    if (shown !== "" && shown !== transport.hostKey.replace(/=+$/, "")) {
      throw new Error(`The SFTP host shows the key ${shown}, not the pinned one.`, { cause: error });
    }
    throw error;
  }
  const out = (name: string) => posix.join(transport.outbox, name);
  const incoming = (name: string) => posix.join(transport.inbox, name);
  return {
    outgoing: async () => (await client.list(transport.outbox)).map(({ name }) => name),
    async upload(temporaryName, bytes) {
      await client.put(bytes, out(temporaryName));
    },
    async publish(temporaryName, name) {
      if ((await client.exists(out(name))) !== false) throw new Error(`${name} is there already`);
      // SFTP's own rename refuses to replace a file.
      await client.rename(out(temporaryName), out(name));
    },
    async discard(temporaryName) {
      await client.delete(out(temporaryName), true);
    },
    async incoming() {
      const files = await client.list(transport.inbox);
      return files
        .filter(({ type, name }) => type === "-" && isPlainName(name))
        .map(({ name, size }) => ({ name, size }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async download(name) {
      const bytes = await client.get(incoming(name));
      if (!Buffer.isBuffer(bytes)) throw new Error(`${name} could not be read`);
      return bytes;
    },
    async putAway(name) {
      if (transport.archive === null) await client.delete(incoming(name));
      else await client.rename(incoming(name), posix.join(transport.archive, name));
    },
    async close() {
      await client.end();
    },
  };
}

/** As `ssh-keygen -lf` prints it. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}
