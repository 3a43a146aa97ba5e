/** The message of a form for a field that the API refuses. */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { wordsFor } from "../words.ts";
import { faultWords } from "./form.ts";

for (const [language, fault, said] of [
  ["de", "This field may not be blank.", "Dieses Feld darf nicht leer sein."],
  ["de", "This field is required without campaign_id.", "Ohne „Kampagne“ ist dieses Feld nötig."],
  ["en", "This field is required without campaign_id.", "This field is required without “Campaign”."],
  ["de", "Ensure this value is at least 5.", "Mindestens 5."],
  ["de", "Something else.", "Something else."],
] as const) {
  test(`"${fault}" is said as "${said}" in ${language}`, () => {
    assert.equal(faultWords(wordsFor(language, "UTC"), fault), said);
  });
}

test("each refusal that the forms translate is one that the service has", async () => {
  const source = join(import.meta.dirname, "../../");
  const said: string[] = [];
  for await (const file of glob("**/*.ts", { cwd: source, exclude: ["console/**", "**/*.test.ts"] }))
    said.push(await readFile(join(source, file), "utf8"));
  const all = said.join("\n");
  const { faults } = wordsFor("de", "UTC").texts;
  assert.deepEqual(
    Object.keys(faults).filter((one) => !all.includes(one.split("{")[0] ?? one)),
    [],
  );
});
