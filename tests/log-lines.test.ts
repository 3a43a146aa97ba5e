/** Log lines: each line about a payment has its tenant, session, transaction and trace, and no personal data. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { recoverJob } from "../src/sessions/recover.ts";
import { startCollector, type Collector } from "./support/collector.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "./support/merchant.ts";
import { answering, startReceiver, type Receiver } from "./support/receiver.ts";
import { startService, type Service } from "./support/service.ts";

type Line = Readonly<Record<string, unknown>> & { readonly message: string };

const lines: Line[] = [];
/** The number of requests so far, each of which writes a line. */
let calls = 0;
let collector: Collector;
let service: Service;
let merchant: Merchant;
let receiver: Receiver;

before(async () => {
  collector = await startCollector();
  const note = (message: string, fields = {}) => void lines.push({ ...fields, message });
  service = await startService({
    log: { info: note, warn: note, error: (message, _, fields) => note(message, fields) },
    config: {
      telemetry: {
        endpoint: collector.endpoint,
        headers: {},
        serviceName: "test",
        sampled: 1,
        metricsEveryMs: 60_000,
        spansEveryMs: 100,
      },
    },
  });
  const post: Service["post"] = (...args) => {
    calls += 1;
    return service.post(...args);
  };
  const get: Service["get"] = (...args) => {
    calls += 1;
    return service.get(...args);
  };
  merchant = await createMerchant({ ...service, post, get });
  receiver = await startReceiver();
  calls += 1;
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Hook",
    url: receiver.url,
    events: [
      "payment_session.completed",
      "transaction.created",
      "transaction.status_changed",
      "chargeback.created",
    ],
  });
});
after(async () => {
  await service.close();
  await receiver.close();
  await collector.close();
});

/** A request's line is written after its response, so a client may be faster. */
async function written(): Promise<void> {
  while (lines.filter(({ message }) => message === "request").length < calls)
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
}

/** The lines that `act` writes. */
async function linesOf(act: () => Promise<unknown>): Promise<readonly Line[]> {
  await written();
  const from = lines.length;
  await act();
  await written();
  return lines.slice(from);
}

async function attemptOf(session: unknown) {
  const [row] = await service.rows(
    "select tenant, merchant_transaction_id, traceparent from transactions where session_id = $1 order by created_at desc",
    [session],
  );
  return row ?? {};
}

test("each log line of a payment, from beginning to end, names tenant, session, transaction and trace", async () => {
  let token = "";
  const [created] = await linesOf(async () => (token = await merchant.session()));
  assert.equal(created?.message, "request");
  const session = created?.["session_id"];
  assert.match(String(session), /^[0-9a-f-]{36}$/);
  assert.equal(typeof created?.["tenant"], "number");
  assert.match(String(created?.["trace_id"]), /^[0-9a-f]{32}$/);

  const paid = await linesOf(() => merchant.pay(token, IBAN.verification));
  const verified = await linesOf(() => merchant.verify(token));
  const attempt = await attemptOf(session);
  for (const line of [...paid, ...verified]) {
    assert.equal(line["tenant"], attempt["tenant"], line.message);
    assert.equal(line["session_id"], session, line.message);
    assert.equal(line["merchant_transaction_id"], attempt["merchant_transaction_id"], line.message);
    assert.match(String(line["trace_id"]), /^[0-9a-f]{32}$/, line.message);
    assert.match(String(line["request_id"]), /^[0-9a-f-]{36}$/, line.message);
  }
  assert.ok(paid.length >= 1 && verified.length >= 1);

  receiver.answer = answering(500);
  const stopWork = service.app.startWork();
  await receiver.arrived(1);
  receiver.answer = answering(200);
  await service.rows("update webhook_deliveries set due_at = now() where status = 'failing'");
  await service.rows("update webhook_receivers set next_at = now(), paused_until = null");
  await receiver.arrived(3);
  await stopWork();
  const webhooks = lines.filter(({ message }) => message === "webhook");
  assert.ok(webhooks.some(({ outcome }) => outcome === "failing"));
  assert.ok(webhooks.some(({ outcome }) => outcome === "delivered"));
  for (const line of webhooks) {
    assert.equal(line["tenant"], attempt["tenant"]);
    assert.equal(line["session_id"], session);
    assert.equal(line["merchant_transaction_id"], attempt["merchant_transaction_id"]);
    // It belongs to the trace of the payment, not of the request that verified it or woke the delivery.
    assert.equal(line["trace_id"], String(attempt["traceparent"]).slice(3, 35));
    assert.equal(line["request_id"], undefined);
  }
});

test("log lines also name a payment that recovery ends and one that a limit refuses", async () => {
  let token = "";
  const begun = await linesOf(async () => (token = await merchant.session()));
  // Deliveries of earlier payments may still be running.
  const created = begun.find(({ route }) => route === "/api/v1/payment-sessions/");
  await merchant.pay(token, IBAN.answerLost);
  await service.rows(
    "update transactions set resolve_at = now() - interval '1 second' where status = 'unresolved'",
  );
  const recovered = await linesOf(() => recoverJob(service.app.deps).runOnce(10));
  const attempt = await attemptOf(created?.["session_id"]);
  const line = recovered.find(({ message }) => message === "payment recovered");
  assert.equal(line?.["tenant"], attempt["tenant"]);
  assert.equal(line?.["session_id"], created?.["session_id"]);
  assert.equal(line?.["merchant_transaction_id"], attempt["merchant_transaction_id"]);

  const refused = await linesOf(async () => {
    token = await merchant.session();
    for (let n = 0; n < 32; n += 1) await merchant.pay(token, "DE00370400440532013000");
  });
  const limited = refused.filter(({ message }) => message === "a payment was refused by a limit");
  assert.ok(limited.length > 0);
  for (const one of limited) assert.equal(typeof one["tenant"], "number");
});

test("log lines of two concurrent payments name their own payment although the payments share statements", async () => {
  const tokens = await Promise.all(Array.from({ length: 12 }, () => merchant.session()));
  const all = await linesOf(() =>
    Promise.all(tokens.map((token) => merchant.pay(token, IBAN.approved, { holder_name: "A B" }))),
  );
  const paid = all.filter(({ route }) => String(route).endsWith("/pay/"));
  assert.equal(paid.length, tokens.length);
  assert.equal(new Set(paid.map(({ session_id: id }) => id)).size, tokens.length);
  for (const line of paid) {
    const attempt = await attemptOf(line["session_id"]);
    if (line["status"] !== 200) continue;
    assert.equal(line["merchant_transaction_id"], attempt["merchant_transaction_id"]);
    assert.equal(line["trace_id"], String(attempt["traceparent"]).slice(3, 35));
  }
});
