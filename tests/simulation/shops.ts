/** The merchants: what each has configured, and what its people know. */
import assert from "node:assert/strict";
import { EVENT_TYPES } from "../../src/webhooks/events.ts";
import { OPERATOR_KEY, type Json } from "../support/service.ts";
import type { World } from "./world.ts";

/** A webhook profile as its merchant has configured it. */
export interface Profile {
  readonly id: string;
  readonly wants: readonly string[];
  /** All addresses that it has had in this run; a running delivery may still go to an earlier one. */
  readonly urls: string[];
  /** The highest limit of concurrent requests that it has had. */
  readonly inFlightMax: number;
}

export interface Shop {
  readonly name: string;
  readonly tenant: number;
  readonly tenantId: string;
  /**
   * A gateway that reports a payment when it is accepted, and one that reports it when it has settled, as configured at
   * first.
   */
  readonly gateways: readonly string[];
  readonly profiles: readonly Profile[];
  readonly keyId: string;
  /** The API key of its server. */
  key: string;
  /** A rotation of the key is running. There is no other rotation before its response. */
  rotating: boolean;
  /** The number of rotations in this run. A response of an earlier rotation, received late, has an earlier key. */
  rotations: number;
  /** From when on the old key is certainly invalid; Infinity before the first rotation. */
  keyEndsMs: number;
  /** A rotation was running for so long that its Idempotency-Key was forgotten, so it may have made two keys. */
  keyUnsure: boolean;
  /** All settings that it has had in this run for subscriptions whose payment is charged back. */
  readonly afterChargeback: Set<string>;
  /** Forgets the previous run. */
  begin(): void;
}

/** The address of a profile, at first and after changes. */
export const urlOf = (shop: string, profile: string, number: number): string =>
  `http://127.0.0.1:9/${shop}/${profile}/${number}`;

/** Registers two merchants. The credentials of a gateway begin with its merchant's name. */
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
