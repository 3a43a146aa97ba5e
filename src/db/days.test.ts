/**
 * The days of lists: both ends are included, and they start at midnight in UTC, or in a person's zone, whatever the
 * session's time zone.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { testDatabase, type TestDatabase } from "../../tests/support/database.ts";
import { daysOf, isOnDays } from "./days.ts";

let database: TestDatabase;
let session: pg.Client;

before(async () => {
  database = await testDatabase();
  session = new pg.Client({ connectionString: database.url });
  await session.connect();
});
after(async () => {
  await session.end();
  await database.close();
});

for (const zone of ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
  test(`from one day to another, in a session in ${zone}`, async () => {
    await session.query(`set time zone '${zone}'`);
    const times = [
      "2026-03-03T23:59:59Z",
      "2026-03-04T00:00:00Z",
      "2026-03-05T23:59:59Z",
      "2026-03-06T00:00:00Z",
    ];
    const found = async (from: string | null, to: string | null, ofPerson?: string) => {
      const days = daysOf(from, to, ofPerson);
      const condition = isOnDays("v.at")
        .replaceAll(/:from\b/g, "$$1")
        .replaceAll(/:before\b/g, "$$2");
      const { rows } = await session.query(
        `select v.n from unnest($3::timestamptz[]) with ordinality as v (at, n) where ${condition} order by v.n`,
        [days.from, days.before, times],
      );
      return rows.map(({ n }) => Number(n));
    };
    assert.deepEqual(await found("2026-03-04", "2026-03-05"), [2, 3]);
    assert.deepEqual(await found("2026-03-05", null), [3, 4]);
    assert.deepEqual(await found(null, "2026-03-04"), [1, 2]);
    assert.deepEqual(await found(null, null), [1, 2, 3, 4]);
    assert.deepEqual(await found("2026-03-04", "2026-03-04", "Europe/Berlin"), [1, 2]);
    assert.deepEqual(await found("2026-03-05", "2026-03-05", "America/New_York"), [3, 4]);
  });
