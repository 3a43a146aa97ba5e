/** Changes of a merchant's settings while payments run: gateways, webhook URLs, keys. */
import { DAY_MS, KEY_OVERLAP_MS, SECOND_MS, type Act, type Stage } from "./stage.ts";
import { urlOf, type Shop } from "./shops.ts";

export const SETTINGS = {
  changeGateway: 3,
  changeTenant: 2,
  changeReceiver: 1,
  rotateKey: 1,
} as const;

const AFTER_CHARGEBACK = ["cancel", "past_due", "keep"] as const;

export function settings(stage: Stage): Readonly<Record<keyof typeof SETTINGS, Act>> {
  const { world, random, request, number } = stage;
  const patch = (shop: Shop, path: string, body: object) =>
    request(shop, { what: "patch", path, body, method: "PATCH", key: true, repeats: true });

  return {
    changeGateway() {
      const shop = stage.shop();
      const path = `management/gateways/${random().pick(shop.gateways)}/`;
      return patch(
        shop,
        path,
        random().pick<object>([
          { completed_event_at: "acceptance" },
          { completed_event_at: "settlement" },
          { completed_event_at: random().pick(["acceptance", "settlement"]), name: `Bank ${number()}` },
          { credentials: { token: `${shop.name}:${number()}` }, descriptor: `Order ${number()}` },
        ]),
      );
    },
    changeTenant() {
      const shop = stage.shop();
      const chosen = random().pick(AFTER_CHARGEBACK);
      const body = random().pick<object>([
        { subscription_after_chargeback: chosen },
        { subscription_after_refund: random().pick(["cancel", "keep"]) },
        { pre_notification_days: random().pick([1, 14, 30]) },
        { closed_day: random().pick(["next", "previous"]) },
        { retry_days: random().pick<(number | string)[]>([[3, 7], ["salary_day"], [1, "salary_day"], []]) },
        { name: `Shop ${shop.name} ${number()}`, session_lifetime_seconds: 1_800 },
      ]);
      // Before the response, and after a lost one, it is not known whether the setting was written.
      if ("subscription_after_chargeback" in body) shop.afterChargeback.add(chosen);
      return patch(shop, "management/tenant/", body);
    },
    changeReceiver() {
      const shop = stage.shop();
      const profile = random().pick(shop.profiles);
      const name = profile === shop.profiles[0] ? "all" : "paid";
      const path = `management/webhook-profiles/${profile.id}/`;
      if (random().chance(0.5)) {
        const most = random().chance(0.5) ? 1 : profile.inFlightMax;
        return patch(shop, path, { max_in_flight: most });
      }
      const url = urlOf(shop.name, name, profile.urls.length + 1);
      profile.urls.push(url);
      return patch(shop, path, { url });
    },
    /** The old key stays valid for a month. The merchant does not rotate again before it has received the new one. */
    async rotateKey() {
      const shop = stage.shop();
      if (shop.rotating || shop.keyEndsMs !== Infinity) return;
      shop.rotating = true;
      shop.rotations += 1;
      const { rotations } = shop;
      shop.keyEndsMs = world.nowMs() + KEY_OVERLAP_MS;
      await request(shop, {
        what: "rotate-key",
        path: `management/api-keys/${shop.keyId}/rotate/`,
        body: { overlap_seconds: (KEY_OVERLAP_MS + DAY_MS) / SECOND_MS },
        key: true,
        idempotencyKey: `rotate-${number()}`,
        onResponse({ status, body }) {
          if (status !== 200 || shop.rotations > rotations) return;
          Object.assign(shop, { key: body["api_key"], rotating: false, keyEndsMs: Infinity });
        },
      });
    },
  };
}
