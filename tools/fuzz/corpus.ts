/** Hostile input: strings, values and bodies that break parsers, pages, spreadsheets or databases. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Corpus {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  /** Bodies that are invalid or hostile JSON. */
  readonly bodies: readonly Buffer[];
}

const TESTS = join(import.meta.dirname, "../../tests");
/** Next to the checkout, if present; without it a run sends other requests. */
const SHARED = join(import.meta.dirname, "../../../shared/corpora");

/** Must not appear unchanged in a page, which would mean that a caller's markup was sent. */
export const MARKUP = `"><fuzz-markup onfocus=alert(1)>`;
/** Must not appear in a response's headers. */
export const SPLIT_HEADER = "x-fuzz-split";

const STRINGS: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "a\udfffb",
  "\u200b",
  "\ufeffa",
  "\u202egnp.exe",
  "e\u0301",
  "😀".repeat(130),
  "x".repeat(256),
  "x".repeat(5_000),
  "x".repeat(100_000),
  "' or 1=1 --",
  "1; drop table transactions; --",
  "$1",
  "%s%n%d",
  "%00",
  "..%2f..%2fetc%2fpasswd",
  "../../etc/passwd",
  MARKUP,
  "<script>fuzz()</script>",
  "]]><!--",
  "&#x3c;b&#x3e;",
  "${7*7}{{7*7}}",
  '=HYPERLINK("https://fuzz.invalid")',
  "+1+1",
  "@SUM(1)",
  "\t=1",
  '"quoted", and; separated\r\nlines',
  `a\r\n${SPLIT_HEADER}: 1`,
  "__proto__",
  "constructor",
  "toString",
  "NaN",
  "Infinity",
  "-0",
  "1e400",
  "0x10",
  "٣",
  "ＤＥ",
  "null",
  "true",
  "[]",
  "{}",
  "\\u0000",
  "\u2028\u2029",
  "9999-12-31",
  "0000-01-01",
  "2026-02-30",
  "2026-12-31T23:59:60Z",
  "+275760-09-13T00:00:00Z",
  "2026-01-01T00:00:00+23:59",
  "00000000-0000-0000-0000-000000000000",
];

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  1.5,
  0.1,
  1e-7,
  1e21,
  2_147_483_647,
  2_147_483_648,
  -2_147_483_649,
  9_007_199_254_740_992,
  [],
  {},
  [[]],
  [null],
  ["a", "a"],
  { toString: "x", valueOf: 1 },
  { length: 1e9 },
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  { constructor: { prototype: { isAdmin: true } } },
];

/** Reads the corpora of the repository, and those next to it. */
export async function readCorpus(): Promise<Corpus> {
  const files = [
    ...[
      "corpora/domain-hostile-values.json",
      "vectors/ssrf-hosts.json",
      "vectors/webhook-canonical.json",
    ].map((file) => join(TESTS, file)),
    ...[
      "own/domain-hostile-values.json",
      "own/ssrf-hosts.json",
      "jcs/input/weird.json",
      "jcs/input/values.json",
    ].map((file) => join(SHARED, file)),
  ];
  const found = new Set<string>(STRINGS);
  const values: unknown[] = [...VALUES];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text === null) continue;
    for (const leaf of leaves(JSON.parse(text))) {
      if (typeof leaf === "string") found.add(leaf.replace(/\?decide$/, ""));
      else values.push(leaf);
    }
  }
  // An IBAN in a field of another name may be returned; the search for IBANs in responses needs to distinguish them.
  const strings = [...found].filter(
    (text) => !/[A-Z]{2}\d{2}[A-Z0-9]{11}/i.test(text.replace(/[^a-z0-9]/gi, "")) || text.length > 100,
  );
  return { strings, values, bodies: hostileBodies() };
}

function leaves(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...leaves(inner)]);
}

/** What tests/corpora/gen-hostile-json.mjs writes, in sizes that let many be sent. */
function hostileBodies(): readonly Buffer[] {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const texts = [
    "",
    " ",
    "null",
    "true",
    "1",
    '"x"',
    "[]",
    "{",
    '{"a":1,}',
    "{}{}",
    '{"a":NaN}',
    '{/*x*/"a":1}',
    "{'a':1}",
    '{"a":1',
    '\ufeff{"a":1}',
    '{"a":01}',
    '{"a":"\u0001"}',
    '{"a":"\\x41"}',
    '{"a":1,"a":2}',
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
    '{"\\u005f\\u005fproto__":{"isAdmin":true}}',
    '{"toJSON":"x","then":"x","length":1e9,"hasOwnProperty":1,"toString":1,"valueOf":1}',
    `{"x":${nested("[", "]", 65)}}`,
    `{"x":${nested("[", "]", 10_000)}}`,
    nested('{"a":', "}", 40).replace("}", "1}"),
    `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join(",")}}`,
    `{${Array.from({ length: 5_000 }, () => '"a":1').join(",")}}`,
    `{"x":${"9".repeat(20_000)}}`,
    `{"x":1e${"9".repeat(400)}}`,
    '{"amount":1e-400}',
    `{"x":"${"\\u0041".repeat(30_000)}"}`,
    `{"x":"${"a".repeat(262_144 - 8)}"}`,
    `{"x":"${"a".repeat(262_144 - 7)}"}`,
    `{"x":"${"a".repeat(400_000)}"}`,
  ];
  return [
    ...texts.map((text) => Buffer.from(text)),
    Buffer.from('{"a":1}', "utf16le"),
    Buffer.concat([Buffer.from('{"first_name":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  ];
}
