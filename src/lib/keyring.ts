/** All keys of the service, derived from the master keys: sealing, fingerprints and message authentication. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";
import { assert } from "./assert.ts";

export interface Keyring {
  /** Number of the key that currently seals and signs; sealed values and tokens contain it. */
  readonly currentKeyId: number;
  /** Whether there are several master keys, so that stored fingerprints of one value may differ. */
  readonly isRotating: boolean;
  /** Encrypts with AES-256-GCM; `context` (tenant, column, row) must be the same when opening. */
  seal(tenant: number, context: string, plain: Buffer | string): Buffer;
  /**
   * Opens a sealed value, under any available key.
   * @throws Error when it was altered or its key is missing.
   */
  open(tenant: number, context: string, sealed: Buffer): Buffer;
  /** Keyed fingerprints for finding equal values without opening them: store the first, search for all. */
  fingerprints(tenant: number, value: string): readonly [Buffer, ...Buffer[]];
  /**
   * HMAC-SHA256 under the key numbered `keyId`, for one purpose; null when neither that key nor its message keys are
   * available.
   */
  mac(keyId: number, purpose: MacPurpose, message: Buffer | string): Buffer | null;
  /** The key numbers that `mac` supports, the current one first. */
  readonly keyIds: readonly number[];
}

/** Purposes of message authentication. Each has its own key, which outlives its master key. */
const MAC_PURPOSES = [
  "session-token",
  "cursor",
  "preview-link",
  "api-key",
  "mandate-reference",
  "console-form",
  "console-device",
  "passkey-challenge",
  "audit-chain",
  "failed-payment",
  "mandate-dossier",
  "customer-account",
  "signing-secret",
  "person-link",
] as const;
export type MacPurpose = (typeof MAC_PURPOSES)[number];

/** A master key's message keys. */
export type MacKeys = ReadonlyMap<MacPurpose, Buffer>;

/** A master key with the number that the database has assigned to it. */
export interface NumberedKey {
  readonly secret: Buffer;
  /** 0 to 255; no two keys of a database have the same. */
  readonly number: number;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 1;
const HEADER_BYTES = 2;
/** The offset of the key number in a sealed value. */
export const KEY_NUMBER_AT = 1;

/**
 * Creates the keyring.
 * @param masters at least one, of 32 bytes each: the first seals and signs, all open.
 * @param retired the message keys of master keys that are no longer available, by their numbers.
 */
export function createKeyring(
  masters: readonly NumberedKey[],
  retired: ReadonlyMap<number, MacKeys> = new Map(),
): Keyring {
  const first = masters[0];
  assert(first !== undefined, "there is a master key");
  const numbers = masters.map(({ number }) => number);
  assert(new Set(numbers).size === numbers.length, "master keys have different numbers");
  const subkey = subkeys();

  return {
    currentKeyId: first.number,
    isRotating: masters.length > 1,
    keyIds: [...numbers, ...[...retired.keys()].filter((number) => !numbers.includes(number))],
    seal: (tenant, context, plain) => encrypt(first.number, subkey(first, `seal:${tenant}`), context, plain),
    open(tenant, context, sealed) {
      const master = masters.find(({ number }) => number === sealed[KEY_NUMBER_AT]);
      assert(master !== undefined, `the master key numbered ${sealed[KEY_NUMBER_AT]} is configured`);
      return decrypt(subkey(master, `seal:${tenant}`), context, sealed);
    },
    fingerprints(tenant, value) {
      const under = (master: NumberedKey) =>
        createHmac("sha256", subkey(master, `fingerprint:${tenant}`))
          .update(value)
          .digest();
      return [under(first), ...masters.slice(1).map(under)];
    },
    mac(keyId, purpose, message) {
      const master = masters.find(({ number }) => number === keyId);
      const key = master === undefined ? retired.get(keyId)?.get(purpose) : subkey(master, macInfo(purpose));
      return key === undefined ? null : createHmac("sha256", key).update(message).digest();
    },
  };
}

/** The name of a key, which reveals nothing about it: 16 hexadecimal digits, in practice unique. */
export function keyName(secret: Buffer): string {
  return derived(secret, "key-name", 8).toString("hex");
}

/** The number of a key unless another key has it; versions without a register of keys always use it. */
export function defaultKeyNumber(secret: Buffer): number {
  return derived(secret, "key-id", 1).readUInt8();
}

/**
 * Keys under their usual numbers, for data that no database stores.
 * @throws Error when two have the same.
 */
export function defaultKeys(...secrets: readonly Buffer[]): readonly NumberedKey[] {
  return secrets.map((secret) => ({ secret, number: defaultKeyNumber(secret) }));
}

/** Its message keys, so that tokens stay valid when the master key is gone; they do not open what it sealed. */
export function macKeysOf(secret: Buffer): MacKeys {
  return new Map(MAC_PURPOSES.map((purpose) => [purpose, derived(secret, macInfo(purpose), 32)]));
}

/** Compares two byte strings in constant time, whatever their lengths. */
export function sameBytes(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

export function sha256(data: Buffer | string): Buffer {
  return createHash("sha256").update(data).digest();
}

function macInfo(purpose: MacPurpose): string {
  return `mac:${purpose}`;
}

function derived(secret: Buffer, info: string, bytes: number): Buffer {
  assert(secret.length === 32, "a master key has 32 bytes");
  return Buffer.from(hkdfSync("sha256", secret, "", info, bytes));
}

/** Caches derived keys: deriving one costs more than using it. */
function subkeys(): (master: NumberedKey, purpose: string) => Buffer {
  const known = new Map<string, Buffer>();
  return (master, purpose) => {
    const name = `${master.number}:${purpose}`;
    let key = known.get(name);
    if (key === undefined) {
      key = derived(master.secret, purpose, 32);
      known.set(name, key);
    }
    return key;
  };
}

function encrypt(number: number, key: Buffer, context: string, plain: Buffer | string): Buffer {
  const iv = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES)));
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.from([FORMAT, number]), iv, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, context: string, sealed: Buffer): Buffer {
  assert(sealed[0] === FORMAT && sealed.length >= HEADER_BYTES + IV_BYTES + TAG_BYTES, "a sealed value");
  const iv = sealed.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
  const tag = sealed.subarray(HEADER_BYTES + IV_BYTES, HEADER_BYTES + IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context)).setAuthTag(tag);
  return Buffer.concat([
    decipher.update(sealed.subarray(HEADER_BYTES + IV_BYTES + TAG_BYTES)),
    decipher.final(),
  ]);
}
