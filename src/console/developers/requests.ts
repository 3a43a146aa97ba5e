/** The log of requests: what programs requested, and why they were refused. Pure. */
import { html, type Html } from "../../files/html.ts";
import { LOGGED_METHODS, LOGGED_STATUSES } from "../../management/request-log/schemas.ts";
import type { LoggedRequestRow } from "../../management/request-log/store.ts";
import { facts, heading, panel } from "../design/blocks.ts";
import type { Option } from "../design/fields.ts";
import { choiceFilter, daysFilter, textFilter, type Filter, type Query } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, orNone, copyableReference, time, type Meaning } from "../design/values.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import type { Words } from "../words.ts";
import { REQUESTS_PATH } from "./tabs.ts";

interface RequestsPage extends ListPage<LoggedRequestRow> {
  readonly tabs: Html;
  /** Each key's id and name. */
  readonly keys: readonly Option[];
}

export function requestsPage(page: RequestsPage): Html {
  const { words, now, rows, tabs, keys } = page;
  const { say } = words;
  return listPage(page, {
    path: REQUESTS_PATH,
    title: say("requests"),
    none: [say("noRequests"), say("noRequestsHint")],
    tabs,
    filters: (set) => requestsFilters(words, set, keys, now),
    table: () =>
      table(
        say("requests"),
        [
          { title: say("request") },
          { title: say("answer"), as: "short" },
          { title: say("problem"), as: "spare" },
          { title: say("apiKey"), as: "spare" },
          { title: say("took"), as: "number spare" },
          { title: say("created"), as: "short" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${REQUESTS_PATH}${row.id}/">${row.method} ${pathOf(row)}</a>`,
          answerBadge(row),
          orNone(row.problem),
          orNone(row.api_key_name),
          say("milliseconds", { number: words.number(row.duration_ms) }),
          time(words, row.created_at, now),
        ]),
      ),
  });
}

/** Without the common prefix of all paths. */
function pathOf({ route }: LoggedRequestRow): string {
  return route.replace("/api/v1", "");
}

function answerBadge({ status }: LoggedRequestRow): Html {
  return badge(meaningOf(status), String(status));
}

function meaningOf(status: number): Meaning {
  if (status < 400) return "good";
  return status < 500 ? "attention" : "bad";
}

function requestsFilters(words: Words, query: Query, keys: readonly Option[], now: Date): readonly Filter[] {
  const { say } = words;
  const statuses = LOGGED_STATUSES.map((one) => [one, one === "refused" ? say("refusedOnes") : one] as const);
  const methods = LOGGED_METHODS.map((one) => [one, one] as const);
  return [
    textFilter(query, "request_id", say("requestId"), 128),
    choiceFilter(words, query, "status", say("answer"), statuses),
    choiceFilter(words, query, "method", say("method"), methods),
    choiceFilter(words, query, "api_key_id", say("apiKey"), keys),
    daysFilter(words, query, say("date"), now),
  ];
}

interface RequestPage {
  readonly words: Words;
  readonly now: Date;
  readonly tabs: Html;
  readonly row: LoggedRequestRow;
}

export function requestPage({ words, now, tabs, row }: RequestPage): Html {
  const { say } = words;
  const id = (value: string | null) => (value === null ? null : copyableReference(words, value));
  return html`${heading(`${row.method} ${pathOf(row)}`, { after: answerBadge(row) })} ${tabs}
    <div class="stack">
      ${panel(
        say("facts"),
        facts([
          [say("requestId"), copyableReference(words, row.request_id)],
          [say("problem"), row.problem],
          [say("apiKey"), row.api_key_name],
          [say("session"), id(row.session_id)],
          [say("recordInPath"), id(row.record_id)],
          [say("took"), say("milliseconds", { number: words.number(row.duration_ms) })],
          [say("created"), time(words, row.created_at, now)],
        ]),
      )}
      <p class="soft">${say("requestsWhat")}</p>
    </div>`;
}
