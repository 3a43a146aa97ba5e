/** Every key of the service, derived from the master key: sealing, fingerprints and message authentication. */
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
  /** Number of the key that seals and signs today; sealed values and tokens carry it. */
  readonly currentKeyId: number;
  /** Encrypts with AES-256-GCM; `context` (tenant, column, row) must be the same when opening. */
  seal(tenant: number, context: string, plain: Buffer | string): Buffer;
  /** Opens what `seal` made, under the current or the previous key. @throws Error when it was altered or its key is gone. */
  open(tenant: number, context: string, sealed: Buffer): Buffer;
  /** Keyed fingerprints for finding equal values without opening them: the first is the one to store, search for all. */
  fingerprints(tenant: number, value: string): readonly [Buffer, ...Buffer[]];
  /** HMAC-SHA256 under the key numbered `keyId`, for a purpose such as `token`; null when that key is not held. */
  mac(keyId: number, purpose: string, message: Buffer | string): Buffer | null;
  /** All key numbers held, the current one first. */
  readonly keyIds: readonly number[];
}

interface MasterKey {
  readonly id: number;
  readonly secret: Buffer;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 1;
const HEADER_BYTES = 2;

/** @param current 32 bytes; @param previous the key before a rotation, still readable. */
export function createKeyring(current: Buffer, previous: Buffer | null): Keyring {
  const masters = [masterKey(current), ...(previous === null ? [] : [masterKey(previous)])];
  const first = masters[0];
  assert(first !== undefined, "there is a master key");
  // One byte numbers a key; two that share it (1 in 256) could not be distinguished in sealed values.
  assert(
    masters[1]?.id !== first.id,
    "MASTER_KEY and MASTER_KEY_PREVIOUS have different numbers; generate another MASTER_KEY",
  );
  const subkey = subkeys();

  return {
    currentKeyId: first.id,
    keyIds: masters.map(({ id }) => id),
    seal: (tenant, context, plain) => encrypt(first, subkey(first, `seal:${tenant}`), context, plain),
    open(tenant, context, sealed) {
      const master = masters.find(({ id }) => id === sealed[1]);
      assert(master !== undefined, `the master key numbered ${sealed[1]} is configured`);
      return decrypt(subkey(master, `seal:${tenant}`), context, sealed);
    },
    fingerprints(tenant, value) {
      const under = (master: MasterKey) =>
        createHmac("sha256", subkey(master, `fingerprint:${tenant}`))
          .update(value)
          .digest();
      return [under(first), ...masters.slice(1).map(under)];
    },
    mac(keyId, purpose, message) {
      const master = masters.find(({ id }) => id === keyId);
      if (master === undefined) return null;
      return createHmac("sha256", subkey(master, `mac:${purpose}`))
        .update(message)
        .digest();
    },
  };
}

/** Compares two byte strings in constant time, whatever their lengths. */
export function sameBytes(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

export function sha256(data: Buffer | string): Buffer {
  return createHash("sha256").update(data).digest();
}

function masterKey(secret: Buffer): MasterKey {
  assert(secret.length === 32, "a master key has 32 bytes");
  return { secret, id: Buffer.from(hkdfSync("sha256", secret, "", "key-id", 1)).readUInt8() };
}

/** Derived keys are remembered: deriving one costs more than using it. */
function subkeys(): (master: MasterKey, purpose: string) => Buffer {
  const derived = new Map<string, Buffer>();
  return (master, purpose) => {
    const name = `${master.id}:${purpose}`;
    let key = derived.get(name);
    if (key === undefined) {
      key = Buffer.from(hkdfSync("sha256", master.secret, "", purpose, 32));
      derived.set(name, key);
    }
    return key;
  };
}

function encrypt(master: MasterKey, key: Buffer, context: string, plain: Buffer | string): Buffer {
  const iv = Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES)));
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.from([FORMAT, master.id]), iv, cipher.getAuthTag(), body]);
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
