/** Another tenant's ids get the same response as unknown and malformed ones, byte for byte (contract: Not found). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  OPERATOR_KEY,
  startService,
  type Json,
  type Response,
  type Service,
} from "../../tests/support/service.ts";

const RANDOM = "0195f0a0-0000-7000-8000-000000000000";
const MALFORMED = [
  "x",
  "1",
  "%00",
  "%27",
  "null",
  RANDOM.slice(1),
  `urn:uuid:${RANDOM}`,
  `{${RANDOM}}`,
  "é",
  "a".repeat(250),
];

interface Owned {
  readonly key: string;
  readonly ids: Readonly<Record<string, string>>;
}

let service: Service;
let ours: Owned;
let theirs: Owned;

before(async () => {
  service = await startService();
  ours = await merchant();
  theirs = await merchant();
});
after(() => service.close());

async function merchant(): Promise<Owned> {
  const post = async (key: string, resource: string, body: unknown): Promise<Json> => {
    const response = await service.post(`management/${resource}/`, body, { key });
    assert.equal(response.status, 201, response.text);
    return response.body;
  };
  const key: string = (await post(OPERATOR_KEY, "tenants", { name: "T" }))["api_key"];
  const offer = (
    await post(key, "offers", { name: "O", price: "1", currency: "EUR", billing_type: "ONE_OFF" })
  )["id"];
  const gateway = (await post(key, "gateways", { name: "G", adapter: "sandbox" }))["id"];
  return {
    key,
    ids: {
      offers: offer,
      gateways: gateway,
      "hosted-pages": (await post(key, "hosted-pages", { name: "P" }))["id"],
      "webhook-profiles": (
        await post(key, "webhook-profiles", { name: "W", url: "https://shop.example.com/" })
      )["id"],
      campaigns: (await post(key, "campaigns", { name: "C", offer_id: offer, gateway_id: gateway }))["id"],
      "api-keys": (await post(key, "api-keys", { name: "K" }))["id"],
      "audit-log": (await service.get("management/audit-log/", { key })).body["results"][0]["id"],
    },
  };
}

const RESOURCES = ["offers", "gateways", "hosted-pages", "webhook-profiles", "campaigns", "api-keys"];
const CALLS: readonly (readonly [method: string, resource: string, act: string])[] = [
  ...RESOURCES.flatMap((resource) =>
    ["GET", "PATCH", "DELETE"].map((method) => [method, resource, ""] as const),
  ),
  ["GET", "audit-log", ""],
  ["POST", "api-keys", "rotate/"],
  ["POST", "api-keys", "revoke/"],
  ["POST", "webhook-profiles", "rotate-secret/"],
];

for (const [method, resource, act] of CALLS) {
  test(`${method} ${resource}/{id}/${act}: foreign, unknown and malformed ids get the same 404, and nothing changes`, async () => {
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    const call = (id: string) =>
      service.call(method, `management/${resource}/${id}/${act}`, body, { key: ours.key });
    const before = await stateOf(resource);
    for (const id of [theirs.ids[resource] ?? "", RANDOM, ...MALFORMED]) {
      const { status, text } = await call(encodeURI(id).replaceAll("%25", "%"));
      assert.deepEqual(
        [status, text],
        [404, '{"detail":"Not found.","code":"not_found","status_code":404}'],
        id,
      );
    }
    assert.deepEqual(await stateOf(resource), before);
  });
}

async function stateOf(resource: string): Promise<string> {
  return (await service.get(`management/${resource}/?page_size=1000`, { key: theirs.key })).text;
}

for (const resource of [...RESOURCES, "audit-log"]) {
  test(`${resource}: a list holds the tenant's own only`, async () => {
    // The log has no archived entries, and a list refuses unknown parameters.
    const archived = resource === "audit-log" ? "" : "archived=true&";
    const { body, text } = await service.get(`management/${resource}/?${archived}page_size=1000`, {
      key: ours.key,
    });
    assert.notEqual(body["results"].length, 0);
    for (const id of Object.values(theirs.ids)) assert.equal(text.includes(id), false);
  });
}

test("an id of another resource of the same tenant is unknown too", async () => {
  const { status } = await service.get(`management/offers/${ours.ids["gateways"]}/`, { key: ours.key });
  assert.equal(status, 404);
});

test("a missing key, a wrong one and one with a wrong prefix get the same 401", async () => {
  const calls: readonly Promise<Response>[] = [
    service.get("management/offers/"),
    service.get("management/offers/", { key: `rk_${"A".repeat(48)}` }),
    service.get("management/offers/", { headers: { authorization: ours.key } }),
    service.get("management/offers/", { headers: { authorization: `Token ${ours.key}` } }),
    service.get("management/offers/", { key: `ps_${"A".repeat(44)}` }),
  ];
  const answers = (await Promise.all(calls)).map(({ status, text }) => `${status} ${text}`);
  assert.equal(new Set(answers).size, 1);
  assert.match(answers[0] ?? "", /^401 /);
});
