/** A partner's postbacks: each with its result and its body. Pure. */
import type { IntegrationRow } from "../../db/rows.ts";
import { html, type Html } from "../../files/html.ts";
import type { ListedActivityRow } from "../../integrations/management-store.ts";
import { ACTIVITY_STATUSES } from "../../integrations/schemas.ts";
import { csrfField } from "../csrf.ts";
import { facts, heading, panel, toast } from "../design/blocks.ts";
import { daysFilter, statusFilter, textFilter, type Filter, type Query } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, orNone, copyableReference, time, type Meaning } from "../design/values.ts";
import { CUSTOMERS_PATH } from "../pages/customers.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import { fieldName } from "../records/names.ts";
import type { Words } from "../words.ts";
import { INTEGRATIONS_PATH } from "./tabs.ts";

type Integration = Pick<IntegrationRow, "id" | "name">;

const pathOf = ({ id }: Integration) => `${INTEGRATIONS_PATH}${id}/postbacks/`;

interface PostbacksPage extends ListPage<ListedActivityRow> {
  readonly tabs: Html;
  readonly integration: Integration;
}

export function postbacksPage(page: PostbacksPage): Html {
  const { words, now, rows, tabs, integration } = page;
  const { say } = words;
  const path = pathOf(integration);
  return listPage(page, {
    path,
    title: `${say("postbacks")}: ${integration.name}`,
    none: [say("noPostbacks"), say("noPostbacksHint")],
    tabs,
    acts: [html`<a class="button" href="${INTEGRATIONS_PATH}${integration.id}/">${say("settings")}</a>`],
    filters: (set) => postbackFilters(words, set, now),
    table: () =>
      table(
        say("postbacks"),
        [
          { title: say("postback") },
          { title: say("status") },
          { title: say("reason"), as: "spare" },
          { title: say("created"), as: "short" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${path}${row.id}/">${row.request_uuid ?? row.id}</a>`,
          stateOf(words, row),
          orNone(reasonOf(words, row)),
          time(words, row.created_at, now),
        ]),
      ),
  });
}

const MEANINGS: Readonly<Record<ListedActivityRow["status"], Meaning>> = {
  received: "waiting",
  matched: "good",
  unmatched: "attention",
  failed: "bad",
  skipped: "waiting",
};

function stateOf({ texts }: Words, { status }: ListedActivityRow): Html {
  return badge(MEANINGS[status], texts.postbackStates[status]);
}

/** How it was matched, or why it was not. */
function reasonOf({ texts }: Words, { reason }: ListedActivityRow): string | null {
  const known: Readonly<Record<string, string>> = texts.postbackReasons;
  return reason === null ? null : (known[reason] ?? reason);
}

function postbackFilters(words: Words, query: Query, now: Date): readonly Filter[] {
  const { say, texts } = words;
  return [
    statusFilter(words, query, ACTIVITY_STATUSES, texts.postbackStates),
    textFilter(query, "request_uuid", fieldName(words, "request_uuid"), 255),
    daysFilter(words, query, say("date"), now),
  ];
}

interface PostbackPage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly tabs: Html;
  readonly integration: Integration;
  readonly row: ListedActivityRow;
  readonly values: Readonly<Record<string, string | null>> | null;
  readonly payload: unknown;
  readonly mayReplay: boolean;
  readonly maySeePayments: boolean;
  readonly done: boolean;
}

export function postbackPage(page: PostbackPage): Html {
  const { words, now, csrf, tabs, integration, row, values, payload, mayReplay, maySeePayments, done } = page;
  const { say } = words;
  const path = pathOf(integration);
  const again = html`<form method="post" action="${path}${row.id}/again/">
    ${csrfField(csrf)}<button>${say("processAgain")}</button>
  </form>`;
  const customer = row.lead_id !== null && maySeePayments ? `${CUSTOMERS_PATH}${row.lead_id}/` : null;
  return html`${heading(`${say("postback")}: ${integration.name}`, {
      after: stateOf(words, row),
      acts: mayReplay ? [again] : [],
    })}
    ${tabs}
    <div class="split">
      <div class="stack">
        ${
          values === null
            ? panel(say("payload"), html`<p class="in soft">${say("bodyGone")}</p>`)
            : html`${panel(
                say("readFrom"),
                facts(
                  Object.entries(values).map(([name, value]) => [
                    fieldName(words, `key_mapping.${name}`),
                    value,
                  ]),
                ),
              )}
              ${panel(
                say("payload"),
                html`<div class="in"><pre tabindex="0">${JSON.stringify(payload, null, 2)}</pre></div>`,
              )}`
        }
      </div>
      <div class="stack">
        ${panel(
          say("facts"),
          facts([
            [say("reason"), reasonOf(words, row)],
            [
              say("customer"),
              customer === null ? row.lead_id : html`<a class="code" href="${customer}">${row.lead_id}</a>`,
            ],
            [say("session"), row.session_id === null ? null : copyableReference(words, row.session_id)],
            [say("created"), time(words, row.created_at, now)],
            [say("processed"), row.processed_at === null ? null : time(words, row.processed_at, now)],
            [
              fieldName(words, "request_uuid"),
              row.request_uuid === null ? null : copyableReference(words, row.request_uuid),
            ],
            ["ID", copyableReference(words, row.id)],
          ]),
        )}
        <p><a href="${path}">${say("postbacks")}</a></p>
      </div>
    </div>
    ${done && toast(say("processAgainDone"))}`;
}
