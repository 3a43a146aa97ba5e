/** The preview of a merchant's page with sample data: {host_url}/preview/hosted-pages/{id}. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { HOUR_MS, later } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { IdInPath, MANAGEMENT, TAG } from "../../management/resource-routes.ts";
import { Refusal } from "../../refusals.ts";
import type { Pages } from "../build-pages.ts";
import { previewLink, readPreviewLink } from "./link.ts";
import { sampleDebit, sampleRow, SAMPLES, type Sample } from "./sample.ts";
import { findSettings } from "../store.ts";
import { viewOf } from "../render/choose-page.ts";

const LINK_MS = HOUR_MS;

const Link = Type.Object(
  { url: Type.String(), expires_at: Type.String({ description: "UTC" }) },
  { $id: "HostedPagePreviewLink" },
);
const Query = Type.Object({
  link: Type.Optional(Type.String()),
  /** The state to show. */
  state: Type.Optional(Type.String()),
  lang: Type.Optional(Type.String()),
});

/** Declares the routes. */
export function previewRoutes(router: Router, deps: Deps, pages: Pages): void {
  router.add("POST", `${MANAGEMENT}hosted-pages/{id}/preview-link/`, {
    summary: "Create a preview link of a hosted page",
    description: `Shows the page with sample data for an hour, without an API key. Add \`&state=\` and one of ${SAMPLES.join(", ")} for its other states, and \`&lang=\` for a language.`,
    tag: TAG,
    access: "settings",
    schema: { params: IdInPath, response: { 201: Link } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      const found = isUuid(id) ? await findSettings(deps.db, tenant, id) : null;
      if (found === null) throw new Refusal("not_found");
      const { path, expiresAt } = previewOf(deps, tenant, id);
      return { status: 201, body: { url: deps.publicUrl + path, expires_at: expiresAt.toISOString() } };
    },
  });

  router.add("GET", "/preview/hosted-pages/{id}", {
    summary: "A hosted page with sample data",
    tag: "Payment page",
    hidden: true,
    access: "anyone",
    limit: "page",
    schema: { params: IdInPath, query: Query, response: { 200: Type.Unknown() } },
    renderError: ({ answer, headers }) =>
      pages.trouble(answer.status, answer.status === 404 ? "unknown" : "badRequest", {
        headers,
        backPath: null,
      }),
    async handle({ params: { id }, query, headers }) {
      const now = deps.clock.now();
      const link = readPreviewLink(deps.keys, id, query.link ?? "", now);
      const found = link === null || !isUuid(id) ? null : await findSettings(deps.db, link.tenant, id);
      if (found === null) throw new Refusal("not_found");
      const row = sampleRow(found, sampleOf(query.state), now);
      const at = { now, path: "", chosen: query.lang, headers };
      const sheet = pages.sheet(row, sampleDebit(now, row.creditor.pre_notification_days), at);
      return pages.session(
        sheet,
        viewOf(row, now),
        {
          sessionToken: "ps_sample",
          reference: "MND-SAMPLE",
          justEnded: false,
          heldBack: false,
          leaving: false,
          notYet: false,
          typed: null,
          faults: {},
          preview: true,
        },
        headers,
      );
    },
  });
}

/** The address of a preview, valid for an hour. */
export function previewOf(
  { clock, keys }: Pick<Deps, "clock" | "keys">,
  tenant: number,
  id: string,
): { readonly path: string; readonly expiresAt: Date } {
  const expiresAt = later(clock.now(), LINK_MS);
  const link = previewLink(keys, id, { tenant, expiresAt });
  return { path: `/preview/hosted-pages/${id}?link=${link}`, expiresAt };
}

function sampleOf(state: string | undefined): Sample {
  return SAMPLES.find((sample) => sample === state) ?? "form";
}
