/** Page of mandates: who has signed, and until when they are valid. Pure. */
import { html, type Html } from "../../files/html.ts";
import { LAPSING_DAYS, MANDATE_STATUSES, SCHEMES } from "../../mandates/mandate.ts";
import type { ListedMandateRow } from "../../mandates/store.ts";
import { mandateExpiry } from "../../sepa/windows.ts";
import type { ListColumns } from "../design/columns.ts";
import {
  choiceFilter,
  daysFilter,
  emailFilter,
  linkedFilters,
  statusFilter,
  textFilter,
  type Filter,
  type Query,
} from "../design/filters.ts";
import { accountEnd, orNone, stateBadge, time, timeOrNone } from "../design/values.ts";
import type { Words } from "../words.ts";
import { columnedPage, type ColumnedPage } from "./columned.ts";

export const MANDATES_PATH = "/console/mandates/";

export const MANDATE_COLUMNS = {
  all: {
    reference: {
      title: "reference",
      cell: (row) => html`<span class="code reference">${row.reference}</span>`,
    },
    status: { title: "status", cell: ({ status }, { words }) => stateBadge(words, status) },
    holder: {
      title: "holder",
      cell: (row) =>
        html`${row.holder_name}
          <div class="soft spare">${row.email}</div>`,
    },
    account: { title: "account4", as: "short", cell: (row) => accountEnd(row.iban_last4) },
    scheme: { title: "scheme", as: "short", cell: ({ scheme }) => scheme },
    signed: {
      title: "signed",
      as: "short",
      cell: (row, { words, now }) => time(words, row.accepted_at, now),
    },
    valid_until: {
      title: "validUntil",
      as: "short",
      cell: (row, { words }) => words.day(mandateExpiry(row.last_used_at ?? row.accepted_at)),
    },
    country: { title: "country", cell: (row, { words }) => words.country(row.iban_country) },
    bank: { title: "bank", cell: (row) => orNone(row.bank_name) },
    bic: { title: "bic", as: "short", cell: ({ bic }) => orNone(bic) },
    last_used: {
      title: "lastUsed",
      as: "short",
      cell: ({ last_used_at: at }, { words, now }) => timeOrNone(words, at, now),
    },
    creditor: { title: "creditor", cell: (row) => row.creditor_name },
    created: {
      title: "created",
      as: "short",
      cell: (row, { words, now }) => time(words, row.created_at, now),
    },
  },
  usual: {
    names: ["reference", "status", "holder", "account", "scheme", "signed", "valid_until"],
    spare: ["account", "scheme", "signed", "valid_until"],
  },
} as const satisfies ListColumns<ListedMandateRow>;

export function mandatesPage(page: ColumnedPage<ListedMandateRow>): Html {
  const { words, now } = page;
  const say = words.say;
  return columnedPage(page, {
    name: "mandates",
    path: MANDATES_PATH,
    title: say("mandates"),
    all: say("allMandates"),
    none: [say("noMandates"), say("noMandatesHint")],
    filters: (query) => offeredFilters(words, query, now),
    columns: MANDATE_COLUMNS,
    parts: page,
    pathOf: ({ id }) => `${MANDATES_PATH}${id}/`,
  });
}

function offeredFilters(words: Words, query: Query, now: Date): readonly Filter[] {
  const { texts, say } = words;
  const schemes = SCHEMES.map((one) => [one, texts.schemes[one]] as const);
  return [
    statusFilter(words, query, MANDATE_STATUSES),
    textFilter(query, "reference", say("reference"), 70),
    emailFilter(words, query),
    choiceFilter(words, query, "scheme", say("scheme"), schemes),
    choiceFilter(words, query, "lapsing", say("validUntil"), [
      ["true", say("lapsing", LAPSING)],
      ["false", say("notLapsing", LAPSING)],
    ]),
    daysFilter(words, query, say("created"), now),
    ...linkedFilters(query, [["lead_id", say("customer")]]),
  ];
}

const LAPSING = { number: LAPSING_DAYS };
