/** A merchant who can collect, created through the management API. */
import assert from "node:assert/strict";
import { OPERATOR_KEY, type CallOptions, type Json, type Response, type Service } from "./service.ts";

/** The documented test IBANs (docs/api.md, The sandbox), by their outcome in the sandbox. */
export const IBAN = {
  approved: "DE89370400440532013000",
  approvedDutch: "NL91ABNA0417164300",
  declined: "DE62370400440532013001",
  chargedBack: "DE35370400440532013002",
  pending: "DE08370400440532013003",
  returned: "DE78370400440532013004",
  verification: "DE13370400440532013010",
  verificationFails: "DE83370400440532013011",
  insufficientFunds: "DE34370400440532013020",
  unreachable: "DE93370400440532013025",
  unknownCode: "DE66370400440532013026",
  answerLost: "DE55370400440532013030",
  notCharged: "DE28370400440532013031",
  slow: "DE98370400440532013032",
  renewalFailsFirst: "DE76370400440532013040",
} as const;

export interface Merchant {
  readonly tenantId: string;
  readonly key: string;
  readonly gatewayId: string;
  readonly offerId: string;
  readonly campaignId: string;
  readonly hostedPageId: string;
  /** Creates a direct session with the given changes. @returns the response. */
  create(changes?: Json | Record<string, unknown>): Promise<Response>;
  /** A new direct session's token. */
  session(changes?: Record<string, unknown>): Promise<string>;
  pay(token: string, iban: string, more?: Record<string, unknown>, options?: CallOptions): Promise<Response>;
  verify(token: string, body?: unknown, options?: CallOptions): Promise<Response>;
  cancel(token: string): Promise<Response>;
  retrieve(token: string): Promise<Response>;
}

/** Of the 50 that a key has per second the others are for the test's own calls. */
const USES_PER_KEY = 25;
let people = 0;

/** A lead that no other session has. */
export function lead(changes: Record<string, unknown> = {}): Record<string, unknown> {
  people += 1;
  return {
    first_name: "Ada",
    last_name: "Example",
    email: `ada${people}@example.com`,
    country: "DE",
    ...changes,
  };
}

/** Creates a record through the management API. Fails unless it is accepted. */
export async function createRecord(
  service: Service,
  key: string,
  resource: string,
  body: unknown,
): Promise<Json> {
  const response = await service.post(`management/${resource}/`, body, { key });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** Creates a sandbox gateway. @returns its id. */
export async function createSandbox(service: Service, key: string, changes: object = {}): Promise<string> {
  const fields = { name: "Sandbox", adapter: "sandbox", test_mode: true, ...changes };
  return (await createRecord(service, key, "gateways", fields))["id"];
}

/** The first API key of a new tenant. */
export async function createTenantKey(service: Service): Promise<string> {
  return (await createRecord(service, OPERATOR_KEY, "tenants", { name: "Shop" }))["api_key"];
}

/** The same merchant with a key that may read whole IBANs, which only the operator can issue. */
export async function withWholeIbans(service: Service, merchant: Merchant): Promise<Merchant> {
  const made = await createRecord(service, OPERATOR_KEY, `tenants/${merchant.tenantId}/api-keys`, {
    name: "Export",
    scopes: ["management", "whole_ibans"],
  });
  return { ...merchant, key: made["api_key"] };
}

export async function createMerchant(
  service: Service,
  gateway: Record<string, unknown> = {},
): Promise<Merchant> {
  const made = (as: string, resource: string, body: unknown) => createRecord(service, as, resource, body);
  const tenant = await made(OPERATOR_KEY, "tenants", { name: "Shop", country: "DE" });
  const key: string = tenant["api_key"];
  const gatewayId = await createSandbox(service, key, gateway);
  const { id: offerId } = await made(key, "offers", {
    name: "Plan",
    price: "19.90",
    currency: "EUR",
    billing_type: "ONE_OFF",
  });
  const { id: hostedPageId } = await made(key, "hosted-pages", { name: "Page" });
  const { id: campaignId } = await made(key, "campaigns", {
    name: "Campaign",
    offer_id: offerId,
    gateway_id: gatewayId,
  });

  // A further key in time, because the limit is 50 per second and key, and a manual clock's second does not end.
  const keys = [Promise.resolve(key)];
  let uses = 0;
  const nextKey = (): Promise<string> => {
    const at = Math.floor(uses / USES_PER_KEY);
    uses += 1;
    return (keys[at] ??= made(key, "api-keys", { name: "Test" }).then((more) => more["api_key"]));
  };
  const create = async (changes: Record<string, unknown> = {}) =>
    service.post(
      "payment-sessions/",
      {
        lead: lead(),
        gateway_id: gatewayId,
        amount: "19.90",
        currency: "EUR",
        billing_type: "ONE_OFF",
        ...changes,
      },
      { key: await nextKey() },
    );
  return {
    tenantId: tenant["id"],
    key,
    gatewayId,
    offerId,
    campaignId,
    hostedPageId,
    create,
    async session(changes) {
      let response = await create(changes);
      while (response.status === 429) response = await create(changes);
      assert.equal(response.status, 201, response.text);
      return response.body["session_token"];
    },
    pay: (token, iban, more = {}, options) =>
      service.post(
        `payment-sessions/${token}/pay/`,
        { iban, iban_holder_name: "Ada Example", ...more },
        options,
      ),
    verify: (token, body, options) => service.post(`payment-sessions/${token}/verify/`, body, options),
    cancel: async (token) =>
      service.post(`payment-sessions/${token}/cancel/`, undefined, { key: await nextKey() }),
    retrieve: (token) => service.get(`payment-sessions/${token}/`),
  };
}
