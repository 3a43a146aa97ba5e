/** The bank's side of the algorithms of EBICS, independent of the service's. */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  privateDecrypt,
  publicEncrypt,
  verify,
  X509Certificate,
  type KeyObject,
} from "node:crypto";
import { BANK_KEYS } from "./bank-keys.ts";

interface BankPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** DER in base64. */
  readonly certificate: string;
}

/** @param generation 0 for today's keys, 1 for those after a change. */
export function bankPair(use: "authentication" | "encryption", generation: number): BankPair {
  const stored = BANK_KEYS[generation]?.[use];
  if (stored === undefined) throw new Error("there are two generations of keys");
  const privateKey = createPrivateKey({
    key: Buffer.from(stored.privateKey, "base64"),
    format: "der",
    type: "pkcs1",
  });
  return { privateKey, publicKey: createPublicKey(privateKey), certificate: stored.certificate };
}

export function sha256(data: Buffer | string): Buffer {
  return createHash("sha256").update(data).digest();
}

/** Exponent and modulus in hexadecimal digits without leading zeros. */
export function hexNumbers(key: KeyObject): readonly [exponent: string, modulus: string] {
  const { n = "", e = "" } = key.export({ format: "jwk" });
  const hex = (value: string) => BigInt(`0x${Buffer.from(value, "base64url").toString("hex")}`).toString(16);
  return [hex(e), hex(n)];
}

export function hashOfKey(key: KeyObject): string {
  return sha256(hexNumbers(key).join(" ")).toString("base64");
}

export function hashOfCertificate(certificate: string): string {
  return sha256(Buffer.from(certificate, "base64")).toString("base64");
}

export function keyOfCertificate(certificate: string): KeyObject {
  return new X509Certificate(Buffer.from(certificate, "base64")).publicKey;
}

export function keyOfNumbers(modulus: string, exponent: string): KeyObject {
  const url = (base64: string) => {
    const hex = BigInt(`0x${Buffer.from(base64, "base64").toString("hex")}`).toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString("base64url");
  };
  return createPublicKey({ key: { kty: "RSA", n: url(modulus), e: url(exponent) }, format: "jwk" });
}

export function signX002(key: KeyObject, message: string): string {
  return createSign("RSA-SHA256").update(message).sign(key, "base64");
}

export function verifyX002(key: KeyObject, message: string, signature: string): boolean {
  return createVerify("RSA-SHA256").update(message).verify(key, signature, "base64");
}

/** The input of a signature over an order: without line ends and end-of-file characters. */
export function ordered(data: Buffer): Buffer {
  const endOfFile = String.fromCharCode(26);
  return Buffer.from(
    data
      .toString("latin1")
      .replaceAll(/[\r\n]/g, "")
      .replaceAll(endOfFile, ""),
    "latin1",
  );
}

export function verifyOrder(version: string, key: KeyObject, data: Buffer, signature: Buffer): boolean {
  if (version === "A005") return verify("RSA-SHA256", ordered(data), key, signature);
  const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  return verify("sha256", sha256(ordered(data)), pss, signature);
}

export function openKey(key: KeyObject, wrapped: string): Buffer {
  return privateDecrypt(
    { key, padding: constants.RSA_PKCS1_PADDING },
    Buffer.from(wrapped, "base64"),
  ).subarray(-16);
}

export function closeKey(key: KeyObject, plain: Buffer): string {
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, plain).toString("base64");
}

export function decrypt(key: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv("aes-128-cbc", key, Buffer.alloc(16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(data), decipher.final()]);
  return padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
}

export function encrypt(key: Buffer, data: Buffer): Buffer {
  const padding = Buffer.alloc(16 - (data.length % 16), 0);
  padding[padding.length - 1] = padding.length;
  const cipher = createCipheriv("aes-128-cbc", key, Buffer.alloc(16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(Buffer.concat([data, padding])), cipher.final()]);
}
