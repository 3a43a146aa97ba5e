/** Offers and campaigns: what is sold, and what each sale is made of. */
import type { Deps } from "../../deps.ts";
import { gatewayKind } from "../../gateways/records/gateway-record.ts";
import { hostedPageKind } from "../../payment-page/settings.ts";
import { campaignKind } from "../../sessions/campaigns/campaign.ts";
import { offerKind } from "../../sessions/offers/offer.ts";
import { webhookProfileKind } from "../../webhooks/profiles/profile.ts";
import { activeBadge, badge, money } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { choose } from "../records/choose.ts";
import { valueName } from "../records/form.ts";
import { recordSection } from "../records/routes.ts";
import { CAMPAIGNS_PATH, OFFERS_PATH, setupTabs } from "./tabs.ts";

/** Declares the pages. */
export function sellingPages(console: ConsoleRouter, deps: Deps): void {
  recordSection(console, deps, {
    kind: offerKind,
    path: OFFERS_PATH,
    read: "settings.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("offers"),
      newOne: words.say("newOffer"),
      none: [words.say("noOffers"), words.say("noOffersHint")],
      tabs: setupTabs(words, person, OFFERS_PATH),
      columns: [{ title: words.say("price"), as: "number" }, { title: words.say("frequency") }],
      cells: (row) => [
        money(words, row.price, row.currency),
        valueName(words, row.billing_frequency ?? row.billing_type),
      ],
    }),
  });

  recordSection(console, deps, {
    kind: campaignKind,
    path: CAMPAIGNS_PATH,
    read: "settings.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("campaigns"),
      newOne: words.say("newCampaign"),
      none: [words.say("noCampaigns"), words.say("noCampaignsHint")],
      tabs: setupTabs(words, person, CAMPAIGNS_PATH),
      columns: [],
      cells: () => [],
      state: (row) =>
        row.stopped_at === null ? activeBadge(words, row.active) : badge("bad", words.say("campaignStopped")),
    }),
    async options({ person: { tenant } }) {
      const [offers, gateways, pages, profiles] = await Promise.all([
        choose(deps, offerKind, tenant),
        choose(deps, gatewayKind, tenant),
        choose(deps, hostedPageKind, tenant),
        choose(deps, webhookProfileKind, tenant),
      ]);
      return {
        offer_id: offers,
        gateway_id: gateways,
        hosted_page_id: pages,
        webhook_profile_id: profiles,
      };
    },
  });
}
