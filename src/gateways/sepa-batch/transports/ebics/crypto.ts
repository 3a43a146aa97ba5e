/** The algorithms of EBICS: order signatures A005 and A006, authentication X002, encryption E002, hashes of keys. Pure. */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  sign,
  verify,
  type Decipheriv,
  type KeyObject,
} from "node:crypto";
import { sha256 } from "../../../../lib/keyring.ts";

export type SignatureVersion = "A005" | "A006";

/** PSS as EBICS requires it: the salt is as long as the hash. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as const;
const PKCS1 = { padding: constants.RSA_PKCS1_PADDING } as const;
const BLOCK_BYTES = 16;
const NO_IV = Buffer.alloc(BLOCK_BYTES);

/** The signed part of order data: without line ends and the end-of-file character. */
export function signedPart(orderData: Buffer): Buffer {
  return orderData.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0x1a) as Buffer;
}

/** The signature of an order: A006 signs the hash as a message, so it is hashed twice. */
export function signOrder(version: SignatureVersion, key: KeyObject, orderData: Buffer): Buffer {
  const part = signedPart(orderData);
  return version === "A005"
    ? sign("sha256", part, { key, ...PKCS1 })
    : sign("sha256", sha256(part), { key, ...PSS });
}

/** The signature X002 over the canonical form of what is authenticated. */
export function authenticate(key: KeyObject, message: string): Buffer {
  return sign("sha256", Buffer.from(message), { key, ...PKCS1 });
}

export function isAuthentic(key: KeyObject, message: string, signature: Buffer): boolean {
  return verify("sha256", Buffer.from(message), { key, ...PKCS1 }, signature);
}

/** Encrypts with the transaction key; the padding is zeros and a count (ANSI X9.23). */
export function encrypt(key: Buffer, plain: Buffer): Buffer {
  const pad = Buffer.alloc(BLOCK_BYTES - (plain.length % BLOCK_BYTES));
  pad[pad.length - 1] = pad.length;
  const cipher = createCipheriv("aes-128-cbc", key, NO_IV).setAutoPadding(false);
  return Buffer.concat([cipher.update(plain), cipher.update(pad), cipher.final()]);
}

/** Decrypts a stream. The padding stays, as the compressed data mark their own end. */
export function decryption(key: Buffer): Decipheriv {
  return createDecipheriv("aes-128-cbc", key, NO_IV).setAutoPadding(false);
}

/** Wraps the transaction key for the receiver (E002). */
export function wrapKey(receiver: KeyObject, key: Buffer): Buffer {
  return publicEncrypt({ key: receiver, ...PKCS1 }, key);
}

/**
 * Unwraps the transaction key.
 * @throws Error unless it is a 16-byte key for us; a forged one gives random bytes (implicit rejection).
 */
export function unwrapKey(own: KeyObject, wrapped: Buffer): Buffer {
  const key = privateDecrypt({ key: own, ...PKCS1 }, wrapped);
  // The standard lets a sender prepend zeros to the 16 bytes.
  return key.subarray(-BLOCK_BYTES);
}

/** The modulus and exponent of a public RSA key in lower-case hexadecimal digits, without leading zeros. */
export function numbersOf(key: KeyObject): { readonly modulus: string; readonly exponent: string } {
  const { n = "", e = "" } = key.export({ format: "jwk" });
  const hex = (text: string) => Buffer.from(text, "base64url").toString("hex").replace(/^0+/, "");
  return { modulus: hex(n), exponent: hex(e) };
}

/** The hash of a public key, as shown in letters and used in requests to identify the bank's keys. */
export function keyHash(key: KeyObject): Buffer {
  const { modulus, exponent } = numbersOf(key);
  return sha256(`${exponent} ${modulus}`);
}

/**
 * The public key of a modulus and an exponent.
 * @throws Error unless it is an RSA key of 2,048 bits or more.
 */
export function publicKeyOf(modulus: Buffer, exponent: Buffer): KeyObject {
  const unsigned = (bytes: Buffer) => Buffer.from(bytes.toString("hex").replace(/^(00)+/, ""), "hex");
  const jwk = {
    kty: "RSA",
    n: unsigned(modulus).toString("base64url"),
    e: unsigned(exponent).toString("base64url"),
  };
  return requireStrongKey(createPublicKey({ key: jwk, format: "jwk" }));
}

/**
 * Returns the key.
 * @throws Error for another kind of key, or a shorter one.
 */
export function requireStrongKey(key: KeyObject): KeyObject {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < 2_048) {
    throw new Error("The bank's key is not an RSA key of at least 2,048 bits.");
  }
  return key;
}
