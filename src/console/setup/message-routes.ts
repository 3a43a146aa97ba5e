/** The e-mails sent to customers: each kind of message in each of its languages, with sample data. */
import type { Deps } from "../../deps.ts";
import type { TenantRow } from "../../db/rows.ts";
import { html, type Html } from "../../files/html.ts";
import { messageContent } from "../../messages/content.ts";
import { laidOut } from "../../messages/layout.ts";
import { MESSAGE_KINDS } from "../../messages/outbox.ts";
import { MESSAGE_SAMPLE } from "../../messages/sample.ts";
import { wordsIn } from "../../payment-page/render/wording.ts";
import { LANGUAGE_NAMES } from "../../payment-page/texts/all.ts";
import { findOwnTenant } from "../../tenants/store.ts";
import { facts, heading, panel } from "../design/blocks.ts";
import { select } from "../design/fields.ts";
import { orNone } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyQuery, response } from "../pages/listed.ts";
import { valueName } from "../records/names.ts";
import type { Words } from "../words.ts";
import { COMPANY_PATH, MESSAGES_PATH, setupTabs } from "./tabs.ts";

type Query = Readonly<Record<string, string>>;

/** Declares the page. */
export function messagePages(console: ConsoleRouter, deps: Deps): void {
  console.get(MESSAGES_PATH, "settings.read", {
    summary: "Messages to customers",
    schema: { query: AnyQuery, response },
    async handle(call) {
      const { words, person } = call;
      const { say } = words;
      const row = await findOwnTenant(deps.db, person.tenant);
      const body = html`${heading(say("messages"), { lead: row.name })}
        ${setupTabs(words, person, MESSAGES_PATH)}
        <div class="stack">
          ${panel(say("messages"), html`<div class="in stack">${settingsOf(words, row, deps.mail !== null)}</div>`)}
          ${panel(say("preview"), html`<div class="in stack">${preview(words, row, deps.publicUrl, call.query)}</div>`)}
        </div>`;
      return call.page(say("messages"), body, { headed: true });
    },
  });
}

/** The current settings; they are changed in the company's form. */
function settingsOf(words: Words, row: TenantRow, isSet: boolean): Html {
  const { say } = words;
  return html`${!isSet && html`<p class="soft">${say("noMailServer")}</p>`}
    ${facts([
      [say("messageKinds"), orNone(row.messages.map((kind) => valueName(words, kind)).join(", "))],
      [
        say("messageSender"),
        `${row.message_sender ?? row.name}${row.message_address === null ? "" : ` <${row.message_address}>`}`,
      ],
      [say("noticeCheck"), valueName(words, row.notice_check)],
    ])}
    <p><a href="${COMPANY_PATH}">${say("messagesChosen")}</a></p>`;
}

function preview(words: Words, row: TenantRow, publicUrl: string, query: Query): Html {
  const { say } = words;
  const kind = MESSAGE_KINDS.find((one) => one === query["kind"]) ?? "pre_notification";
  const lang = LANGUAGE_NAMES.find(([tag]) => tag === query["lang"])?.[0] ?? words.language;
  const sample = {
    ...MESSAGE_SAMPLE,
    kind,
    tenant_name: row.name,
    message_sender: row.message_sender,
    creditor_name: row.name,
    creditor_identifier: row.creditor_identifier,
  };
  const spoken = wordsIn(lang, row.country);
  const content = messageContent(sample, spoken, {
    debitDay: sample.collection_date,
    nextTryDay: sample.collection_date,
    payUrl: `${publicUrl}/pay/failed/pf_…/`,
    accountUrl: `${publicUrl}/pay/account/ca_…/`,
  });
  return html`<p class="soft">${say("previewWhat")}</p>
    <form method="get" class="inline">
      ${select(
        { name: "kind", label: say("messageKinds"), value: kind },
        MESSAGE_KINDS.map((one) => [one, valueName(words, one)]),
      )}
      ${select({ name: "lang", label: say("language"), value: lang }, LANGUAGE_NAMES)}
      <button>${say("show")}</button>
    </form>
    <h3 lang="${lang}">${content.subject}</h3>
    <pre lang="${lang}" tabindex="0">${laidOut(spoken, content).text}</pre>`;
}
