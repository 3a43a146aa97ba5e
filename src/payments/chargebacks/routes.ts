/** Chargebacks: entered by hand, and read (contract: Chargebacks). */
import { daysOf } from "../../db/days.ts";
import { Type, type Static } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { amount, isoDate, isoDateOrTime, nullable, optionalText, text, uuid } from "../../http/fields.ts";
import { PAGE_QUERY, pageOf, pageSchema } from "../../http/paging.ts";
import { timesAsText } from "../../http/times-as-text.ts";
import { must } from "../../lib/assert.ts";
import { isUuid } from "../../lib/ids.ts";
import { parseAmount, type Cents } from "../../lib/money.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { IdInPath, MANAGEMENT } from "../../management/resource-routes.ts";
import { CHARGEBACK_RECORD } from "../schemas.ts";
import { recordChargeback } from "./record-chargeback.ts";
import { findChargeback, listChargebacks, type ChargebackFilters } from "./store.ts";

const PATH = `${MANAGEMENT}chargebacks/`;
const tag = "Money after the payment";

const Chargeback = Type.Object(
  {
    ...CHARGEBACK_RECORD,
    withdrawn_on: nullable(
      Type.String({ format: "date", description: "When the bank took it back; the payment is collected." }),
    ),
  },
  { $id: "Chargeback" },
);
const ChargebackBody = Type.Object({
  transaction_id: uuid({ description: "The id of the transaction that was charged back." }),
  reason_code: Type.Optional(nullable(text(35, { description: "The bank's reason code, such as MD06." }))),
  reason_message: Type.Optional(nullable(optionalText(500))),
  report_date: Type.Optional(
    nullable(isoDateOrTime({ description: "A day counts from its start in UTC. Default: now." })),
  ),
  amount: Type.Optional(nullable(amount({ description: "Default: the transaction's." }))),
  cb_bank_fee: Type.Optional(nullable(amount({ allowZero: true, description: "The bank's fee for it." }))),
});

export const ChargebackQuery = Type.Object({
  linked: Type.Optional(
    Type.Boolean({
      description: "false lists those without a known transaction, which need a person.",
    }),
  ),
  reason: Type.Optional(text(35, { description: "The bank's reason code, such as MD06." })),
  gateway_id: Type.Optional(uuid()),
  campaign_id: Type.Optional(uuid()),
  bic: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$",
      message: "Must be a BIC of 8 or 11 characters.",
      description: "The customer's bank; its branches count as one.",
    }),
  ),
  from: Type.Optional(isoDate({ description: "Reported on or after this day (UTC)." })),
  to: Type.Optional(isoDate({ description: "Reported on or before this day (UTC)." })),
  ...PAGE_QUERY,
});
type ChargebackQuery = Static<typeof ChargebackQuery>;

/** Declares the endpoints on the router. */
export function chargebackRoutes(router: Router, deps: Deps): void {
  router.add("POST", PATH, {
    summary: "Record a chargeback by hand",
    description:
      "The transaction becomes charged_back and its order CHARGEDBACK. A transaction has at most one chargeback: a second one is refused with 409.",
    tag,
    access: "refunds",
    schema: { body: ChargebackBody, response: { 201: Chargeback } },
    async handle(call) {
      const { body } = call;
      const record = await recordChargeback(deps, {
        tenant: tenantOf(call),
        id: call.operationId,
        transactionId: body.transaction_id,
        reasonCode: body.reason_code ?? null,
        reasonMessage: body.reason_message ?? null,
        reportDate: timeOf(body.report_date ?? null),
        amount: centsOf(body.amount ?? null),
        bankFee: centsOf(body.cb_bank_fee ?? null),
        author: call,
      });
      return { status: 201, body: timesAsText(record) };
    },
  });

  router.add("GET", PATH, {
    summary: "List chargebacks, newest first",
    tag,
    access: "read",
    schema: { query: ChargebackQuery, response: { 200: pageSchema(Chargeback) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = chargebackFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listChargebacks(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(timesAsText) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a chargeback",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: Chargeback } },
    async handle(call) {
      const { id } = call.params;
      const record = isUuid(id) ? await findChargeback(deps.db, tenantOf(call), id) : null;
      if (record === null) throw new Refusal("not_found");
      return { status: 200, body: timesAsText(record) };
    },
  });
}

/** The filters of a query, whose days are inclusive. */
export function chargebackFilters(query: Omit<ChargebackQuery, "page_size" | "cursor">): ChargebackFilters {
  return {
    linked: query.linked ?? null,
    reasonCode: query.reason ?? null,
    gatewayId: query.gateway_id ?? null,
    campaignId: query.campaign_id ?? null,
    bank: query.bic?.slice(0, 8).toUpperCase() ?? null,
    ...daysOf(query.from, query.to),
  };
}

function centsOf(digits: string | null): Cents | null {
  return digits === null ? null : must(parseAmount(digits), "an amount that the schema has read");
}

/**
 * Reads a time.
 * @throws FieldErrors for the 60th second of a leap minute, which is well-formed but no `Date`.
 */
function timeOf(given: string | null): Date | null {
  if (given === null) return null;
  const at = new Date(given);
  if (Number.isNaN(at.getTime())) throw new FieldErrors({ report_date: ["This time does not exist."] });
  return at;
}
