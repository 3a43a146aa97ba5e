/** The setup pages. They read and act through the use cases of the API. */
import type { Deps } from "../../deps.ts";
import type { ConsoleRouter } from "../guard.ts";
import { auditPages } from "./audit-routes.ts";
import { companyPages } from "./company-routes.ts";
import { gatewayPages } from "./gateway-routes.ts";
import { paymentPagePages } from "./payment-page-routes.ts";
import { sellingPages } from "./selling-routes.ts";

/** Declares them. */
export function setupPages(console: ConsoleRouter, deps: Deps): void {
  companyPages(console, deps);
  gatewayPages(console, deps);
  sellingPages(console, deps);
  paymentPagePages(console, deps);
  auditPages(console, deps);
}
