import assert from "node:assert/strict";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import test from "node:test";
import { readSpreadsheet } from "../../tests/support/spreadsheet.ts";
import { xlsx, type Cell } from "./xlsx-writer.ts";

/** The maximum number of rows in the buffers of all streams together. */
const ROWS_AHEAD_MAX = 50_000;
const AT = new Date("2026-10-31T23:59:58.250Z");

async function* rowsOf(...rows: readonly (readonly Cell[])[]): AsyncGenerator<readonly Cell[]> {
  yield* rows;
}

test("amounts are numbers, times are dates, and a text stays as it is, whatever a spreadsheet makes of its beginning", async () => {
  const texts = ["=1+1", "+1", "-1", "@sum(a1)", "\t=1", " a ", "_x000D_", "<b>&\"'", "ü😀", "a\nb", "0012"];
  const bytes = await buffer(
    xlsx({
      name: "Payments & more",
      heads: ["text", "money", "time", "empty", "text"],
      rows: rowsOf(...texts.map((text) => [text, { money: "-1234.50" }, AT, "", text])),
    }),
  );
  const [sheet, ...others] = await readSpreadsheet(bytes);
  assert.deepEqual(others, []);
  assert.equal(sheet?.name, "Payments & more");
  const shown = (text: string) => text.replace("_x000D_", "_x005F_x000D_");
  assert.deepEqual(sheet?.rows, [
    ["text", "money", "time", "empty", "text"],
    ...texts.map((text) => [shown(text), -1234.5, AT, null, shown(text)]),
  ]);
});

test("what a sheet cannot hold stands on the next one, below the same heads; a text is cut where Excel would refuse the file", async () => {
  const rows = Array.from({ length: 5 }, (_, at) => [String(at)]);
  const sheets = await readSpreadsheet(
    await buffer(xlsx({ name: "P", heads: ["h"], rows: rowsOf(...rows) }, 3)),
  );
  assert.deepEqual(
    sheets.map(({ name, rows: own }) => [name, own.flat()]),
    [
      ["P", ["h", "0", "1"]],
      ["P 2", ["h", "2", "3"]],
      ["P 3", ["h", "4"]],
    ],
  );
  const none = await readSpreadsheet(await buffer(xlsx({ name: "P", heads: ["h"], rows: rowsOf() })));
  assert.deepEqual(none, [{ name: "P", rows: [["h"]] }]);
  const wide = Array.from({ length: 60 }, (_, at) => `c${at}`);
  const [long] = await readSpreadsheet(
    await buffer(
      xlsx({ name: "P", heads: wide, rows: rowsOf(["x".repeat(40_000), "&".repeat(32_767)], wide) }),
    ),
  );
  assert.deepEqual([long?.rows[0], String(long?.rows[1]?.[0]).length, long?.rows[2]], [wide, 32_767, wide]);
  assert.equal(long?.rows[1]?.[1], "&".repeat(32_767), "as many as it shows, however they are written");
});

test("rows are read only as fast as the file is downloaded, and no more once the reader has gone", async () => {
  const source = { read: 0, ended: false };
  async function* endless(): AsyncGenerator<readonly Cell[]> {
    try {
      while (source.read < ROWS_AHEAD_MAX)
        yield [`${(source.read += 1) * 2_654_435_761}`.padEnd(100, String(source.read))];
    } finally {
      source.ended = true;
    }
  }
  const file = xlsx({ name: "P", heads: ["h"], rows: endless() });
  file.read(0);
  for (let turns = 0; turns < 20_000; turns += 1) await setImmediate();
  assert.ok(source.read > 0 && source.read < ROWS_AHEAD_MAX, `${source.read} rows`);
  file.destroy();
  await once(file, "close");
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  assert.ok(source.ended);
});

test("a failure between two rows ends the file incomplete", async () => {
  async function* failing(): AsyncGenerator<readonly Cell[]> {
    yield ["a"];
    throw new Error("the database has gone");
  }
  await assert.rejects(buffer(xlsx({ name: "P", heads: ["h"], rows: failing() })), /the database has gone/);
});
