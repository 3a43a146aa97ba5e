/** Reads XLSX independently of our writer: unpacks it and follows its parts from the first one. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { fromBufferPromise } from "yauzl";

interface Sheet {
  readonly name: string;
  /** Texts, numbers, and times, which are recognised by their style. */
  readonly rows: readonly (readonly (string | number | Date | null)[])[];
}

/** The needed part of xmldom's node type. Its own types would add a browser's globals to every file. */
interface Element {
  readonly textContent: string;
  getAttribute(name: string): string;
  getAttributeNS(namespace: string, name: string): string;
  getElementsByTagName(name: string): ArrayLike<Element>;
}

const { DOMParser } = createRequire(import.meta.url)("@xmldom/xmldom") as {
  readonly DOMParser: new () => { parseFromString(text: string, type: string): Element };
};
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export async function readSpreadsheet(bytes: Buffer): Promise<readonly Sheet[]> {
  const parts = await unpacked(bytes);
  const part = (path: string): Element => {
    assert.ok(parts.has(path), `${path} is missing of ${[...parts.keys()].join(", ")}`);
    return new DOMParser().parseFromString(parts.get(path) ?? "", "text/xml");
  };
  const types = new Set(
    elements(part("[Content_Types].xml"), "Override").map((one) => one.getAttribute("PartName")),
  );
  const workbookPath = targets(part("_rels/.rels")).get("rId1") ?? "";
  const relations = targets(part("xl/_rels/workbook.xml.rels"));
  const formats = elements(elements(part("xl/styles.xml"), "cellXfs")[0], "xf").map((one) =>
    one.getAttribute("numFmtId"),
  );
  return elements(part(workbookPath), "sheet").map((sheet) => {
    const path = `xl/${relations.get(sheet.getAttributeNS(RELATIONS, "id") ?? "")}`;
    assert.ok(types.has(`/${path}`), path);
    return { name: sheet.getAttribute("name") ?? "", rows: rowsOf(part(path), formats) };
  });
}

async function unpacked(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, string>();
  const zip = await fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry())
    parts.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  return parts;
}

function rowsOf(sheet: Element, formats: readonly string[]): Sheet["rows"] {
  return elements(sheet, "row").map((row, at) => {
    assert.equal(row.getAttribute("r"), String(at + 1));
    const cells: (string | number | Date | null)[] = [];
    for (const cell of elements(row, "c")) {
      const [, letters = "", line] = /^([A-Z]+)(\d+)$/.exec(cell.getAttribute("r") ?? "") ?? [];
      assert.equal(line, String(at + 1));
      const column = letters.split("").reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
      while (cells.length < column) cells.push(null);
      cells.push(valueOf(cell, formats));
    }
    return cells;
  });
}

function valueOf(cell: Element, formats: readonly string[]): string | number | Date {
  assert.equal(elements(cell, "f").length, 0, "no formulas");
  if (cell.getAttribute("t") === "inlineStr") return elements(cell, "t")[0]?.textContent ?? "";
  const value = Number(elements(cell, "v")[0]?.textContent);
  const format = formats[Number(cell.getAttribute("s") ?? 0)];
  return format === "164" ? new Date(Math.round((value - 25_569) * 86_400_000)) : value;
}

function targets(relations: Element): ReadonlyMap<string, string> {
  return new Map(
    elements(relations, "Relationship").map((one) => [
      one.getAttribute("Id") ?? "",
      one.getAttribute("Target") ?? "",
    ]),
  );
}

function elements(within: Element | undefined, name: string): readonly Element[] {
  return Array.from(within?.getElementsByTagName(name) ?? []);
}
