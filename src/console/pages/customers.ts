/** Pages of customers: the list, and everything that belongs to one of them. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import type { CustomerDetail, ListedCustomer } from "../../reports/customers/store.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, empty, facts, heading, panel, stats } from "../design/blocks.ts";
import type { ListColumns } from "../design/columns.ts";
import { check, formActs } from "../design/fields.ts";
import { addressWith, countryFilter, emailFilter, textFilter } from "../design/filters.ts";
import { money, orNone, copyableReference, stateBadge, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { columnedPage, type ColumnedPage } from "./columned.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { COLUMNS_OF_CUSTOMER } from "./payment-columns.ts";
import { paymentsTable, PAYMENTS_PATH } from "./payments.ts";

export const CUSTOMERS_PATH = "/console/customers/";

export const CUSTOMER_COLUMNS = {
  all: {
    name: { title: "name", cell: (row) => fullName(row) },
    email: { title: "email", cell: ({ email }) => email },
    country: { title: "country", cell: ({ country }, { words }) => words.country(country) },
    created: {
      title: "created",
      as: "short",
      cell: (row, { words, now }) => time(words, row.created_at, now),
    },
    changed: {
      title: "changed",
      as: "short",
      cell: (row, { words, now }) => time(words, row.updated_at, now),
    },
  },
  usual: { names: ["name", "email", "country", "created"], spare: ["country"] },
} as const satisfies ListColumns<ListedCustomer>;

export function fullName(customer: Pick<ListedCustomer, "first_name" | "last_name">): string {
  return `${customer.first_name} ${customer.last_name}`;
}

export function customersPage(page: ColumnedPage<ListedCustomer>): Html {
  const { words } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "customers",
    path: CUSTOMERS_PATH,
    title: say("customers"),
    all: say("allCustomers"),
    none: [say("noCustomers"), say("noCustomersHint")],
    filters: (query) => [
      textFilter(query, "name", say("name"), 254),
      emailFilter(words, query),
      countryFilter(words, query),
    ],
    columns: CUSTOMER_COLUMNS,
    parts: page,
    pathOf: ({ id }) => `${CUSTOMERS_PATH}${id}/`,
  });
}

interface DetailPage {
  readonly words: Words;
  readonly now: Date;
  readonly customer: CustomerDetail;
  readonly payments: readonly ListedTransaction[];
  readonly csrf: string;
  readonly mayErase: boolean;
  /** The open dialog, with its errors. */
  readonly erasing: { readonly problem: string | null } | null;
}

export function customerPage(page: DetailPage): Html {
  const { words, now, customer, payments } = page;
  const say = words.say;
  const path = `${CUSTOMERS_PATH}${customer.id}/`;
  const canErase = page.mayErase && customer.erased_at === null;
  const all = addressWith(PAYMENTS_PATH, { lead_id: customer.id });
  return html`${heading(fullName(customer), {
      lead:
        customer.erased_at === null
          ? customer.email
          : say("erasedAt", { time: words.day(customer.erased_at.toISOString().slice(0, 10)) }),
      acts: canErase ? [html`<a class="button" href="${path}?act=erase">${say("erase")}</a>`] : [],
    })}
    <div class="stack">
      ${customer.totals.map((total) =>
        stats([
          { name: say("collected"), value: money(words, total.collected, total.currency) },
          { name: say("pending"), value: money(words, total.pending, total.currency) },
          { name: say("refunded"), value: money(words, total.refunded, total.currency) },
          { name: say("takenBack"), value: money(words, total.charged_back, total.currency) },
        ]),
      )}
      <div class="split">
        <div class="stack">
          ${panel(
            say("payments"),
            payments.length === 0
              ? empty(say("noPayments"), say("noPaymentsHint"))
              : paymentsTable(words, payments, now, COLUMNS_OF_CUSTOMER),
            html`<a href="${all}">${say("all")}</a>`,
          )}
        </div>
        <div class="stack">
          ${panel(
            say("facts"),
            facts([
              [
                say("address"),
                orNone([customer.address, customer.postal_code, customer.city].filter(Boolean).join(", ")),
              ],
              [say("country"), words.country(customer.country)],
              [say("phone"), customer.phone],
              [say("created"), time(words, customer.created_at, now)],
              ["ID", copyableReference(words, customer.id)],
            ]),
          )}
          ${panel(say("mandates"), mandates(words, customer))}
          ${customer.subscriptions.length > 0 && panel(say("subscriptions"), subscriptions(words, customer))}
        </div>
      </div>
    </div>
    ${canErase && page.erasing !== null ? eraseDialog(page, path, page.erasing.problem) : NOTHING}`;
}

/** The dialog: shows what is erased and what stays, and asks for confirmation. */
function eraseDialog({ words, csrf, customer }: DetailPage, path: string, problem: string | null): Html {
  const say = words.say;
  return dialog(
    `${say("erase")}: ${fullName(customer)}`,
    html`<p>${say("eraseWhat")}</p>
      ${problem !== null && callout("bad", problem)}
      <form method="post" action="${path}erase/">
        ${csrfField(csrf)} ${check("give_up_evidence", say("eraseEvidence"), false, "yes")}
        ${formActs(say("eraseNow"), "bad", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}

function mandates(words: Words, { mandates: list }: CustomerDetail): Html {
  return html`<ul class="rows">
    ${list.map(
      ({ id, reference: text, status, iban_country, iban_last4 }) =>
        html`<li>
          <a href="${MANDATES_PATH}${id}/"
            ><span class="code">${text}</span
            ><span
              >${stateBadge(words, status)} <span class="soft">${iban_country} •••• ${iban_last4}</span></span
            ></a
          >
        </li>`,
    )}
  </ul>`;
}

function subscriptions(words: Words, { subscriptions: list }: CustomerDetail): Html {
  return html`<ul class="rows">
    ${list.map(
      ({ id, status, amount, currency, next_billing_date: next }) =>
        html`<li>
          <a href="/console/subscriptions/${id}/"
            ><span>${money(words, amount, currency)} ${stateBadge(words, status)}</span
            ><span class="soft">${next !== null && `${words.say("next")}: ${words.day(next)}`}</span></a
          >
        </li>`,
    )}
  </ul>`;
}
