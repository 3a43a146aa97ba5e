/** The merchants: what each has set up, and what its people know. */
import assert from "node:assert/strict";
import { EVENT_TYPES } from "../../src/webhooks/events.ts";
import { OPERATOR_KEY, type Json } from "../support/service.ts";
import type { World } from "./world.ts";

/** A webhook profile as its merchant has set it up. */
export interface Profile {
  readonly id: string;
  readonly wants: readonly string[];
  /** Everywhere that it has ever sent to in this run: deliveries that were under way may end at the old one. */
  readonly urls: string[];
  /** The most requests at once that it has ever allowed. */
  readonly inFlightMax: number;
}

export interface Shop {
  readonly name: string;
  readonly tenant: number;
  readonly tenantId: string;
  /** A gateway that tells of a payment when it is accepted, and one that tells when it is settled; at first. */
  readonly gateways: readonly string[];
  readonly profiles: readonly Profile[];
  readonly keyId: string;
  /** What its server calls with. */
  key: string;
  /** A rotation whose answer has not come: until it has, nobody rotates again. */
  rotating: boolean;
  /** How often it was rotated in this run: an answer of an earlier time, told again, has an earlier key. */
  rotations: number;
  /** When the old key ends for certain; Infinity while none was rotated. */
  keyEndsMs: number;
  /** A rotation was under way for so long that its Idempotency-Key was forgotten: it may have drawn two keys. */
  keyUnsure: boolean;
  /** What it has ever chosen in this run for subscriptions whose payment is charged back. */
  readonly afterChargeback: Set<string>;
  /** Forgets the run before. */
  begin(): void;
}

/** Where a profile sends at first, and where it may send later. */
export const urlOf = (shop: string, profile: string, number: number): string =>
  `http://127.0.0.1:9/${shop}/${profile}/${number}`;

/** Signs up two merchants; the credentials of each one's gateways begin with its name. */
export async function openShops(world: World): Promise<readonly Shop[]> {
  return [await openShop(world, "one"), await openShop(world, "two")];
}

async function openShop(world: World, name: string): Promise<Shop> {
  const [instance] = world.instances;
  assert.ok(instance !== undefined);
  const made = async (key: string, resource: string, body: object): Promise<Json> => {
    const answer = await world.call(instance, "POST", `management/${resource}/`, { key, body });
    assert.equal(answer?.status, 201, JSON.stringify(answer?.body));
    return answer?.body ?? {};
  };
  const { id, api_key: key } = await made(OPERATOR_KEY, "tenants", { name: `Shop ${name}`, country: "DE" });
  const gateway = async (completed_event_at: string): Promise<string> => {
    const common = { adapter: "model", test_mode: true, settings: { note: name } };
    const body = { ...common, name: "Bank", completed_event_at, credentials: { token: `${name}:1` } };
    return (await made(key, "gateways", body))["id"];
  };
  const gateways = [await gateway("acceptance"), await gateway("settlement")];
  const profile = async (called: string, inFlightMax: number, wants: readonly string[]) => {
    const url = urlOf(name, called, 1);
    const fields = { payload_fields: { id: "event_id", reference: "merchant_transaction_id" } };
    const { id: profileId } = await made(key, "webhook-profiles", {
      name: called,
      url,
      events: wants,
      max_in_flight: inFlightMax,
      ...fields,
    });
    return { id: profileId as string, wants, urls: [url], inFlightMax };
  };
  const profiles = [
    await profile("all", 3, EVENT_TYPES),
    await profile("paid", 1, ["payment_session.completed"]),
  ];
  const [row] = await world.rows(
    "select t.tenant, k.id as key_id from tenants t join api_keys k on k.tenant = t.tenant where t.id = $1",
    [id],
  );
  const shop: Shop = {
    name,
    tenant: row?.["tenant"],
    tenantId: id,
    gateways,
    profiles,
    keyId: row?.["key_id"],
    key,
    rotating: false,
    rotations: 0,
    keyEndsMs: Infinity,
    keyUnsure: false,
    afterChargeback: new Set(["cancel"]),
    begin() {
      Object.assign(shop, { key, rotating: false, rotations: 0, keyEndsMs: Infinity, keyUnsure: false });
      shop.afterChargeback.clear();
      for (const { urls } of profiles) urls.splice(1);
    },
  };
  return shop;
}
