/** Webhook profiles: where events are sent. A profile's secret is shown once; a receiver can be tested. */
import type { WebhookProfileRow } from "../../db/rows.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { EVENT_TYPES } from "../../webhooks/events.ts";
import { tryReceiver } from "../../webhooks/management/try.ts";
import { openSigningSecret, webhookProfileKind } from "../../webhooks/profiles/profile.ts";
import type { ListedProfileRow } from "../../webhooks/profiles/profile-store.ts";
import { rotateSecret } from "../../webhooks/profiles/rotate-secret.ts";
import { csrfField } from "../csrf.ts";
import { callout, dialog, panel } from "../design/blocks.ts";
import { formActs, select } from "../design/fields.ts";
import { addressWith } from "../design/filters.ts";
import { shownOnce } from "../design/once.ts";
import { activeBadge, badge, failingSince } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyIdInPath, response } from "../pages/listed.ts";
import type { Parts } from "../people/parts.ts";
import { valueName } from "../records/names.ts";
import { recordSection, personTarget, type RecordCall } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { DELIVERIES_PATH, developerTabs, WEBHOOKS_PATH } from "./tabs.ts";

/** Declares the pages. */
export function webhookPages(console: ConsoleRouter, parts: Parts): void {
  const once = (call: RecordCall, row: WebhookProfileRow, secret: string) =>
    call.page(
      row.name,
      shownOnce(call.words, call.words.say("secretOnce"), secret, `${WEBHOOKS_PATH}${row.id}/`),
    );

  recordSection(console, parts, {
    kind: webhookProfileKind,
    path: WEBHOOKS_PATH,
    read: "developers.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("webhooks"),
      newOne: words.say("newWebhook"),
      none: [words.say("noWebhooks"), words.say("noWebhooksHint")],
      tabs: developerTabs(words, person, WEBHOOKS_PATH),
      columns: [{ title: words.say("address"), as: "spare" }],
      cells: (row) => [row.url],
      state: (row) => receiverState(words, row, parts.clock.now()),
    }),
    created: (call, row) => once(call, row, openSigningSecret(parts, row)),
    extras: async (call, row, { act }) => ({
      panels: [
        ...(row.disabled_reason === null ? [] : [callout("attention", row.disabled_reason)]),
        ...(row.failing_since === null
          ? []
          : [callout("bad", failingSince(call.words, row.failing_since, parts.clock.now()))]),
        ...(call.may("settings.write") && row.archived_at === null ? [tryPanel(call, row)] : []),
      ],
      acts: [
        html`<a class="button" href="${addressWith(DELIVERIES_PATH, { profile: row.id })}"
          >${call.words.say("deliveries")}</a
        >`,
        html`<a class="button" href="${WEBHOOKS_PATH}${row.id}/?act=secret"
          >${call.words.say("newSecret")}</a
        >`,
      ],
      over: act === "secret" && call.may("settings.write") ? secretDialog(call, row) : NOTHING,
    }),
  });

  console.post(`${WEBHOOKS_PATH}{id}/secret/`, "settings.write", {
    summary: "Replace a signing secret",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { row, secret } = await rotateSecret(parts, personTarget(call, call.params.id), null);
      return once(call, row, secret);
    },
  });

  console.post(`${WEBHOOKS_PATH}{id}/test/`, "settings.write", {
    summary: "Send a sample event",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { words, person, params } = call;
      const event = EVENT_TYPES.find((type) => type === call.body["event"]) ?? EVENT_TYPES[0];
      const { sender } = parts.webhooks;
      const { sent } = await tryReceiver(parts, sender, person.tenant, params.id, event);
      return call.page(words.say("tryIt"), triedPage(words, params.id, sent), { headed: false });
    },
  });
}

/** Whether events are sent to it, and whether they arrive. */
function receiverState(words: Words, { active, failing_since: since }: ListedProfileRow, now: Date): Html {
  if (!active || since === null) return activeBadge(words, active);
  return badge("bad", failingSince(words, since, now));
}

function tryPanel({ words, csrf }: RecordCall, row: WebhookProfileRow): Html {
  const { say } = words;
  return panel(
    say("tryIt"),
    html`<form class="in" method="post" action="${WEBHOOKS_PATH}${row.id}/test/">
      ${csrfField(csrf)}
      <p class="soft">${say("tryWhat")}</p>
      ${select(
        { name: "event", label: say("event"), value: row.events[0] ?? EVENT_TYPES[0] },
        EVENT_TYPES.map((type) => [type, valueName(words, type)]),
      )}
      ${formActs(say("tryIt"), "")}
    </form>`,
  );
}

type Sent = Awaited<ReturnType<typeof tryReceiver>>["sent"];

function triedPage(words: Words, id: string, sent: Sent): Html {
  const { responseCode: code, durationMs, error, responseBody } = sent;
  const good = code !== null && code >= 200 && code < 300;
  const said =
    code === null
      ? words.say("tryFailed", { error: error ?? "" })
      : words.say("tryDone", { code, time: words.number(durationMs) });
  return html`${callout(good ? "good" : "bad", said)}
    ${responseBody !== null && responseBody !== "" && panel(words.say("answer"), html`<div class="in"><pre tabindex="0">${responseBody}</pre></div>`)}
    <p><a class="button" href="${WEBHOOKS_PATH}${id.toLowerCase()}/">${words.say("back")}</a></p>`;
}

function secretDialog({ words, csrf }: RecordCall, row: WebhookProfileRow): Html {
  const { say } = words;
  const path = `${WEBHOOKS_PATH}${row.id}/`;
  return dialog(
    `${say("newSecret")}: ${row.name}`,
    html`<p>${say("newSecretWhat")}</p>
      <form method="post" action="${path}secret/">
        ${csrfField(csrf)}
        ${formActs(say("newSecret"), "main", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
