/** The event feed: each event, its payload, and where it was sent. Pure. */
import { html, type Html } from "../../files/html.ts";
import { EVENT_TYPES } from "../../webhooks/events.ts";
import type { FoundEvent, ListedEvent } from "../../webhooks/management/event-store.ts";
import type { DeliveryRow } from "../../webhooks/management/store.ts";
import { facts, heading, panel } from "../design/blocks.ts";
import { nameOf, type Option } from "../design/fields.ts";
import { choiceFilter, daysFilter, type Filter, type Query } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { copyableReference, money, orNone, time, timeOrNone } from "../design/values.ts";
import { listPage, type ListPage } from "../pages/list.ts";
import { PAYMENTS_PATH } from "../pages/payments.ts";
import type { Words } from "../words.ts";
import { deliveryStatus } from "./deliveries.ts";
import { DELIVERIES_PATH, EVENTS_PATH } from "./tabs.ts";

export function eventsPage(page: ListPage<ListedEvent> & { readonly tabs: Html }): Html {
  const { words, now, rows, tabs } = page;
  const { say } = words;
  return listPage(page, {
    path: EVENTS_PATH,
    title: say("events"),
    none: [say("noEvents"), say("noEventsHint")],
    tabs,
    filters: (set) => eventsFilters(words, set, now),
    table: () =>
      table(
        say("events"),
        [
          { title: say("event") },
          { title: say("amount"), as: "number" },
          { title: say("payment"), as: "spare" },
          { title: say("created"), as: "short" },
        ],
        rows.map((row) => [
          html`<a class="row" href="${EVENTS_PATH}${row.id}/">${row.type}</a>`,
          row.amount === null || row.currency === null
            ? orNone(null)
            : money(words, row.amount, row.currency),
          row.transaction_id === null ? orNone(null) : html`<span class="code">${row.transaction_id}</span>`,
          time(words, row.created_at, now),
        ]),
      ),
  });
}

function eventsFilters(words: Words, query: Query, now: Date): readonly Filter[] {
  const { say } = words;
  const types = EVENT_TYPES.map((type) => [type, type] as const);
  return [
    choiceFilter(words, query, "type", say("event"), types),
    daysFilter(words, query, say("date"), now),
  ];
}

interface EventPage {
  readonly words: Words;
  readonly now: Date;
  readonly tabs: Html;
  readonly event: FoundEvent;
  readonly deliveries: readonly DeliveryRow[];
  readonly profiles: readonly Option[];
  readonly maySeePayments: boolean;
}

export function eventPage({
  words,
  now,
  tabs,
  event,
  deliveries,
  profiles,
  maySeePayments,
}: EventPage): Html {
  const { say } = words;
  const { transaction_id: payment } = event;
  return html`${heading(event.type)} ${tabs}
    <div class="split">
      <div class="stack">
        ${panel(
          say("whereDelivered"),
          deliveries.length === 0
            ? html`<p class="in soft">${say("sentNowhere")}</p>`
            : table(
                say("whereDelivered"),
                [
                  { title: say("receiver") },
                  { title: say("status") },
                  { title: say("tries"), as: "number" },
                  { title: say("delivered"), as: "short" },
                ],
                deliveries.map((row) => [
                  html`<a class="row" href="${DELIVERIES_PATH}${row.id}/"
                    >${nameOf(profiles, row.profile_id)}</a
                  >`,
                  deliveryStatus(words, row),
                  words.number(row.attempts),
                  timeOrNone(words, row.delivered_at, now),
                ]),
              ),
        )}
        ${panel(
          say("payload"),
          html`<div class="in"><pre tabindex="0">${JSON.stringify(event.payload, null, 2)}</pre></div>`,
        )}
      </div>
      <div class="stack">
        ${panel(
          say("facts"),
          facts([
            [say("created"), time(words, event.created_at, now)],
            [
              say("payment"),
              payment !== null && maySeePayments
                ? html`<a class="code" href="${PAYMENTS_PATH}${payment}/">${payment}</a>`
                : payment,
            ],
            [say("session"), event.session_id === null ? null : copyableReference(words, event.session_id)],
            ["ID", copyableReference(words, event.id)],
          ]),
        )}
      </div>
    </div>`;
}
