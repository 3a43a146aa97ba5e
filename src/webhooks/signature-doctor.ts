/** The signature doctor: reports which rule a signature or body breaks, for developers of a receiver (contract: Signatures). */
import { createHmac } from "node:crypto";
import { canonicalJson, type Canonical } from "../lib/canonical-json.ts";
import { sameBytes } from "../lib/keyring.ts";

interface Verdict {
  /** Whether the signature is valid. */
  readonly right: boolean;
  /** What is wrong and what to do about it. */
  readonly words: string;
}

/**
 * Looks for the mistake in a signature.
 * @param secret as configured; @param signature as received or computed; @param body the bytes that were checked.
 */
export function verifyDoctor(secret: string, signature: string, body: Buffer): Verdict {
  const given = readSignature(signature);
  if (given === null) return { right: false, words: NOT_HEXADECIMAL };
  const found = search(secret, given.mac, body);
  if (found === null) return { right: false, words: notFound(body) };
  const remarks = [given.remark, found.secret.remark, found.form.remark].filter((remark) => remark !== "");
  return remarks.length === 0 ? { right: true, words: RIGHT } : { right: false, words: remarks.join("\n") };
}

const RIGHT = "The signature is right: it is the HMAC-SHA256 of exactly these bytes under this secret.";
const NOT_HEXADECIMAL =
  "Encoding: the signature is not an HMAC-SHA256. X-Service-Signature has 64 lower-case hexadecimal digits.";

interface GivenSignature {
  readonly mac: Buffer;
  readonly remark: string;
}

function readSignature(text: string): GivenSignature | null {
  const trimmed = text.trim();
  const bare = trimmed.replace(/^sha256=/i, "");
  if (/^[0-9a-f]{64}$/i.test(bare)) return { mac: Buffer.from(bare, "hex"), remark: hexRemark(text, bare) };
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(bare)) {
    const remark =
      "Encoding: the signature is base64. X-Service-Signature is lower-case hexadecimal; use hexdigest, not base64.";
    return { mac: Buffer.from(bare, "base64"), remark };
  }
  return null;
}

function hexRemark(text: string, bare: string): string {
  if (text.trim() !== bare) return "Encoding: the header has no `sha256=` before the digits.";
  if (text !== bare) return "Encoding: there is white space around the signature.";
  if (bare !== bare.toLowerCase())
    return "Encoding: the digits are lower case; compare after lower-casing yours.";
  return "";
}

/** A possible mistake, and the advice for it. */
interface Guess<T> {
  readonly value: T;
  readonly remark: string;
}

function search(secret: string, mac: Buffer, body: Buffer) {
  for (const guessed of secretsLike(secret)) {
    for (const form of formsOf(body)) {
      const made = createHmac("sha256", guessed.value).update(form.value).digest();
      if (sameBytes(made, mac)) return { secret: guessed, form };
    }
  }
  return null;
}

function secretsLike(secret: string): readonly Guess<Buffer>[] {
  const bare = secret.trim().replace(/^whsec_/, "");
  const text = (value: string, remark: string) => ({ value: Buffer.from(value), remark });
  const use = "The whole text of the secret is the key of X-Service-Signature, as UTF-8";
  return [
    text(secret, ""),
    text(secret.trim(), "Secret: there is white space around it; remove it."),
    text(`${secret}\n`, "Secret: it was read with a line end behind it; remove it."),
    text(bare, `Secret: \`whsec_\` was cut off. ${use}, with \`whsec_\`.`),
    text(`whsec_${bare}`, `Secret: \`whsec_\` is missing. ${use}, with \`whsec_\`.`),
    {
      value: Buffer.from(bare, "base64"),
      remark: `Secret: it was decoded from base64, which only webhook-signature asks for. ${use}, undecoded.`,
    },
  ];
}

function formsOf(body: Buffer): readonly Guess<string | Buffer>[] {
  const text = body.toString();
  return [{ value: body, remark: "" }, ...edgesOf(text), ...writingsOf(text)];
}

function edgesOf(text: string): readonly Guess<string | Buffer>[] {
  const line = "the bytes were changed before they were checked. Verify the body as it arrived.";
  return [
    { value: text.replace(/^\ufeff/, ""), remark: `Encoding: there is a byte order mark; ${line}` },
    { value: text.trim(), remark: `Spaces: there is white space or a line end around the body; ${line}` },
    { value: `${text}\n`, remark: `Spaces: the signature was made with a line end behind the body; ${line}` },
    { value: Buffer.from(text, "latin1"), remark: `Encoding: the bytes were taken for Latin-1; ${line}` },
    { value: Buffer.from(text, "utf16le"), remark: `Encoding: the text was signed as UTF-16; ${line}` },
  ];
}

/** Other serialisations of the same JSON value. The first two are those that this service sends. */
function writingsOf(text: string): readonly Guess<string>[] {
  const value = parsed(text);
  if (value === undefined) return [];
  const compact = withoutSpaces(text);
  const spaced = (json: string) => json.replace(TOKENS, (token) => SPACED[token] ?? token);
  const forms = [canonical(value, false), canonical(value, true)];
  const [utf8, ascii] = forms;
  return [
    ...[utf8, ascii].flatMap((form) => (form === null || form === undefined ? [] : [sentAs(text, form)])),
    { value: compact, remark: `Spaces: the signature was made without spaces, the body has some. ${RAW}` },
    { value: spaced(compact), remark: `Spaces: the signature was made over JSON with spaces. ${RULES}` },
    ...forms.flatMap((form) =>
      form === null || form === undefined
        ? []
        : [{ value: spaced(form), remark: `Spaces: the signature was made over JSON with spaces. ${RULES}` }],
    ),
    {
      value: JSON.stringify(value),
      remark: `Key order: the signature was made over keys that are not sorted at every level. ${RULES}`,
    },
    ...[2, 4].map((indent) => ({
      value: JSON.stringify(value, null, indent),
      remark: `Spaces: the signature was made over indented JSON. ${RULES}`,
    })),
  ];
}

const RAW = "Verify the body as it arrived, before any parser has touched it.";
const RULES =
  "Sign the raw body; or sort the keys by code point at every level and write no spaces (separators `,` and `:`).";

/** The guess that the signature is ours, over other bytes than those given. */
function sentAs(text: string, sent: string): Guess<string> {
  return { value: sent, remark: `${differences(text, sent).join("\n")}\n${RAW}` };
}

function differences(text: string, sent: string): readonly string[] {
  const compact = withoutSpaces(text);
  const found: string[] = [];
  if (compact !== text) found.push("Spaces: this body has spaces or line ends that the signed one has not.");
  if (compact === sent) return found;
  const value = parsed(text);
  const escaped = ["\\u", "\\/"].some((mark) => compact.includes(mark) !== sent.includes(mark));
  if (escaped) {
    found.push(
      sent.includes("\\u")
        ? "Escapes: the signed body writes characters beyond ASCII as \\uXXXX (ascii_escape is on), this one does not."
        : "Escapes: this body writes characters as \\uXXXX or \\/ that the signed one writes as they are.",
    );
  }
  const asciiEscape = compact.includes("\\u");
  if (
    value !== undefined &&
    canonical(value, asciiEscape) !== compact &&
    unescapedKeys(compact) !== unescapedKeys(sent)
  ) {
    found.push("Key order: the keys of this body are not sorted by code point at every level.");
  }
  return found.length === 0 ? ["This body is the signed one written in another way."] : found;
}

const KEYS = /"(?:[^"\\]|\\.)*"(?=:)/g;

/** The keys in the order of the text. */
function unescapedKeys(json: string): string {
  return (json.match(KEYS) ?? []).map((key) => JSON.parse(key) as string).join("\n");
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[,:]/g;
const SPACED: Readonly<Record<string, string>> = { ",": ", ", ":": ": " };

function withoutSpaces(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : ""));
}

function parsed(text: string): Canonical | undefined {
  try {
    return JSON.parse(text.replace(/^\ufeff/, "")) as Canonical;
  } catch {
    return undefined;
  }
}

function canonical(value: Canonical, asciiEscape: boolean): string | null {
  try {
    return canonicalJson(value, { asciiEscape });
  } catch {
    return null;
  }
}

function notFound(body: Buffer): string {
  const text = body.toString();
  if (body.length === 0) return "The body is empty. Give the bytes of the request on standard input.";
  if (parsed(text) === undefined) return "The body is not JSON: it was cut or changed on its way.";
  return [
    "No rule explains this signature: the secret is another one, or the content was changed.",
    "Secret: take the one shown when the profile was created or its secret rotated; for 24 hours after a rotation",
    "the previous secret signs X-Service-Signature-Previous.",
  ].join("\n");
}
