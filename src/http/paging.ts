/** Lists in pages: newest first, by (time, id), with cursors that only their own list accepts (contract: Cursors). */
import { Type, type Static, type TSchema } from "../lib/schema.ts";
import { must } from "../lib/assert.ts";
import { uuidOf } from "../lib/ids.ts";
import { sameBytes, type Keyring } from "../lib/keyring.ts";
import type { Window } from "../lib/window.ts";
import { FieldErrors } from "../refusals.ts";

export const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE_DEFAULT = 100;

/** The query parameters of every list. */
export const PAGE_QUERY = {
  cursor: Type.Optional(
    Type.String({ maxLength: 255, description: "Opaque; take it from a `next` or `previous` URL." }),
  ),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, description: `Default ${PAGE_SIZE_DEFAULT}.` }),
  ),
};

const PageQuery = Type.Object(PAGE_QUERY);
type PageQuery = Static<typeof PageQuery>;

/** The answer of a list of `item`s. */
export function pageSchema<T extends TSchema>(item: T) {
  const link = Type.Union([Type.String(), Type.Null()]);
  return Type.Object({ next: link, previous: link, results: Type.Array(item) });
}

/** The list that a cursor belongs to: it is invalid for another tenant, path or filter. */
export interface ListScope {
  readonly tenant: number;
  /** With a slash at both ends, such as `/api/v1/management/offers/`. */
  readonly path: string;
  /** The parsed query. */
  readonly query: PageQuery & Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The position of a row in its list. */
export interface Position {
  readonly at: Date;
  readonly id: string;
}

export interface Cursor extends Position {
  /** Whether the page is below (older) or above (newer) the position. */
  readonly towards: "older" | "newer";
}

export interface Page<T> {
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly T[];
}

/** The start of a list: before any row. */
export const NEWEST_FIRST = {
  towards: "older",
  at: "infinity",
  id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
} as const;

/**
 * Reads one page of a list.
 * @param read returns the window's rows; one more than the page is requested, to find out whether there are more.
 * @throws FieldErrors on `cursor` when it was altered or belongs to another list.
 */
export async function pageOf<Row>(
  parts: { readonly keys: Keyring; readonly publicUrl: string },
  scope: ListScope,
  read: (window: Window) => Promise<readonly Row[]>,
  position: (row: Row) => Position,
): Promise<Page<Row>> {
  const { cursor: text, page_size: size = PAGE_SIZE_DEFAULT } = scope.query;
  const cursor = text === undefined ? null : readCursor(parts.keys, scope, text);
  const rows = await read({ ...(cursor ?? NEWEST_FIRST), limit: size + 1 });
  const { results, next, previous } = cut(rows, cursor, size, position);
  const url = (link: Link) => (link === null ? null : pageUrl(parts, scope, link));
  return { results, next: url(next), previous: url(previous) };
}

/**
 * Parses a cursor.
 * @throws FieldErrors unless this service created it for this list.
 */
export function readCursor(keys: Keyring, scope: ListScope, text: string): Cursor {
  const cursor = CURSOR.test(text) ? opened(keys, scope, Buffer.from(text, "base64url")) : null;
  if (cursor === null) throw new FieldErrors({ cursor: ["This cursor does not belong to this list."] });
  return cursor;
}

/** key number (1) · direction (1) · milliseconds since 1970 (8) · id (16) · truncated HMAC (16), in base64url. */
export function writeCursor(keys: Keyring, scope: ListScope, { towards, at, id }: Cursor): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  signed.writeUInt8(keys.currentKeyId, 0);
  signed.writeUInt8(towards === "older" ? OLDER : NEWER, 1);
  signed.writeBigInt64BE(BigInt(at.getTime()), 2);
  signed.write(id.replaceAll("-", ""), 10, "hex");
  const mac = must(authenticate(keys, scope, signed), "the current master key");
  return Buffer.concat([signed, mac]).toString("base64url");
}

const SIGNED_BYTES = 26;
const MAC_BYTES = 16;
const OLDER = 0;
const NEWER = 1;
/** 42 bytes: no bits are left over in the last character, so that a cursor has one spelling. */
const CURSOR = /^[A-Za-z0-9_-]{56}$/;

function opened(keys: Keyring, scope: ListScope, bytes: Buffer): Cursor | null {
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = authenticate(keys, scope, signed);
  if (mac === null || !sameBytes(mac, bytes.subarray(SIGNED_BYTES))) return null;
  return {
    towards: signed.readUInt8(1) === OLDER ? "older" : "newer",
    at: new Date(Number(signed.readBigInt64BE(2))),
    id: uuidOf(signed.subarray(10)),
  };
}

function authenticate(keys: Keyring, scope: ListScope, signed: Buffer): Buffer | null {
  const list = JSON.stringify([scope.tenant, scope.path, filtersOf(scope)]);
  const mac = keys.mac(signed.readUInt8(0), "cursor", Buffer.concat([signed, Buffer.from(list)]));
  return mac?.subarray(0, MAC_BYTES) ?? null;
}

/** The filters of the query, sorted by name. */
function filtersOf({ query }: ListScope): readonly (readonly [string, unknown])[] {
  return Object.entries(query)
    .filter(([name, value]) => name !== "cursor" && name !== "page_size" && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The target of a link: beyond a row, the start of the list, or none. */
type Link = Cursor | "start" | null;

interface Cut<Row> {
  readonly results: readonly Row[];
  readonly next: Link;
  readonly previous: Link;
}

/** Converts rows read nearest first, one more than a page, into a page with its neighbours. */
function cut<Row>(
  rows: readonly Row[],
  cursor: Cursor | null,
  size: number,
  position: (row: Row) => Position,
): Cut<Row> {
  const kept = rows.slice(0, size);
  const more = rows.length > size;
  const results = cursor?.towards === "newer" ? kept.toReversed() : kept;
  const first = results[0];
  const last = results.at(-1);
  // A page can be empty when rows have left the list since its cursor was created: it links back to the start.
  if (first === undefined || last === undefined) {
    return { results, next: null, previous: cursor === null ? null : "start" };
  }
  const older: Cursor = { towards: "older", ...position(last) };
  const newer: Cursor = { towards: "newer", ...position(first) };
  if (cursor?.towards === "newer") return { results, next: older, previous: more ? newer : null };
  return { results, next: more ? older : null, previous: cursor === null ? null : newer };
}

function pageUrl(
  parts: { readonly keys: Keyring; readonly publicUrl: string },
  scope: ListScope,
  link: Cursor | "start",
) {
  const url = new URL(parts.publicUrl + scope.path);
  for (const [name, value] of Object.entries(scope.query)) {
    if (name !== "cursor" && value !== undefined) url.searchParams.set(name, String(value));
  }
  if (link !== "start") url.searchParams.set("cursor", writeCursor(parts.keys, scope, link));
  return url.href;
}

/** The header of a CSV file with the next page, as CSV has no place for links (contract: CSV). */
export function nextHeaders(next: string | null): Readonly<Record<string, string>> {
  if (next === null) return {};
  const cursor = new URL(next).searchParams.get("cursor") ?? "";
  return { link: `<${next}>; rel="next"`, "x-next-cursor": cursor };
}
