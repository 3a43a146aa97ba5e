/** Bugs and outages are logged as errors, and nothing else is. */
import assert from "node:assert/strict";
import test from "node:test";
import { silentLog, type Log } from "../lib/log.ts";
import { Refusal } from "../refusals.ts";
import { answerTo } from "./errors.ts";

function answered(error: unknown): { readonly status: number; readonly logged: number } {
  let logged = 0;
  const log: Log = {
    ...silentLog,
    error: () => {
      logged += 1;
    },
  };
  return { status: answerTo(error, log, "r").status, logged };
}

const ROWS: readonly (readonly [name: string, error: unknown, status: number, logged: number])[] = [
  ["a refusal", new Refusal("session_closed"), 410, 0],
  ["a client that went away", Object.assign(new Error("aborted"), { code: "ECONNRESET" }), 400, 0],
  ["another lost connection", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }), 500, 1],
  ["a bug", new TypeError("x is undefined"), 500, 1],
  ["what is no error", "text", 500, 1],
];

for (const [name, error, status, logged] of ROWS) {
  test(`${name}: ${status}, ${logged === 0 ? "not logged as an error" : "logged"}`, () => {
    assert.deepEqual(answered(error), { status, logged });
  });
}

test("an error that only the operator can explain names the request; any other has a code that says why", () => {
  assert.deepEqual(answerTo(new TypeError("x"), silentLog, "r-1").body, {
    detail: "Internal server error.",
    code: "internal",
    status_code: 500,
    request_id: "r-1",
  });
  assert.deepEqual(answerTo(new Refusal("not_found"), silentLog, "r-1").body, {
    detail: "Not found.",
    code: "not_found",
    status_code: 404,
  });
});
