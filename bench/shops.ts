/** The merchants of a benchmark, each with a gateway, a webhook profile and enough keys. */
import { must } from "../src/lib/assert.ts";
import type { Shop } from "./load.ts";

/**
 * For all shops together, each with 50 calls per second: 30,000 in total, because 200 keys were too few for the IBANs
 * that two cores validate.
 */
const KEYS = 600;
const AT_A_TIME = 8;

export interface Management {
  readonly port: number;
  readonly operatorKey: string;
  /** Where all webhooks go. */
  readonly receiverUrl: string;
}

/** So many merchants. */
export async function openShops(management: Management, count: number): Promise<readonly Shop[]> {
  const keys = Math.max(1, Math.ceil(KEYS / count));
  const shops: Shop[] = [];
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      shops.push(await openShop(management, keys));
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, AT_A_TIME) }, worker));
  return shops;
}

async function openShop({ port, operatorKey, receiverUrl }: Management, keyCount: number): Promise<Shop> {
  const made = await manage(port, "POST", "tenants/", operatorKey, { name: "Bench" });
  return equipShop(port, receiverUrl, must(made["api_key"], "an API key"), keyCount);
}

/** Gives the tenant of an API key the records of a shop. */
export async function equipShop(
  port: number,
  receiverUrl: string,
  key: string,
  keyCount: number = KEYS,
): Promise<Shop> {
  const make = (resource: string, maker: string, body: object) =>
    manage(port, "POST", `${resource}/`, maker, { name: "Bench", ...body });
  const gateway = await make("gateways", key, { adapter: "sandbox", test_mode: true });
  const profile = await make("webhook-profiles", key, { url: receiverUrl });
  const { postback_url: postbackUrl = "" } = await make("integrations", key, {});
  const keys = [key];
  while (keys.length < keyCount) keys.push(must((await make("api-keys", key, {}))["api_key"], "an API key"));
  return {
    keys,
    gatewayId: must(gateway["id"], "the gateway"),
    profileId: must(profile["id"], "the profile"),
    postbackPath: new URL(postbackUrl).pathname,
  };
}

/** Whether the webhooks of the shops are sent, or wait. */
export async function sendWebhooks(port: number, shops: readonly Shop[], active: boolean): Promise<void> {
  for (const { keys, profileId } of shops)
    await manage(port, "PATCH", `webhook-profiles/${profileId}/`, keys[0] ?? "", { active });
}

async function manage(
  port: number,
  method: "POST" | "PATCH",
  path: string,
  key: string,
  body: object,
): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/management/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}
