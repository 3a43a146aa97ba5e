/** The keys of a subscriber and of its bank. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  X509Certificate,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import type { Ids } from "../../../../lib/ids.ts";
import { selfSigned } from "./certificate.ts";
import { keyHash, requireStrongKey, type SignatureVersion } from "./crypto.ts";

/** The purposes of a pair of keys: A005 or A006, X002, E002. */
export type KeyPurpose = "signature" | "authentication" | "encryption";
export const KEY_PURPOSES = [
  "signature",
  "authentication",
  "encryption",
] as const satisfies readonly KeyPurpose[];

/** One of our key pairs, with the self-signed certificate for H005. */
interface OwnKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly certificate: Buffer;
}

export type OwnKeys = Readonly<Record<KeyPurpose, OwnKey>>;

/** A public key of the bank, with a certificate if the bank sent one. */
export interface BankKey {
  readonly publicKey: KeyObject;
  readonly certificate: Buffer | null;
}

export type BankKeys = Readonly<Record<Exclude<KeyPurpose, "signature">, BankKey>>;

/** Longer than the 2,048 bits that banks require, and fast enough for one signature per request. */
const KEY_BITS = 3_072;
/** Banks check the certificate's key, not its dates; new keys get a new certificate. */
const YEARS = 10;

/**
 * Creates three key pairs.
 * @param name the user's name, for the certificates.
 */
export async function makeKeys(ids: Ids, name: string, now: Date): Promise<OwnKeys> {
  const [signature, authentication, encryption] = await Promise.all(
    KEY_PURPOSES.map((use) => makeKey(ids, use, name, now)),
  );
  if (signature === undefined || authentication === undefined || encryption === undefined)
    throw new Error("three pairs of keys are made");
  return { signature, authentication, encryption };
}

async function makeKey(ids: Ids, use: KeyPurpose, commonName: string, from: Date): Promise<OwnKey> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  const until = new Date(from);
  until.setUTCFullYear(from.getUTCFullYear() + YEARS);
  const serial = ids.secret(15);
  return {
    privateKey,
    publicKey,
    certificate: selfSigned({ privateKey, publicKey, commonName, use, serial, from, until }),
  };
}

/** Serialises them for sealing. */
export function writeOwnKeys(keys: OwnKeys): string {
  return JSON.stringify(
    Object.fromEntries(
      KEY_PURPOSES.map((use) => [
        use,
        {
          private_key: keys[use].privateKey.export({ type: "pkcs8", format: "pem" }),
          certificate: keys[use].certificate.toString("base64"),
        },
      ]),
    ),
  );
}

export function readOwnKeys(written: string): OwnKeys {
  const stored = JSON.parse(written) as Record<KeyPurpose, { private_key: string; certificate: string }>;
  const read = (use: KeyPurpose): OwnKey => {
    const privateKey = createPrivateKey(stored[use].private_key);
    const certificate = Buffer.from(stored[use].certificate, "base64");
    return { privateKey, publicKey: createPublicKey(stored[use].private_key), certificate };
  };
  return {
    signature: read("signature"),
    authentication: read("authentication"),
    encryption: read("encryption"),
  };
}

/** The bank's public keys as stored, unsealed. */
export interface StoredBankKeys {
  readonly authentication: StoredBankKey;
  readonly encryption: StoredBankKey;
}

interface StoredBankKey {
  /** SubjectPublicKeyInfo in PEM. */
  readonly public_key: string;
  /** DER in base64. */
  readonly certificate: string | null;
}

export function writeBankKeys({ authentication, encryption }: BankKeys): StoredBankKeys {
  const write = ({ publicKey, certificate }: BankKey) => ({
    public_key: publicKey.export({ type: "spki", format: "pem" }),
    certificate: certificate?.toString("base64") ?? null,
  });
  return { authentication: write(authentication), encryption: write(encryption) };
}

export function readBankKeys({ authentication, encryption }: StoredBankKeys): BankKeys {
  const read = (stored: StoredBankKey): BankKey => ({
    publicKey: createPublicKey(stored.public_key),
    certificate: stored.certificate === null ? null : Buffer.from(stored.certificate, "base64"),
  });
  return { authentication: read(authentication), encryption: read(encryption) };
}

/**
 * Reads a certificate.
 * @throws Error unless it contains an RSA key of 2,048 bits or more.
 */
export function ofCertificate(der: Buffer): BankKey {
  return { publicKey: requireStrongKey(new X509Certificate(der).publicKey), certificate: der };
}

/**
 * What the hash in requests and letters is computed from: the key at most banks, its certificate at some H005 hosts.
 */
export type DigestOf = "key" | "certificate";

export function digestOf({ publicKey, certificate }: BankKey, of: DigestOf): Buffer {
  return of === "certificate" && certificate !== null ? certificateHash(certificate) : keyHash(publicKey);
}

export function certificateHash(certificate: Buffer): Buffer {
  return createHash("sha256").update(certificate).digest();
}

/** The version of a key pair, as written in letters and messages. */
export function versionOf(use: KeyPurpose, signatureVersion: SignatureVersion): string {
  return use === "signature" ? signatureVersion : use === "authentication" ? "X002" : "E002";
}
