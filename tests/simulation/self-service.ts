/** Actions of customers who follow a link: pay failed payments, change the account, cancel the subscription. */
import { must } from "../../src/lib/assert.ts";
import { accountUrl } from "../../src/payment-page/account/link.ts";
import { activeMandateOf } from "../../src/payment-page/account/store.ts";
import { textOnForm } from "../../src/payment-page/mandate-text.ts";
import { failedPaymentUrl } from "../../src/subscriptions/failed/token.ts";
import { IBAN } from "../support/merchant.ts";
import { HOUR_MS, type Act, type Stage } from "./stage.ts";
import type { Shop } from "./shops.ts";

/** Renewals for which a message with a link was sent, whether the link still works or not. */
const FAILED = `
  select t.id, t.subscription_id from transactions t
   where t.tenant = $1 and t.type = 'sdd_rebill' and t.status = 'declined' order by t.merchant_transaction_id`;
const FAILED_LAST = `
  select t.id, t.subscription_id from transactions t
    join billing_cycles c on c.tenant = t.tenant and c.transaction_id = t.id
    join subscriptions  u on u.tenant = t.tenant and u.id = t.subscription_id
   where t.tenant = $1 and t.status = 'declined' and c.status in ('retry', 'failed') and u.status <> 'CANCELLED'
   order by t.merchant_transaction_id`;
const MANDATES = `
  select id, lead_id from mandates
   where tenant = $1 and lead_id is not null and type = 'recurrent' and status = 'active' order by id`;
const SUBSCRIPTIONS = `
  select id, lead_id from subscriptions
   where tenant = $1 and lead_id is not null and status <> 'CANCELLED' order by id`;
const IBANS = [IBAN.approved, IBAN.approvedDutch] as const;

export const SELF_SERVICE = {
  payFailed: 4,
  changeOwnAccount: 2,
  cancelOwn: 1,
} as const;

export function selfService(stage: Stage): Readonly<Record<keyof typeof SELF_SERVICE, Act>> {
  const { world, promises, random, request, number } = stage;
  const { deps } = must(world.instances[0], "an instance").app;
  const press = (shop: Shop, what: string, path: string, page: Readonly<Record<string, string>> = {}) =>
    request(shop, { what, path, page });
  const accountPath = ({ tenant }: Shop, leadId: string) =>
    pathOf(accountUrl(deps, { tenant, id: leadId, expiresAt: new Date(world.nowMs() + HOUR_MS) }));

  return {
    /** From one or two windows, while the service retries and people collect. */
    async payFailed() {
      const shop = stage.shop();
      const failed = await stage.some(shop, random().chance(0.8) ? FAILED_LAST : FAILED);
      if (failed === null) return;
      const path = pathOf(failedPaymentUrl(deps, { tenant: shop.tenant, id: failed["id"] }));
      for (let windows = random().chance(0.3) ? 2 : 1; windows > 0; windows -= 1) {
        promises.collectionAsked(failed["subscription_id"], `pay-failed#${number()}`);
        await press(shop, "pay-failed", path);
      }
    },
    async changeOwnAccount() {
      const shop = stage.shop();
      const mandate = await stage.some(shop, MANDATES);
      if (mandate === null) return;
      const { id, lead_id: leadId } = mandate;
      const path = `${accountPath(shop, leadId)}mandates/${id}/?lang=en`;
      // The mandate's text as the form shows it. It is read past the gate, so the mandate may be amended before the
      // form is sent.
      const shown = must(await activeMandateOf(world.db, shop.tenant, leadId, id), "an active mandate");
      const text = textOnForm(shown, "en");
      await press(shop, "change-own-account", path, { iban: random().pick(IBANS), accepted: "yes", text });
    },
    async cancelOwn() {
      const shop = stage.shop();
      const own = await stage.some(shop, SUBSCRIPTIONS);
      if (own === null) return;
      await press(
        shop,
        "cancel-own",
        `${accountPath(shop, own["lead_id"])}subscriptions/${own["id"]}/cancel/`,
      );
    },
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
