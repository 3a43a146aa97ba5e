/** The reports for a merchant's people: lists, search, statistics (management API, read only). */
import type { Deps } from "../deps.ts";
import type { Router } from "../http/endpoint.ts";
import { attentionLists } from "./attention/list-routes.ts";
import { attentionRoutes } from "./attention/routes.ts";
import { customerRoutes } from "./customers/routes.ts";
import { journalRoutes } from "./journal/routes.ts";
import { searchRoutes } from "./search/routes.ts";
import { statisticsRoutes } from "./statistics/routes.ts";
import { transactionRoutes } from "./transactions/routes.ts";

/** Declares the endpoints on the router. */
export function reportRoutes(router: Router, deps: Deps): void {
  transactionRoutes(router, deps);
  customerRoutes(router, deps);
  searchRoutes(router, deps);
  attentionRoutes(router, deps);
  attentionLists(router, deps);
  statisticsRoutes(router, deps);
  journalRoutes(router, deps);
}
