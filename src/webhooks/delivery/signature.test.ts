import assert from "node:assert/strict";
import test from "node:test";
import { signatureOf, signedHeaders, standardSignatureOf } from "./signature.ts";

const message = {
  event: "payment_session.completed",
  eventId: "01890000-0000-7000-8000-000000000001",
  deliveryId: "01890000-0000-7000-8000-000000000002",
  attempt: 3,
  at: new Date("2026-11-21T12:00:00.900Z"),
  body: '{"a":"b"}',
};

test("the published vector of Standard Webhooks, with and without the prefix of its secret", () => {
  for (const secret of ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]) {
    const signature = standardSignatureOf(
      secret,
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1_614_265_330,
      '{"test": 2432232314}',
    );
    assert.equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }
});

test("RFC 4231 test case 2 in lower-case hexadecimal", () => {
  assert.equal(
    signatureOf("Jefe", "what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});

test("a request names its event, delivery, attempt, time and signature, each in one header", () => {
  const headers = signedHeaders({ current: "one-secret-of-ours", previous: null }, message);
  assert.deepEqual(
    { ...headers, "webhook-signature": "" },
    {
      "Content-Type": "application/json",
      "X-Service-Event": "payment_session.completed",
      "X-Service-Signature": signatureOf("one-secret-of-ours", message.body),
      "X-Service-Delivery": message.deliveryId,
      "X-Service-Attempt": "3",
      "X-Service-Timestamp": "1795262400",
      "webhook-id": message.eventId,
      "webhook-timestamp": "1795262400",
      "webhook-signature": "",
    },
  );
});

test("during a rotation the previous secret signs as well as the new one", () => {
  const headers = signedHeaders({ current: "new-secret", previous: "old-secret" }, message);
  assert.equal(headers["X-Service-Signature"], signatureOf("new-secret", message.body));
  assert.equal(headers["X-Service-Signature-Previous"], signatureOf("old-secret", message.body));
  assert.equal(headers["webhook-signature"]?.split(" ").length, 2);
});
