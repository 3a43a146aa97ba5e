/** The audit log, to be read. */
import { Type } from "../../lib/schema.ts";
import type { AuditLogRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { isoTime, nullable, uuid } from "../../http/fields.ts";
import { NullableText, NullableUuid, Time, Uuid } from "../../http/response-fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { Dictionary } from "../resource-schema.ts";
import { IdInPath, MANAGEMENT, TAG } from "../resource-routes.ts";
import { findEntry, listAuditEntries } from "./store.ts";

const PATH = `${MANAGEMENT}audit-log/`;

const AuditEntry = Type.Object(
  {
    id: Uuid,
    at: Time,
    actor: Type.String({
      description: "key:<id of the API key>, person:<id>, operator, customer or service.",
    }),
    actor_name: Type.String(),
    action: Type.String(),
    resource: Type.String(),
    resource_id: NullableUuid,
    before: nullable(Dictionary),
    after: nullable(Dictionary),
    ip: NullableText,
    request_id: NullableText,
  },
  { $id: "AuditEntry" },
);

/** The characters that an entry can contain; PostgreSQL accepts no NUL. */
const PRINTABLE = {
  pattern: "^[\\x20-\\x7e]{0,100}$",
  message: "Must be printable characters, at most 100.",
};

export const AuditFilters = Type.Object({
  resource: Type.Optional(Type.String({ ...PRINTABLE, description: "Such as gateways." })),
  resource_id: Type.Optional(uuid()),
  actor: Type.Optional(
    Type.String({ ...PRINTABLE, description: "An actor, or the id of an API key; a person is person:<id>." }),
  ),
  from: Type.Optional(isoTime()),
  to: Type.Optional(isoTime({ description: "Entries before this time." })),
  ...PAGE_QUERY,
});

/** Declares the endpoints on the router. */
export function auditRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List the audit log, newest first",
    tag: TAG,
    access: "read",
    schema: { query: AuditFilters, response: { 200: pageSchema(AuditEntry) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { query } = call;
      const { resource = null, resource_id: resourceId = null } = query;
      const [from, to] = [time("from", query), time("to", query)];
      const filters = { resource, resourceId, actor: actor(query.actor), from, to };
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query },
        (window) => listAuditEntries(deps.db, tenant, filters, window),
        ({ at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(render) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read an entry of the audit log",
    tag: TAG,
    access: "read",
    schema: { params: IdInPath, response: { 200: AuditEntry } },
    async handle(call) {
      const { id } = call.params;
      const entry = isUuid(id) ? await findEntry(deps.db, tenantOf(call), id) : null;
      if (entry === null) throw new Refusal("not_found");
      return { status: 200, body: render(entry) };
    },
  });
}

function render(row: AuditLogRow): object {
  const { id, actor, actor_name, action, resource, resource_id, before, after, ip, request_id } = row;
  const at = row.at.toISOString();
  return { id, at, actor, actor_name, action, resource, resource_id, before, after, ip, request_id };
}

function actor(given: string | undefined): string | null {
  if (given === undefined) return null;
  return isUuid(given) ? `key:${given.toLowerCase()}` : given;
}

/**
 * Reads a time.
 * @throws FieldErrors for the 60th second of a leap minute, which is well-formed but no `Date`.
 */
function time(
  field: "from" | "to",
  { [field]: given }: { readonly from?: string; readonly to?: string },
): Date | null {
  if (given === undefined) return null;
  const at = new Date(given);
  if (Number.isNaN(at.getTime())) throw new FieldErrors({ [field]: ["This time does not exist."] });
  return at;
}
