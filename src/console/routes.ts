/** Everything below /console/. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Type } from "../lib/schema.ts";
import type { Router } from "../http/endpoint.ts";
import { accountRoutes } from "./people/account-routes.ts";
import { oidcRoutes } from "./people/oidc-routes.ts";
import type { Parts } from "./people/parts.ts";
import { peoplePages } from "./people/people-routes.ts";
import { signInRoutes } from "./people/sign-in-routes.ts";
import { assetRoutes } from "./assets.ts";
import { consoleRouter } from "./guard.ts";
import { pageRoutes } from "./pages/routes.ts";

/** Built from passkey.ts in the same folder by `npm run generate`. */
const PASSKEY = new URL("../../web/console/passkey.js", import.meta.url);

/** Declares the routes. */
export function consoleRoutes(router: Router, parts: Parts): void {
  const console = consoleRouter(router, parts);
  signInRoutes(console, parts);
  oidcRoutes(console, parts);
  accountRoutes(console, parts);
  peoplePages(console, parts);

  pageRoutes(console, parts);
  assetRoutes(router);

  const script = readFileSync(PASSKEY);
  const etag = `"${hash("sha256", script, "base64url").slice(0, 16)}"`;
  router.add("GET", "/console/assets/passkey.js", {
    summary: "The script of pages that ask for a passkey",
    tag: "Console",
    hidden: true,
    access: "anyone",
    limit: "console",
    schema: { response: { 200: Type.Unknown() } },
    async handle({ headers }) {
      const same = headers["if-none-match"] === etag;
      return {
        status: same ? 304 : 200,
        headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache", etag },
        body: same ? "" : script,
      };
    },
  });
}
