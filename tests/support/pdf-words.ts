/** The visible text of a PDF made by the service, decoded with its font maps. */
import { inflateSync } from "node:zlib";
import { must } from "../../src/lib/assert.ts";

/** The text of all pages. Each positioning operator counts as a space. */
export function pdfWords(file: Buffer): string {
  const objects = objectsOf(file);
  const maps = new Map<string, readonly string[]>();
  for (const { head } of objects.values()) {
    for (const [, name = "", font = ""] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map = ""] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font)?.head ?? "") ?? [];
      maps.set(name, lettersOf(must(objects.get(map)?.stream, "the map of a font").toString("latin1")));
    }
  }
  return [...objects.values()]
    .map(({ stream }) => stream?.toString("latin1") ?? "")
    .filter((text) => text.includes(" Tf") && text.includes("TJ"))
    .map((text) => wordsOf(text, maps))
    .join(" ");
}

interface PdfObject {
  readonly head: string;
  readonly stream: Buffer | null;
}

function objectsOf(file: Buffer): ReadonlyMap<string, PdfObject> {
  const text = file.toString("latin1");
  const objects = new Map<string, PdfObject>();
  for (const [, number = "", body = ""] of text.matchAll(/(?:^|\n)(\d+) 0 obj\n([^]*?)\nendobj/g)) {
    const [head = "", data] = body.split("\nstream\n");
    const bytes = data === undefined ? null : Buffer.from(data, "latin1");
    const isPacked = head.includes("/FlateDecode");
    objects.set(number, { head, stream: bytes === null || !isPacked ? bytes : inflateSync(bytes) });
  }
  return objects;
}

/** The letters of a font by their glyph numbers. */
function lettersOf(map: string): readonly string[] {
  return [...map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/gi)].flatMap(([, , list = ""]) =>
    [...list.matchAll(/<([0-9a-f ]*)>/gi)].map(([, hex = ""]) =>
      Buffer.from(hex.replaceAll(" ", ""), "hex").swap16().toString("utf16le"),
    ),
  );
}

function wordsOf(content: string, maps: ReadonlyMap<string, readonly string[]>): string {
  let letters: readonly string[] = [];
  let words = "";
  for (const [, font, shown = ""] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font !== undefined) {
      letters = maps.get(font) ?? [];
      continue;
    }
    const hex = [...shown.matchAll(/<([0-9a-f]*)>/gi)].map(([, part = ""]) => part).join("");
    const glyphs = hex.match(/.{4}/g) ?? [];
    words += ` ${glyphs.map((glyph) => letters[Number.parseInt(glyph, 16)] ?? "").join("")}`;
  }
  return words;
}
