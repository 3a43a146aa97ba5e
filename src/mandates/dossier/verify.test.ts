import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { chained } from "./chain.ts";
import { verifiedAlone, verifiedHere } from "./verify.ts";

const SUBJECT = { format: "mandate-dossier/1", tenant_id: "t", mandate_id: "m" } as const;
const [ENTRY] = chained(SUBJECT, [{ at: "2026-03-04", kind: "signed", id: "m", text: "Signed", facts: {} }]);
const DOSSIER = { ...SUBJECT, reference: "MND-1", made_at: "2026-05-01T10:00:00.000Z", entries: [ENTRY] };

/** A file with an attachment, and without a seal. */
function fileWith(attached: string): Buffer {
  const bytes = deflateSync(attached);
  return Buffer.concat([Buffer.from(`<< /Type /EmbeddedFile /Length ${bytes.length} >>\nstream\n`), bytes]);
}

test("the words about a file without a seal name the dossier, its time and its entries, and the missing seal", () => {
  const { right, words } = verifiedAlone(fileWith(JSON.stringify(DOSSIER)));
  assert.equal(right, false);
  assert.equal(
    words,
    [
      "Dossier of MND-1, made at 2026-05-01T10:00:00.000Z: 1 entries.",
      "Checked against itself only: there is no database here, and so no keys.",
      "The file was changed after it was sealed, or has been saved by another program.",
      "Findings: 1.",
    ].join("\n"),
  );
});

for (const [what, attached] of [
  ["no JSON", "{"],
  ["null", "null"],
  ["a text", '"mandate-dossier/1"'],
  ["another format", JSON.stringify({ ...DOSSIER, format: "mandate-dossier/2" })],
  ["no entries", JSON.stringify({ ...DOSSIER, entries: undefined })],
  ["entries that are null", JSON.stringify({ ...DOSSIER, entries: null })],
  ["entries that are a text", JSON.stringify({ ...DOSSIER, entries: "entries" })],
  ["entries that are a number", JSON.stringify({ ...DOSSIER, entries: 1 })],
  ["entries that are an object", JSON.stringify({ ...DOSSIER, entries: { length: 1, 0: ENTRY } })],
  ["an entry that is null", JSON.stringify({ ...DOSSIER, entries: [ENTRY, null] })],
] as const)
  test(`a file with ${what} in its attachment is not a dossier, and verifying it does not fail`, () => {
    const { right, words } = verifiedAlone(fileWith(attached));
    assert.equal(right, false);
    assert.match(words, /This is not the dossier of a mandate, or it is too damaged to be read\./);
  });

test("a file whose tenant is not an id names no tenant of the service, and the database is not asked", async () => {
  const deps = {} as Parameters<typeof verifiedHere>[0];
  const { right, words } = await verifiedHere(deps, notAsked, fileWith(JSON.stringify(DOSSIER)));
  assert.equal(right, false);
  assert.match(words, /This service has no such tenant\.\nFindings: 2\.$/);
});

function notAsked(): never {
  throw new Error("was asked");
}
