/** Runs `books check`, for the end of a test file. */
import assert from "node:assert/strict";
import { checkBooks } from "../../src/books/check.ts";
import type { Database } from "../../src/db/database.ts";

/** Fails with a description of the differences. */
export async function assertBooksAgree(db: Database): Promise<void> {
  const { days, differences } = await checkBooks(db);
  assert.deepEqual(differences, []);
  assert.notEqual(days.length, 0, "there is something to agree about");
}
