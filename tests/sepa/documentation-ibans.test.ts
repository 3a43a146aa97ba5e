/** IBANs that stand in every documentation: fine where no money moves, refused where it does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bankMerchant } from "../support/sepa-bank.ts";
import { createRecord, lead } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const DOCUMENTED = "DE89370400440532013000";
const ACCOUNT = "DE75512108001245126199";

test("a live account neither has nor debits one; a test account does both", async () => {
  const service = await startService({ config: { environment: "production" } });
  try {
    const merchant = await bankMerchant(service);
    const bank = {
      creditor_name: "Shop",
      creditor_identifier: "DE98ZZZ09999999999",
      pre_notification_days: 0,
    };
    const gateway = (creditor_iban: string) => ({
      name: "Live",
      adapter: "sepa_batch",
      test_mode: false,
      settings: { ...bank, creditor_iban },
    });
    const as = { key: merchant.key };
    const refused = await service.post("management/gateways/", gateway("de89 3704 0044 0532 0130 00"), as);
    assert.equal(refused.status, 400, refused.text);
    assert.match(JSON.stringify(refused.body), /example from documentation/);
    const live = await createRecord(service, merchant.key, "gateways", gateway(ACCOUNT));
    const pay = async (gatewayId: string, iban: string) => {
      const token = await merchant.session({ gateway_id: gatewayId, lead: lead() });
      return (await merchant.pay(token, iban)).body;
    };
    const answer = await pay(live["id"], DOCUMENTED);
    assert.deepEqual(
      [answer["status"], answer["error_details"]["code"], answer["transaction"]],
      ["declined", "invalid_iban", null],
    );
    assert.match(answer["error"], /example from documentation/);
    assert.equal((await pay(live["id"], ACCOUNT))["status"], "completed");
    assert.equal((await pay(merchant.accountId, DOCUMENTED))["status"], "completed");
  } finally {
    await service.close();
  }
});
