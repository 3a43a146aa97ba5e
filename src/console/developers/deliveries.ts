/** The delivery log: what was sent where, the responses, and redelivery. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { EVENT_TYPES } from "../../webhooks/events.ts";
import { DELIVERY_STATUSES } from "../../webhooks/management/schemas.ts";
import type { DeliveryAttempt, DeliveryDetailRow, DeliveryRow } from "../../webhooks/management/store.ts";
import { payloadOf } from "../../webhooks/routes.ts";
import { csrfField } from "../csrf.ts";
import { dialog, facts, heading, panel, rawBlock, toast } from "../design/blocks.ts";
import { formActs, input, nameOf, select, type Option } from "../design/fields.ts";
import {
  addressWith,
  choiceFilter,
  daysFilter,
  statusFilter,
  type Filter,
  type Query,
} from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, meaningOf, orNone, copyableReference, time } from "../design/values.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import type { Words } from "../words.ts";
import { DELIVERIES_PATH, WEBHOOKS_PATH } from "./tabs.ts";

interface DeliveriesPage extends ListPage<DeliveryRow> {
  readonly tabs: Html;
  readonly csrf: string;
  /** Each profile's id and name. */
  readonly profiles: readonly Option[];
  readonly mayResend: boolean;
  /** Whether the dialog for all of them is open. */
  readonly choosing: boolean;
  readonly done: string | null;
}

export function deliveriesPage(page: DeliveriesPage): Html {
  const { words, now, rows, profiles, tabs, mayResend, given } = page;
  const { say } = words;
  const query = given.usable;
  const again = addressWith(DELIVERIES_PATH, { ...query, act: "again" });
  const list = listPage(page, {
    path: DELIVERIES_PATH,
    title: say("deliveries"),
    none: [say("noDeliveries"), say("noDeliveriesHint")],
    tabs,
    acts:
      mayResend && rows.length > 0
        ? [html`<a class="button" href="${again}">${say("sendAllAgain")}</a>`]
        : [],
    filters: (set) => offeredFilters(words, set, profiles, now),
    table: () =>
      table(
        say("deliveries"),
        [
          { title: say("event") },
          { title: say("status") },
          { title: say("receiver"), as: "spare" },
          { title: say("answer"), as: "spare" },
          { title: say("tries"), as: "number spare" },
          { title: say("created"), as: "short" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${DELIVERIES_PATH}${row.id}/">${row.event_type}</a>`,
          deliveryStatus(words, row),
          nameOf(profiles, row.profile_id),
          orNone(answerOf(row)),
          words.number(row.attempts),
          time(words, row.created_at, now),
        ]),
      ),
  });
  return html`${list} ${page.done !== null && toast(page.done)}
  ${mayResend && page.choosing ? againDialog(page) : NOTHING}`;
}

function offeredFilters(
  words: Words,
  query: Query,
  profiles: readonly Option[],
  now: Date,
): readonly Filter[] {
  const { texts, say } = words;
  const events = EVENT_TYPES.map((type) => [type, type] as const);
  return [
    statusFilter(words, query, DELIVERY_STATUSES, texts.answers),
    choiceFilter(words, query, "profile", say("receiver"), profiles),
    choiceFilter(words, query, "event", say("event"), events),
    daysFilter(words, query, say("date"), now),
  ];
}

/** Says what is sent again, and asks for confirmation. */
function againDialog({ words, csrf, profiles, given }: DeliveriesPage): Html {
  const { say } = words;
  const { profile = "", from = "" } = given.usable;
  return dialog(
    say("sendAllAgain"),
    html`<p>${say("sendAllWhat")}</p>
      <form method="post" action="${DELIVERIES_PATH}again/">
        ${csrfField(csrf)}
        ${select({ name: "profile", id: "again-profile", label: say("receiver"), value: profile }, [["", say("any")], ...profiles])}
        ${input({ name: "from", id: "again-from", label: say("sendAllSince"), type: "date", value: from })}
        ${select({ name: "status", id: "again-status", label: say("status"), value: "" }, [
          ["", say("failedOnes")],
          ["delivered", words.texts.answers["delivered"] ?? ""],
        ])}
        ${formActs(say("sendAllAgain"), "main", html`<a class="button" href="${DELIVERIES_PATH}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}

interface DeliveryPage {
  readonly words: Words;
  readonly now: Date;
  readonly csrf: string;
  readonly tabs: Html;
  readonly row: DeliveryDetailRow;
  readonly attempts: readonly DeliveryAttempt[];
  readonly profileName: string;
  readonly mayResend: boolean;
  readonly done: boolean;
}

export function deliveryPage(page: DeliveryPage): Html {
  const { words, now, csrf, tabs, row, attempts, profileName, mayResend, done } = page;
  const { say } = words;
  const again = html`<form method="post" action="${DELIVERIES_PATH}${row.id}/again/">
    ${csrfField(csrf)}<button>${say("sendAgain")}</button>
  </form>`;
  return html`${heading(row.event_type, { after: deliveryStatus(words, row), acts: mayResend ? [again] : [] })}
    ${tabs}
    <div class="split">
      <div class="stack">
        ${panel(say("everyTry"), attempts.length === 0 ? html`<p class="in soft">${say("notTried")}</p>` : attemptsTable(words, attempts))}
        ${attempts
          .filter(({ response_body: body }) => body !== null && body !== "")
          .map(({ number, response_body: body }) => rawBlock(`${say("answer")} ${number}`, body ?? ""))}
        ${panel(say("payload"), html`<div class="in"><pre tabindex="0">${JSON.stringify(payloadOf(row), null, 2)}</pre></div>`)}
      </div>
      <div class="stack">
        ${panel(
          say("facts"),
          facts([
            [say("receiver"), html`<a href="${WEBHOOKS_PATH}${row.profile_id}/">${profileName}</a>`],
            [say("created"), time(words, row.created_at, now)],
            [say("delivered"), row.delivered_at === null ? null : time(words, row.delivered_at, now)],
            [say("nextTry"), row.due_at === null ? null : html`${words.time(row.due_at)}`],
            [say("event"), copyableReference(words, row.event_id)],
            ["ID", copyableReference(words, row.id)],
          ]),
        )}
      </div>
    </div>
    ${done && toast(say("sendAgainDone"))}`;
}

function attemptsTable(words: Words, attempts: readonly DeliveryAttempt[]): Html {
  const { say } = words;
  return table(
    say("everyTry"),
    [
      { title: say("number"), as: "number" },
      { title: say("answer") },
      { title: say("took"), as: "number" },
      { title: say("date"), as: "short" },
    ],
    attempts.map((attempt) => [
      words.number(attempt.number),
      html`${answerBadge(attempt)}
      ${attempt.error !== null && html`<span class="soft">${attempt.error}</span>`}`,
      say("milliseconds", { number: words.number(attempt.duration_ms) }),
      html`<time datetime="${attempt.at.toISOString()}" title="${words.exactTime(attempt.at)}"
        >${words.time(attempt.at)}</time
      >`,
    ]),
  );
}

function answerBadge({ response_code: code }: DeliveryAttempt): Html | "" {
  return code === null ? "" : badge(code >= 200 && code < 300 ? "good" : "bad", String(code));
}

export function deliveryStatus({ texts }: Words, { status }: DeliveryRow): Html {
  return badge(meaningOf(status), texts.answers[status] ?? status);
}

function answerOf({ response_code: code, error }: DeliveryRow): string | null {
  return code === null ? error : String(code);
}
