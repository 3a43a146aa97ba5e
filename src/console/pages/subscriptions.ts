/** Pages of subscriptions: the list, and one with its cycles and actions. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { ListedCustomer } from "../../reports/customers/store.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { SUBSCRIPTION_STATUSES } from "../../subscriptions/subscription-record.ts";
import type { ShownSubscription, SubscriptionCycle, SubscriptionDetail } from "../../subscriptions/store.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, empty, facts, heading, panel, tabs, toast } from "../design/blocks.ts";
import type { CellParts, ListColumns } from "../design/columns.ts";
import { formActs, input, select } from "../design/fields.ts";
import {
  addressWith,
  choiceFilter,
  emailFilter,
  rangeFilter,
  spanShown,
  statusFilter,
  type Filter,
  type Named,
  type Query,
} from "../design/filters.ts";
import { table } from "../design/table.ts";
import {
  address,
  copyableReference,
  dayOrNone,
  money,
  orNone,
  reason,
  stateBadge,
  time,
  timeOrNone,
} from "../design/values.ts";
import type { Words } from "../words.ts";
import { CUSTOMERS_PATH, fullName } from "./customers.ts";
import { columnedPage, type ColumnedPage } from "./columned.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { COLUMNS_OF_CUSTOMER } from "./payment-columns.ts";
import { paymentsTable, PAYMENTS_PATH } from "./payments.ts";

export const SUBSCRIPTIONS_PATH = "/console/subscriptions/";
export const DUE_PATH = `${SUBSCRIPTIONS_PATH}due/`;

export const SUBSCRIPTION_COLUMNS = {
  all: {
    amount: {
      title: "amount",
      as: "number",
      cell: (row, { words }) => money(words, row.billing_amount, row.currency),
    },
    status: { title: "status", cell: ({ status }, { words }) => stateBadge(words, status) },
    customer: {
      title: "customer",
      cell: (row, { customers }) => {
        const customer = customers.get(row.lead_id);
        return customer === undefined
          ? orNone(null)
          : html`${fullName(customer)}
              <div class="soft spare">${address(customer.email)}</div>`;
      },
    },
    frequency: { title: "frequency", cell: (row, { words }) => frequency(words, row.billing_frequency) },
    next: {
      title: "next",
      as: "short",
      cell: (row, { words }) => dayOrNone(words, row.next_billing_date),
    },
    created: {
      title: "created",
      as: "short",
      cell: (row, { words, now }) => time(words, row.created_at, now),
    },
    last: {
      title: "lastCollected",
      as: "short",
      cell: ({ last_billing_date: at }, { words, now }) => timeOrNone(words, at, now),
    },
    collected: {
      title: "collected",
      as: "number",
      cell: (row, { words }) => money(words, row.total_revenue, row.currency),
    },
    paid_cycles: {
      title: "paidCycles",
      as: "number",
      cell: (row, { words }) => words.number(row.successful_billing_count),
    },
    failed_cycles: {
      title: "failedCycles",
      as: "number",
      cell: (row, { words }) => words.number(row.failed_billing_count),
    },
    trial_end: {
      title: "trialEnd",
      as: "short",
      cell: (row, { words }) => dayOrNone(words, row.trial_end_date),
    },
    reason: { title: "reason", cell: ({ cancel_reason: why }) => orNone(why) },
  },
  usual: {
    names: ["amount", "status", "customer", "frequency", "next", "created"],
    spare: ["frequency", "created"],
  },
} as const satisfies ListColumns<ShownSubscription, string, SubscriptionParts>;

interface SubscriptionParts extends CellParts {
  /** The customers of the displayed rows. */
  readonly customers: ReadonlyMap<string, ListedCustomer>;
}

export function subscriptionsPage(page: ColumnedPage<ShownSubscription> & SubscriptionParts): Html {
  const { words } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "subscriptions",
    path: SUBSCRIPTIONS_PATH,
    title: say("subscriptions"),
    all: say("allSubscriptions"),
    none: [say("noSubscriptions"), say("noSubscriptionsHint")],
    tabs: subscriptionTabs(words, SUBSCRIPTIONS_PATH),
    filters: (query) => [
      statusFilter(words, query, SUBSCRIPTION_STATUSES),
      emailFilter(words, query),
      nextFilter(words, query),
      choiceFilter(words, query, "campaign_stopped", say("campaign"), [["true", say("campaignStopped")]]),
      choiceFilter(words, query, "collected_twice", say("cycles"), [["true", say("collectedTwice")]]),
    ],
    columns: SUBSCRIPTION_COLUMNS,
    parts: page,
    pathOf: ({ id }) => `${SUBSCRIPTIONS_PATH}${id}/`,
  });
}

function nextFilter(words: Words, query: Query): Filter {
  const { say } = words;
  const ends = [
    { name: "next_billing_date_from", label: say("from") },
    { name: "next_billing_date_to", label: say("to") },
  ] as const;
  const { next_billing_date_from: from, next_billing_date_to: to } = query;
  return { ...rangeFilter(query, say("next"), ends, { type: "date" }), shown: spanShown(words, from, to) };
}

/**
 * The tabs.
 * @param at the path of the current tab.
 */
export function subscriptionTabs({ say }: Words, at: string): Html {
  return tabs(say("subscriptions"), at, [
    [SUBSCRIPTIONS_PATH, say("subscriptions")],
    [DUE_PATH, say("dueCalendar")],
  ]);
}

/** The action that a dialog is about. */
export interface PendingAct {
  /** Drawn with the form: if it is sent twice, it is done once. */
  readonly id: string;
  readonly act: "cancel" | "collect" | "change";
  /** The typed values of a change. */
  readonly typed?: Readonly<Record<string, string>>;
  readonly problem: string | null;
  /** The errors by field. */
  readonly faults?: Readonly<Record<string, string>>;
}

interface DetailPage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly subscription: SubscriptionDetail;
  /** Null if unknown. */
  readonly customer: ListedCustomer | null;
  readonly payments: readonly ListedTransaction[];
  readonly mayWrite: boolean;
  /** Gateways that may collect it; empty if not requested. */
  readonly gateways: readonly Named[];
  /** The open dialog. */
  readonly ending: PendingAct | null;
  /** The action that has just been performed. */
  readonly done: string | null;
}

export function subscriptionPage(page: DetailPage): Html {
  const { words, subscription, customer, payments, mayWrite, ending, done } = page;
  const say = words.say;
  const path = `${SUBSCRIPTIONS_PATH}${subscription.id}/`;
  const open = mayWrite && subscription.status !== "CANCELLED";
  return html`${heading(money(words, subscription.billing_amount, subscription.currency), {
      after: stateBadge(words, subscription.status),
      acts: open
        ? [
            ...(mayBeDueByHand(subscription)
              ? [html`<a class="button" href="${path}?act=collect">${say("collectNow")}</a>`]
              : []),
            ...(subscription.cancel_at_period_end
              ? []
              : [html`<a class="button" href="${path}?act=change">${say("changeTerms")}</a>`]),
            html`<a class="button" href="${path}?act=cancel">${say("end")}</a>`,
          ]
        : [],
      lead: html`${customer !== null && html`${fullName(customer)} · `}${leadOf(words, subscription)}`,
    })}
    <div class="split">
      <div class="stack">
        ${panel(say("cycles"), cyclesTable(words, subscription.cycles))}
        ${panel(
          say("payments"),
          payments.length === 0
            ? empty(say("noPayments"), say("noPaymentsHint"))
            : paymentsTable(words, payments, page.now, COLUMNS_OF_CUSTOMER),
          html`<a href="${addressWith(PAYMENTS_PATH, { subscription_id: subscription.id })}"
            >${say("all")}</a
          >`,
        )}
      </div>
      <div class="stack">${factsOf(page)}</div>
    </div>
    ${done !== null && toast(done)} ${open && ending !== null ? actDialog(page, path, ending) : NOTHING}`;
}

/** Other subscriptions are collected on their day; collecting them by hand is refused. */
function mayBeDueByHand(subscription: SubscriptionDetail): boolean {
  const { billing_frequency: frequency, next_billing_date: next, cycles } = subscription;
  const hasFailed = cycles.some(({ status }) => status === "retry") || cycles[0]?.status === "failed";
  return hasFailed || (frequency === null && next === null);
}

/** Answers "what happens next?" in one line. */
function leadOf(words: Words, subscription: SubscriptionDetail): Html {
  const { next_billing_date: next, cancel_at_period_end: ends, cancelled_at: ended } = subscription;
  const often = frequency(words, subscription.billing_frequency);
  if (ended !== null) return html`${often} · ${words.say("endedOn", { day: words.time(ended) })}`;
  if (next === null) return html`${often}`;
  const day = words.day(next);
  return html`${often} · ${words.say(ends ? "endsOn" : "nextOn", { day })}`;
}

function frequency({ texts }: Words, code: string | null): string {
  return code === null ? texts.frequencies["none"] : (texts.frequencies[code] ?? code);
}

function cyclesTable(words: Words, cycles: readonly SubscriptionCycle[]): Html {
  const say = words.say;
  if (cycles.length === 0) return html`<p class="in soft">${say("noCycles")}</p>`;
  return table(
    say("cycles"),
    [
      { title: say("number"), as: "number" },
      { title: say("due"), as: "short" },
      { title: say("status") },
      { title: say("tries"), as: "number" },
      { title: say("reason"), as: "spare" },
    ],
    cycles.map((cycle) => [
      cycle.transaction_id === null
        ? words.number(cycle.cycle)
        : html`<a class="row" href="${PAYMENTS_PATH}${cycle.transaction_id}/"
            >${words.number(cycle.cycle)}</a
          >`,
      words.day(cycle.due_date),
      html`${stateBadge(words, cycle.status)}
      ${cycle.collected_by.length > 1 && html` <span class="soft">${say("collectedTwice")}</span>`}`,
      words.number(cycle.attempts),
      reason(words, cycle.gateway_code ?? cycle.error_code),
    ]),
  );
}

function factsOf({ words, subscription, customer, payments, now }: DetailPage): Html {
  const say = words.say;
  const mandate = payments.find(({ mandate_id: id }) => id === subscription.mandate_id);
  return panel(
    say("facts"),
    facts([
      [
        say("customer"),
        html`<a href="${CUSTOMERS_PATH}${subscription.lead_id}/"
          >${customer === null ? say("show") : fullName(customer)}</a
        >`,
      ],
      [
        say("mandate"),
        html`<a href="${MANDATES_PATH}${subscription.mandate_id}/"
          >${mandate?.mandate_reference_id ?? say("show")}</a
        >`,
      ],
      [say("collected"), money(words, subscription.total_revenue, subscription.currency)],
      [say("paidCycles"), words.number(subscription.successful_billing_count)],
      [say("failedCycles"), words.number(subscription.failed_billing_count)],
      [say("trialEnd"), subscription.trial_end_date === null ? null : words.day(subscription.trial_end_date)],
      [say("created"), time(words, subscription.created_at, now)],
      [say("reason"), subscription.cancel_reason],
      ["ID", copyableReference(words, subscription.id)],
    ]),
  );
}

function actDialog(page: DetailPage, path: string, pending: PendingAct): Html {
  return pending.act === "change" ? changeDialog(page, path, pending) : endingDialog(page, path, pending);
}

/** The dialog: shows what the change applies to, and asks for confirmation. */
function changeDialog(
  { words, csrf, subscription, gateways }: DetailPage,
  path: string,
  { id, problem, typed = {}, faults = {} }: PendingAct,
): Html {
  const say = words.say;
  const next = subscription.next_billing_date;
  const was = { amount: subscription.billing_amount, gateway_id: subscription.payment_gateway_id };
  const before = Object.entries(next === null ? was : { ...was, next_billing_date: next }).map(
    ([name, value]) => [`was.${name}`, typed[`was.${name}`] ?? value] as const,
  );
  return dialog(
    say("changeTerms"),
    html`<p>${say("changeTermsWhat")}</p>
      ${problem !== null && callout("bad", problem)}
      <form method="post" action="${path}change/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${id}" />
        ${before.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        ${input({
          name: "amount",
          label: `${say("amount")} (${subscription.currency})`,
          value: words.typedAmount(typed["amount"] ?? subscription.billing_amount),
          inputMode: "decimal",
          required: true,
          error: faults["amount"],
        })}
        ${
          next !== null &&
          subscription.billing_frequency !== null &&
          input({
            name: "next_billing_date",
            label: say("nextDue"),
            value: typed["next_billing_date"] ?? next,
            type: "date",
            required: true,
            hint: say("nextDueHint"),
            error: faults["next_billing_date"],
          })
        }
        ${select(
          {
            name: "gateway_id",
            label: say("gateway"),
            value: typed["gateway_id"] ?? subscription.payment_gateway_id,
            error: faults["gateway_id"],
          },
          gateways.map((one) => [one.id, one.name]),
        )}
        ${formActs(say("changeTerms"), "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}

/** The dialog: shows how much is collected and when, and asks for confirmation. */
function endingDialog(
  { words, csrf, subscription, customer }: DetailPage,
  path: string,
  ending: PendingAct,
): Html {
  const say = words.say;
  const amount = words.money(subscription.billing_amount, subscription.currency);
  const isCancel = ending.act === "cancel";
  return dialog(
    say(isCancel ? "end" : "collectNow"),
    html`<p>
        ${say(isCancel ? "endWhat" : "collectWhat", { amount, customer: customer === null ? "?" : fullName(customer) })}
      </p>
      ${ending.problem !== null && callout("bad", ending.problem)}
      <form method="post" action="${path}${ending.act}/">
        ${csrfField(csrf)} <input type="hidden" name="id" value="${ending.id}" />
        ${
          isCancel
            ? html`${select({ name: "when", label: say("when"), value: "now" }, [
                ["now", say("endNow")],
                ...(subscription.next_billing_date === null
                  ? []
                  : [["period_end", say("endAtPeriod")] as const]),
              ])}
              ${input({ name: "reason", label: say("refundReason"), value: "", maxLength: 255, hint: say("refundReasonHint") })}`
            : NOTHING
        }
        ${formActs(say(isCancel ? "end" : "collectNow"), isCancel ? "bad" : "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
