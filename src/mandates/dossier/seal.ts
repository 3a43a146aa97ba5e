/**
 * The seal of a dossier: a line that PDF readers ignore, before the file's last three. It contains the hash of
 * everything else and a message authentication code of that hash. Pure.
 */
import type { Keyring } from "../../lib/keyring.ts";
import { sameBytes, sha256 } from "../../lib/keyring.ts";
import { must } from "../../lib/assert.ts";

const PURPOSE = "mandate-dossier";
const BEFORE = Buffer.from("startxref\n");
/** Version, key number, hash, code. */
const LINE = /^%mandate-dossier 1 ([0-9a-f]{2}) ([0-9a-f]{64}) ([0-9a-f]{64})\n$/;
const LINE_BYTES = "%mandate-dossier 1 ".length + 2 + 1 + 64 + 1 + 64 + 1;

interface Seal {
  readonly keyId: number;
  readonly mac: Buffer;
}

/** A file without its seal, and the seal's contents. */
export interface Unsealed {
  /** The hash of everything but the seal, computed now. */
  readonly digest: string;
  /** Null: there is no seal in its place, or its hash does not match. */
  readonly seal: Seal | null;
}

/**
 * Seals a PDF.
 * @param pdf as created.
 */
export function sealed(keys: Keyring, pdf: Buffer): { readonly file: Buffer; readonly digest: string } {
  const at = pdf.lastIndexOf(BEFORE);
  const digest = sha256(pdf).toString("hex");
  const keyId = keys.currentKeyId;
  const mac = must(keys.mac(keyId, PURPOSE, digest), "the current key").toString("hex");
  const line = `%mandate-dossier 1 ${keyId.toString(16).padStart(2, "0")} ${digest} ${mac}\n`;
  return { file: Buffer.concat([pdf.subarray(0, at), Buffer.from(line), pdf.subarray(at)]), digest };
}

export function unsealed(file: Buffer): Unsealed {
  const at = file.lastIndexOf(BEFORE);
  const begin = Math.max(at - LINE_BYTES, 0);
  const [, keyId, hash, mac] = LINE.exec(file.toString("latin1", begin, Math.max(at, 0))) ?? [];
  if (keyId === undefined || mac === undefined) return { digest: sha256(file).toString("hex"), seal: null };
  const digest = sha256(Buffer.concat([file.subarray(0, begin), file.subarray(at)])).toString("hex");
  const seal = hash === digest ? { keyId: Number.parseInt(keyId, 16), mac: Buffer.from(mac, "hex") } : null;
  return { digest, seal };
}

/** Whether a service with these keys sealed it; null if the key is no longer available. */
export function isOurs(keys: Keyring, digest: string, { keyId, mac }: Seal): boolean | null {
  const expected = keys.mac(keyId, PURPOSE, digest);
  return expected === null ? null : sameBytes(expected, mac);
}
