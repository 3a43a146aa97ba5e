/** Page of payments, renewals and refunds, with filters. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { input, select } from "../design/fields.ts";
import { addressOf, type Filter } from "../design/filters.ts";
import { table, type Column } from "../design/table.ts";
import { accountEnd, money, orNone, reason, stateBadge, time } from "../design/values.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { shownStatus } from "../../payments/transaction.ts";
import { listPage, type ListPage } from "./list.ts";
import type { Named } from "./store.ts";

export const PAYMENTS_PATH = "/console/payments/";
const STATUSES = ["pending", "approved", "declined", "refunded", "charged_back"] as const;
const TYPES = ["sdd_sale", "sdd_rebill", "sdd_refund", "other_type"] as const;

export const PAYMENTS_CSV_PATH = `${PAYMENTS_PATH}export.csv`;

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
    acts:
      page.mayExport && rows.length > 0
        ? [
            html`<a class="button" href="${addressOf(PAYMENTS_CSV_PATH, query)}" download
              >${words.say("export")}</a
            >`,
          ]
        : [],
    filters: (asked) => filtersOf(words, asked, page),
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

type Query = Readonly<Record<string, string>>;

function filtersOf(words: Words, query: Query, { gateways, campaigns }: Names): readonly Filter[] {
  const { texts } = words;
  const say = words.say;
  const range = (from: string | undefined, to: string | undefined) =>
    from === undefined && to === undefined ? null : `${from ?? ""} – ${to ?? ""}`;
  const { status, type, from, to, amount_min: least, amount_max: most } = query;
  const { reason: why, iban_last4: last4, email, country, gateway_id: gateway } = query;
  const campaign = query["campaign_id"];
  const known = ["lead_id", "session_id", "subscription_id", "mandate_id"] as const;
  return [
    {
      title: say("status"),
      names: ["status"],
      shown:
        status
          ?.split(",")
          .map((one) => texts.states[one] ?? one)
          .join(", ") ?? null,
      form: select({ name: "status", label: say("status"), value: status ?? "" }, [
        ["", say("any")],
        ...STATUSES.map((one) => [one, texts.states[one] ?? one] as const),
      ]),
    },
    {
      title: say("date"),
      names: ["from", "to"],
      shown: range(from, to),
      form: html`${input({ name: "from", label: say("from"), type: "date", value: from ?? "" })}
      ${input({ name: "to", label: say("to"), type: "date", value: to ?? "" })}`,
    },
    {
      title: say("amount"),
      names: ["amount_min", "amount_max"],
      shown: range(least, most),
      form: html`${input({ name: "amount_min", label: say("amountFrom"), value: least ?? "", inputMode: "decimal" })}
      ${input({ name: "amount_max", label: say("amountTo"), value: most ?? "", inputMode: "decimal" })}`,
    },
    {
      title: say("type"),
      names: ["type"],
      shown:
        type
          ?.split(",")
          .map((one) => texts.types[one] ?? one)
          .join(", ") ?? null,
      form: select({ name: "type", label: say("type"), value: type ?? "" }, [
        ["", say("any")],
        ...TYPES.map((one) => [one, texts.types[one] ?? one] as const),
      ]),
    },
    {
      title: say("reason"),
      names: ["reason"],
      shown: why ?? null,
      form: select({ name: "reason", label: say("reason"), value: why ?? "" }, [
        ["", say("any")],
        ...Object.entries(texts.reasons).map(([code, text]) => [code, `${code} – ${text}`] as const),
      ]),
    },
    {
      title: say("account4"),
      names: ["iban_last4"],
      shown: last4 ?? null,
      form: input({ name: "iban_last4", label: say("account4"), value: last4 ?? "", maxLength: 4 }),
    },
    {
      title: say("email"),
      names: ["email"],
      shown: email ?? null,
      form: input({ name: "email", label: say("email"), value: email ?? "", type: "email" }),
    },
    {
      title: say("country"),
      names: ["country"],
      shown: country === undefined ? null : words.country(country),
      form: input({ name: "country", label: say("country"), value: country ?? "", maxLength: 2 }),
    },
    {
      title: say("gateway"),
      names: ["gateway_id"],
      shown: gateway === undefined ? null : (gateways.find(({ id }) => id === gateway)?.name ?? gateway),
      form: select({ name: "gateway_id", label: say("gateway"), value: gateway ?? "" }, [
        ["", say("any")],
        ...gateways.map(({ id, name }) => [id, name] as const),
      ]),
    },
    {
      title: say("campaign"),
      names: ["campaign_id"],
      shown: campaign === undefined ? null : (campaigns.find(({ id }) => id === campaign)?.name ?? campaign),
      form: select({ name: "campaign_id", label: say("campaign"), value: campaign ?? "" }, [
        ["", say("any")],
        ...campaigns.map(({ id, name }) => [id, name] as const),
      ]),
    },
    // These come by links from other pages.
    ...known
      .filter((name) => query[name] !== undefined)
      .map((name) => ({
        title: name,
        names: [name],
        shown: query[name] ?? null,
        form: input({ name, label: name, value: query[name] ?? "" }),
      })),
  ];
}
