/** The only place that draws random numbers: record ids, secrets and references for people. */
import { randomBytes, randomUUIDv7 } from "node:crypto";

export interface Ids {
  /** A UUID of version 7: it sorts by time, which keeps indexes compact. */
  uuid(): string;
  /** `length` unpredictable bytes. */
  secret(length: number): Buffer;
  /** `length` characters for references that people read and type (no 0, 1, I, O). */
  reference(length: number): string;
  /** A number from 0 up to, but not including, 1; for jitter only. */
  fraction(): number;
}

/** 32 letters and digits, without the four that are easily confused. */
const READABLE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** One character for each byte, in the letters and digits of references. */
export function readableText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => READABLE.charAt(byte % READABLE.length)).join("");
}

export const randomIds: Ids = {
  uuid: () => randomUUIDv7(),
  secret: (length) => randomBytes(length),
  reference: (length) => readableText(randomBytes(length)),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};

/** The UUID of 16 bytes, or of the first 16. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex", 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` is a UUID in the format of RFC 9562 (PostgreSQL accepts other spellings too). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
