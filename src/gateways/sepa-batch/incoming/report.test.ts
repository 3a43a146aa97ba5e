import assert from "node:assert/strict";
import test from "node:test";
import { item } from "../../../../tests/support/entries.ts";
import type { Item, ItemIds } from "./items.ts";
import { lineOf, type EntryOutcome } from "./report.ts";

const NAMED: ItemIds = { references: [], endToEndId: null, mandateReference: null, others: ["OTHER"] };
const IGNORED: EntryOutcome = { kind: "ignored", words: "" };
const block = (blockId: string | null, messageId: string | null) => ({ blockId, messageId });

/** What an entry that was not applied is called in the file's report. */
const REFERENCES: readonly (readonly [what: string, item: Item, reference: string | null])[] = [
  ["the first of our ids", { ...item("return"), ids: { ...NAMED, references: ["R1", "R2"] } }, "R1"],
  [
    "our id, also where a block and a mandate are named",
    {
      ...item("return"),
      ids: { ...NAMED, references: ["R1"], mandateReference: "M" },
      block: block("PSB-7-2", null),
    },
    "R1",
  ],
  [
    "else the block",
    { ...item("return"), ids: { ...NAMED, mandateReference: "M" }, block: block("PSB-7-2", "PSB-7") },
    "PSB-7-2",
  ],
  [
    "else the file",
    { ...item("return"), ids: { ...NAMED, mandateReference: "M" }, block: block(null, "PSB-7") },
    "PSB-7",
  ],
  ["else the mandate", { ...item("return"), ids: { ...NAMED, mandateReference: "M" } }, "M"],
  [
    "the mandate, where an item has no block",
    { ...item("reject"), ids: { ...NAMED, mandateReference: "M" } },
    "M",
  ],
  ["nothing, where none of these is named", { ...item("return"), ids: NAMED }, null],
];

for (const [what, one, reference] of REFERENCES)
  test(`a line of the report names ${what}: ${reference ?? "-"}`, () =>
    assert.equal(lineOf(1, one, IGNORED).reference, reference));
