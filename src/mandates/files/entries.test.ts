import assert from "node:assert/strict";
import { Readable } from "node:stream";
import test from "node:test";
import { UnusableFile } from "../../files/import-rows.ts";
import { COLUMNS } from "./columns.ts";
import { jsonEntries } from "./entries.ts";

const MIB = 1_024 ** 2;

async function read(...chunks: readonly (string | Buffer)[]) {
  const bytes = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  return Array.fromAsync(jsonEntries(bytes));
}

/** An empty list of this many bytes, in chunks of one MiB. */
function listOf(length: number): readonly Buffer[] {
  const text = Buffer.concat([Buffer.from("[]"), Buffer.alloc(length - 2, " ")]);
  return Array.from({ length: Math.ceil(length / MIB) }, (_, n) => text.subarray(n * MIB, (n + 1) * MIB));
}

test("a JSON file of 16 MiB is read, and one with a byte more is refused, however it arrives", async () => {
  assert.deepEqual(await read(...listOf(16 * MIB)), []);
  const refused = /^Error: A JSON file may have at most 16 MiB; CSV files may have any length\.$/;
  await assert.rejects(read(...listOf(16 * MIB + 1)), refused);
  await assert.rejects(read(Buffer.concat(listOf(16 * MIB + 1))), refused);
});

test("a JSON file is a list, or an object with the list as its results, also if a letter is split over two chunks", async () => {
  const list = Buffer.from('[{"holder_name":"Zoë"}]');
  const at = list.indexOf("ë") + 1;
  const of = async (...chunks: readonly (string | Buffer)[]) => {
    const [entry] = await read(...chunks);
    assert.ok(entry !== undefined && "cells" in entry);
    return entry.cells[COLUMNS.indexOf("holder_name")];
  };
  assert.equal(await of(list), "Zoë");
  assert.equal(await of(list.subarray(0, at), list.subarray(at)), "Zoë");
  assert.equal(await of('{"next":null,"results":[{"holder_name":"Zoë"}]}'), "Zoë");
});

for (const [text, message] of [
  ["", "The file is not valid JSON."],
  ["[", "The file is not valid JSON."],
  ["null", "The file is not a list of mandates."],
  ["7", "The file is not a list of mandates."],
  ['"text"', "The file is not a list of mandates."],
  ["{}", "The file is not a list of mandates."],
  ['{"results":{}}', "The file is not a list of mandates."],
  ['{"results":null}', "The file is not a list of mandates."],
] as const)
  test(`the JSON ${text === "" ? "of no bytes" : text} is refused as a whole`, () =>
    assert.rejects(read(text), (error) => error instanceof UnusableFile && error.message === message));

test("each entry has the number of its place, and is read if it is an object", async () => {
  const found = await read('[{"reference":"A"}, null, 7, "text", ["list"], {"reference":"B"}]');
  assert.deepEqual(
    found.map((entry) => [entry.line, "reason" in entry ? entry.reason : entry.cells[0]]),
    [
      [1, "A"],
      [2, "Not an object."],
      [3, "Not an object."],
      [4, "Not an object."],
      [5, "Not an object."],
      [6, "B"],
    ],
  );
});

/** How a value is read, as the cell of a CSV file would be; a value that no field accepts is a NUL. */
for (const [value, cell] of [
  ['"text"', "text"],
  ["12", "12"],
  ["0", "0"],
  ["true", "true"],
  ["false", "false"],
  ["null", ""],
  ["undefined", ""],
  ["[]", "\u0000"],
  ['{"a":1}', "\u0000"],
] as const)
  test(`the value ${value === "undefined" ? "of a column that is missing" : value} is read as ${JSON.stringify(cell)}`, async () => {
    const [entry] = await read(value === "undefined" ? "[{}]" : `[{"reference":${value}}]`);
    assert.ok(entry !== undefined && "cells" in entry);
    assert.equal(entry.cells[COLUMNS.indexOf("reference")], cell);
    assert.deepEqual(new Set(entry.cells.toSpliced(COLUMNS.indexOf("reference"), 1)), new Set([""]));
  });
