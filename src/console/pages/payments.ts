/** Page of payments, renewals and refunds, with filters. Pure. */
import { html, type Html } from "../../files/html.ts";
import { tabs } from "../design/blocks.ts";
import type { Words } from "../words.ts";
import {
  addressWith,
  choiceFilter,
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
import { table, type Column } from "../design/table.ts";
import { accountEnd, money, orNone, reason, stateBadge, time } from "../design/values.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { SHOWN_STATUSES, shownStatus, TRANSACTION_TYPES } from "../../payments/transaction.ts";
import { listPage, type ListPage } from "./list.ts";

export const PAYMENTS_PATH = "/console/payments/";
export const LINKS_PATH = "/console/payment-links/";
export const PAYMENTS_CSV_PATH = `${PAYMENTS_PATH}export.csv`;

/** The payments, and the links that they are made by. @param at the path of the tab that is open. */
export function paymentTabs({ say }: Words, at: string): Html {
  return tabs(say("payments"), at, [
    [PAYMENTS_PATH, say("payments")],
    [LINKS_PATH, say("paymentLinks")],
  ]);
}

interface Names {
  readonly gateways: readonly Named[];
  readonly campaigns: readonly Named[];
}

export function paymentsPage(
  page: ListPage<ListedTransaction> & Names & { readonly mayExport: boolean },
): Html {
  const { words, now, rows, given } = page;
  const { cursor: _, page_size: __, ...query } = given.usable;
  return listPage(page, {
    path: PAYMENTS_PATH,
    title: words.say("payments"),
    none: [words.say("noPayments"), words.say("noPaymentsHint")],
    tabs: paymentTabs(words, PAYMENTS_PATH),
    acts:
      page.mayExport && rows.length > 0
        ? [
            html`<a class="button" href="${addressWith(PAYMENTS_CSV_PATH, query)}" download
              >${words.say("export")}</a
            >`,
          ]
        : [],
    filters: (asked) => offeredFilters(words, asked, page),
    table: () => paymentsTable(words, rows, now),
  });
}

/**
 * The rows of a list, here and where a customer shows payments.
 * @param of `customer` leaves out whose they are.
 */
export function paymentsTable(
  words: Words,
  rows: readonly ListedTransaction[],
  now: Date,
  of: "all" | "customer" = "all",
): Html {
  const columns: readonly (Column & { readonly cell: (row: ListedTransaction) => Html | string })[] = [
    { title: words.say("amount"), as: "number", cell: (row) => amountLink(words, row) },
    {
      title: words.say("status"),
      cell: (row) => html`${stateBadge(words, shownStatus(row.status))} ${below(words, row)}`,
    },
    ...(of === "customer" ? [] : [{ title: words.say("customer"), cell: customerCell }]),
    {
      title: words.say("type"),
      as: "short spare",
      cell: (row) => words.texts.types[row.type] ?? row.type,
    },
    { title: words.say("account4"), as: "short spare", cell: (row) => accountEnd(row.iban) },
    { title: words.say("date"), as: "short", cell: (row) => time(words, row.created_at, now) },
  ];
  return table(
    words.say("payments"),
    columns,
    rows.map((row) => columns.map(({ cell }) => cell(row))),
  );
}

/** What is given back stands with a minus. */
function amountLink(words: Words, row: ListedTransaction): Html {
  return html`<a class="row" href="${PAYMENTS_PATH}${row.id}/"
    >${row.type === "sdd_refund" && "−"}${money(words, row.amount, row.currency)}</a
  >`;
}

function customerCell(row: ListedTransaction): Html {
  return html`${orNone(row.customer_name)}
    <div class="soft spare">${row.customer_email ?? ""}</div>`;
}

/** What a state alone does not say: why it failed, how much of it was given back. */
function below(words: Words, row: ListedTransaction): Html | false {
  const why = row.gateway_code ?? row.error_code;
  if (row.status === "declined" && why !== null) return html`<div class="soft">${reason(words, why)}</div>`;
  if (row.status === "approved" && row.amount_refunded !== "0.00")
    return html`<div class="soft">
      ${words.say("refunded")}: ${money(words, row.amount_refunded, row.currency)}
    </div>`;
  return false;
}

function offeredFilters(words: Words, query: Query, { gateways, campaigns }: Names): readonly Filter[] {
  const { texts, say } = words;
  const amounts = [
    { name: "amount_min", label: say("amountFrom") },
    { name: "amount_max", label: say("amountTo") },
  ] as const;
  const types = TRANSACTION_TYPES.map((one) => [one, texts.types[one] ?? one] as const);
  const reasons = Object.entries(texts.reasons).map(([code, text]) => [code, `${code} – ${text}`] as const);
  const country = textFilter(query, "country", say("country"), 2);
  return [
    statusFilter(words, query, SHOWN_STATUSES),
    daysFilter(words, query, say("date")),
    rangeFilter(query, say("amount"), amounts, { inputMode: "decimal" }),
    choiceFilter(words, query, "type", say("type"), types),
    choiceFilter(words, query, "held", say("held"), [["true", say("heldNow")]]),
    choiceFilter(words, query, "reason", say("reason"), reasons),
    textFilter(query, "iban_last4", say("account4"), 4),
    emailFilter(words, query),
    { ...country, shown: country.shown === null ? null : words.country(country.shown) },
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
