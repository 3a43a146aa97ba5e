/** Branding stays readable, whatever colours a merchant chooses. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../../tests/support/properties.ts";
import { contrast, paletteOf } from "./colours.ts";

type Rgb = Parameters<typeof contrast>[0];

function rgb(hex: string): Rgb {
  assert.match(hex, /^#[0-9a-f]{6}$/);
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

test("black on white is 21, white on white is 1", () => {
  assert.equal(Math.round(contrast([0, 0, 0], [255, 255, 255])), 21);
  assert.equal(contrast([255, 255, 255], [255, 255, 255]), 1);
});

test("text on the merchant's colours and their marks on white have the contrast of WCAG 2.2 AA", () => {
  const colours = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, "0")}`);
  fc.assert(
    fc.property(colours, colours, (primary_color, accent_color) => {
      const palette = paletteOf({ primary_color, accent_color });
      assert.ok(contrast(rgb(palette.onPrimary), rgb(palette.primary)) >= 4.5);
      assert.ok(contrast(rgb(palette.onAccent), rgb(palette.accent)) >= 4.5);
      assert.ok(contrast(rgb(palette.mark), [255, 255, 255]) >= 4.5);
    }),
    { numRuns: 1_000 },
  );
});

for (const [given, primary] of [
  ["#FFF", "#ffffff"],
  ["#12345680", "#8899aa"],
  ["#123456", "#123456"],
  ["red", "#1f2937"],
  ["#123;background:url(//x)", "#1f2937"],
  [null, "#1f2937"],
  [7, "#1f2937"],
] as const) {
  test(`the colour ${String(given)} becomes ${primary}`, () => {
    assert.equal(paletteOf({ primary_color: given }).primary, primary);
  });
}
