/** Reconciliation: transactions, chargebacks and subscriptions, for the merchant's accountant (contract: Reconciliation). */
import type { Deps } from "../deps.ts";
import { attachmentHeader, tenantOf, type Router } from "../http/endpoint.ts";
import { nextHeaders, pageOf, readCursor, type ListScope } from "../http/paging.ts";
import { utcDate } from "../lib/dates.ts";
import { FieldErrors, type FieldMessages } from "../refusals.ts";
import { csvFormat } from "./csv.ts";
import { bytesOf, type RecordValues } from "./format.ts";
import { jsonFormat } from "./json.ts";
import { recordFilters, rangeProblems, type RecordQuery } from "./query.ts";
import { CHARGEBACKS, SUBSCRIPTIONS, TRANSACTIONS, type RecordType } from "./lists.ts";
import { answerSchema, querySchema } from "./schemas.ts";
import { listRecords } from "./store.ts";
import { xmlFormat } from "./xml.ts";

/** Declares the three lists. */
export function reconciliationRoutes(router: Router, deps: Deps): void {
  for (const type of [TRANSACTIONS, CHARGEBACKS, SUBSCRIPTIONS]) listRoute(router, deps, type);
}

function listRoute(router: Router, deps: Deps, type: RecordType): void {
  const path = `/api/v1/reconciliation/${type.plural}/`;
  const formats = { json: jsonFormat(type), csv: csvFormat(type), xml: xmlFormat(type) };
  const idAt = type.fields.findIndex(({ name }) => name === "id");
  const timeAt = type.fields.findIndex(({ name }) => name === type.orderedBy);
  router.add("GET", path, {
    summary: `List ${type.plural}, newest first`,
    description: `By ${type.orderedBy}. Follow next until it is null.`,
    tag: "Reconciliation",
    access: "reconciliation",
    limit: "reconciliation",
    schema: { query: querySchema(type), response: { 200: answerSchema(type) } },
    otherFormats: {
      "application/xml": `Root reconciliation with next, previous and results; each record is a ${type.singular}.`,
      "text/csv": "A header row and the records of the page; the next page is in the response headers.",
    },
    answerHeaders: ["Content-Disposition", "Link", "X-Next-Cursor"],
    queryProblems: (query, caller) => ({
      ...cursorProblems(deps, { tenant: tenantOf({ caller }), path, query: query as RecordQuery }),
      ...rangeProblems(query),
    }),
    async handle(call) {
      const scope = { tenant: tenantOf(call), path, query: call.query };
      const filters = recordFilters(call.query);
      const format = formats[call.query.format ?? "json"];
      const listed = (values: RecordValues): Listed => ({
        id: String(values[idAt]),
        at: String(values[timeAt]),
        text: format.record(values),
      });
      const { next, previous, results } = await pageOf(
        deps,
        scope,
        (window) => listRecords(deps.reports, scope.tenant, type, filters, window, listed),
        ({ id, at }) => ({ id, at: new Date(at) }),
      );
      const body = bytesOf(format.page({ next, previous, results: results.map(({ text }) => text) }));
      const download = format === formats.csv ? downloadHeaders(deps, type, next) : {};
      return {
        status: 200,
        body,
        headers: { ...download, "content-type": `${format.contentType}; charset=utf-8` },
      };
    },
  });
}

/** A serialised record and its position in the list. */
interface Listed {
  readonly id: string;
  readonly at: string;
  readonly text: string;
}

/** The cursor is read again for the page; here its problems are reported together with all others. */
function cursorProblems(deps: Pick<Deps, "keys">, scope: ListScope): FieldMessages {
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

/** The file is named by the day of the download (contract: CSV). */
function downloadHeaders({ clock }: Pick<Deps, "clock">, { plural }: RecordType, next: string | null) {
  const name = `${plural}_${utcDate(clock.now())}.csv`;
  return { ...attachmentHeader(name), ...nextHeaders(next) };
}
