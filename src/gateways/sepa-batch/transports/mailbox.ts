/**
 * The folders through which files move to and from the bank: what a transport provides, and which transport an account
 * has. Whether a file may be sent is decided before.
 */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Deps } from "../../../deps.ts";
import { openCredentials } from "../../calling.ts";
import { transportOf } from "../settings.ts";
import type { AccountRow } from "../files-store.ts";

/** A connection to the bank's folders, closed after use. */
export interface Mailbox {
  /** File names in the folder for outgoing files. */
  outgoing(): Promise<readonly string[]>;
  /** Writes a file under a name that the bank ignores. */
  upload(temporaryName: string, bytes: Readable): Promise<void>;
  /** The size of an uploaded file in bytes; null where it is missing. */
  uploaded(temporaryName: string): Promise<number | null>;
  /** Gives an uploaded file its final name atomically, never replacing another file. */
  publish(temporaryName: string, name: string): Promise<void>;
  /** Deletes the remains of an upload. */
  discard(temporaryName: string): Promise<void>;
  /** Files from the bank, with sizes in bytes. */
  incoming(): Promise<readonly { readonly name: string; readonly size: number }[]>;
  /** Of a file from the bank: differs once the bank has changed or replaced it, as far as its server shows that. */
  version(name: string): Promise<string>;
  /** The file's bytes as they arrive; fails when the connection breaks. */
  download(name: string): Readable;
  /** Archives a file that was read, or deletes it if there is no archive. */
  putAway(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Part of the message of a transport that refuses a server; the operator's pages search for it. */
export const OTHER_HOST_KEY = "which is not the pinned key";

/** The name of a file until it is complete. */
export function temporaryName(name: string): string {
  return `.tmp-${name}`;
}

type Account = Pick<AccountRow, "tenant" | "id" | "settings" | "credentials">;

/**
 * Opens the account's folders. Null for an account without folders: its files are carried by hand or sent over EBICS.
 * @param signal ends the connection and any request on it.
 * @throws Error when the folders cannot be opened.
 */
export async function openMailbox(
  deps: Pick<Deps, "allowPrivateTargets" | "keys" | "sepaDirectory">,
  account: Account,
  signal: AbortSignal,
): Promise<Mailbox | null> {
  const transport = transportOf(account.settings);
  switch (transport.kind) {
    case "manual":
    case "ebics":
      return null;
    case "directory":
      if (deps.sepaDirectory === null) {
        throw new Error("SEPA_DIRECTORY is not configured: use the transport manual or sftp.");
      }
      return openDirectory(join(deps.sepaDirectory, account.id));
    case "sftp": {
      // The library is large, so it is loaded only for accounts that use it.
      const { openSftp } = await import("./sftp.ts");
      return openSftp(transport, openCredentials(deps.keys, account), {
        allowPrivate: deps.allowPrivateTargets,
        signal,
      });
    }
  }
}

/**
 * Opens folders on this machine.
 * @param folder the account's own; `out`, `in` and `archive` are created in it.
 */
async function openDirectory(folder: string): Promise<Mailbox> {
  const [out, incoming, archive] = [join(folder, "out"), join(folder, "in"), join(folder, "archive")];
  for (const path of [out, incoming, archive]) await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    outgoing: () => readdir(out),
    async upload(temporaryName, bytes) {
      const file = await open(join(out, temporaryName), "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async uploaded(temporaryName) {
      const found = await stat(join(out, temporaryName)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      });
      return found?.size ?? null;
    },
    async publish(temporaryName, name) {
      if ((await readdir(out)).includes(name)) throw new Error(`${name} already exists`);
      // In one step: a file whose hidden name is still there was never visible to the bank.
      await rename(join(out, temporaryName), join(out, name));
    },
    discard: (temporaryName) => rm(join(out, temporaryName), { force: true }),
    async incoming() {
      const names = (await readdir(incoming)).filter(isPlainName).toSorted();
      const files = await Promise.all(
        names.map(async (name) => ({ name, found: await stat(join(incoming, name)) })),
      );
      return files
        .filter(({ found }) => found.isFile())
        .map(({ name, found }) => ({ name, size: found.size }));
    },
    async version(name) {
      const { ino, size, mtimeMs, ctimeMs } = await stat(join(incoming, name));
      return [ino, size, mtimeMs, ctimeMs].join();
    },
    download: (name) => createReadStream(join(incoming, name)),
    putAway: (name) => rename(join(incoming, name), join(archive, name)),
    close: async () => {},
  };
}

/** Whether a bank's file may have this name: neither a path nor hidden. */
export function isPlainName(name: string): boolean {
  return /^[^./\\\0][^/\\\0]{0,254}$/.test(name);
}
