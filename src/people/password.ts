/** Passwords: argon2id with its parameters in the hash, and the rules for weak ones. */
import { argon2, timingSafeEqual, type Argon2Parameters } from "node:crypto";
import { promisify } from "node:util";
import type { Ids } from "../lib/ids.ts";
import { Refusal } from "../refusals.ts";
import { isCommon } from "./common-passwords.ts";

/** OWASP's first choice (46 MiB, one pass): about 60 ms of one core. */
const COST = { memory: 47_104, passes: 1, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
export const LENGTH_MIN = 12;
const LENGTH_MAX = 256;

const derive = promisify(argon2) as (algorithm: "argon2id", parameters: Argon2Parameters) => Promise<Buffer>;

/** Why a new password is too weak; null if it is strong enough. */
export function passwordProblem(
  password: string,
  about: readonly string[],
): "short" | "long" | "common" | null {
  const text = normalised(password);
  if (Array.from(text).length < LENGTH_MIN) return "short";
  if (text.length > LENGTH_MAX) return "long";
  return isCommon(text, about) ? "common" : null;
}

/** In the PHC string format, so that each hash contains its parameters. */
export async function hashPassword(ids: Pick<Ids, "secret">, password: string): Promise<string> {
  const salt = ids.secret(SALT_BYTES);
  const tag = await run(password, salt, COST);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Whether the password is correct. Without a hash it takes as long and returns false. */
export async function isPassword(hash: string | null, password: string): Promise<boolean> {
  const parsed = parse(hash ?? NO_HASH);
  if (parsed === null || password.length > LENGTH_MAX) return false;
  const tag = await run(password, parsed.salt, parsed.cost);
  return timingSafeEqual(tag, parsed.tag) && hash !== null;
}

/** Whether a hash was made with other than the current parameters. */
export function isOutdated(hash: string): boolean {
  const cost = parse(hash)?.cost;
  return cost?.memory !== COST.memory || cost.passes !== COST.passes || cost.parallelism !== COST.parallelism;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/;
/** A hash that matches no password, made like all others. */
const NO_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

type Cost = { readonly [Name in keyof typeof COST]: number };

function parse(hash: string): { readonly cost: Cost; readonly salt: Buffer; readonly tag: Buffer } | null {
  const [, memory, passes, parallelism, salt = "", tag = ""] = PHC.exec(hash) ?? [];
  if (memory === undefined) return null;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

/** At most two at a time: each takes 46 MiB, and payments need the processor too. */
const AT_ONCE = 2;
const WAITING_MAX = 200;
const waiting: (() => void)[] = [];
let running = 0;

async function run(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  if (waiting.length >= WAITING_MAX) throw new Refusal("unavailable", { retryAfter: 5 });
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await derive("argon2id", { message: normalised(password), nonce, tagLength: TAG_BYTES, ...cost });
  } finally {
    // Its place passes to the next one.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** The same password however a keyboard composes its letters (NIST SP 800-63B, 5.1.1.2). */
function normalised(password: string): string {
  return password.normalize("NFKC");
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
