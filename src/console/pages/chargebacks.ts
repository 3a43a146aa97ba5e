/** Pages of chargebacks: the list, and one with the meaning of its reason and what can be done. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { ChargebackRecord } from "../../payments/chargebacks/store.ts";
import { callout, facts, heading, panel, rawBlock } from "../design/blocks.ts";
import type { CellParts, ListColumns } from "../design/columns.ts";
import {
  addressWith,
  choiceFilter,
  daysFilter,
  recordFilter,
  textFilter,
  type Filter,
  type Named,
  type Query,
} from "../design/filters.ts";
import {
  accountEnd,
  address,
  badge,
  isBankCode,
  money,
  orNone,
  reason,
  copyableReference,
  dayOrTime,
} from "../design/values.ts";
import type { Words } from "../words.ts";
import { adviceFor } from "./advice.ts";
import { CUSTOMERS_PATH } from "./customers.ts";
import { columnedPage, type ColumnedPage } from "./columned.ts";
import { MANDATES_PATH } from "./mandates.ts";
import { PAYMENTS_PATH } from "./payments.ts";

export const CHARGEBACKS_PATH = "/console/chargebacks/";

interface Names {
  readonly gateways: readonly Named[];
  readonly campaigns: readonly Named[];
}

export const CHARGEBACK_COLUMNS = {
  all: {
    amount: {
      title: "amount",
      as: "number",
      cell: (row, { words }) => money(words, row.amount, row.currency),
    },
    reason: { title: "reason", cell: (row, { words }) => html`${why(words, row)} ${stateOf(words, row)}` },
    customer: { title: "customer", cell: ({ email }) => address(email) },
    gateway: {
      title: "gateway",
      as: "short",
      cell: (row, { gateways }) => orNone(nameOf(gateways, row.payment_gateway_id)),
    },
    account: { title: "account4", as: "short", cell: ({ iban }) => accountEnd(iban) },
    reported: {
      title: "reported",
      as: "short",
      cell: (row, { words, now }) => dayOrTime(words, row.report_date, now),
    },
    bic: { title: "bic", as: "short", cell: ({ bic }) => orNone(bic) },
    kind: { title: "kindOfReturn", cell: (row, { words }) => orNone(kindOf(words, row)) },
    bank_fee: {
      title: "bankFee",
      as: "number",
      cell: ({ cb_bank_fee: fee, currency }, { words }) =>
        fee === null ? orNone(null) : money(words, fee, currency),
    },
    reference: {
      title: "reference",
      as: "short",
      cell: (row) => orNone(row.merchant_transaction_id),
    },
    heard_from: {
      title: "heardFrom",
      cell: ({ source }, { words }) => words.texts.sources[source] ?? source,
    },
  },
  usual: {
    names: ["amount", "reason", "customer", "gateway", "account", "reported"],
    spare: ["customer", "gateway", "account"],
  },
} as const satisfies ListColumns<ChargebackRecord, string, CellParts & Pick<Names, "gateways">>;

export function chargebacksPage(page: ColumnedPage<ChargebackRecord> & Names): Html {
  const { words } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "chargebacks",
    path: CHARGEBACKS_PATH,
    title: say("chargebacks"),
    all: say("allChargebacks"),
    none: [say("noChargebacks"), say("noChargebacksHint")],
    filters: (query) => offeredFilters(words, query, page),
    columns: CHARGEBACK_COLUMNS,
    parts: page,
    pathOf: ({ id }) => `${CHARGEBACKS_PATH}${id}/`,
  });
}

function nameOf(gateways: readonly Named[], gateway: string | null): string | null {
  return gateways.find(({ id }) => id === gateway)?.name ?? null;
}

/** How the money came back, as text. */
function kindOf({ texts }: Words, { report_type: kind }: ChargebackRecord): string | null {
  return texts.returnTypes[kind ?? ""] ?? kind;
}

/** Its reason as text; a processor's own text if the bank's code is missing. */
function why(words: Words, { reason_code: code, reason_message: message }: ChargebackRecord): Html | string {
  return code === null ? (message ?? words.say("noReason")) : reason(words, code);
}

/** Notes on what is unusual about it. */
function stateOf(words: Words, { transaction_id: payment, withdrawn_on: withdrawn }: ChargebackRecord): Html {
  if (payment === null) return badge("attention", words.say("unlinked"));
  return withdrawn === null ? NOTHING : badge("good", words.say("takenBackByBank"));
}

interface ChargebackPage {
  readonly words: Words;
  readonly now: Date;
  readonly chargeback: ChargebackRecord;
  readonly gateway: string | null;
  /** The mandate of its payment; null if unknown. */
  readonly mandate: string | null;
  /** The record as returned by the API. */
  readonly raw: string;
}

export function chargebackPage({ words, now, chargeback, gateway, mandate, raw }: ChargebackPage): Html {
  const say = words.say;
  const { currency, transaction_id: payment, report_date, cb_bank_fee: fee, iban } = chargeback;
  const { amount, email, lead_id: customer } = chargeback;
  return html`${heading(money(words, amount, currency), {
      after: stateOf(words, chargeback),
      acts:
        payment === null
          ? []
          : [html`<a class="button main" href="${PAYMENTS_PATH}${payment}/">${say("thePayment")}</a>`],
      lead: html`${say("bankTookBack")} · ${why(words, chargeback)}`,
    })}
    <div class="split">
      <div class="stack">
        ${panel(say("whatToDo"), html`<div class="in">${adviceOf(words, chargeback, mandate)}</div>`)}
        ${rawBlock(say("raw"), raw)}
      </div>
      <div class="stack">
        ${panel(
          say("facts"),
          facts([
            [say("reported"), dayOrTime(words, report_date, now)],
            [say("kindOfReturn"), kindOf(words, chargeback)],
            [say("bankFee"), fee === null ? null : money(words, fee, currency)],
            [
              say("customer"),
              customer === null
                ? email
                : html`<a href="${CUSTOMERS_PATH}${customer}/">${email ?? say("show")}</a>`,
            ],
            [say("bankAccount"), iban === null ? null : accountEnd(iban)],
            [say("bic"), chargeback.bic],
            [say("gateway"), gateway],
            [say("heardFrom"), words.texts.sources[chargeback.source] ?? chargeback.source],
            [say("reference"), copyableReference(words, chargeback.merchant_transaction_id)],
            [
              say("takenBackByBank"),
              chargeback.withdrawn_on === null ? null : words.day(chargeback.withdrawn_on),
            ],
            ["ID", copyableReference(words, chargeback.id)],
          ]),
        )}
      </div>
    </div>`;
}

function adviceOf({ texts, say }: Words, chargeback: ChargebackRecord, mandate: string | null): Html {
  if (chargeback.withdrawn_on !== null) return callout("good", say("withdrawnAdvice"));
  const advice = adviceFor(chargeback.reason_code, chargeback.report_type);
  return html`${chargeback.transaction_id === null && callout("attention", say("unlinkedAdvice"))}
    <p>${texts.advice[advice]}</p>
    ${advice === "mandate" && mandate !== null && html`<p><a class="button" href="${MANDATES_PATH}${mandate}/">${say("theMandate")}</a></p>`}
    <p>
      <a
        href="${addressWith(CHARGEBACKS_PATH, chargeback.reason_code === null ? {} : { reason: chargeback.reason_code })}"
        >${say("sameReason")}</a
      >
    </p>`;
}

function offeredFilters(
  words: Words,
  query: Query,
  { gateways, campaigns, now }: Names & { readonly now: Date },
): readonly Filter[] {
  const { texts, say } = words;
  const reasons = Object.entries(texts.reasons)
    .filter(([code]) => isBankCode(code))
    .map(([code, text]) => [code, `${code} – ${text}`] as const);
  return [
    choiceFilter(words, query, "reason", say("reason"), reasons),
    daysFilter(words, query, say("reported"), now),
    recordFilter(words, query, "gateway_id", say("gateway"), gateways),
    recordFilter(words, query, "campaign_id", say("campaign"), campaigns),
    textFilter(query, "bic", say("bic"), 11),
    choiceFilter(words, query, "linked", say("payment"), [
      ["false", say("unlinked")],
      ["true", say("linked")],
    ]),
  ];
}
