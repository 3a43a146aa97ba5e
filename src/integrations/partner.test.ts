/** Reading lists of partners: numbers, pages and the address of the next page. */
import assert from "node:assert/strict";
import test from "node:test";
import { STANDARD_PAGING, type Paging } from "./settings/providers.ts";
import { firstPage, itemBytes, PartnerError, readPage } from "./partner.ts";

const SINCE = new Date("2026-11-21T10:00:00.999Z");
const at = new URL("https://partner.example.com/v1/list?a=1");

function page(paging: Partial<Paging>, text: string, url = at) {
  const { items, next } = readPage({ ...STANDARD_PAGING, ...paging }, url, Buffer.from(text));
  return { items: items.map((item) => itemBytes(item)?.toString()), next: next?.href ?? null };
}

test("reading begins at the given time, in the partner's format, and keeps the URL's own parameters", () => {
  const of = (paging: Partial<Paging>) => firstPage(at.href, { ...STANDARD_PAGING, ...paging }, SINCE).search;
  assert.equal(of({}), "?a=1&since=2026-11-21T10%3A00%3A00.999Z");
  assert.equal(of({ since_format: "unix_seconds", since_parameter: "a" }), "?a=1795255200");
  assert.equal(of({ style: "page", first_page: 0 }).endsWith("&page=0"), true);
});

test("items are as the partner wrote them", () => {
  const items = ['{"n":12345678901234567890,"p":1.10,"e":1e2,"z":-0}', '"x"', "1", "null", "[1.0]"];
  assert.deepEqual(page({}, `{"results":[${items.join(", ")}]}`).items, items);
});

test("the next page is an address on the same server, a cursor, or the next number", () => {
  const rows: readonly (readonly [Partial<Paging>, string, string | null])[] = [
    [{}, '{"results":[],"next":"?b=2"}', "https://partner.example.com/v1/list?b=2"],
    [{}, '{"results":[],"next":"https://partner.example.com:443/x"}', "https://partner.example.com/x"],
    [{}, '{"results":[],"next":null}', null],
    [{}, '{"results":[],"next":""}', null],
    [{}, '{"results":[]}', null],
    [{ style: "cursor" }, '{"results":[],"next":"a&b"}', `${at.href}&cursor=a%26b`],
    [{ style: "cursor" }, '{"results":[],"next":7}', `${at.href}&cursor=7`],
    [
      { style: "cursor" },
      '{"results":[],"next":12345678901234567890}',
      `${at.href}&cursor=12345678901234567890`,
    ],
    [{ style: "cursor" }, '{"results":[],"next":false}', null],
    [{ style: "page" }, '{"results":[1]}', `${at.href}&page=1`],
    [{ style: "page" }, '{"results":[]}', null],
  ];
  for (const [paging, text, next] of rows) assert.equal(page(paging, text).next, next, text);
});

test("the next page is not on another server, port or scheme", () => {
  for (const next of [
    "https://elsewhere.example.com/",
    "//elsewhere.example.com/",
    "http://partner.example.com/",
    "https://partner.example.com:444/",
    "https://partner.example.com@elsewhere.example.com/",
    "javascript:alert(1)",
    "file:///etc/passwd",
  ])
    assert.throws(() => page({}, JSON.stringify({ results: [], next })), PartnerError, next);
});
