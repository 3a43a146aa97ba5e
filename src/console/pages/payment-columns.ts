/** The columns of a table of payments, and their fields in an export. Pure. */
import { html, type Html } from "../../files/html.ts";
import { shownStatus } from "../../payments/transaction.ts";
import type { ExportColumn } from "../../reports/transactions/columns.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import type { ListColumn, ListColumns, ShownColumns } from "../design/columns.ts";
import {
  accountEnd,
  address,
  badge,
  money,
  orNone,
  reason,
  stateBadge,
  time,
  timeOrNone,
} from "../design/values.ts";
import type { Words } from "../words.ts";

interface PaymentColumn extends ListColumn<ListedTransaction> {
  /** What an export has in its place. */
  readonly fields: readonly ExportColumn[];
}

const COLUMNS = {
  amount: {
    title: "amount",
    as: "number",
    // Refunds are shown with a minus.
    cell: (row, { words }) =>
      html`${row.type === "sdd_refund" && "−"}${money(words, row.amount, row.currency)}`,
    fields: ["signed_amount", "currency"],
  },
  status: {
    title: "status",
    cell: (row, { words }) => html`${paymentBadge(words, row)} ${below(words, row)}`,
    fields: ["status", "error_code", "gateway_code", "chargeback_code", "amount_refunded"],
  },
  customer: {
    title: "customer",
    cell: (row) =>
      html`${orNone(row.customer_name)}
        <div class="soft spare">${row.customer_email !== null && address(row.customer_email)}</div>`,
    fields: ["customer_name", "customer_email"],
  },
  type: {
    title: "type",
    as: "short",
    cell: ({ type }, { words }) => words.texts.types[type] ?? type,
    fields: ["type"],
  },
  account: { title: "account4", as: "short", cell: ({ iban }) => accountEnd(iban), fields: ["iban"] },
  date: {
    title: "date",
    as: "short",
    cell: (row, { words, now }) => time(words, row.created_at, now),
    fields: ["created_at"],
  },
  processed: {
    title: "processed",
    as: "short",
    cell: ({ date_processed: at }, { words, now }) => timeOrNone(words, at, now),
    fields: ["date_processed"],
  },
  refunded: {
    title: "refunded",
    as: "number",
    cell: (row, { words }) => money(words, row.amount_refunded, row.currency),
    fields: ["amount_refunded"],
  },
  refundable: {
    title: "refundable",
    as: "number",
    cell: (row, { words }) => money(words, row.amount_refundable, row.currency),
    fields: ["amount_refundable"],
  },
  reason: {
    title: "reason",
    cell(row, { words }) {
      const code = codeOf(row);
      return code === null ? orNone(row.reason) : reason(words, code);
    },
    fields: ["error_code", "gateway_code", "chargeback_code", "reason"],
  },
  order: { title: "order", as: "short", cell: (row) => orNone(row.order_number), fields: ["order_number"] },
  own_reference: {
    title: "ownReference",
    cell: (row) => orNone(row.tenant_reference_id),
    fields: ["tenant_reference_id"],
  },
  reference: {
    title: "reference",
    as: "short",
    cell: (row) => row.merchant_transaction_id,
    fields: ["merchant_transaction_id"],
  },
  mandate: {
    title: "mandate",
    cell: (row) => orNone(row.mandate_reference_id),
    fields: ["mandate_reference_id"],
  },
  gateway: { title: "gateway", cell: (row) => row.gateway_name, fields: ["gateway_name"] },
  country: {
    title: "country",
    cell: ({ country }, { words }) => (country === null ? orNone(null) : words.country(country)),
    fields: ["country"],
  },
} as const satisfies Readonly<Record<string, PaymentColumn>>;

type PaymentColumnName = keyof typeof COLUMNS;

export const PAYMENT_COLUMNS: ListColumns<ListedTransaction, PaymentColumnName> = {
  all: COLUMNS,
  usual: {
    names: ["amount", "status", "customer", "type", "account", "date"],
    spare: ["type", "account"],
  },
};

/** The state of a payment or a refund. */
export function paymentBadge(
  words: Words,
  { type, status }: Pick<ListedTransaction, "type" | "status">,
): Html {
  const isGivenBack = type === "sdd_refund" && status === "approved";
  return isGivenBack
    ? badge("good", words.texts.states["refunded"] ?? "")
    : stateBadge(words, shownStatus(status));
}

/** The columns of payments on a customer's or subscription's own page. */
export const COLUMNS_OF_CUSTOMER: ShownColumns<PaymentColumnName> = {
  ...PAYMENT_COLUMNS.usual,
  names: PAYMENT_COLUMNS.usual.names.filter((name) => name !== "customer"),
};

/** What an export of these columns has, in their order. */
export function exportColumns({ names }: ShownColumns<PaymentColumnName>): readonly ExportColumn[] {
  return [...new Set(names.flatMap((name): readonly ExportColumn[] => COLUMNS[name].fields))];
}

/** Why it failed or came back: the bank's code takes precedence over ours. */
export function codeOf(row: ListedTransaction): string | null {
  return row.chargeback_code ?? row.gateway_code ?? row.error_code;
}

/** Details of a state: why a payment failed or came back, or how much was refunded. */
function below(words: Words, row: ListedTransaction): Html | false {
  const why = codeOf(row);
  if ((row.status === "declined" || row.status === "charged_back") && why !== null)
    return html`<div class="soft">${reason(words, why)}</div>`;
  if (row.status === "approved" && row.amount_refunded !== "0.00")
    return html`<div class="soft">
      ${words.say("refunded")}: ${money(words, row.amount_refunded, row.currency)}
    </div>`;
  return false;
}
