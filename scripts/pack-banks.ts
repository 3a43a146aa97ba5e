/**
 * `npm run banks:pack -- FILE`: writes src/banks/banks.txt from a list in the format of `banks import` (country,
 * bank_code, bic, name), without Germany, whose banks bankdata-germany has by date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseBankFile } from "../src/banks/import.ts";
import { packBanks } from "./bank-list.ts";

const TARGET = join(import.meta.dirname, "../src/banks/banks.txt");

/** Included with the data, as its licence requires. */
const NOTICE = `
Bank codes, BICs and names of banks, from the bank registry of schwifty, a Python library
(https://github.com/mdomke/schwifty), reshaped by scripts/pack-banks.ts.

Copyright (c) 2021 Martin Domke

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Usage: npm run banks:pack -- FILE");
const { banks } = parseBankFile(await readFile(file));
const packed = packBanks(
  NOTICE,
  banks.filter(({ country }) => country !== "DE"),
);
await writeFile(TARGET, packed);
console.log(`src/banks/banks.txt: ${Math.ceil(Buffer.byteLength(packed) / 1_000)} kB`);
