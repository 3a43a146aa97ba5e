/** Canonical JSON: the text of a value that both ends of a signature compute (contract: Signatures). */

export type Canonical =
  | string
  | number
  | boolean
  | null
  | readonly Canonical[]
  | { readonly [key: string]: Canonical };

interface CanonicalOptions {
  /** Writes everything beyond ASCII as `\uXXXX`, as Python's json.dumps does by default. */
  readonly asciiEscape?: boolean;
}

/**
 * Keys are sorted by code point at every level; no spaces.
 * @throws TypeError for values without a unique form: fractions, big numbers, lone surrogates.
 */
export function canonicalJson(value: Canonical, { asciiEscape = false }: CanonicalOptions = {}): string {
  const text = asciiEscape ? asciiText : quoted;
  let written = "";
  // An explicit stack: a deep value must not cause a stack overflow. Objects are never rebuilt, as that moves
  // integer-like keys.
  const open: Level[] = [{ entries: items([value]), close: "", keyed: false, first: true }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const next = level.entries.next();
    if (next.done === true) {
      written += level.close;
      open.pop();
      continue;
    }
    const [key, member] = next.value;
    if (!level.first) written += ",";
    level.first = false;
    if (level.keyed) written += `${text(key)}:`;
    const nested = levelOf(member);
    if (nested === null) {
      written += scalar(member, text);
    } else {
      written += nested.keyed ? "{" : "[";
      open.push(nested);
    }
  }
  return written;
}

/** Compares by code point; JavaScript's own order puts U+1F600 before U+FB33. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

interface Level {
  readonly entries: Iterator<readonly [key: string, value: unknown]>;
  readonly close: string;
  readonly keyed: boolean;
  first: boolean;
}

function levelOf(value: unknown): Level | null {
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) return { entries: items(value), close: "]", keyed: false, first: true };
  const keys = Object.keys(value).toSorted(byCodePoint);
  return { entries: members(value, keys), close: "}", keyed: true, first: true };
}

function* items(values: readonly unknown[]): Generator<readonly [string, unknown]> {
  for (const value of values) yield ["", value];
}

function* members(value: object, keys: readonly string[]): Generator<readonly [string, unknown]> {
  for (const key of keys) yield [key, Reflect.get(value, key)];
}

function scalar(value: unknown, text: (value: string) => string): string {
  if (typeof value === "string") return text(value);
  if (value === null || typeof value === "boolean") return String(value);
  // Languages write fractions and big numbers differently.
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw new TypeError(`A ${typeof value} that has no one canonical form`);
}

function quoted(value: string): string {
  if (!value.isWellFormed()) throw new TypeError("A string with a lone surrogate has no canonical form");
  return JSON.stringify(value);
}

function asciiText(value: string): string {
  return quoted(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Surrogates represent code points above U+FFFF, so they rank above the other 16-bit units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
