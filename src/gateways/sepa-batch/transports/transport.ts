/** The port for transports, which move files to and from the bank; whether a file may be sent is decided before. */
import type { Readable } from "node:stream";

/** A connection to the bank's folders, closed after use. */
export interface Mailbox {
  /** Names in the folder for what goes to the bank. */
  outgoing(): Promise<readonly string[]>;
  /** Writes a file under a name that the bank does not look at. */
  upload(temporaryName: string, bytes: Readable): Promise<void>;
  /** How many bytes of an upload lie there; null where it does not. */
  uploaded(temporaryName: string): Promise<number | null>;
  /** Gives an uploaded file its name, at once and never over another one. */
  publish(temporaryName: string, name: string): Promise<void>;
  /** Removes what an upload has left behind. */
  discard(temporaryName: string): Promise<void>;
  /** Files from the bank, with sizes in bytes. */
  incoming(): Promise<readonly { readonly name: string; readonly size: number }[]>;
  /** The file's bytes as they arrive; breaks off with an error when the line does. */
  download(name: string): Readable;
  /** Puts a file that was read away: into the archive, or out of existence. */
  putAway(name: string): Promise<void>;
  close(): Promise<void>;
}

/** In the words of a transport that has refused a server: the operator's pages look for them. */
export const OTHER_HOST_KEY = "which is not the pinned key";

/** The name under which a file lies until it is whole. */
export function temporaryName(name: string): string {
  return `.tmp-${name}`;
}

/** What the bank may lay into a folder: no path, nothing hidden. */
export function isPlainName(name: string): boolean {
  return /^[^./\\\0][^/\\\0]{0,254}$/.test(name);
}
