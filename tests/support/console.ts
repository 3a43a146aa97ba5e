/** What tests of the console's pages share: a payment to look at, and what a page says. */
import assert from "node:assert/strict";
import { IBAN, lead } from "./merchant.ts";
import type { Json, Response, Service } from "./service.ts";

/** An id that nobody has. */
export const UNKNOWN = "018f0000-0000-7000-8000-000000000000";

/**
 * Pays a session of a new customer; the answer's body.
 * @param changes of the session: without any, the first payment of a monthly subscription.
 */
export async function paidAt(
  service: Service,
  key: string,
  gateway: string,
  changes: Readonly<Record<string, unknown>> = {},
  iban: string = IBAN.approved,
): Promise<Json> {
  const session = {
    lead: lead(),
    gateway_id: gateway,
    amount: "19.90",
    currency: "EUR",
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    ...changes,
  };
  const { body } = await service.post("payment-sessions/", session, { key });
  const paid = await service.post(
    `payment-sessions/${body["session_token"]}/pay/`,
    { iban, iban_holder_name: "Ada Example", mandate_acceptance: { accepted: true } },
    { key },
  );
  assert.ok(paid.body["transaction"], paid.text);
  return paid.body;
}

/** What a page says, without its markup. */
export function wordsOf({ text }: Response): string {
  return text
    .replace(/<[^>]+>/g, " ")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, " ");
}
