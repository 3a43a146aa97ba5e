/** Buys subscriptions through the API, and changes the account's behaviour at the bank. */
import assert from "node:assert/strict";
import type { Merchant } from "./merchant.ts";
import { IBAN } from "./merchant.ts";
import type { Json, Service } from "./service.ts";

/** Buys a subscription. @returns its id. */
export async function subscribe(
  merchant: Merchant,
  changes: Record<string, unknown> = {},
  iban: string = IBAN.approved,
): Promise<string> {
  const token = await merchant.session({
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    amount: "29.90",
    ...changes,
  });
  const paid = await merchant.pay(token, iban);
  assert.equal(paid.body["status"], "completed", paid.text);
  return paid.body["subscription"].id;
}

/** From now on the bank treats the subscription's account like this one. */
export async function switchAccount(service: Service, subscriptionId: string, iban: string): Promise<void> {
  const [row] = await service.rows(
    "select m.tenant, m.id from mandates m join subscriptions u on u.tenant = m.tenant and u.mandate_id = m.id where u.id = $1",
    [subscriptionId],
  );
  const { keys } = service.app.deps;
  const sealed = keys.seal(row?.["tenant"], `mandates.iban:${row?.["id"]}`, iban);
  await service.rows("update mandates set iban_sealed = $2 where id = $1", [row?.["id"], sealed]);
}

export async function readSubscription(service: Service, merchant: Merchant, id: string): Promise<Json> {
  const { status, body, text } = await service.get(`management/subscriptions/${id}/`, { key: merchant.key });
  assert.equal(status, 200, text);
  return body;
}

/** The status of each cycle, oldest first, such as `1:paid`. */
export function cyclesOf(subscription: Json): readonly string[] {
  const cycles: readonly Json[] = subscription["cycles"];
  return cycles.map(({ cycle, status }) => `${cycle}:${status}`).toReversed();
}
