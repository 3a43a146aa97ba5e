/** Offers: products with their prices and billing frequencies. */
import type { Deps } from "../../deps.ts";
import { offerKind } from "../../sessions/offers/offer.ts";
import { money } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { valueName } from "../records/names.ts";
import { recordSection } from "../records/routes.ts";
import { OFFERS_PATH, setupTabs } from "./tabs.ts";

/** Declares the pages. */
export function offerPages(console: ConsoleRouter, deps: Deps): void {
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
}
