/** Everything below /console/. */
import type { Router } from "../http/endpoint.ts";
import { accountRoutes } from "./people/account-routes.ts";
import { oidcRoutes } from "./people/oidc-routes.ts";
import type { Parts } from "./people/parts.ts";
import { peoplePages } from "./people/people-routes.ts";
import { signInRoutes } from "./people/sign-in-routes.ts";
import { assetRoutes } from "./assets.ts";
import { developerPages } from "./developers/routes.ts";
import { consoleRouter } from "./guard.ts";
import { setupPages } from "./setup/routes.ts";
import { testModePages } from "./test-mode/routes.ts";
import { operatorPages } from "./operator/routes.ts";
import { pageRoutes } from "./pages/routes.ts";

/** Declares the routes. */
export function consoleRoutes(router: Router, parts: Parts): void {
  const console = consoleRouter(router, parts);
  signInRoutes(console, parts);
  oidcRoutes(console, parts);
  accountRoutes(console, parts);
  peoplePages(console, parts);
  pageRoutes(console, parts);
  developerPages(console, parts);
  setupPages(console, parts);
  operatorPages(console, parts);
  if (parts.clockwork !== null) testModePages(console, parts, parts.clockwork);
  assetRoutes(router);
}
