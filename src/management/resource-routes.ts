/** The endpoints that every record has: create, list, read, change, archive. */
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import {
  tenantOf,
  type Access,
  type Call,
  type EndpointSchema,
  type GivenBody,
  type Router,
} from "../http/endpoint.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../http/paging.ts";
import type { FieldMessages } from "../refusals.ts";
import { messagesOf } from "./problems.ts";
import type { RecordKind, RecordDeps } from "./resource.ts";
import type { StoredRow } from "./resource-store.ts";
import { archiveRecord, createRecord, patchRecord, readRecord, type Target } from "./resource-write.ts";

export const MANAGEMENT = "/api/v1/management/";
export const TAG = "Management";
/** Any text: a malformed id is answered like an unknown one (contract: Not found). */
export const IdInPath = Type.Object({ id: Type.String({ maxLength: 255 }) });

export const ListQuery = Type.Object({
  archived: Type.Optional(Type.Boolean({ description: "true includes archived records." })),
  ...PAGE_QUERY,
});

/** Declares all five. */
export function recordRoutes<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  createRoute(router, deps, kind);
  existingRecordRoutes(router, deps, kind);
}

/** For a record that is created in another way. */
export function existingRecordRoutes<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  listRoute(router, deps, kind);
  readRoute(router, deps, kind);
  patchRoute(router, deps, kind);
  archiveRoute(router, deps, kind);
}

/** The record named in the path, or with a new id the one to be created. */
export function targetOf(call: Call<EndpointSchema>, access: Access, id: string): Target {
  // Sealed values are bound to the id as stored; a path may contain it in capitals.
  return {
    id: id.toLowerCase(),
    tenant: tenantFor(call, access),
    author: call,
    operationId: call.operationId,
  };
}

/** A record as answers show it. */
export function answerOf<Row extends StoredRow, Fields extends object>(
  deps: RecordDeps,
  kind: RecordKind<Row, Fields>,
  row: Row,
): object {
  return { ...kind.render(row), ...kind.answered?.(deps, row) };
}

/** Problems of single fields of a body, reported with those that its schema finds. */
export function problemsIn<Row extends StoredRow, Fields extends object>(
  deps: RecordDeps,
  kind: RecordKind<Row, Fields>,
): (body: GivenBody) => FieldMessages {
  return ({ usable }) => messagesOf(kind.problems?.(deps, usable as Partial<Fields>) ?? {});
}

/** The operator acts for no tenant: its statements ignore the number. */
function tenantFor(call: Call<EndpointSchema>, access: Access): number {
  return access === "operator" ? 0 : tenantOf(call);
}

function seenBy<Row extends StoredRow, Fields extends object>({ access }: RecordKind<Row, Fields>): Access {
  return access === "operator" ? "operator" : "read";
}

function createRoute<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  router.add("POST", `${MANAGEMENT}${kind.resource}/`, {
    summary: `Create ${kind.noun}`,
    tag: TAG,
    access: kind.access,
    schema: { body: kind.schemas.create, response: { 201: kind.schemas.created } },
    bodyProblems: problemsIn(deps, kind),
    async handle(call) {
      const target = targetOf(call, kind.access, call.operationId);
      const given = call.body as Fields;
      const row = await createRecord(deps, kind, target, given);
      return { status: 201, body: { ...answerOf(deps, kind, row), ...kind.secrets(deps, row, given) } };
    },
  });
}

function listRoute<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  const path = `${MANAGEMENT}${kind.resource}/`;
  const filters = Object.entries(kind.filters ?? {}).map(([name, schema]) => [name, Type.Optional(schema)]);
  // What the compiler knows of the query is what all lists have.
  const Query = Type.Object({
    ...ListQuery.properties,
    ...Object.fromEntries(filters),
  }) as unknown as typeof ListQuery;
  router.add("GET", path, {
    summary: `List ${kind.resource}, newest first`,
    tag: TAG,
    access: seenBy(kind),
    schema: { query: Query, response: { 200: pageSchema(kind.schemas.record) } },
    async handle(call) {
      const tenant = tenantFor(call, kind.access);
      const { query } = call;
      const page = await pageOf(
        deps,
        { tenant, path, query },
        (window) => kind.store.list(deps.db, tenant, query.archived ?? false, window, query),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return {
        status: 200,
        body: { ...page, results: page.results.map((row) => answerOf(deps, kind, row)) },
      };
    },
  });
}

function readRoute<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  router.add("GET", `${MANAGEMENT}${kind.resource}/{id}/`, {
    summary: `Read ${kind.noun}`,
    tag: TAG,
    access: seenBy(kind),
    schema: { params: IdInPath, response: { 200: kind.schemas.record } },
    async handle(call) {
      const row = await readRecord(deps, kind, tenantFor(call, kind.access), call.params.id);
      return { status: 200, body: answerOf(deps, kind, row) };
    },
  });
}

function patchRoute<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  router.add("PATCH", `${MANAGEMENT}${kind.resource}/{id}/`, {
    summary: `Change ${kind.noun}`,
    description: "Changes the given fields only; null clears an optional field.",
    tag: TAG,
    access: kind.access,
    schema: { params: IdInPath, body: kind.schemas.patch, response: { 200: kind.schemas.record } },
    bodyProblems: problemsIn(deps, kind),
    async handle(call) {
      const target = targetOf(call, kind.access, call.params.id);
      const row = await patchRecord(deps, kind, target, call.body as Fields);
      return { status: 200, body: answerOf(deps, kind, row) };
    },
  });
}

function archiveRoute<Row extends StoredRow, Fields extends object>(
  router: Router,
  deps: Deps,
  kind: RecordKind<Row, Fields>,
): void {
  router.add("DELETE", `${MANAGEMENT}${kind.resource}/{id}/`, {
    summary: `Archive ${kind.noun}`,
    description: "It stays readable by its id and can no longer be used or changed.",
    tag: TAG,
    access: kind.access,
    schema: { params: IdInPath, response: { 204: Type.Null() } },
    async handle(call) {
      await archiveRecord(deps, kind, targetOf(call, kind.access, call.params.id));
      return { status: 204, body: undefined };
    },
  });
}
