/** Page of payments, renewals and refunds, with filters. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { tabs } from "../design/blocks.ts";
import type { Words } from "../words.ts";
import {
  addressWith,
  choiceFilter,
  countryFilter,
  daysFilter,
  emailFilter,
  linkedFilters,
  rangeFilter,
  recordFilter,
  statusFilter,
  textFilter,
  type Filter,
  type Named,
  type Query,
} from "../design/filters.ts";
import { columnsTable } from "../design/columns.ts";
import type { ExportFormat } from "../../reports/transactions/schemas.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { SHOWN_STATUSES, TRANSACTION_TYPES } from "../../payments/transaction.ts";
import { columnedPage, type ColumnedPage } from "./columned.ts";
import { PAYMENT_COLUMNS } from "./payment-columns.ts";

export const PAYMENTS_PATH = "/console/payments/";
export const LINKS_PATH = "/console/payment-links/";

export function paymentsExportPath(format: ExportFormat): string {
  return `${PAYMENTS_PATH}export.${format}`;
}

/**
 * Tabs for payments and payment links.
 * @param at the path of the current tab.
 */
export function paymentTabs({ say }: Words, at: string): Html {
  return tabs(say("payments"), at, [
    [PAYMENTS_PATH, say("payments")],
    [LINKS_PATH, say("paymentLinks")],
  ]);
}

/** The choices of some filters. */
export interface FilterNames {
  readonly gateways: readonly Named[];
  readonly campaigns: readonly Named[];
}

export function paymentsPage(
  page: ColumnedPage<ListedTransaction> &
    FilterNames & { readonly mayExport: boolean; readonly mayCreate: boolean },
): Html {
  const { words, rows, given } = page;
  const { cursor: _, page_size: __, ...query } = given.usable;
  return columnedPage(page, {
    name: "payments",
    path: PAYMENTS_PATH,
    title: words.say("payments"),
    all: words.say("allPayments"),
    none: [
      words.say("noPayments"),
      words.say("noPaymentsHint"),
      page.mayCreate
        ? html`<a class="button main" href="${LINKS_PATH}?act=new">${words.say("newPaymentLink")}</a>`
        : NOTHING,
    ],
    tabs: paymentTabs(words, PAYMENTS_PATH),
    acts:
      page.mayExport && rows.length > 0
        ? [
            html`<a class="button" href="${addressWith(`${PAYMENTS_PATH}export/`, query)}"
              >${words.say("export")}</a
            >`,
          ]
        : [],
    filters: (asked) => offeredFilters(words, asked, page),
    columns: PAYMENT_COLUMNS,
    parts: page,
    pathOf: pathOfPayment,
  });
}

/** The table of payments on the pages of customers and subscriptions. */
export function paymentsTable(
  words: Words,
  rows: readonly ListedTransaction[],
  now: Date,
  shown = PAYMENT_COLUMNS.usual,
): Html {
  return columnsTable({ words, now }, words.say("payments"), PAYMENT_COLUMNS, shown, rows, pathOfPayment);
}

function pathOfPayment({ id }: ListedTransaction): string {
  return `${PAYMENTS_PATH}${id}/`;
}

/**
 * The filters of the list.
 * @param query the current parameters, without the page.
 */
export function offeredFilters(
  words: Words,
  query: Query,
  { gateways, campaigns, now }: FilterNames & { readonly now: Date },
): readonly Filter[] {
  const { texts, say } = words;
  const amounts = [
    { name: "amount_min", label: say("amountFrom") },
    { name: "amount_max", label: say("amountTo") },
  ] as const;
  const types = TRANSACTION_TYPES.map((one) => [one, texts.types[one] ?? one] as const);
  const reasons = Object.entries(texts.reasons).map(([code, text]) => [code, `${code} – ${text}`] as const);
  return [
    statusFilter(words, query, SHOWN_STATUSES),
    daysFilter(words, query, say("date"), now),
    rangeFilter(query, say("amount"), amounts, { inputMode: "decimal" }),
    choiceFilter(words, query, "type", say("type"), types),
    choiceFilter(words, query, "reason", say("reason"), reasons),
    textFilter(query, "iban_last4", say("account4"), 4),
    emailFilter(words, query),
    choiceFilter(words, query, "held", say("held"), [["true", say("heldNow")]]),
    choiceFilter(words, query, "collected_twice", say("paidAgain"), [["true", say("paidTwice")]]),
    countryFilter(words, query),
    recordFilter(words, query, "gateway_id", say("gateway"), gateways),
    recordFilter(words, query, "campaign_id", say("campaign"), campaigns),
    ...linkedFilters(query, [
      ["lead_id", say("customer")],
      ["session_id", texts.kinds.session],
      ["subscription_id", texts.kinds.subscription],
      ["mandate_id", say("mandate")],
      ["payment_link_id", say("paymentLink")],
    ]),
  ];
}
