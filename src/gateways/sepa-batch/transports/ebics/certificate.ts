/**
 * Self-signed X.509 certificates, in which H005 expects public keys. They are written in DER here, as node:crypto can
 * only read them.
 */
import { sign, type KeyObject } from "node:crypto";

interface Certified {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly commonName: string;
  readonly use: keyof typeof USES;
  /** At least 8 unpredictable bytes. */
  readonly serial: Buffer;
  readonly from: Date;
  readonly until: Date;
}

/** The bits of KeyUsage (RFC 5280, 4.2.1.3), counted from the left, for each key pair. */
const USES = {
  signature: Buffer.from([0x06, 0x40]),
  authentication: Buffer.from([0x07, 0x80]),
  encryption: Buffer.from([0x05, 0x20]),
} as const;

const SHA256_WITH_RSA = "2a864886f70d01010b";
const COMMON_NAME = "550403";
const KEY_USAGE = "551d0f";
const BASIC_CONSTRAINTS = "551d13";

/** The certificate's bytes. */
export function selfSigned(of: Certified): Buffer {
  const name = sequence(set(sequence(oid(COMMON_NAME), tagged(0x0c, Buffer.from(of.commonName)))));
  const algorithm = sequence(oid(SHA256_WITH_RSA), tagged(0x05));
  const toBeSigned = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, positive(of.serial)),
    algorithm,
    name,
    sequence(time(of.from), time(of.until)),
    name,
    of.publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(extension(BASIC_CONSTRAINTS, sequence()), extension(KEY_USAGE, tagged(0x03, USES[of.use]))),
    ),
  );
  const signature = sign("sha256", toBeSigned, of.privateKey);
  return sequence(toBeSigned, algorithm, tagged(0x03, Buffer.from([0]), signature));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tagged(0x01, Buffer.from([0xff])), tagged(0x04, value));
}

/** UTCTime until 2049, GeneralizedTime after it (RFC 5280, 4.1.2.5). */
function time(at: Date): Buffer {
  const digits = `${at.toISOString().replaceAll(/[-:T]|\..*$/g, "")}Z`;
  return at.getUTCFullYear() < 2_050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
}

/** Encodes a positive integer in as few bytes as possible. */
function positive(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x4f]), bytes]);
}

function sequence(...inside: readonly Buffer[]): Buffer {
  return tagged(0x30, ...inside);
}

function set(...inside: readonly Buffer[]): Buffer {
  return tagged(0x31, ...inside);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function tagged(tag: number, ...inside: readonly Buffer[]): Buffer {
  const content = Buffer.concat(inside);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}
