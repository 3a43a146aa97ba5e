import assert from "node:assert/strict";
import test from "node:test";
import type { Tx } from "../../../../db/database.ts";
import { StatementPages } from "./pages.ts";

const TENANT = 7;
const page = (number: number, statement = "camt.053 44") => ({ statement, number });

/** The pages of a file with what they write and ask, in order. */
function begun() {
  const calls: unknown[] = [];
  const note = (values: object): Promise<never[]> => {
    calls.push(
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          name === "entries" ? JSON.parse(String(value)) : value,
        ]),
      ),
    );
    return Promise.resolve([]);
  };
  const tx: Tx = { query: (_, values) => note(values), write: (_, values) => note(values) };
  return { calls, pages: new StatementPages(tx, TENANT) };
}

test("each page is written with how often it reports a name, and again with what was added", async () => {
  const { calls, pages } = begun();
  pages.turnTo(page(1));
  for (const name of ["a", "b", "a"]) pages.report(name);
  await pages.write();
  await pages.write();
  pages.turnTo(page(1));
  pages.report("a");
  await pages.write();
  pages.turnTo(page(2));
  pages.report("a");
  await pages.write();
  pages.turnTo(page(2, "camt.053 45"));
  pages.report("a");
  await pages.write();
  const about = { tenant: TENANT, statement: "camt.053 44" };
  assert.deepEqual(calls, [
    {
      ...about,
      number: 1,
      entries: [
        { name: "a", times: 2 },
        { name: "b", times: 1 },
      ],
    },
    { ...about, number: 1, entries: [{ name: "a", times: 3 }] },
    { ...about, number: 2, entries: [{ name: "a", times: 1 }] },
    { ...about, statement: "camt.053 45", number: 2, entries: [{ name: "a", times: 1 }] },
  ]);
});

test("what a statement without pages reports is written for no page, also not for the next one in the file", async () => {
  const { calls, pages } = begun();
  pages.turnTo(null);
  pages.report("a");
  await pages.write();
  pages.turnTo(page(1));
  pages.report("b");
  await pages.write();
  assert.deepEqual(calls, [
    { tenant: TENANT, statement: "camt.053 44", number: 1, entries: [{ name: "b", times: 1 }] },
  ]);
});

test("of other pages only those in other files are asked, and nothing is asked without a page or a name", async () => {
  const { calls, pages } = begun();
  await pages.reportedElsewhere(["a"]);
  for (const one of [page(1), page(9, "camt.053 45"), page(2)]) pages.turnTo(one);
  await pages.reportedElsewhere([]);
  await pages.reportedElsewhere(["a"]);
  pages.turnTo(null);
  assert.equal((await pages.reportedElsewhere(["a"])).size, 0);
  assert.deepEqual(calls, [{ tenant: TENANT, statement: "camt.053 44", here: [1, 2], names: ["a"] }]);
});
