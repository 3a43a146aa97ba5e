/** One record as CSV, value by value. */
import assert from "node:assert/strict";
import test from "node:test";
import { csvFormat } from "./csv.ts";
import type { FieldKind, RecordType } from "./lists.ts";

const HEADER = "value,after\r\n";

function rowOf(kind: FieldKind, value: string | number | null): string {
  const fields = [
    { name: "value", kind, sql: "" },
    { name: "after", kind: "text" as const, sql: "" },
  ];
  const format = csvFormat({ fields } as unknown as RecordType);
  const text = format.page({ next: null, previous: null, results: [format.record([value, "x"])] }).join("");
  assert.ok(text.startsWith(HEADER) && text.endsWith(",x\r\n"), text);
  return text.slice(HEADER.length, -",x\r\n".length);
}

const TEXTS: readonly (readonly [value: string | null, cell: string])[] = [
  [null, ""],
  ["", ""],
  ["Ada", "Ada"],
  ["Ada Example", "Ada Example"],
  [" padded ", " padded "],
  ["Zoë Łucja 😀", "Zoë Łucja 😀"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['"', '""""'],
  ["two\nlines", '"two\nlines"'],
  ["two\r\nlines", '"two\r\nlines"'],
  ["a;b\tc", '"a;b\tc"'],
  ["a;=1+1", `"a;'=1+1"`],
  ["a; \u200b@x\t-1", `"a;' \u200b@x\t'-1"`],
  ["a\r\n=1", `"a\r\n'=1"`],
  ["=1+1", "'=1+1"],
  ["+49 30 1", "'+49 30 1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", `"'\t'=1"`],
  ["\u200b=1", "'\u200b=1"],
  ["\ufeff+1", "'\ufeff+1"],
  ["\u00ad\u2060@x", "'\u00ad\u2060@x"],
  ["\u3164-1", "'\u3164-1"],
  ["\ufe0f=1", "'\ufe0f=1"],
  ["−1", "'−1"],
  ["﹦1", "'﹦1"],
  ["﹢1", "'﹢1"],
  ["﹣1", "'﹣1"],
  ["﹫x", "'﹫x"],
  ["\rx", `"'\rx"`],
  ["\nx", `"'\nx"`],
  [" =1+1", "' =1+1"],
  ["\u00a0=1", "'\u00a0=1"],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM", "'＠SUM"],
  ['=HYPERLINK("https://example.com","x")', `"'=HYPERLINK(""https://example.com"",""x"")"`],
  ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
  ["a=b", "a=b"],
  ["it's", "it's"],
  ["'quoted'", "'quoted'"],
];

for (const [value, cell] of TEXTS) {
  test(`free text ${JSON.stringify(value)} is the cell ${JSON.stringify(cell)}`, () => {
    assert.equal(rowOf("free_text", value), cell);
  });
}

const OTHERS: readonly (readonly [kind: FieldKind, value: string | number | null, cell: string])[] = [
  ["money", "-19.90", "-19.90"],
  ["money", "0.00", "0.00"],
  ["integer", 0, "0"],
  ["integer", -1, "-1"],
  ["date", "2026-03-01", "2026-03-01"],
  ["time", "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.000Z"],
  ["text", "******************3000", "******************3000"],
  ["uuid", null, ""],
];

for (const [kind, value, cell] of OTHERS) {
  test(`${kind} ${value} is the cell ${JSON.stringify(cell)}, as it is`, () => {
    assert.equal(rowOf(kind, value), cell);
  });
}

test("without records the file is a header row", () => {
  const fields = [{ name: "id", kind: "uuid" as const, sql: "" }];
  const format = csvFormat({ fields } as unknown as RecordType);
  assert.equal(format.page({ next: null, previous: null, results: [] }).join(""), "id\r\n");
});
