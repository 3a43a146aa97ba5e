/** Lists of attention items without another list: restores that hold the service, notices that were set aside. */
import { listRestores } from "../../backup/place.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { NullableTime, Time, Uuid } from "../../http/response-fields.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { Type } from "../../lib/schema.ts";
import { MANAGEMENT } from "../../management/resource-routes.ts";
import { listSetAside } from "../../payments/news/set-aside-store.ts";

const tag = "Customers";
const SET_ASIDE_MAX = 1_000;

const Restores = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        reason: Type.String({
          description: "another server, another database, another timeline, or by hand",
        }),
        found_at: Time,
        released_at: NullableTime,
      }),
      { description: "At most 100, newest first." },
    ),
  },
  { $id: "Restores" },
);

const NewsSetAside = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        gateway_id: Uuid,
        reference: Type.String({ description: "The merchant transaction id." }),
        kind: Type.Enum(["settled", "returned", "charged_back", "fee", "reinstated"]),
        why: Type.String(),
        tries: Type.Integer(),
        since: Time,
        due_at: Time,
      }),
      { description: `At most ${SET_ASIDE_MAX}, oldest first.` },
    ),
  },
  { $id: "NewsSetAside" },
);

/** Declares the endpoints. */
export function attentionLists(router: Router, deps: Pick<Deps, "db">): void {
  router.add("GET", `${MANAGEMENT}restores/`, {
    summary: "List the times at which the database was found restored from a backup",
    description:
      "Until an operator releases it the whole service is held: nothing is collected, sent to banks or to webhooks. Its `released_at` is null as long.",
    tag,
    access: "read",
    schema: {
      query: Type.Object({
        held: Type.Optional(Type.Boolean({ description: "true: only those that hold the service." })),
      }),
      response: { 200: Restores },
    },
    async handle(call) {
      const restores = await listRestores(deps.db, call.query.held ?? null);
      return { status: 200, body: { results: restores.map(timesAsText) } };
    },
  });

  router.add("GET", `${MANAGEMENT}news-set-aside/`, {
    summary: "List the references whose news from a gateway could not be recorded",
    description: "Each is tried again at its `due_at`; the other news of the gateway are taken meanwhile.",
    tag,
    access: "read",
    schema: { query: Type.Object({}), response: { 200: NewsSetAside } },
    async handle(call) {
      const rows = await listSetAside(deps.db, tenantOf(call), SET_ASIDE_MAX);
      return { status: 200, body: { results: rows.map(timesAsText) } };
    },
  });
}
