/** The open statuses: one list, and the schema's own. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { isOpen, OPEN_STATUSES, shownStatus } from "./transaction.ts";

const schema = await readFile(new URL("../db/schema.sql", import.meta.url), "utf8");

test("the checks and the index of open transactions know the same open statuses", () => {
  const lists = [...schema.matchAll(/array\[([^\]]*)\]/g)]
    .map(([, list = ""]) => [...list.matchAll(/'([a-z_]+)'/g)].map((match) => match[1]))
    .filter((list) => list.includes("verifying") && !list.includes("approved"));
  assert.ok(lists.length >= 3);
  // The newest open payments are listed with those that are pending at the bank.
  for (const list of lists)
    assert.deepEqual(
      list.filter((status) => status !== "pending"),
      [...OPEN_STATUSES],
    );
});

test("an open status is shown as pending, every other one as it is", () => {
  assert.deepEqual(OPEN_STATUSES.map(shownStatus), ["pending", "pending", "pending", "pending"]);
  for (const status of ["pending", "approved", "declined", "refunded", "charged_back"]) {
    assert.equal(isOpen(status), false);
    assert.equal(shownStatus(status), status);
  }
});
