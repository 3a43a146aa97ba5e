/** A small run of `npm run fuzz`: made-up requests to every endpoint of a real service process find nothing. */
import assert from "node:assert/strict";
import test from "node:test";
import { reportOf } from "../tools/fuzz/report.ts";
import { fuzz } from "../tools/fuzz/run.ts";
import { sized } from "./support/sized.ts";
import { testDatabase } from "./support/database.ts";

/** Any seed works; a fixed one keeps the run the same. */
const SEED = 20_260_401;
/** Fewer do not reach every endpoint. */
const CASES = sized(2_200, 2_600);
/** On a busy machine. */
const MS_MAX = 300_000;

/** A bank's server, a debit or file that waits for it, a refund that is held, a B2B mandate: no case meets them. */
const NEEDS_MORE =
  /\/ebics\/|transactions\/\{id\}\/cancel|sepa-files\/\{id\}\/(?:approve|confirm|mark-sent|withdraw)|\{refund_id\}|mandates\/\{id\}\/confirm/;

test(
  "made-up requests meet no 5xx, no undocumented answer, no secret and no other tenant's record",
  { timeout: MS_MAX },
  async () => {
    const database = await testDatabase();
    try {
      const result = await fuzz({ databaseUrl: database.url, seed: SEED, requests: CASES });
      // `npm run fuzz` checks response times, because the machine of a test may be busy.
      const findings = result.findings.filter(({ kind }) => kind !== "slow");
      assert.deepEqual(findings, [], reportOf(result, SEED));
      assert.ok(result.requests >= CASES);
      // So few requests do not reach everything; refusals alone would prove nothing.
      const within = [...result.coverage].filter(([endpoint]) => !NEEDS_MORE.test(endpoint));
      const answered = within.filter(([, { good }]) => good > 0).length;
      assert.ok(answered / within.length > 0.9, reportOf(result, SEED));
      assert.ok((result.statuses["429"] ?? 0) < result.requests / 20);
    } finally {
      await database.close();
    }
  },
);
