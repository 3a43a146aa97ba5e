/**
 * Another tenant's ids and tokens get byte for byte the same response as unknown ones, in every id field of every
 * endpoint.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createIntegration } from "./support/integrations.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Response, type Service } from "./support/service.ts";
import { sized } from "./support/sized.ts";

let service: Service;
let mine: Merchant;
let theirs: Merchant;
let foreign: Readonly<Record<string, string>>;
/** An approved payment of the other tenant. */
let foreignTransaction: string;
let foreignActivity: string;

const UNKNOWN = "018f0000-0000-7000-8000-000000000000";

before(async () => {
  service = await startService();
  mine = await createMerchant(service);
  theirs = await createMerchant(service);
  const profile = await service.post(
    "management/webhook-profiles/",
    { name: "P", url: "https://example.com/" },
    { key: theirs.key },
  );
  const [apiKey] = (await service.get("management/api-keys/", { key: theirs.key })).body["results"];
  const link = await service.post(
    "management/payment-links/",
    { name: "L", gateway_id: theirs.gatewayId, amount: "1.00" },
    { key: theirs.key },
  );
  await theirs.session();
  const [session] = (await service.get("management/payment-sessions/", { key: theirs.key })).body["results"];
  const partner = await createIntegration(service, theirs.key);
  foreignActivity = await partner.accepted({ request_uuid: "theirs" });
  const [entry] = (await service.get("management/audit-log/", { key: theirs.key })).body["results"];
  const pay = async () => (await theirs.pay(await theirs.session(), IBAN.approved)).body["transaction"].id;
  foreignTransaction = await pay();
  const chargeback = await service.post(
    "management/chargebacks/",
    { transaction_id: await pay() },
    { key: theirs.key },
  );
  const [mandate] = (await service.get("management/mandates/?status=active", { key: theirs.key })).body[
    "results"
  ];
  const [event] = (await service.get("management/events/", { key: theirs.key })).body["results"];
  const log = service.app.jobs.find(({ name }) => name === "write-requests");
  await log?.runOnce(log.batch);
  const [request] = (await service.get("management/requests/", { key: theirs.key })).body["results"];
  foreign = {
    mandates: mandate.id,
    chargebacks: chargeback.body["id"],
    "api-keys": apiKey.id,
    gateways: theirs.gatewayId,
    offers: theirs.offerId,
    campaigns: theirs.campaignId,
    "hosted-pages": theirs.hostedPageId,
    "webhook-profiles": profile.body["id"],
    "payment-links": link.body["id"],
    "payment-sessions": session.id,
    "audit-log": entry.id,
    integrations: partner.id,
    events: event.id,
    requests: request.id,
    transactions: foreignTransaction,
    customers: (await service.get("management/customers/", { key: theirs.key })).body["results"][0].id,
  };
});
after(() => service.close());

/** Asserts the same status, body and relevant headers. */
function assertSame(one: Response, other: Response, what: string): void {
  assert.deepEqual([one.status, one.text], [other.status, other.text], what);
  assert.ok(one.status === 404 || one.status === 400, `${what}: ${one.status}`);
}

test("management: a foreign id gets the response of an unknown one for reads, changes, archiving and actions", async () => {
  for (const [resource, id] of Object.entries(foreign)) {
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const send = (of: string) =>
        service.call(
          method,
          `management/${resource}/${of}/`,
          method === "PATCH" ? { name: "x" } : undefined,
          { key: mine.key },
        );
      const [a, b] = [await send(id), await send(UNKNOWN)];
      if (a.status === 405) assert.equal(b.status, 405);
      else assertSame(a, b, `${method} ${resource}`);
    }
  }
  for (const action of [
    "api-keys/ID/rotate",
    "api-keys/ID/revoke",
    "webhook-profiles/ID/rotate-secret",
    "integrations/ID/rotate-token",
    "mandates/ID/cancel",
  ]) {
    const send = (of: string) =>
      service.post(`management/${action.replace("ID", of)}/`, {}, { key: mine.key });
    assertSame(await send(foreign[action.split("/")[0] ?? ""] ?? ""), await send(UNKNOWN), action);
  }
});

test("amending a foreign mandate gets the response of an unknown one, and filtering by its lead finds nothing", async () => {
  const { mandates: id = "" } = foreign;
  const amend = (of: string) =>
    service.post(`management/mandates/${of}/amend/`, { holder_name: "X" }, { key: mine.key });
  assertSame(await amend(id), await amend(UNKNOWN), "amend");
  const { body } = await service.get(`management/mandates/${id}/`, { key: theirs.key });
  const list = (query: string) => service.get(`management/mandates/${query}`, { key: mine.key });
  for (const query of [`?lead_id=${body["lead"].id}`, `?reference=${body["reference"]}`]) {
    assert.deepEqual((await list(query)).body["results"], [], query);
  }
});

test("a link to a foreign customer's account is refused like an unknown one", async () => {
  const make = (id: string) =>
    service.post(`management/customers/${id}/account-link/`, {}, { key: mine.key });
  assertSame(await make(foreign["customers"] ?? ""), await make(UNKNOWN), "account link");
});

test("refunding, listing refunds of and charging back a foreign transaction get the response of an unknown one", async () => {
  const calls = [
    (id: string) => service.post(`management/transactions/${id}/refunds/`, {}, { key: mine.key }),
    (id: string) => service.get(`management/transactions/${id}/refunds/`, { key: mine.key }),
    (id: string) => service.post("management/chargebacks/", { transaction_id: id }, { key: mine.key }),
  ];
  for (const call of calls) assertSame(await call(foreignTransaction), await call(UNKNOWN), call.toString());
});

test("a note on a foreign transaction is refused like on an unknown one, and is not in its timeline", async () => {
  const note = (id: string) =>
    service.post(`management/transactions/${id}/notes/`, { text: "Mine" }, { key: mine.key });
  assertSame(await note(foreignTransaction), await note(UNKNOWN), "note");
  const { text } = await service.get(`management/transactions/${foreignTransaction}/`, { key: theirs.key });
  assert.ok(!text.includes("Mine"));
});

test("a foreign integration's activities, and a foreign activity at an own integration, get the response of unknown ones", async () => {
  const own = await createIntegration(service, mine.key);
  const theirIntegration = foreign["integrations"];
  const read = (path: string) => service.get(`management/integrations/${path}`, { key: mine.key });
  const replay = (path: string) =>
    service.post(`management/integrations/${path}replay/`, undefined, { key: mine.key });
  const unknown = `${UNKNOWN}/activities/${UNKNOWN}/`;
  assertSame(await read(`${theirIntegration}/activities/`), await read(`${UNKNOWN}/activities/`), "list");
  for (const path of [theirIntegration, own.id].map((id) => `${id}/activities/${foreignActivity}/`)) {
    assertSame(await read(path), await read(unknown), "read");
    assertSame(await replay(path), await replay(unknown), "replay");
  }
  assert.deepEqual(await own.activities("?request_uuid=theirs"), []);
});

test("a token of one tenant with the number of another is unknown", async () => {
  const [own, other] = [await createIntegration(service, mine.key), foreign["integrations"]];
  const token = own.path.split("/")[3] ?? "";
  const bytes = Buffer.from(token.slice(3), "base64url");
  const [row] = await service.rows("select tenant from integrations where id = $1", [other]);
  bytes.writeUInt32BE(row?.["tenant"]);
  const send = (text: string) => service.post(`/webhooks/integrations/${text}/`, {});
  assertSame(await send(`pb_${bytes.toString("base64url")}`), await send("pb_x"), "token");
});

test("create: a foreign id in any id field gets the response of an unknown one", async () => {
  for (const [field, id] of [
    ["campaign_id", theirs.campaignId],
    ["gateway_id", theirs.gatewayId],
    ["hosted_page_id", theirs.hostedPageId],
    ["webhook_profile_id", foreign["webhook-profiles"]],
  ] as const) {
    assertSame(await mine.create({ [field]: id }), await mine.create({ [field]: UNKNOWN }), field);
  }
  const override = (id: string | undefined) =>
    service.post(
      "payment-sessions/",
      { lead: lead(), campaign_id: mine.campaignId, gateway_id: id },
      { key: mine.key },
    );
  assertSame(await override(theirs.gatewayId), await override(UNKNOWN), "campaign's gateway override");
});

test("management: a foreign id inside a record gets the response of an unknown one", async () => {
  for (const [field, id] of [
    ["offer_id", theirs.offerId],
    ["gateway_id", theirs.gatewayId],
    ["hosted_page_id", theirs.hostedPageId],
    ["webhook_profile_id", foreign["webhook-profiles"]],
  ] as const) {
    const body = (value: string | undefined) => ({
      name: "C",
      offer_id: mine.offerId,
      gateway_id: mine.gatewayId,
      [field]: value,
    });
    const send = (value: string | undefined) =>
      service.post("management/campaigns/", body(value), { key: mine.key });
    assertSame(await send(id), await send(UNKNOWN), field);
  }
});

test("management: a foreign id inside a payment link, and a foreign link's QR code, get the response of unknown ones", async () => {
  for (const [field, id] of [
    ["campaign_id", theirs.campaignId],
    ["gateway_id", theirs.gatewayId],
    ["hosted_page_id", theirs.hostedPageId],
    ["webhook_profile_id", foreign["webhook-profiles"]],
  ] as const) {
    const send = (value: string | undefined) => {
      const body = { name: "L", amount: "1.00", gateway_id: mine.gatewayId, [field]: value };
      return service.post("management/payment-links/", body, { key: mine.key });
    };
    assertSame(await send(id), await send(UNKNOWN), field);
  }
  const { "payment-links": link = "" } = foreign;
  const read = (id: string) => service.get(`management/payment-links/${id}/qr-code/`, { key: mine.key });
  assertSame(await read(link), await read(UNKNOWN), "qr code");
});

test("cancel with another tenant's key gets the response of an unknown token", async () => {
  const token = await theirs.session();
  const send = (of: string) => service.post(`payment-sessions/${of}/cancel/`, undefined, { key: mine.key });
  assertSame(await send(token), await send(`ps_${"A".repeat(44)}`), "cancel");
  assert.equal((await theirs.retrieve(token)).body["status"], "PENDING");
});

test("lists and filters show no record of another tenant", async () => {
  for (const resource of Object.keys(foreign)) {
    const { text } = await service.get(`management/${resource}/`, { key: mine.key });
    for (const id of [...Object.values(foreign), theirs.tenantId])
      assert.ok(!text.includes(id), `${resource} shows ${id}`);
  }
});

test("a cursor of another tenant is refused", async () => {
  await theirs.session();
  const first = await service.get("management/payment-sessions/?page_size=1", { key: theirs.key });
  const next = new URL(first.body["next"]);
  const response = await service.get(`management/payment-sessions/${next.search}`, { key: mine.key });
  assert.equal(response.status, 400);
  assert.ok(Array.isArray(response.body["cursor"]));
});

test("in interleaved requests each of two tenants sees only its own records", async () => {
  const tokens = { mine: await mine.session(), theirs: await theirs.session() };
  const answers = await Promise.all(
    Array.from({ length: sized(300, 1_000) }, (_, index) => {
      const token = index % 2 === 0 ? tokens.mine : tokens.theirs;
      return service.get(`payment-sessions/${token}/`).then(({ body }) => body["session_token"] === token);
    }),
  );
  assert.ok(answers.every(Boolean));
});
