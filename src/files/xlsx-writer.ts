/** Writes spreadsheets (ECMA-376) while their rows are read. */
import { DAY_MS } from "../lib/clock.ts";
import type { Readable } from "node:stream";
import { DECLARATION, escaped } from "./xml-writer.ts";
import { zipped } from "./zip-writer.ts";

/** A text stays text, whatever it begins with. */
export type Cell = string | Date | { readonly money: string };

interface Sheet {
  /** Without characters that are forbidden in a sheet's name. */
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: AsyncIterable<readonly Cell[]>;
}

/** The most rows of a sheet, its header included. */
const SHEET_ROWS_MAX = 1_048_576;
/** Excel reports a file with longer cells as damaged. */
const TEXT_MAX = 32_767;
/** Days are counted from the end of 1899. */
const DAYS_TO_1970 = 25_569;
const CHUNK_CHARS = 64 * 1_024;

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MEDIA = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The formats of cells: their places in `cellXfs`. */
const STYLES = `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
const HEAD = 1;
const MONEY = 2;
const TIME = 3;

/**
 * A file of one sheet, or of as many as the rows need.
 * @param rowsMax the limit of a sheet.
 */
export function xlsx(sheet: Sheet, rowsMax = SHEET_ROWS_MAX): Readable {
  return zipped(parts(sheet, rowsMax));
}

async function* parts({ name, heads, rows }: Sheet, rowsMax: number) {
  const unread = rows[Symbol.asyncIterator]();
  try {
    let ahead = await unread.next();
    let sheets = 0;
    async function* body() {
      yield sheetOpening(heads);
      let text = "";
      for (let line = 2; ahead.done !== true && line <= rowsMax; line += 1) {
        text += rowOf(line, ahead.value);
        if (text.length > CHUNK_CHARS) {
          yield text;
          text = "";
        }
        ahead = await unread.next();
      }
      yield `${text}</sheetData></worksheet>`;
    }
    do {
      sheets += 1;
      yield { name: `xl/worksheets/sheet${sheets}.xml`, text: body() };
    } while (ahead.done !== true);
    const numbers = Array.from({ length: sheets }, (_, at) => at + 1);
    yield { name: "[Content_Types].xml", text: [contentTypes(numbers)] };
    yield { name: "_rels/.rels", text: [ROOT_RELATIONS] };
    yield { name: "xl/workbook.xml", text: [workbook(name, numbers)] };
    yield { name: "xl/_rels/workbook.xml.rels", text: [workbookRelations(numbers)] };
    yield { name: "xl/styles.xml", text: [STYLES] };
  } finally {
    await unread.return?.();
  }
}

/** Freezes the header row. */
function sheetOpening(heads: readonly string[]): string {
  const columns = `<cols><col min="1" max="${heads.length}" width="20" customWidth="1"/></cols>`;
  const pane = `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`;
  const views = `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`;
  return `${DECLARATION}<worksheet xmlns="${MAIN}">${views}${columns}<sheetData>${rowOf(1, heads, HEAD)}`;
}

function rowOf(line: number, cells: readonly Cell[], style = 0): string {
  return `<row r="${line}">${cells.map((cell, at) => cellOf(`${columnName(at)}${line}`, cell, style)).join("")}</row>`;
}

function cellOf(at: string, cell: Cell, style: number): string {
  if (cell instanceof Date) return `<c r="${at}" s="${TIME}"><v>${serial(cell)}</v></c>`;
  if (typeof cell === "object") return `<c r="${at}" s="${MONEY}"><v>${cell.money}</v></c>`;
  if (cell === "") return "";
  return `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${textOf(cell)}</t></is></c>`;
}

/** The time in UTC as days: spreadsheets have no time zones. */
function serial(at: Date): string {
  return String(at.getTime() / DAY_MS + DAYS_TO_1970);
}

/**
 * `_x000D_` represents a character in these files: in a text that contains such an escape, its first character is
 * escaped.
 */
function textOf(text: string): string {
  return escaped(text.slice(0, TEXT_MAX)).replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_");
}

/** A to Z, then AA. */
function columnName(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : `${columnName(Math.floor(at / 26) - 1)}${last}`;
}

const ROOT_RELATIONS = `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

function contentTypes(sheets: readonly number[]): string {
  const types = sheets.map(
    (sheet) => `<Override PartName="/xl/worksheets/sheet${sheet}.xml" ContentType="${MEDIA}.worksheet+xml"/>`,
  );
  return `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${MEDIA}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${MEDIA}.styles+xml"/>${types.join("")}</Types>`;
}

function workbook(name: string, sheets: readonly number[]): string {
  const entries = sheets.map((sheet) => {
    const title = escaped(sheet === 1 ? name : `${name} ${sheet}`);
    return `<sheet name="${title}" sheetId="${sheet}" r:id="rId${sheet}"/>`;
  });
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${entries.join("")}</sheets></workbook>`;
}

function workbookRelations(sheets: readonly number[]): string {
  const styles = `<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/>`;
  const entries = sheets.map(
    (sheet) =>
      `<Relationship Id="rId${sheet}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${sheet}.xml"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${entries.join("")}${styles}</Relationships>`;
}
