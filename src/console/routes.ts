/** Everything below /console/. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Type } from "../lib/schema.ts";
import { html } from "../files/html.ts";
import type { Router } from "../http/endpoint.ts";
import { accountRoutes } from "./people/account-routes.ts";
import { oidcRoutes } from "./people/oidc-routes.ts";
import type { Parts } from "./people/parts.ts";
import { peoplePages } from "./people/people-routes.ts";
import { signInRoutes } from "./people/sign-in-routes.ts";
import { consoleRouter } from "./guard.ts";

/** Built from passkey.ts in the same folder by `npm run generate`. */
const PASSKEY = new URL("../../web/console/passkey.js", import.meta.url);

/** Declares the routes. */
export function consoleRoutes(router: Router, parts: Parts): void {
  const console = consoleRouter(router, parts);
  signInRoutes(console, parts);
  oidcRoutes(console, parts);
  accountRoutes(console, parts);
  peoplePages(console, parts);

  console.get("/console/", "signed_in", {
    summary: "Home",
    schema: { response: { 200: Type.Unknown() } },
    handle: (call) =>
      call.page(
        "Home",
        html`<ul>
          ${call.may("people.read") && html`<li><a href="/console/people/">People</a></li>`}
          <li><a href="/console/account/">Account</a></li>
          <li><a href="/console/access/">Roles</a></li>
        </ul>`,
      ),
  });

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
