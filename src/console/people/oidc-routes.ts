/** To the company's identity provider and back. */
import { Type } from "../../lib/schema.ts";
import { isUuid } from "../../lib/ids.ts";
import { beginOidc, finishOidc, readFlow } from "../../people/oidc.ts";
import { findProvider } from "../../people/oidc-store.ts";
import { signInFromElsewhere } from "../../people/sign-in-elsewhere.ts";
import { Refusal } from "../../refusals.ts";
import { tenantStore } from "../../tenants/store.ts";
import { seeOther } from "../answer.ts";
import { cookie, noCookie, readCookie } from "../cookies.ts";
import { SIGN_IN, type ConsoleRouter } from "../guard.ts";
import { safeNext, visitOf, type Parts } from "./parts.ts";

const response = { 200: Type.Unknown() };
const Text = Type.Optional(Type.String({ maxLength: 2_000 }));

/** Declares the routes. They change nothing before the provider has said who it is. */
export function oidcRoutes(console: ConsoleRouter, parts: Parts): void {
  console.open("GET", "/console/oidc/start/", {
    summary: "Go to the company's identity provider",
    limit: "sign_in",
    schema: { query: Type.Object({ tenant: Text, next: Text, again: Text }), response },
    async handle(call) {
      const { tenant = "", next, again } = call.query;
      const row = isUuid(tenant) ? await tenantStore.find(parts.db, 0, tenant) : null;
      const provider =
        row === null || row.archived_at !== null ? null : await findProvider(parts.db, row.tenant);
      if (provider === null) throw new Refusal("not_found");
      try {
        const { url, flow } = await beginOidc(parts, provider, {
          next: safeNext(next),
          again: again === undefined ? null : (call.person?.session.id ?? null),
          email: call.person?.email ?? null,
        });
        return seeOther(url, [cookie(parts, "flow", flow)]);
      } catch (error) {
        parts.log.warn("an identity provider could not be reached", { reason: reasonOf(error) });
        return seeOther(`${SIGN_IN}?company=${tenant}&trouble=unreachable`);
      }
    },
  });

  console.open("GET", "/console/oidc/callback/", {
    summary: "Back from the company's identity provider",
    limit: "sign_in",
    schema: {
      query: Type.Object({ code: Text, state: Text, error: Text, iss: Text }),
      response,
    },
    async handle(call) {
      const flow = readFlow(parts, readCookie(parts, call.headers, "flow"));
      const provider = flow === null ? null : await findProvider(parts.db, flow.tenant);
      const refused = seeOther(`${SIGN_IN}?trouble=company`, [noCookie(parts, "flow")]);
      if (flow === null || provider === null) return refused;
      const claims = await finishOidc(parts, provider, flow, call.url).catch((error: unknown) => {
        parts.log.warn("an identity provider's answer was refused", { reason: reasonOf(error) });
        return null;
      });
      if (claims === null) return refused;
      const given = { provider, flow, claims, current: call.person, visit: visitOf(call) };
      const value = await signInFromElsewhere(parts, given);
      if (value === null) return refused;
      return seeOther(flow.next, [cookie(parts, "session", value), noCookie(parts, "flow")]);
    },
  });
}

/** What the library says of its error, never what the provider sent. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? "unknown");
}
