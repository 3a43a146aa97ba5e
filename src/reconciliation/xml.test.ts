/** One record as XML, value by value. */
import assert from "node:assert/strict";
import test from "node:test";
import type { FieldKind, RecordType } from "./lists.ts";
import { xmlFormat } from "./xml.ts";

function typeOf(kind: FieldKind): RecordType {
  return { singular: "transaction", fields: [{ name: "value", kind, sql: "" }] } as unknown as RecordType;
}

function elementOf(kind: FieldKind, value: string | number | null): string {
  const text = xmlFormat(typeOf(kind)).record([value]);
  return /^<transaction>([\s\S]*)<\/transaction>$/.exec(text)?.[1] ?? text;
}

const VALUES: readonly (readonly [kind: FieldKind, value: string | number | null, element: string])[] = [
  ["free_text", null, "<value/>"],
  ["free_text", "Ada", "<value>Ada</value>"],
  ["free_text", "Zoë 😀", "<value>Zoë 😀</value>"],
  ["free_text", "a & b", "<value>a &amp; b</value>"],
  ["free_text", "<script>", "<value>&lt;script&gt;</value>"],
  ["free_text", "]]>", "<value>]]&gt;</value>"],
  ["free_text", "&amp;", "<value>&amp;amp;</value>"],
  ["free_text", `"it's"`, `<value>"it's"</value>`],
  ["free_text", "a\tb\nc", "<value>a\tb\nc</value>"],
  ["free_text", "a\r\nb", "<value>a&#13;\nb</value>"],
  ["free_text", "a\u0000\u0001\u0008\u000b\u000c\u001fb", "<value>ab</value>"],
  ["free_text", "a\ud800b\udc00c", "<value>abc</value>"],
  ["free_text", "a\ufffe\uffffb", "<value>ab</value>"],
  ["free_text", "a\u0085\u2028\ufffd\u{10ffff}b", "<value>a\u0085\u2028\ufffd\u{10ffff}b</value>"],
  ["money", "19.90", "<value>19.90</value>"],
  ["integer", 0, "<value>0</value>"],
  ["date", null, "<value/>"],
];

for (const [kind, value, element] of VALUES) {
  test(`${kind} ${JSON.stringify(value)} is ${JSON.stringify(element)}`, () => {
    assert.equal(elementOf(kind, value), element);
  });
}

test("the root holds next, previous and results; the links are escaped, none is an empty element", () => {
  const page = { next: "https://example.test/?a=1&b=2", previous: null, results: [] };
  assert.equal(
    xmlFormat(typeOf("text")).page(page).join(""),
    '<?xml version="1.0" encoding="UTF-8"?>\n<reconciliation><next>https://example.test/?a=1&amp;b=2</next>' +
      "<previous/><results></results></reconciliation>\n",
  );
});
