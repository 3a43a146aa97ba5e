/**
 * POST /payment-sessions/{token}/verify/ and POST …/cancel/: the ways in which a session ends other than by a direct
 * payment.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { freshAddress, startService, type Json, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

/** A session whose customer was sent to the bank. */
async function awaiting(
  iban: string = IBAN.verification,
  changes = {},
): Promise<{ token: string; paid: Json }> {
  const token = await merchant.session(changes);
  const { body } = await merchant.pay(token, iban);
  assert.equal(body["status"], "awaiting_verification");
  return { token, paid: body };
}

/** Presses a button on the sandbox bank's page. */
async function decide(verificationUrl: string, decision: "confirm" | "refuse"): Promise<string> {
  const response = await service.post(new URL(verificationUrl).pathname, `decision=${decision}`, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(response.status, 303, response.text);
  return String(response.headers["location"]);
}

async function statusOf(token: string): Promise<string> {
  return (await merchant.retrieve(token)).body["status"];
}

for (const [name, body] of [
  ["no body", undefined],
  ["an empty object", {}],
  ["null", { verification_id: null }],
  ["an empty body with a JSON content type", ""],
] as const) {
  test(`200 completed: verify with ${name} uses the stored verification and ends the attempt of its pay`, async () => {
    const { token, paid } = await awaiting();
    const { status, body: result } = await merchant.verify(token, body);
    assert.equal(status, 200);
    assert.equal(result["status"], "completed");
    assert.equal(result["retry_allowed"], null);
    assert.equal(result["verification_url"], null);
    assert.equal(result["transaction"].id, paid["transaction"].id);
    assert.equal(result["transaction"].status, "approved");
    assert.equal(result["order"].status, "COMPLETED");
    assert.equal(await statusOf(token), "COMPLETED");
  });
}

test("the bank's page confirms and returns with verification_id, with which verify completes", async () => {
  const { token, paid } = await awaiting();
  const back = new URL(await decide(paid["verification_url"], "confirm"));
  assert.equal(back.pathname, `/pay/${token}/`);
  const verificationId = back.searchParams.get("verification_id");
  assert.equal(
    (await merchant.verify(token, { verification_id: verificationId })).body["status"],
    "completed",
  );
});

test("Refuse on the bank's page fails the verification", async () => {
  const { token, paid } = await awaiting();
  await decide(paid["verification_url"], "refuse");
  const { body } = await merchant.verify(token);
  assert.deepEqual([body["status"], body["error_details"].code], ["failed", "mandate_rejected"]);
});

test("a failed verification opens the session again while attempts remain, and consumes no second attempt", async () => {
  const { token } = await awaiting(IBAN.verificationFails);
  const { body } = await merchant.verify(token);
  assert.deepEqual(
    [body["status"], body["error_details"].code, body["retry_allowed"], body["order"].status],
    ["failed", "mandate_rejected", true, "FAILED"],
  );
  const retrieved = (await merchant.retrieve(token)).body;
  assert.deepEqual([retrieved["status"], retrieved["attempts_remaining"]], ["PENDING", 2]);
  assert.equal((await merchant.pay(token, IBAN.approved)).body["status"], "completed");
});

test("a failed verification of the last attempt ends the session", async () => {
  const { token } = await awaiting(IBAN.verificationFails, { max_payment_attempts: 1 });
  const { body } = await merchant.verify(token);
  assert.deepEqual([body["status"], body["retry_allowed"]], ["failed", false]);
  assert.equal(await statusOf(token), "EXPIRED");
});

test("a verification that is not this session's is a 400 on its field, and nothing is consumed", async () => {
  const { token } = await awaiting();
  for (const verificationId of ["nonsense", "018f0000-0000-7000-8000-000000000000"]) {
    const { status, body } = await merchant.verify(token, { verification_id: verificationId });
    assert.equal(status, 400);
    assert.ok(Array.isArray(body["verification_id"]));
  }
  assert.equal((await merchant.verify(token)).body["status"], "completed");
});

test("verify in another state: PENDING 409, COMPLETED and EXPIRED 410, unknown 404", async () => {
  const pending = await merchant.session();
  assert.equal((await merchant.verify(pending)).status, 409);
  const completed = await merchant.session();
  await merchant.pay(completed, IBAN.approved);
  assert.equal((await merchant.verify(completed)).status, 410);
  await merchant.cancel(pending);
  assert.equal((await merchant.verify(pending)).status, 410);
  assert.equal((await merchant.verify(`ps_${"A".repeat(44)}`)).status, 404);
});

test("50 verifies at once: one charge, one completed, the others 409 or 410", async () => {
  const { token, paid } = await awaiting();
  const answers = await Promise.all(Array.from({ length: 50 }, () => merchant.verify(token)));
  const counts = Object.groupBy(answers, ({ status }) => String(status));
  assert.equal(counts["200"]?.length, 1);
  assert.ok(answers.every(({ status }) => [200, 409, 410].includes(status)));
  const charges = await service.rows("select state from sandbox_books where reference = $1", [
    paid["transaction"].merchant_transaction_id,
  ]);
  assert.equal(charges.length, 1);
  assert.equal(await statusOf(token), "COMPLETED");
});

test("429: one verify per second and address", async () => {
  const { token } = await awaiting();
  const from = freshAddress();
  assert.equal((await merchant.verify(token, {}, { from })).status, 200);
  assert.equal((await merchant.verify(token, {}, { from })).status, 429);
});

test("cancel of a PENDING session answers EXPIRED every time; later pays are 410", async () => {
  const token = await merchant.session();
  for (let i = 0; i < 2; i += 1) {
    const { status, body } = await merchant.cancel(token);
    assert.equal(status, 200);
    assert.deepEqual(body, { session_token: token, status: "EXPIRED" });
  }
  assert.equal((await merchant.retrieve(token)).body["status"], "EXPIRED");
  assert.equal((await merchant.pay(token, IBAN.approved)).status, 410);
});

test("cancel of a COMPLETED session is 409", async () => {
  const token = await merchant.session();
  await merchant.pay(token, IBAN.approved);
  assert.equal((await merchant.cancel(token)).status, 409);
});

test("cancel while awaiting verification asks the gateway; if nothing was charged, the session ends", async () => {
  const { token, paid } = await awaiting();
  assert.equal((await merchant.cancel(token)).status, 200);
  assert.equal(await statusOf(token), "EXPIRED");
  // The bank knows that this has ended: confirming there no longer charges.
  await service.post(new URL(paid["verification_url"]).pathname, "decision=confirm", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const [books] = await service.rows("select charged_at from sandbox_books where reference = $1", [
    paid["transaction"].merchant_transaction_id,
  ]);
  assert.equal(books?.["charged_at"], null);
});

test("cancel while awaiting verification, already charged: the session completes and cancel is 409", async () => {
  const { token, paid } = await awaiting();
  await decide(paid["verification_url"], "confirm");
  assert.equal((await merchant.cancel(token)).status, 409);
  assert.equal(await statusOf(token), "COMPLETED");
  const events = await service.rows("select 1 from events where payload ->> 'order_number' = $1", [
    paid["order_number"],
  ]);
  assert.equal(events.length, 1);
});

test("cancel while the outcome is unknown is 409 with Retry-After", async () => {
  const token = await merchant.session();
  await merchant.pay(token, IBAN.answerLost);
  const response = await merchant.cancel(token);
  assert.equal(response.status, 409);
  assert.ok(Number(response.headers["retry-after"]) >= 1);
});

test("pay against cancel, 40 sessions at once: each ends EXPIRED without a charge or COMPLETED with one", async () => {
  const tokens = await Promise.all(Array.from({ length: 40 }, () => merchant.session()));
  await Promise.all(tokens.flatMap((token) => [merchant.pay(token, IBAN.approved), merchant.cancel(token)]));
  const rows = await service.rows(
    `select s.status, count(b.reference) filter (where b.charged_at is not null)::int as charges
       from sessions s
       left join transactions t on t.tenant = s.tenant and t.session_id = s.id
       left join sandbox_books b on b.tenant = s.tenant and b.reference = t.merchant_transaction_id
      where s.id = any ($1)
      group by s.id, s.status`,
    [tokens.map(sessionId)],
  );
  assert.equal(rows.length, 40);
  for (const row of rows) {
    assert.deepEqual(row["status"] === "COMPLETED" ? 1 : 0, row["charges"]);
    assert.ok(["COMPLETED", "EXPIRED"].includes(row["status"]));
  }
});

function sessionId(token: string): string {
  const hex = Buffer.from(token.slice(3), "base64url").toString("hex").slice(10, 42);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

test("cancel needs an API key: none, a wrong one and a session token are 401, another tenant's is 404", async () => {
  const token = await merchant.session();
  const path = `payment-sessions/${token}/cancel/`;
  for (const key of [undefined, "rk_wrong", token]) {
    const response = await service.post(path, undefined, key === undefined ? {} : { key });
    assert.equal(response.status, 401);
    assert.equal(response.headers["www-authenticate"], "Bearer");
  }
  const other = await createMerchant(service);
  const foreign = await service.post(path, undefined, { key: other.key });
  assert.deepEqual(
    [foreign.status, foreign.text],
    [404, '{"detail":"Not found.","code":"not_found","status_code":404}'],
  );
});
