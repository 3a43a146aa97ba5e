/** Reads a partner's list of postbacks page by page, as configured in the record. Pure. */
import type { Paging } from "./settings/providers.ts";
import { isObject, valueAt } from "./postback.ts";

/** Why a list cannot be read, for the merchant. */
export class PartnerError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "PartnerError";
  }
}

interface PartnerPage {
  readonly items: readonly unknown[];
  /** Null after the last page. */
  readonly next: URL | null;
}

/** A few megabytes can contain millions of bogus items; no real list has such pages. */
const ITEMS_MAX = 10_000;

/** The address of the first page. */
export function firstPage(readUrl: string, paging: Paging, since: Date): URL {
  const url = new URL(readUrl);
  const seconds = Math.floor(since.getTime() / 1_000);
  url.searchParams.set(
    paging.since_parameter,
    paging.since_format === "iso8601" ? since.toISOString() : String(seconds),
  );
  if (paging.style === "page") url.searchParams.set(paging.page_parameter, String(paging.first_page));
  return url;
}

/**
 * Parses a page.
 * @throws PartnerError when it is not a page of such a list.
 */
export function readPage(paging: Paging, url: URL, bytes: Buffer): PartnerPage {
  const body = parsed(bytes);
  const items = paging.results_key === "" ? body : under(body, paging.results_key);
  if (!Array.isArray(items)) throw new PartnerError(`The answer has no list under "${paging.results_key}".`);
  if (items.length > ITEMS_MAX) throw new PartnerError(`A page has more than ${ITEMS_MAX} items.`);
  return { items, next: nextPage(paging, url, body, items.length) };
}

/** Numbers keep their text; the function is not in the compiler's library yet (ECMAScript 2026). */
interface RawJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
const json = JSON as unknown as RawJson;

function parsed(bytes: Buffer): unknown {
  try {
    return json.parse(bytes.toString(), (_key, value, { source }) =>
      typeof value === "number" && source !== undefined && source !== String(value)
        ? json.rawJSON(source)
        : value,
    );
  } catch {
    throw new PartnerError("The answer is not JSON.");
  }
}

function under(body: unknown, key: string): unknown {
  return isObject(body) ? valueAt(body, key) : undefined;
}

/** An item as the partner wrote it, except for spaces; null if it is nested too deeply. */
export function itemBytes(item: unknown): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(item));
  } catch {
    return null;
  }
}

function nextPage(paging: Paging, url: URL, body: unknown, itemCount: number): URL | null {
  if (paging.style === "page") return itemCount === 0 ? null : countedUp(url, paging.page_parameter);
  const next = text(under(body, paging.next_key));
  if (next === null) return null;
  if (paging.style === "next_url") return sameServer(url, next);
  const beyond = new URL(url);
  beyond.searchParams.set(paging.cursor_parameter, next);
  return beyond;
}

/** A cursor may be a number. */
function text(value: unknown): string | null {
  if (json.isRawJSON(value)) return value.rawJSON;
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}

function countedUp(url: URL, parameter: string): URL {
  const beyond = new URL(url);
  beyond.searchParams.set(parameter, String(Number(url.searchParams.get(parameter)) + 1));
  return beyond;
}

/** The read token is only sent to the server that it was entered for. */
function sameServer(url: URL, next: string): URL {
  if (!URL.canParse(next, url)) throw new PartnerError("The next page's address is not valid.");
  const beyond = new URL(next, url);
  if (beyond.origin !== url.origin) throw new PartnerError("The next page's address is on another server.");
  return beyond;
}
