/**
 * How a person is found in text: as whole words, in any case, and in files regardless of how they are split into
 * chunks.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPersonInFile } from "./bank-file.ts";
import { containsAny, wordsOf } from "./erased.ts";

const words = wordsOf(["max@shop.example", "Max Mann", "DE02100100109307118603"]);

for (const [text, expected] of [
  ["to MAX@shop.example.", true],
  ["anna-max@shop.example", false],
  ["max@shop.example.org", false],
  ["MAX MANN, Berlin", true],
  ["Max Mannheim", false],
  ["IBAN DE02100100109307118603", true],
  ["DE021001001093071186030", false],
] as const) {
  test(`"${text}" ${expected ? "names" : "does not name"} the person`, () => {
    assert.equal(containsAny(text, words), expected);
  });
}

test("only the person's records in a file change, wherever its chunks end", async () => {
  const record = (reference: string, name: string) =>
    `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs><Amt>1.00</Amt><Nm>${name}</Nm></TxDtls>`;
  const file = `<Stmt>${record("REF-0000001", "Max Mann")}<AddtlNtryInf>von Max Mann</AddtlNtryInf>${record("REF-0000002", "Mäx Other")}</Stmt>`;
  const expected = file.replace("<Nm>Max Mann", "<Nm>xxx xxxx").replace("von Max Mann", "xxx xxx xxxx");
  for (const size of [1, 7, 64, file.length]) {
    async function* chunks() {
      const bytes = Buffer.from(file);
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const known = { own: wordsOf(["Max Mann"]), unique: wordsOf(["Max Mann", "REF-0000001"]) };
    const done: Buffer[] = [];
    for await (const part of withoutPersonInFile(chunks(), known)) done.push(part);
    assert.equal(Buffer.concat(done).toString(), expected);
  }
});
