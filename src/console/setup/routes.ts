/** The setup pages. They use the functions of the API. */
import type { Deps } from "../../deps.ts";
import { seeOther } from "../answer.ts";
import type { ConsoleRouter } from "../guard.ts";
import { response } from "../pages/listed.ts";
import { auditPages } from "./audit-routes.ts";
import { campaignPages } from "./campaign-routes.ts";
import { companyPages } from "./company-routes.ts";
import { gatewayPages } from "./gateway-routes.ts";
import { messagePages } from "./message-routes.ts";
import { offerPages } from "./offer-routes.ts";
import { paymentPagePages } from "./payment-page-routes.ts";
import { returnRulePages } from "./return-rule-routes.ts";
import { COMPANY_PATH, SETUP_PATH } from "./tabs.ts";

/** Declares the pages. */
export function setupPages(console: ConsoleRouter, deps: Deps): void {
  console.get(SETUP_PATH, "settings.read", {
    summary: "Setup",
    schema: { response },
    handle: async () => seeOther(COMPANY_PATH),
  });
  companyPages(console, deps);
  gatewayPages(console, deps);
  offerPages(console, deps);
  campaignPages(console, deps);
  paymentPagePages(console, deps);
  messagePages(console, deps);
  returnRulePages(console, deps);
  auditPages(console, deps);
}
