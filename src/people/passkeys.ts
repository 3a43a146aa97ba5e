/**
 * Passkeys (WebAuthn): challenges for browsers and the verification of their answers; the only file that imports the
 * library.
 */
import type { Deps } from "../deps.ts";
import { later, MINUTE_MS } from "../lib/clock.ts";
import { uuidOf } from "../lib/ids.ts";
import { lazily } from "../lib/lazily.ts";
import { sameBytes, sha256 } from "../lib/keyring.ts";
import type { PasskeyRow } from "./factor-store.ts";

/** Loaded with the first page that needs it, as it costs time at start and memory. */
const library = lazily(async () => await import("@simplewebauthn/server"));

type Parts = Pick<Deps, "publicUrl" | "keys" | "ids" | "clock">;

/** The challenge that a page gives the browser and gets back with its answer. */
export interface Challenge {
  /** For `navigator.credentials`, as JSON. */
  readonly options: string;
  /** The challenge with its expiry, signed for this browser and this purpose. */
  readonly ticket: string;
}

interface NewPasskey {
  /** Derived from the challenge, so that of two answers to it one is added. */
  readonly id: string;
  readonly credential: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

const TICKET_MS = 10 * MINUTE_MS;
const CHALLENGE_BYTES = 32;
const TIME_BYTES = 8;

/**
 * A challenge for registering a passkey.
 * @param browserTie the cookie of the page's browser.
 */
export async function registrationChallenge(
  parts: Parts,
  browserTie: string,
  person: { readonly tenant: number; readonly id: string; readonly email: string; readonly name: string },
  known: readonly PasskeyRow[],
): Promise<Challenge> {
  const { challenge, ticket } = newTicket(parts, `register:${browserTie}`);
  const options = await (
    await library()
  ).generateRegistrationOptions({
    rpName: "Payment console",
    rpID: domainOf(parts),
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(handleOf(person)),
    challenge: new Uint8Array(challenge),
    attestationType: "none",
    excludeCredentials: known.map(({ credential }) => ({ id: credential.toString("base64url") })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return { options: JSON.stringify(options), ticket };
}

/**
 * A challenge for proving a passkey.
 * @param known null if the person is unknown yet: any passkey of this site is accepted.
 */
export async function proofChallenge(
  parts: Parts,
  browserTie: string,
  known: readonly PasskeyRow[] | null,
): Promise<Challenge> {
  const { challenge, ticket } = newTicket(parts, `prove:${browserTie}`);
  const options = await (
    await library()
  ).generateAuthenticationOptions({
    rpID: domainOf(parts),
    challenge: new Uint8Array(challenge),
    userVerification: "required",
    allowCredentials: (known ?? []).map(({ credential, transports }) => ({
      id: credential.toString("base64url"),
      transports: [...transports],
    })),
  });
  return { options: JSON.stringify(options), ticket };
}

/** The passkey that a browser has created; null when its answer is invalid. */
export async function readRegistration(
  parts: Parts,
  browserTie: string,
  ticket: string,
  answer: string,
): Promise<NewPasskey | null> {
  const challenge = readTicket(parts, `register:${browserTie}`, ticket);
  const response = parsed(answer);
  if (challenge === null || response === null) return null;
  try {
    const { registrationInfo } = await (
      await library()
    ).verifyRegistrationResponse({
      response: response as never,
      expectedChallenge: challenge.toString("base64url"),
      expectedOrigin: new URL(parts.publicUrl).origin,
      expectedRPID: domainOf(parts),
      requireUserVerification: true,
    });
    if (registrationInfo === undefined) return null;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return {
      id: uuidOf(sha256(challenge)),
      credential: Buffer.from(id, "base64url"),
      publicKey: Buffer.from(publicKey),
      counter,
      transports: transports.filter((name) => /^[a-z-]{1,20}$/.test(name)).slice(0, 10),
    };
  } catch {
    return null;
  }
}

/** The holder of the answering passkey, as stated by the device; null if that cannot be read. */
export function holderIn(
  answer: string,
): { readonly tenant: number; readonly person: string; readonly credential: Buffer } | null {
  const { id, response } = (parsed(answer) ?? {}) as {
    readonly id?: unknown;
    readonly response?: { readonly userHandle?: unknown };
  };
  const handle = response?.userHandle;
  if (typeof id !== "string" || typeof handle !== "string") return null;
  const bytes = Buffer.from(handle, "base64url");
  if (bytes.length !== 20) return null;
  const person = uuidOf(bytes.subarray(4));
  const tenant = bytes.readUInt32BE(0);
  return tenant > 2 ** 31 - 1 ? null : { tenant, person, credential: Buffer.from(id, "base64url") };
}

/** The credential that answers. */
export function credentialIn(answer: string): Buffer | null {
  const { id } = (parsed(answer) ?? {}) as { readonly id?: unknown };
  return typeof id === "string" && id !== "" ? Buffer.from(id, "base64url") : null;
}

/** The result of a valid answer: the device's counter, and the hash of the challenge, which can be answered once. */
export async function readProof(
  parts: Parts,
  browserTie: string,
  given: { readonly ticket: string; readonly answer: string; readonly passkey: PasskeyRow },
): Promise<{ readonly counter: number; readonly challenge: Buffer } | null> {
  const challenge = readTicket(parts, `prove:${browserTie}`, given.ticket);
  const response = parsed(given.answer);
  if (challenge === null || response === null) return null;
  const { credential, public_key: publicKey, counter } = given.passkey;
  try {
    const { verified, authenticationInfo } = await (
      await library()
    ).verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge: challenge.toString("base64url"),
      expectedOrigin: new URL(parts.publicUrl).origin,
      expectedRPID: domainOf(parts),
      requireUserVerification: true,
      credential: {
        id: credential.toString("base64url"),
        publicKey: new Uint8Array(publicKey),
        counter: Number(counter),
      },
    });
    return verified ? { counter: authenticationInfo.newCounter, challenge: sha256(challenge) } : null;
  } catch {
    return null;
  }
}

function newTicket(
  { ids, keys, clock }: Parts,
  purpose: string,
): { readonly challenge: Buffer; readonly ticket: string } {
  const challenge = ids.secret(CHALLENGE_BYTES);
  const end = Buffer.alloc(TIME_BYTES);
  end.writeBigUInt64BE(BigInt(later(clock.now(), TICKET_MS).getTime()));
  const signed = Buffer.concat([end, challenge]);
  const mac = keys.mac(keys.currentKeyId, "passkey-challenge", bound(purpose, signed)) ?? Buffer.alloc(0);
  return { challenge, ticket: Buffer.concat([signed, mac]).toString("base64url") };
}

function readTicket({ keys, clock }: Parts, purpose: string, ticket: string): Buffer | null {
  const bytes = Buffer.from(ticket, "base64url");
  if (bytes.length <= TIME_BYTES + CHALLENGE_BYTES) return null;
  const signed = bytes.subarray(0, TIME_BYTES + CHALLENGE_BYTES);
  const given = bytes.subarray(TIME_BYTES + CHALLENGE_BYTES);
  const right = keys.keyIds.some((id) => {
    const mac = keys.mac(id, "passkey-challenge", bound(purpose, signed));
    return mac !== null && sameBytes(mac, given);
  });
  const isOver = Number(signed.readBigUInt64BE(0)) <= clock.now().getTime();
  return right && !isOver ? signed.subarray(TIME_BYTES) : null;
}

/** Binds a value to one purpose and one browser. */
function bound(purpose: string, signed: Buffer): Buffer {
  return Buffer.concat([signed, Buffer.from(purpose)]);
}

/** Stored on the device, so that it identifies the person: the tenant's number and the person's id. */
function handleOf({ tenant, id }: { readonly tenant: number; readonly id: string }): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt32BE(tenant);
  bytes.write(id.replaceAll("-", ""), 4, "hex");
  return bytes;
}

function domainOf({ publicUrl }: Pick<Deps, "publicUrl">): string {
  return new URL(publicUrl).hostname;
}

function parsed(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}
