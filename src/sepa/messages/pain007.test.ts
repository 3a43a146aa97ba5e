import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../tests/support/properties.ts";
import { anyFile, REFERENCE_FILE, reversalOf } from "../../../tests/support/sepa.ts";
import type { DirectDebitFile } from "./direct-debit-file.ts";
import { SepaFileRefused, type FileFault } from "./file-rules.ts";
import { writePain007, type ReversalFile } from "./pain007.ts";
import { writePain008 } from "./pain008.ts";
import { readSentFile, type SentFile } from "./reading/sent-file.ts";

async function* bytesOf(pieces: Iterable<string>) {
  yield Buffer.from([...pieces].join(""));
}
const sent = (file: DirectDebitFile): Promise<SentFile> => readSentFile(bytesOf(writePain008(file)));

test("a reversal repeats all that the file said of its debit: read again, only the ids are its own", async () => {
  const anyDebits = anyFile.map((file) => ({ ...file, version: "pain.008.001.08" as const }));
  const check = async (file: DirectDebitFile) => {
    const debits = await sent(file);
    const written = [...writePain007(reversalOf(debits))].join("");
    const debited = [...writePain008(file)].join("");
    // The text is compared as well: an element that is not read is missing on both sides of a comparison of the read
    // data.
    for (const name of ["MndtRltdInf", "RmtInf"])
      assert.deepEqual(elementsOf(written, name), elementsOf(debited, name), name);
    const reversals = await readSentFile(bytesOf([written]));
    assert.deepEqual([reversals.kind, reversals.schema], ["pain.007", "pain.007.001.09"]);
    // Each file has its own setting of how the bank books it.
    const said = reversals.blocks.map(({ id: _, batchBooking: _booking, orders, ...block }) => ({
      ...block,
      orders: orders.map(({ endToEndId: own, reverses, instructionId: __, ...order }) => {
        assert.equal(own, `R-${reverses}`.slice(0, 35));
        return { ...order, endToEndId: reverses };
      }),
    }));
    const were = debits.blocks.map(({ id: _, batchBooking: _booking, orders, ...block }) => ({
      ...block,
      orders: orders.map(({ reverses: __, instructionId: ___, ...order }) => order),
    }));
    assert.deepEqual(said, were);
  };
  await fc.assert(fc.asyncProperty(anyDebits, check), { numRuns: 40 });
});

const REFUSED: readonly (readonly [string, (file: ReversalFile) => ReversalFile, FileFault])[] = [
  ["a debit twice", (file) => ({ ...file, blocks: [...file.blocks, ...renamed(file)] }), "duplicate"],
  ["nothing", (file) => ({ ...file, blocks: [] }), "empty"],
  [
    "debits of the older version",
    (file) => ({ ...file, original: { ...file.original, schema: "pain.008.001.02" } }),
    "version",
  ],
];
for (const [what, change, fault] of REFUSED) {
  test(`a file that reverses ${what} is not written`, async () => {
    const file = change(reversalOf(await sent(REFERENCE_FILE)));
    assert.throws(
      () => writePain007(file),
      (error) => error instanceof SepaFileRefused && error.fault === fault,
    );
  });
}

function elementsOf(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>.*?</${name}>`, "gs"))].map(([element]) => element);
}

/** The same debits with other ids. */
function renamed({ blocks }: ReversalFile): ReversalFile["blocks"] {
  return blocks.map((block) => ({
    ...block,
    id: `${block.id}-X`,
    reversals: block.reversals.map((one) => ({ ...one, id: `X${one.id}`.slice(0, 35) })),
  }));
}
