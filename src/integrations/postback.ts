/** Reads a postback's body: the fields it contains, and what identifies a repetition. Pure. */
import { parseJson } from "../http/json.ts";
import { must } from "../lib/assert.ts";
import { sha256 } from "../lib/keyring.ts";
import { KNOWN_FIELDS, providerNamed, type Keys, type KnownField } from "./settings/providers.ts";
import { Refusal } from "../refusals.ts";

/** (contract: Sizes) */
export const POSTBACK_BYTES_MAX = 1_048_576;

/** The settings needed to read a postback. */
interface PartnerKeys {
  readonly provider: string;
  readonly key_mapping: unknown;
}

export interface Postback {
  /** Texts by meaning, or null. Numbers are texts too, as sent. */
  readonly values: Readonly<Record<KnownField, string | null>>;
  /** Meanings whose keys had an object, a list or a boolean. */
  readonly notText: readonly KnownField[];
  /** Equal for a postback and its repetition: their request_uuid, otherwise their whole content. */
  readonly sameness: string;
}

const TEXT_LENGTH_MAX = 255;
/** Numbers keep their digits: two ids that only differ beyond a double's precision are different. */
const AS_SENT = { decimalKeys: { has: () => true } };

/**
 * Parses a body.
 * @throws Refusal malformed_json unless it is a JSON object (contract: Postback answers).
 */
export function readPostback(bytes: Buffer, partner: PartnerKeys): Postback {
  const body = parseJson(bytes, AS_SENT);
  if (!isObject(body)) throw new Refusal("malformed_json");
  const keys = keysOf(partner);
  const found = KNOWN_FIELDS.map((meaning) => [meaning, valueAt(body, keys[meaning])] as const);
  const values = Object.fromEntries(found.map(([meaning, value]) => [meaning, textOf(value)])) as Record<
    KnownField,
    string | null
  >;
  return {
    values,
    notText: found.filter(([, value]) => isSomethingElse(value)).map(([meaning]) => meaning),
    sameness: values.request_uuid === null ? `body:${contentOf(body)}` : `uuid:${values.request_uuid}`,
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value under a key, or at the path in its dots. */
export function valueAt(object: JsonObject, key: string): unknown {
  if (Object.hasOwn(object, key)) return object[key];
  let value: unknown = object;
  for (const part of key.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

function keysOf({ provider, key_mapping }: PartnerKeys): Keys {
  return { ...must(providerNamed(provider), `the provider ${provider}`).keys, ...(key_mapping as object) };
}

/** A blank text, or one longer than any reference, is ignored. */
function textOf(value: unknown): string | null {
  if (typeof value !== "string" || value.trim() === "" || value.length > TEXT_LENGTH_MAX) return null;
  return value;
}

function isSomethingElse(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "string";
}

/** A hash of the content, independent of the order of its keys and the spaces between them. */
function contentOf(body: unknown): string {
  return sha256(JSON.stringify(sorted(body))).toString("hex");
}

/** Recursion is safe, as the parser limits the depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
