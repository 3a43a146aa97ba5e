/** `management/transactions/`: finds payments by what people know about them, and reads one with its whole history. */
import { daysOf } from "../../db/days.ts";
import { listedIn } from "../../http/fields.ts";
import type { Deps } from "../../deps.ts";
import { Type } from "../../lib/schema.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { pageOf, pageSchema } from "../../http/paging.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { isUuid } from "../../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { OPEN_STATUSES } from "../../payments/transaction.ts";
import { Refusal } from "../../refusals.ts";
import { leadKey } from "../../sessions/leads.ts";
import { ALL_FIELDS, type ExportColumn } from "./columns.ts";
import { exportAnswer } from "./export.ts";
import {
  EXPORT_TYPES,
  ExportQuery,
  ManagedTransaction,
  ManagedTransactionDetail,
  TransactionQuery,
} from "./schemas.ts";
import { shownTransaction } from "./shown.ts";
import { findTimeline, findTransaction, listTransactions, type TransactionFilters } from "./store.ts";

const PATH = `${MANAGEMENT}transactions/`;
const tag = "Money after the payment";

/** Declares the list and the detail. */
export function transactionRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List transactions, newest first",
    description:
      "Payments, renewals and refunds with their customer, order and refunded amount. Filters are combined with and.",
    tag,
    access: "read",
    schema: { query: TransactionQuery, response: { 200: pageSchema(ManagedTransaction) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = transactionFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listTransactions(deps.reports, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(shownTransaction) } };
    },
  });

  router.add("GET", `${PATH}export/`, {
    summary: "Export transactions as CSV or XLSX, newest first",
    description:
      "All that the list shows with these filters, without pages: rows are sent while they are read. `columns` chooses the fields. In XLSX amounts are numbers and times are dates (UTC); what exceeds 1,048,575 rows stands on further sheets. Accounts are masked. The audit log records who exported what.",
    tag,
    access: "exports",
    schema: { query: ExportQuery, response: { 200: Type.String() } },
    otherFormats: {
      [EXPORT_TYPES.csv]: "A header row and a row for each transaction.",
      [EXPORT_TYPES.xlsx]: "The same as a spreadsheet.",
    },
    answerHeaders: ["Content-Disposition"],
    handle: (call) =>
      exportAnswer(deps, {
        tenant: tenantOf(call),
        operationId: call.operationId,
        author: call,
        query: call.query,
        filters: transactionFilters(call.query),
        columns: exportColumns(call.query.columns),
        format: call.query.format ?? "csv",
      }),
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a transaction and its timeline",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: ManagedTransactionDetail } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      const row = isUuid(id) ? await findTransaction(deps.db, tenant, id) : null;
      if (row === null) throw new Refusal("not_found");
      const timeline = await findTimeline(deps.db, tenant, id);
      return { status: 200, body: { ...shownTransaction(row), timeline: timeline.map(timesAsText) } };
    },
  });
}

/** The filters of a query, whose days are inclusive. */
export function transactionFilters(
  query: Omit<TransactionQuery, "page_size" | "cursor">,
): TransactionFilters {
  return {
    statuses: query.status?.split(",").flatMap(storedStatuses) ?? null,
    types: query.type?.split(",") ?? null,
    ...daysOf(query.from, query.to),
    amountMin: query.amount_min ?? null,
    amountMax: query.amount_max ?? null,
    gatewayId: query.gateway_id ?? null,
    campaignId: query.campaign_id ?? null,
    paymentLinkId: query.payment_link_id ?? null,
    country: query.country ?? null,
    reason: query.reason ?? null,
    held: query.held ?? null,
    collectedTwice: query.collected_twice ?? null,
    ibanLast4: query.iban_last4?.toUpperCase() ?? null,
    emailKey: query.email === undefined ? null : leadKey(query.email),
    leadId: query.lead_id ?? null,
    sessionId: query.session_id ?? null,
    subscriptionId: query.subscription_id ?? null,
    mandateId: query.mandate_id ?? null,
  };
}

/** The columns named in a query without duplicates; otherwise all. */
function exportColumns(given: string | undefined): readonly ExportColumn[] {
  if (given === undefined) return ALL_FIELDS;
  return listedIn(given) as readonly ExportColumn[];
}

/** `pending` for callers is stored as pending or as an open status. */
function storedStatuses(status: string): readonly string[] {
  return status === "pending" ? ["pending", ...OPEN_STATUSES] : [status];
}
