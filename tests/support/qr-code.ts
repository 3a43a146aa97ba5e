/**
 * Reads an undamaged QR code from its modules, without the library that draws it (ISO/IEC 18004): versions 1 to 6 at
 * level M, with one text in byte mode.
 */
import assert from "node:assert/strict";

/** The number of blocks and of data bytes in each, by version. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [1, 16],
  [1, 28],
  [1, 44],
  [2, 32],
  [2, 43],
  [4, 27],
];
const QUIET = 4;
const BYTE_MODE = 4;

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

export function readQrCode(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) - 2 * QUIET;
  const squares = new Set(
    [...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${Number(y) - QUIET} ${Number(x) - QUIET}`),
  );
  const dark = (row: number, column: number) => squares.has(`${row} ${column}`);
  const version = (size - 17) / 4;
  const [blocks, length] = BLOCKS[version - 1] ?? [];
  assert.ok(blocks !== undefined && length !== undefined, `version ${version}`);
  const format = [0, 1, 2, 3, 4].map((column) => Number(dark(8, column)));
  assert.equal(format.slice(0, 2).join(""), "10", "level M");
  const mask = MASKS[Number.parseInt(format.slice(2).join(""), 2) ^ 0b101];
  assert.ok(mask !== undefined);
  const isPattern = (row: number, column: number) =>
    row === 6 ||
    column === 6 ||
    (row < 9 && (column < 9 || column >= size - 8)) ||
    (row >= size - 8 && column < 9) ||
    (version > 1 && Math.abs(row - (size - 7)) <= 2 && Math.abs(column - (size - 7)) <= 2);

  const bits: number[] = [];
  let upwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const row = upwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (!isPattern(row, column)) bits.push(Number(dark(row, column) !== mask(row, column)));
      }
    }
    upwards = !upwards;
  }
  const number = (from: number, count: number, of: readonly number[]) =>
    Number.parseInt(of.slice(from, from + count).join(""), 2);
  // The bytes of the blocks are interleaved.
  const data = Array.from({ length: blocks * length }, (_, at) =>
    number(8 * ((at % length) * blocks + Math.floor(at / length)), 8, bits),
  );
  const read = data.flatMap((byte) => Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1));
  assert.equal(number(0, 4, read), BYTE_MODE);
  const text = Array.from({ length: number(4, 8, read) }, (_, at) => number(12 + 8 * at, 8, read));
  return Buffer.from(text).toString("utf8");
}
