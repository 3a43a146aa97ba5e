import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { createKeyring, defaultKeys } from "../lib/keyring.ts";
import { FieldErrors } from "../refusals.ts";
import { pageOf, readCursor, writeCursor, type Cursor, type ListScope, type Position } from "./paging.ts";
import type { Window } from "../lib/window.ts";

const secret = randomBytes(32);
const keys = createKeyring(defaultKeys(secret));
const parts = { keys, publicUrl: "https://pay.example.test" };
const scope: ListScope = { tenant: 7, path: "/api/v1/things/", query: { status: "approved,declined" } };
const cursor: Cursor = {
  towards: "older",
  at: new Date("2026-03-01T12:00:00.123Z"),
  id: "0195f0a0-0000-7000-8000-00000000abcd",
};

/** 25 records, newest first; two at a time have the same millisecond. */
const things: readonly Position[] = Array.from({ length: 25 }, (_, index) => ({
  at: new Date(Date.UTC(2026, 0, 1) + Math.floor((24 - index) / 2)),
  id: `00000000-0000-7000-8000-${String(24 - index).padStart(12, "0")}`,
}));

test("a cursor reads back as it was written, in either direction and before 1970 too", () => {
  for (const towards of ["older", "newer"] as const) {
    for (const at of [cursor.at, new Date(-1), new Date(0)]) {
      const written = { ...cursor, towards, at };
      assert.deepEqual(readCursor(keys, scope, writeCursor(keys, scope, written)), written);
    }
  }
});

test("a cursor with any single bit flipped is refused on the field cursor", () => {
  const bytes = Buffer.from(writeCursor(keys, scope, cursor), "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    assert.throws(
      () => readCursor(keys, scope, altered.toString("base64url")),
      refusedOnCursor,
      `bit ${bit}`,
    );
  }
});

test("a cursor has one spelling: longer, shorter, padded and differently encoded ones are refused", () => {
  const text = writeCursor(keys, scope, cursor);
  for (const other of [
    "",
    "x",
    text.slice(1),
    `${text}A`,
    `${text}=`,
    ` ${text}`,
    text.replace(/^./, "+"),
    "é".repeat(56),
  ]) {
    assert.throws(() => readCursor(keys, scope, other), refusedOnCursor, other);
  }
});

test("a cursor is refused by another tenant, another path, other filters and another master key", () => {
  const text = writeCursor(keys, scope, cursor);
  const others: readonly ListScope[] = [
    { ...scope, tenant: 8 },
    { ...scope, path: "/api/v1/others/" },
    { ...scope, query: { status: "approved" } },
    { ...scope, query: {} },
    { ...scope, query: { ...scope.query, type: "sdd_sale" } },
  ];
  for (const other of others) assert.throws(() => readCursor(keys, other, text), refusedOnCursor);
  assert.throws(() => readCursor(createKeyring(defaultKeys(randomBytes(32))), scope, text), refusedOnCursor);
});

test("a cursor stays good when the page size, the order of the query or the current master key changes", () => {
  const twoFilters: ListScope = { ...scope, query: { a: "1", b: "2", page_size: 5 } };
  const text = writeCursor(keys, twoFilters, cursor);
  const rotated = createKeyring(defaultKeys(Buffer.alloc(32, 1), secret));
  assert.deepEqual(readCursor(rotated, { ...scope, query: { b: "2", a: "1", page_size: 9 } }, text), cursor);
});

for (const size of [1, 2, 7, 24, 25, 26]) {
  test(`following next and then previous shows every row once, ${size} a page`, async () => {
    const forth: string[] = [];
    let page = await read(`?page_size=${size}`);
    assert.equal(page.previous, null);
    let last = page;
    for (; ; page = await read(page.next)) {
      forth.push(...page.results.map(({ id }) => id));
      last = page;
      if (page.next === null) break;
    }
    assert.deepEqual(
      forth,
      things.map(({ id }) => id),
    );

    const back: string[] = [];
    for (page = last; ; page = await read(page.previous)) {
      back.unshift(...page.results.map(({ id }) => id));
      if (page.previous === null) break;
    }
    assert.deepEqual(back, forth);
  });
}

test("a page whose rows have left the list links to the start of the list", async () => {
  const first = await read("?page_size=5");
  const empty = await read(first.next, []);
  assert.deepEqual(empty, {
    results: [],
    next: null,
    previous: "https://pay.example.test/api/v1/things/?page_size=5",
  });
});

test("links are full URLs with the original query", async () => {
  const { next } = await read("?status=a%2Cb&page_size=5");
  const url = new URL(next ?? "");
  assert.equal(url.origin + url.pathname, "https://pay.example.test/api/v1/things/");
  assert.equal(url.searchParams.get("status"), "a,b");
  assert.equal(url.searchParams.get("page_size"), "5");
});

function read(link: string | null, rows = things) {
  const { searchParams } = new URL(link ?? "", "https://pay.example.test/api/v1/things/");
  const { page_size: size, ...query } = Object.fromEntries(searchParams);
  const scope = { tenant: 7, path: "/api/v1/things/", query: { ...query, page_size: Number(size) } };
  return pageOf(
    parts,
    scope,
    async (window) => windowOf(rows, window),
    (row) => row,
  );
}

/** The behaviour of a list's SQL. */
function windowOf(rows: readonly Position[], { towards, at, id, limit }: Window): readonly Position[] {
  const ordered = towards === "older" ? rows : rows.toReversed();
  const beyond = ordered.filter((row) =>
    towards === "older" ? compare(row, at, id) < 0 : compare(row, at, id) > 0,
  );
  return beyond.slice(0, limit);
}

function compare(row: Position, at: Date | "infinity", id: string): number {
  const difference = row.at.getTime() - (at === "infinity" ? Infinity : at.getTime());
  return difference || (row.id < id ? -1 : Number(row.id > id));
}

function refusedOnCursor(error: unknown): boolean {
  return error instanceof FieldErrors && Object.keys(error.fields).join() === "cursor";
}
