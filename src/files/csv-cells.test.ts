/** Cells are read back unchanged, and spreadsheets do not run them as formulas. */
import assert from "node:assert/strict";
import test from "node:test";
import { parse } from "csv-parse/sync";
import { fc } from "../../tests/support/properties.ts";
import { csvText, reversibleCsvText, textOf } from "./csv-cells.ts";

const text = fc.string({
  unit: fc.constantFrom(
    "=",
    "+",
    "-",
    "@",
    "＝",
    "−",
    ";",
    ",",
    "\t",
    "\r",
    "\n",
    "'",
    '"',
    " ",
    "\u200b",
    "a",
    "1",
  ),
  maxLength: 12,
});
const FORMULA = /^[\s\u200b]*[=+\-@＝−]/;

test("a reversible cell is read back as the text that it was made of", () => {
  fc.assert(
    fc.property(text, (value) => {
      const [[cell] = []] = parse(`${reversibleCsvText(value)},x\n`);
      assert.equal(textOf(cell ?? ""), value);
    }),
  );
});

test("however the file is split, no part of a cell begins as a formula", () => {
  fc.assert(
    fc.property(text, (value) => {
      for (const cell of [csvText(value), reversibleCsvText(value)]) {
        const inner = cell.startsWith('"') ? cell.slice(1, -1) : cell;
        for (const part of inner.split(/[;\t\r\n]/)) assert.doesNotMatch(part, FORMULA);
      }
    }),
  );
});
