/** Page of mandates: who has signed, and until when it is valid. Pure. */
import { html, type Html } from "../../files/html.ts";
import { LAPSING_DAYS, MANDATE_STATUSES, SCHEMES } from "../../mandates/mandate.ts";
import type { ListedMandateRow } from "../../mandates/store.ts";
import { mandateExpiry } from "../../sepa/windows.ts";
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
import { table } from "../design/table.ts";
import { accountEnd, stateBadge, time } from "../design/values.ts";
import type { Words } from "../words.ts";
import { listPage, type ListPage } from "./list.ts";

export const MANDATES_PATH = "/console/mandates/";

export function mandatesPage(page: ListPage<ListedMandateRow>): Html {
  const { words, now, rows } = page;
  const say = words.say;
  return listPage(page, {
    path: MANDATES_PATH,
    title: say("mandates"),
    none: [say("noMandates"), say("noMandatesHint")],
    filters: (query) => offeredFilters(words, query),
    table: () =>
      table(
        say("mandates"),
        [
          { title: say("reference") },
          { title: say("status") },
          { title: say("holder") },
          { title: say("account4"), as: "short spare" },
          { title: say("scheme"), as: "short spare" },
          { title: say("signed"), as: "short spare" },
          { title: say("validUntil"), as: "short spare" },
        ],
        rows.map((row) => [
          html`<a class="row code" href="${MANDATES_PATH}${row.id}/">${row.reference}</a>`,
          stateBadge(words, row.status),
          html`${row.holder_name}
            <div class="soft spare">${row.email}</div>`,
          accountEnd(row.iban_last4),
          row.scheme,
          time(words, row.accepted_at, now),
          words.day(mandateExpiry(row.last_used_at ?? row.accepted_at)),
        ]),
      ),
  });
}

function offeredFilters(words: Words, query: Query): readonly Filter[] {
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
    daysFilter(words, query, say("created")),
    ...linkedFilters(query, [["lead_id", say("customer")]]),
  ];
}

const LAPSING = { number: LAPSING_DAYS };
