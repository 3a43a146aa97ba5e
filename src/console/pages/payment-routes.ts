/** The pages of payments: their list, and one payment with its actions. They use the functions of the API. */
import type { Deps } from "../../deps.ts";
import { NOTHING } from "../../files/html.ts";
import { cancelTransaction, isCancellable } from "../../gateways/sepa-batch/cancel/cancel.ts";
import { debitOf } from "../../gateways/debits.ts";
import type { Answer } from "../../http/endpoint.ts";
import { isUuid } from "../../lib/ids.ts";
import { centsFromDatabase, parseAmount } from "../../lib/money.ts";
import { Type } from "../../lib/schema.ts";
import { cancelHeldRefund, releaseRefund } from "../../payments/refunds/held.ts";
import { NOTE_MAX, writeNote } from "../../payments/notes/note.ts";
import { refund } from "../../payments/refunds/refund.ts";
import {
  heldReversalUntil,
  reversibleUntil as lastDayOfReversal,
} from "../../payments/refunds/reversible.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { exportAnswer } from "../../reports/transactions/export.ts";
import { transactionFilters } from "../../reports/transactions/routes.ts";
import { EXPORT_FORMATS, TransactionQuery } from "../../reports/transactions/schemas.ts";
import { shownTransaction } from "../../reports/transactions/shown.ts";
import {
  countTransactions,
  findTimeline,
  findTransaction,
  listTransactions,
  type ListedTransaction,
  type TransactionFilters,
} from "../../reports/transactions/store.ts";
import { seeOther } from "../answer.ts";
import { columnsAsked, queryWithColumns } from "../design/columns.ts";
import { comeBackPanel } from "../test-mode/come-back.ts";
import type { ConsoleCall, ConsoleRouter } from "../guard.ts";
import type { Words } from "../words.ts";
import { daysAsked, listQueryOf, type GivenQuery } from "./list-query.ts";
import { AnyForm, AnyIdInPath, AnyQuery, readListPage, response } from "./listed.ts";
import { exportColumns, PAYMENT_COLUMNS } from "./payment-columns.ts";
import { paymentPage, type Refunding } from "./payment.ts";
import { paymentsExportPage, PAYMENTS_EXPORT_PATH } from "./payments-export.ts";
import { paymentsPage, paymentsExportPath, PAYMENTS_PATH } from "./payments.ts";
import { viewsOf } from "./view-routes.ts";
import { findRefund, type RefundRow } from "../../payments/refunds/store.ts";
import { faultsIn } from "../people/parts.ts";
import { refusedWords } from "../refused.ts";
import { findPendingAt, listCampaigns, listGateways } from "./store.ts";

/** The header of requests that web/console/export.ts makes. */
const SAYS_HOW_FAR = "x-progress";
const paymentQuery = listQueryOf(queryWithColumns(TransactionQuery.properties, PAYMENT_COLUMNS));

/** Declares the pages. */
export function paymentRoutes(console: ConsoleRouter, deps: Deps): void {
  console.get(PAYMENTS_PATH, "payments.read", {
    summary: "Payments",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = paymentQuery(call.query);
      const now = deps.time.now(tenant);
      const filters = filtersOf(given, words, now);
      const [page, gateways, campaigns, views] = await Promise.all([
        readListPage(deps, { tenant, path: PAYMENTS_PATH }, given, (window) =>
          listTransactions(deps.db, tenant, filters, window),
        ),
        listGateways(deps.db, tenant),
        listCampaigns(deps.db, tenant),
        viewsOf(deps, call, "payments"),
      ]);
      const may = { mayExport: call.may("exports.create"), mayCreate: call.may("payments.create") };
      const body = paymentsPage({ words, now, given, gateways, campaigns, views, ...may, ...page });
      return call.page(words.say("payments"), body, { headed: true });
    },
  });

  console.get(PAYMENTS_EXPORT_PATH, "exports.create", {
    summary: "Before an export: what it has",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words } = call;
      const { tenant } = call.person;
      const given = paymentQuery(call.query);
      const now = deps.time.now(tenant);
      const [counted, gateways, campaigns] = await Promise.all([
        countTransactions(deps.reports, tenant, filtersOf(given, words, now)),
        listGateways(deps.db, tenant),
        listCampaigns(deps.db, tenant),
      ]);
      const body = paymentsExportPage(words, given, { counted, gateways, campaigns, now });
      return call.page(words.say("exportPayments"), body, { headed: true });
    },
  });

  for (const format of EXPORT_FORMATS) {
    console.get(paymentsExportPath(format), "exports.create", {
      summary: `What the list of payments shows, all of it, as ${format.toUpperCase()}`,
      schema: { query: AnyQuery, response },
      handle(call) {
        // Filters reported as invalid are omitted here, too.
        const given = paymentQuery(call.query);
        const { page_size: _, cursor: __, ...query } = given.usable;
        const { tenant } = call.person;
        return exportAnswer(deps, {
          tenant,
          operationId: call.operationId,
          author: call,
          query,
          filters: filtersOf(given, call.words, deps.time.now(tenant)),
          columns: exportColumns(columnsAsked(PAYMENT_COLUMNS, query["columns"])),
          format,
          progress: call.headers[SAYS_HOW_FAR] !== undefined,
        });
      },
    });
  }

  console.get(`${PAYMENTS_PATH}{id}/`, "payments.read", {
    summary: "A payment",
    schema: { params: AnyIdInPath, query: AnyQuery, response },
    handle(call) {
      const { act, done } = call.query;
      const refunding = act === "refund" && call.may("payments.refund") ? "open" : null;
      const stopping = act === "stop";
      return showPayment(deps, call, call.params.id, {
        refunding,
        stopping,
        done: doneWords(call.words, done),
      });
    },
  });

  console.post(`${PAYMENTS_PATH}{id}/refund/`, "payments.refund", {
    summary: "Refund a payment",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({
        id: Type.String(),
        amount: Type.String({ maxLength: 20 }),
        reason: Type.Optional(Type.String({ maxLength: 500 })),
        way: Type.Optional(Type.Enum(["transfer", "reversal"])),
      }),
      response,
    },
    async handle(call) {
      const { id: refundId, amount: typed, reason = "" } = call.body;
      const way = call.body.way === "reversal" ? "reversal" : null;
      const { id } = call.params;
      const { tenant } = call.person;
      if (!isUuid(refundId) || !isUuid(id)) throw new Refusal("not_found");
      const amount = parseAmount(typed.trim().replace(",", "."));
      const again = (problem: string, form = refundId) =>
        showPayment(deps, call, id, {
          refunding: { id: form, amount: typed, reason, way, problem },
        });
      if (amount === null || amount === 0) return again(call.words.say("amountWrong"));
      call.requireRecentAbove(amount);
      try {
        const made = await refund(deps, {
          tenant,
          transactionId: id,
          id: refundId,
          amount,
          reason: reason.trim() === "" ? null : reason.trim(),
          way,
          author: call,
        });
        // A form sent after this response is another refund.
        if (made.status === "declined") return again(declinedWords(call.words, made), deps.ids.uuid());
      } catch (error) {
        if (error instanceof FieldErrors) return again(await faultWords(deps, call, id, error));
        if (!(error instanceof Refusal) || error.status >= 500) throw error;
        const next = error.kind === "idempotency_mismatch" ? deps.ids.uuid() : refundId;
        return again(refusedWords(call.words, error), next);
      }
      return seeOther(`${PAYMENTS_PATH}${id}/?done=refund`);
    },
  });

  console.post(`${PAYMENTS_PATH}{id}/stop/`, "payments.stop", {
    summary: "Stop a debit or refund that is not in a file for the bank yet",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { tenant } = call.person;
      const { id, amount } = await requirePayment(deps, tenant, call.params.id);
      call.requireRecentAbove(centsFromDatabase(amount));
      try {
        const { operationId } = call;
        await cancelTransaction(deps, { tenant, transactionId: id, operationId, author: call });
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error;
        return showPayment(deps, call, id, { problem: refusedWords(call.words, error) });
      }
      return seeOther(`${PAYMENTS_PATH}${id}/?done=stop`);
    },
  });

  console.post(`${PAYMENTS_PATH}{id}/notes/`, "payments.note", {
    summary: "Write a note on a payment",
    schema: {
      params: AnyIdInPath,
      body: Type.Object({ id: Type.String(), text: Type.Optional(Type.String({ maxLength: 2 * NOTE_MAX })) }),
      response,
    },
    async handle(call) {
      const { id } = call.params;
      const { id: operationId, text: typed = "" } = call.body;
      if (!isUuid(operationId)) throw new Refusal("not_found");
      // Browsers send two characters for the end of a line.
      const text = typed.replaceAll("\r\n", "\n").trim();
      const { tenant } = call.person;
      if (text.length === 0 || text.length > NOTE_MAX)
        return showPayment(deps, call, id, { problem: call.words.say("noteLength", { max: NOTE_MAX }) });
      try {
        await writeNote(deps, { tenant, transactionId: id, text, operationId, author: call });
      } catch (error) {
        if (!(error instanceof Refusal) || error.kind !== "idempotency_mismatch") throw error;
        return showPayment(deps, call, id, { problem: refusedWords(call.words, error) });
      }
      return seeOther(`${PAYMENTS_PATH}${id}/?done=note`);
    },
  });

  for (const [verb, summary, decide] of [
    ["release", "Send a held refund now", releaseRefund],
    ["unsend", "End a held refund unsent", cancelHeldRefund],
  ] as const) {
    console.post(`${PAYMENTS_PATH}{id}/${verb}/`, "payments.refund", {
      summary,
      schema: { params: AnyIdInPath, response },
      async handle(call) {
        const { id } = call.params;
        const { tenant } = call.person;
        const payment = await requirePayment(deps, tenant, id);
        if (payment.original_id === null) throw new Refusal("not_found");
        call.requireRecentAbove(centsFromDatabase(payment.amount));
        const decision = {
          tenant,
          transactionId: payment.original_id,
          refundId: id,
          id: call.operationId,
          author: call,
        };
        await decide(deps, decision);
        return seeOther(`${PAYMENTS_PATH}${id}/?done=${verb}`);
      },
    });
  }
}

/** The filters of the list; days are in the person's time zone. */
function filtersOf(given: GivenQuery, words: Words, now: Date): TransactionFilters {
  return { ...transactionFilters(given.usable), ...daysAsked(given, words, now) };
}

/** Why a gateway declined a refund at once. */
function declinedWords(
  words: Words,
  {
    gateway_code: code,
    error_code,
    refund_way,
  }: Pick<RefundRow, "gateway_code" | "error_code" | "refund_way">,
): string {
  const { refundRefusals: known } = words.texts;
  const why = known[code === "DT01" && refund_way === "reversal" ? "late" : (code ?? "")];
  return words.say("refundDeclined", {
    why: why ?? words.texts.reasons[code ?? error_code ?? ""] ?? code ?? "",
  });
}

/** What is wrong with the fields of a refund: that it is too much in the person's words. */
async function faultWords(
  deps: Pick<Deps, "db">,
  { words, person }: { readonly words: Words; readonly person: { readonly tenant: number } },
  id: string,
  error: FieldErrors,
): Promise<string> {
  const { fields } = error;
  if (fields["amount"] === undefined) return Object.values(faultsIn(words, error)).join(" ");
  const { amount_refundable: left, currency } = await requirePayment(deps, person.tenant, id);
  return words.say("refundTooMuch", { amount: words.money(left, currency) });
}

/** The action that has just been performed, by `done` in the address. */
function doneWords(words: Words, done: string | undefined): string | null {
  if (done === "refund" || done === "release") return words.say("refundDone");
  if (done === "again") return words.say("sendAgainDone");
  if (done === "note") return words.say("noteDone");
  if (done === "stop") return words.say("stopDone");
  return done === "unsend" ? words.say("heldCancelDone") : null;
}

/**
 * The payment.
 * @throws Refusal not_found.
 */
export async function requirePayment(
  { db }: Pick<Deps, "db">,
  tenant: number,
  id: string,
): Promise<ListedTransaction> {
  const payment = isUuid(id) ? await findTransaction(db, tenant, id) : null;
  if (payment === null) throw new Refusal("not_found");
  return payment;
}

/** What is open on the page of a payment, and what has just been done. */
interface Opened {
  readonly refunding?: "open" | Omit<Refunding, "reversibleUntil"> | null;
  readonly stopping?: boolean;
  /** Why the action was refused. */
  readonly problem?: string | null;
  readonly done?: string | null;
}

/**
 * A payment with its history, and the open dialog.
 * @throws Refusal not_found.
 */
async function showPayment(
  deps: Pick<Deps, "adapters" | "db" | "environment" | "ids" | "keys" | "log" | "time">,
  call: Pick<
    ConsoleCall<{ readonly response: typeof response }>,
    "person" | "words" | "csrf" | "may" | "page"
  >,
  id: string,
  { refunding = null, stopping = false, problem = null, done = null }: Opened,
): Promise<Answer> {
  const { words } = call;
  const { tenant } = call.person;
  const payment = await requirePayment(deps, tenant, id);
  const [steps, refund, pending, cancellable, tried] = await Promise.all([
    findTimeline(deps.db, tenant, id),
    payment.type === "sdd_refund" ? findRefund(deps.db, tenant, id) : null,
    payment.status === "pending" ? findPendingAt(deps.db, tenant, id) : null,
    call.may("payments.stop") && payment.status === "pending" ? isCancellable(deps, tenant, id) : false,
    call.may("test_mode.use") ? comeBackPanel(deps, { words, csrf: call.csrf, tenant }, payment) : NOTHING,
  ]);
  const blank = {
    id: deps.ids.uuid(),
    amount: payment.amount_refundable,
    reason: "",
    way: null,
    problem: null,
  };
  const form = refunding === "open" ? blank : refunding;
  const reversibleUntil = form === null ? null : await lastDayOfReversal(deps, tenant, id);
  const body = paymentPage({
    words,
    now: deps.time.now(tenant),
    csrf: call.csrf,
    payment,
    isReversal: refund?.refund_way === "reversal",
    debit: pending && (await debitOf(deps, tenant, pending, pending.reference)),
    steps,
    mayRefund: call.may("payments.refund"),
    tried,
    mayStop: cancellable,
    noteId: call.may("payments.note") ? deps.ids.uuid() : null,
    maySeeDeliveries: call.may("developers.read"),
    mayResend: call.may("webhooks.resend"),
    heldReversalUntil: payment.held_until === null ? null : await heldReversalUntil(deps, tenant, id),
    refunding: form === null ? null : { ...form, reversibleUntil },
    stopping,
    problem,
    done,
    raw: JSON.stringify(shownTransaction(payment), null, 2),
  });
  const title = words.money(payment.amount, payment.currency);
  const status = problem !== null ? 409 : typeof refunding === "object" && refunding ? 422 : 200;
  return call.page(title, body, { headed: true, status });
}
