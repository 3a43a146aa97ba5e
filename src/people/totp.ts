/** Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds) and the secret's text (RFC 4648, base32). Pure. */
import { createHmac } from "node:crypto";
import { SECOND_MS } from "../lib/clock.ts";

const STEP_MS = 30 * SECOND_MS;
const DIGITS = 6;
/** A clock may be one step off in either direction. */
const STEPS_OFF = [0, -1, 1];
export const TOTP_SECRET_BYTES = 20;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The time step of a code, later than `lastStep`; null when the code is wrong or was used before. */
export function stepOfCode(secret: Buffer, code: string, at: Date, lastStep: number | null): number | null {
  const plain = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(plain)) return null;
  const now = Math.floor(at.getTime() / STEP_MS);
  const steps = STEPS_OFF.map((off) => now + off).filter((step) => lastStep === null || step > lastStep);
  return steps.find((step) => totp(secret, step) === plain) ?? null;
}

/** The code of a time step. */
export function totp(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** What the app reads from the QR code. */
export function totpAddress(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

/** The secret as text for typing. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}
