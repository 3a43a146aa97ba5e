/** The rules of a gateway record (contract: Live mode). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey, lead } from "../../../tests/support/merchant.ts";
import { openPage, pathOf, referenceOf, sendForm } from "../../../tests/support/page.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../../tests/support/service.ts";
import type { Adapter, AdapterParts } from "../gateway.ts";
import { sandboxAdapter } from "../sandbox/sandbox.ts";

const GATEWAY = { name: "Sandbox", adapter: "sandbox" };

let service: Service;
let key: string;

before(async () => {
  service = await startService();
  key = await createTenantKey(service);
});
after(() => service.close());

function created(resource: string, body: unknown, as = key): Promise<Json> {
  return createRecord(service, as, resource, body);
}

/** A tenant in production, where the adapter `remote` collects real money. */
async function startLive() {
  const sandbox = sandboxAdapter({} as AdapterParts);
  const remote: Adapter = {
    ...sandbox,
    name: "remote",
    capabilities: { ...sandbox.capabilities, testModeOnly: false },
  };
  const live = await startService({ config: { environment: "production" }, adapters: [remote] });
  const tenant = await live.post("management/tenants/", { name: "T" }, { key: OPERATOR_KEY });
  const as = { key: tenant.body["api_key"] };
  const nameCreditor = (creditor_identifier: string | null) =>
    live.call("PATCH", "management/tenant/", { creditor_identifier }, as);
  return { live, as, nameCreditor };
}

test("production takes the sandbox in test mode only", async () => {
  const live = await startService({ config: { environment: "production" } });
  try {
    const tenant = await live.post("management/tenants/", { name: "T" }, { key: OPERATOR_KEY });
    const as = { key: tenant.body["api_key"] };
    const refused = await live.post("management/gateways/", GATEWAY, as);
    assert.deepEqual(refused.body, { test_mode: ["This adapter runs in test mode only."], status_code: 400 });
    assert.equal((await live.post("management/gateways/", { ...GATEWAY, test_mode: true }, as)).status, 201);
  } finally {
    await live.close();
  }
});

test("a live account without a creditor identifier is refused at setup, and collects nothing once its identifier is removed", async () => {
  const { live, as, nameCreditor } = await startLive();
  try {
    const account = { name: "Live", adapter: "remote" };
    const refused = await live.post("management/gateways/", account, as);
    assert.match(refused.body["test_mode"][0], /needs a creditor identifier/);
    await nameCreditor("DE98ZZZ09999999999");
    const made = await live.post("management/gateways/", account, as);
    assert.equal(made.status, 201, made.text);
    const session = () =>
      live.post(
        "payment-sessions/",
        {
          gateway_id: made.body["id"],
          amount: "1.00",
          currency: "EUR",
          billing_type: "ONE_OFF",
          lead: lead(),
        },
        as,
      );
    const open = await session();
    assert.equal(open.status, 201);
    const token = open.body["session_token"];
    const form = await openPage(live, pathOf(token));
    assert.equal(form.state, "form");
    await nameCreditor(null);
    const debtor = { iban: "DE75512108001245126199", iban_holder_name: "Ada Example" };
    const late = await live.post(`payment-sessions/${token}/pay/`, debtor, as);
    assert.deepEqual([late.status, late.body["code"]], [409, "creditor_unidentified"]);
    const sent = await sendForm(live, token, { iban: debtor.iban, reference: referenceOf(form) });
    assert.equal(sent.status, 303);
    const closed = await openPage(live, pathOf(token));
    assert.deepEqual([closed.status, closed.state], [410, "closed"]);
    assert.deepEqual(await live.rows("select 1 from transactions"), []);
    await nameCreditor("DE98ZZZ09999999999");
    assert.equal((await openPage(live, pathOf(token))).state, "form", "it collects again");
    await nameCreditor(null);
    const stopped = await session();
    assert.equal(stopped.status, 400);
    assert.match(stopped.body["gateway_id"][0], /needs a creditor identifier/);
    await live.rows(
      `update gateways set settings = settings || '{"creditor_identifier": "DE98ZZZ09999999999"}'`,
    );
    const paid = await live.post(`payment-sessions/${token}/pay/`, debtor, as);
    assert.equal(paid.status, 200, "the account's own identifier is enough");
  } finally {
    await live.close();
  }
});

for (const whose of ["gateway", "tenant"] as const) {
  test(`a refused payment is not blamed on the creditor identifier where only the ${whose} has one`, async () => {
    const { live, as, nameCreditor } = await startLive();
    try {
      await nameCreditor("DE98ZZZ09999999999");
      const account = await live.post("management/gateways/", { name: "Live", adapter: "remote" }, as);
      if (whose === "gateway") {
        await live.rows(
          `update gateways set settings = settings || '{"creditor_identifier": "DE98ZZZ09999999999"}'`,
        );
        await nameCreditor(null);
      }
      const terms = {
        gateway_id: account.body["id"],
        amount: "1.00",
        currency: "EUR",
        billing_type: "ONE_OFF",
      };
      const tokens: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const { body, text } = await live.post("payment-sessions/", { ...terms, lead: lead() }, as);
        assert.ok(body["session_token"], text);
        tokens.push(body["session_token"]);
      }
      const pay = (token: string | undefined) =>
        live.post(
          `payment-sessions/${token}/pay/`,
          { iban: "DE75512108001245126199", iban_holder_name: "Ada Example" },
          as,
        );
      assert.equal((await pay(tokens[0])).status, 200);
      await live.rows("update mandates set account_blocked_at = now()");
      const blocked = await pay(tokens[1]);
      assert.equal(blocked.body["error_details"]?.code, "do_not_honor", blocked.text);
      await live.rows("update gateways set settings = settings - 'creditor_identifier'");
      await nameCreditor(null);
      const none = await pay(tokens[2]);
      assert.deepEqual([none.status, none.body["code"]], [409, "creditor_unidentified"], none.text);
    } finally {
      await live.close();
    }
  });
}

test("the completed event defaults to settlement where real debits can fail for days, and to acceptance at the sandbox", async () => {
  const bank = {
    name: "Bank",
    adapter: "sepa_batch",
    settings: {
      creditor_name: "Shop",
      creditor_iban: "DE89370400440532013000",
      creditor_identifier: "DE98ZZZ09999999999",
    },
  };
  for (const [body, expected] of [
    [bank, "settlement"],
    [GATEWAY, "acceptance"],
    [{ ...bank, completed_event_at: "acceptance" }, "acceptance"],
    [{ ...GATEWAY, completed_event_at: "settlement" }, "settlement"],
  ] as const) {
    const record = await created("gateways", body);
    assert.equal(record["completed_event_at"], expected);
    const path = `management/gateways/${record["id"]}/`;
    const changed = await service.call("PATCH", path, { descriptor: "SHOP" }, { key });
    assert.equal(changed.body["completed_event_at"], expected);
  }
});

test("the adapter of a record cannot be changed, and in staging nor can its test mode", async () => {
  const { id } = await created("gateways", GATEWAY);
  const refused = await service.call(
    "PATCH",
    `management/gateways/${id}/`,
    { adapter: "other", test_mode: false },
    { key },
  );
  assert.deepEqual(Object.keys(refused.body), ["adapter", "test_mode", "status_code"]);
});

test("gateway-adapters lists the adapters with their schemas and capabilities", async () => {
  const { status, body } = await service.get("management/gateway-adapters/", { key });
  assert.equal(status, 200);
  const sandbox = body["results"].find((adapter: Json) => adapter["name"] === "sandbox");
  assert.equal(sandbox.settings_schema.type, "object");
  assert.deepEqual([sandbox.capabilities.currencies, sandbox.capabilities.test_mode_only], [["EUR"], true]);
});

const SFTP = {
  kind: "sftp",
  host: "sftp.bank.example",
  username: "shop",
  host_key: `SHA256:${"A".repeat(43)}`,
};
const BANK = {
  name: "House bank",
  adapter: "sepa_batch",
  settings: {
    creditor_name: "Shop",
    creditor_iban: "DE89370400440532013000",
    creditor_identifier: "DE98ZZZ09999999999",
    transport: SFTP,
  },
  credentials: { password: "hunter22" },
};
const patchBank = (id: string, transport: object, more: object = {}) =>
  service.call(
    "PATCH",
    `management/gateways/${id}/`,
    { settings: { ...BANK.settings, transport }, ...more },
    { key },
  );

test("a stored SFTP password is never sent to another server: with a new server it has to be given again", async () => {
  const { id } = await created("gateways", BANK);
  const elsewhere = [
    { ...SFTP, host: "sftp.attacker.example" },
    { ...SFTP, port: 2222 },
    { ...SFTP, username: "root" },
    { ...SFTP, host_key: `SHA256:${"B".repeat(43)}` },
  ];
  for (const transport of elsewhere) {
    const refused = await patchBank(id, transport);
    assert.equal(refused.status, 400, JSON.stringify(transport));
    assert.deepEqual(Object.keys(refused.body), ["credentials", "status_code"]);
  }
  // Nor in two steps: away from SFTP, and back to another server.
  assert.equal((await patchBank(id, { kind: "manual" })).status, 200);
  assert.equal((await patchBank(id, { ...SFTP, host: "sftp.attacker.example" })).status, 400);
  // The server may be changed together with the credentials, or if there are none; folders may be changed at any time.
  const fresh = { credentials: { password: "correct horse" } };
  assert.equal((await patchBank(id, { ...SFTP, host: "sftp2.bank.example" }, fresh)).status, 200);
  assert.equal((await patchBank(id, { ...SFTP, host: "sftp2.bank.example", inbox: "in" })).status, 200);
  assert.equal((await patchBank(id, SFTP, { credentials: null })).status, 200);
  assert.equal((await patchBank(id, { ...SFTP, port: 2222 })).status, 200);
});
