/** The promises of the sign-in: passwords, second factors, links, through HTTP. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { browser, createCompany, invited, PASSWORD, tokenIn, type Company } from "../support/people.ts";
import { startService, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-05-01T12:00:00Z"));
let service: Service;
let company: Company;
/** What failures were made to wait. */
let pauses: number[] = [];

before(async () => {
  service = await startService({
    clock,
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
  company = await createCompany(service);
});
after(() => service.close());
beforeEach(() => {
  pauses = [];
});

const location = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["location"];

test("an invitation is accepted once: name, password, signed in", async () => {
  const { path, email } = await invited(service, company, "owner");
  const own = browser(service);
  const page = await own.get(path);
  assert.equal(page.status, 200);
  assert.match(page.text, /Shop/);
  for (const weak of ["short", "password123456", "aaaaaaaaaaaaaa", "qwertyuiop123", `${email}2026`, ""]) {
    const refused = await own.submit(path, path, { name: "Ada", password: weak });
    assert.equal(refused.status, 400, weak);
  }
  const accepted = await own.submit(path, path, { name: "Ada Example", password: PASSWORD });
  assert.deepEqual([accepted.status, location(accepted)], [303, "/console/account/"]);
  assert.equal((await own.get("/console/")).status, 200);
  assert.match((await own.get("/console/account/")).text, /Ada Example/);
  const other = browser(service);
  assert.equal((await other.get(path)).status, 410);
  const csrf = tokenIn(await other.get("/console/sign-in/")) ?? "";
  assert.equal((await other.post(path, { csrf, name: "Eve", password: PASSWORD })).status, 410);
});
