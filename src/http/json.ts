/** Request bodies: strict UTF-8, strict JSON, bounded depth and width, money read from its digits. */
import { Refusal } from "../refusals.ts";

interface JsonOptions {
  /** Numbers under these keys are passed on as the text that was sent: 19.90 never becomes a binary float. */
  readonly decimalKeys: Pick<ReadonlySet<string>, "has">;
}

const DEPTH_MAX = 32;
const KEYS_MAX = 1_000;
/** A double represents no longer number exactly. */
const NUMBER_LENGTH_MAX = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON text.
 * @throws Refusal malformed_json with the reason: the encoding, the syntax, depth, width, a duplicate key, `__proto__`,
 * a NUL or an unpaired surrogate.
 */
export function parseJson(bytes: Buffer, { decimalKeys }: JsonOptions): unknown {
  const text = decoded(bytes);
  scan(text);
  try {
    return (JSON as SourceJson).parse(text, (key, value, { source }) =>
      typeof value === "number" && source !== undefined && decimalKeys.has(key) ? source : value,
    );
  } catch {
    throw malformed("The request body is not valid JSON.");
  }
}

/**
 * Parses a form.
 * @throws Refusal malformed_json for bytes that are not UTF-8, and for a NUL.
 */
export function parseForm(bytes: Buffer): Readonly<Record<string, string>> {
  const fields = Object.fromEntries(new URLSearchParams(decoded(bytes)));
  const hasNul = Object.values(fields).some((text) => text.includes("\u0000"));
  if (hasNul) throw malformed("The form contains a NUL character.");
  return fields;
}

/** The reviver's third argument (ECMAScript 2026) is not in the compiler's library yet. */
interface SourceJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The request body is not valid UTF-8.");
  }
}

function malformed(detail: string): Refusal {
  return new Refusal("malformed_json", { detail });
}

/** The keys of an open object; null inside an array. */
type Level = Set<string> | null;

/** Refuses what `JSON.parse` accepts or notices too late, in one pass over the text, without recursion. */
function scan(text: string): void {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        const string = text.slice(at, end + 1);
        checkString(string);
        if (isKey(text, end)) addKey(levels.at(-1) ?? null, string);
        at = end;
        break;
      }
      case BRACE_OPEN:
      case BRACKET_OPEN:
        if (levels.push(text.charCodeAt(at) === BRACE_OPEN ? new Set() : null) > DEPTH_MAX) {
          throw malformed(`The request body is nested deeper than ${DEPTH_MAX} levels.`);
        }
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        levels.pop();
        break;
      default:
        if (isDigit(text.charCodeAt(at))) at = endOfNumber(text, at);
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  throw malformed("The request body ends inside a string.");
}

/** PostgreSQL can store neither. */
function checkString(string: string): void {
  const plain = string.includes("\\u") ? unescaped(string) : string;
  if (plain.includes("\u0000")) throw malformed("The request body contains a NUL character.");
  if (!plain.isWellFormed()) throw malformed("The request body contains an unpaired surrogate.");
}

function unescaped(string: string): string {
  try {
    return JSON.parse(string) as string;
  } catch {
    throw malformed("The request body is not valid JSON.");
  }
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

function addKey(keys: Level, string: string): void {
  if (keys === null) return;
  const key = string.includes("\\") ? unescaped(string) : string.slice(1, -1);
  if (keys.has(key)) throw malformed("The request body contains a duplicate key.");
  if (key === "__proto__") throw malformed("The request body has a key that is not allowed.");
  if (keys.add(key).size > KEYS_MAX)
    throw malformed(`The request body has an object of more than ${KEYS_MAX} keys.`);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfNumber(text: string, start: number): number {
  let at = start;
  while (at + 1 < text.length && /[0-9.eE+-]/.test(text.charAt(at + 1))) at += 1;
  if (at - start >= NUMBER_LENGTH_MAX)
    throw malformed("The request body contains a number that is too long.");
  return at;
}
