/** Endpoints 7 to 9 of the contract: transactions, chargebacks and subscriptions, for the merchant's accountant. */
import type { Deps } from "../deps.ts";
import { tenantOf, type Answer, type Router } from "../http/endpoint.ts";
import { pageOf, readCursor, type ListScope, type Page } from "../http/paging.ts";
import { FieldErrors, type FieldMessages } from "../refusals.ts";
import { csvOf } from "./csv.ts";
import { filtersOf, rangeProblems, type ListQuery } from "./query.ts";
import { CHARGEBACKS, SUBSCRIPTIONS, TRANSACTIONS, type ListedRecord, type RecordType } from "./records.ts";
import { answerSchema, querySchema } from "./schemas.ts";
import { listRecords } from "./store.ts";
import { xmlOf } from "./xml.ts";

/** Declares the three lists. */
export function reconciliationRoutes(router: Router, deps: Deps): void {
  for (const type of [TRANSACTIONS, CHARGEBACKS, SUBSCRIPTIONS]) listRoute(router, deps, type);
}

function listRoute(router: Router, deps: Deps, type: RecordType): void {
  const path = `/api/v1/reconciliation/${type.plural}/`;
  router.add("GET", path, {
    summary: `List ${type.plural}, newest first`,
    description: `By ${type.orderedBy}. Follow next as given until it is null.`,
    tag: "Reconciliation",
    access: "reconciliation",
    limit: "reconciliation",
    schema: { query: querySchema(type), response: { 200: answerSchema(type) } },
    otherFormats: {
      "application/xml": `Root reconciliation with next, previous and results; each record is a ${type.singular}.`,
      "text/csv": "A header row and the records of the page; the next page is in the headers.",
    },
    answerHeaders: ["Content-Disposition", "Link", "X-Next-Cursor"],
    queryProblems: (query, caller) => ({
      ...cursorProblems(deps, { tenant: tenantOf({ caller }), path, query: query as ListQuery }),
      ...rangeProblems(query),
    }),
    async handle(call) {
      const scope = { tenant: tenantOf(call), path, query: call.query };
      const page = await pageOf(
        deps,
        scope,
        (window) => listRecords(deps.db, scope.tenant, type, filtersOf(call.query), window),
        (record) => ({ at: new Date(String(record[type.orderedBy])), id: String(record["id"]) }),
      );
      return answer(deps, type, call.query, page);
    },
  });
}

/** The cursor is read once more for the page; here it is told together with everything else that is wrong. */
function cursorProblems(deps: Deps, scope: ListScope): FieldMessages {
  const { cursor } = scope.query;
  if (typeof cursor !== "string") return {};
  try {
    readCursor(deps.keys, scope, cursor);
    return {};
  } catch (error) {
    if (error instanceof FieldErrors) return error.fields;
    throw error;
  }
}

function answer(deps: Deps, type: RecordType, { format }: ListQuery, page: Page<ListedRecord>): Answer {
  const { next, previous, results } = page;
  switch (format) {
    case "xml":
      return text("application/xml", xmlOf(type, page));
    case "csv":
      return text("text/csv", csvOf(type, results), {
        ...nextHeaders(next),
        "content-disposition": `attachment; filename="${type.plural}_${today(deps)}.csv"`,
      });
    default:
      // The statement selects the record's fields and nothing else: there is nothing left for a schema to filter.
      return text("application/json", JSON.stringify({ next, previous, results }));
  }
}

function text(contentType: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers: { ...headers, "content-type": `${contentType}; charset=utf-8` } };
}

/** A CSV file has no place for links (decision R4). */
function nextHeaders(next: string | null): Readonly<Record<string, string>> {
  if (next === null) return {};
  const cursor = new URL(next).searchParams.get("cursor") ?? "";
  return { link: `<${next}>; rel="next"`, "x-next-cursor": cursor };
}

/** The day of the download (decision R5). */
function today(deps: Deps): string {
  return deps.clock.now().toISOString().slice(0, 10);
}
