/** A small run of `npm run fuzz`: random requests to every endpoint of a real service process find no error. */
import assert from "node:assert/strict";
import test from "node:test";
import { reportOf } from "../tools/fuzz/report.ts";
import { fuzz } from "../tools/fuzz/run.ts";
import { sized } from "./support/sized.ts";
import { testDatabase } from "./support/database.ts";

/** Any seed works. A fixed one makes the run repeatable. */
const SEED = 20_260_401;
/** Fewer cases do not reach every endpoint. */
const CASES = sized(2_200, 2_600);
/** Enough for a busy machine. */
const MS_MAX = 300_000;

/**
 * Endpoints that need what the run does not have: a bank's server, a waiting debit or file, a held refund, a B2B
 * mandate.
 */
const NEEDS_MORE =
  /\/ebics\/|transactions\/\{id\}\/cancel|sepa-files\/\{id\}\/(?:approve|confirm|mark-sent|withdraw)|\{refund_id\}|mandates\/\{id\}\/confirm/;

test(
  "random requests get no 5xx, no undocumented response, no secret and no other tenant's record",
  { timeout: MS_MAX },
  async () => {
    const database = await testDatabase();
    try {
      const result = await fuzz({ databaseUrl: database.url, seed: SEED, requests: CASES });
      // `npm run fuzz` checks response times, because the machine of a test may be busy.
      const findings = result.findings.filter(({ kind }) => kind !== "slow");
      assert.deepEqual(findings, [], reportOf(result, SEED));
      assert.ok(result.requests >= CASES);
      // So few requests cannot reach everything, but a run with refusals only would prove nothing.
      const within = [...result.coverage].filter(([endpoint]) => !NEEDS_MORE.test(endpoint));
      const answered = within.filter(([, { good }]) => good > 0).length;
      assert.ok(answered / within.length > 0.9, reportOf(result, SEED));
      assert.ok((result.statuses["429"] ?? 0) < result.requests / 20);
    } finally {
      await database.close();
    }
  },
);
