/** The parts of the console's texts: each key is of one of them. */
import assert from "node:assert/strict";
import test from "node:test";
import { developers } from "./developers.en.ts";
import { en } from "./en.ts";
import { records } from "./records.en.ts";
import { setup } from "./setup.en.ts";
import { testModeTexts } from "./test-mode.en.ts";

test("no text of a part is replaced by another one under its key", () => {
  const parts = [records, developers, setup, testModeTexts].flatMap((part) => Object.entries(part));
  assert.deepEqual(
    parts.filter(([key, text]) => Object.entries(en).some(([name, shown]) => name === key && shown !== text)),
    [],
  );
});
