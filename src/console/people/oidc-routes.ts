/** Redirects to the company's identity provider and back. */
import { Type } from "../../lib/schema.ts";
import { isUuid } from "../../lib/ids.ts";
import { beginOidc, finishOidc, readFlow } from "../../people/oidc.ts";
import { findProvider } from "../../people/oidc-store.ts";
import { signInFromElsewhere } from "../../people/sign-in-elsewhere.ts";
import { Refusal } from "../../refusals.ts";
import { findOwnTenant, tenantStore } from "../../tenants/store.ts";
import { seeOther } from "../answer.ts";
import { cookie, noCookie, readCookie } from "../cookies.ts";
import { SIGN_IN, type ConsoleRouter } from "../guard.ts";
import { safeNext, visitOf, type Parts } from "./parts.ts";

const response = { 200: Type.Unknown() };
const Text = Type.Optional(Type.String({ maxLength: 2_000 }));

/** Declares the routes. They change nothing before the provider has identified the person. */
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
      const asked = again === undefined ? null : (call.person?.session.id ?? null);
      try {
        const { url, flow } = await beginOidc(parts, provider, {
          next: safeNext(next),
          again: asked,
          email: call.person?.email ?? null,
        });
        return seeOther(url, [cookie(parts, "flow", flow)]);
      } catch (error) {
        parts.log.warn("an identity provider could not be reached", { reason: reasonOf(error) });
        return seeOther(
          troubleAt("unreachable", { company: tenant, next: safeNext(next), again: asked !== null }),
        );
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
      if (flow === null || provider === null) {
        // Already used, for example after going back: a signed-in person has nothing to repeat.
        const isDone = call.person?.session.stage === "full";
        return seeOther(isDone ? "/console/" : `${SIGN_IN}?trouble=over`, [noCookie(parts, "flow")]);
      }
      const company = (await findOwnTenant(parts.db, flow.tenant)).id;
      const back = { company, next: flow.next, again: flow.again !== null };
      const refused = (trouble: Trouble) => seeOther(troubleAt(trouble, back), [noCookie(parts, "flow")]);
      if (call.query.error === "access_denied") return refused("cancelled");
      const finished = await finishOidc(parts, provider, flow, call.url).catch((error: unknown) => {
        parts.log.warn("an identity provider's answer was refused", { reason: reasonOf(error) });
        return "unusable" as const;
      });
      if (finished === "unusable") return refused("unusable");
      const given = { provider, flow, current: call.person, visit: visitOf(call) };
      const value =
        finished === null ? null : await signInFromElsewhere(parts, { ...given, claims: finished });
      if (value === null) return refused("company");
      return seeOther(flow.next, [cookie(parts, "session", value), noCookie(parts, "flow")]);
    },
  });
}

type Trouble = "unreachable" | "cancelled" | "unusable" | "company";

/** The page that says what failed, with a link to try again. */
function troubleAt(
  trouble: Trouble,
  { company, next, again }: { readonly company: string; readonly next: string; readonly again: boolean },
): string {
  const query = new URLSearchParams({ ...(again ? {} : { company }), next, trouble });
  return `${again ? "/console/step-up/" : SIGN_IN}?${query.toString()}`;
}

/** The library's description of its error, never what the provider sent. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? "unknown");
}
