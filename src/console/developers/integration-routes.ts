/** Integrations: partners that send postbacks. Their address is a credential, shown only to those who may change it. */
import type { IntegrationRow } from "../../db/rows.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import { integrationKind, postbackUrl } from "../../integrations/settings/integration.ts";
import { rotateToken } from "../../integrations/settings/rotate-token.ts";
import { seeOther } from "../answer.ts";
import { csrfField } from "../csrf.ts";
import { dialog, facts, panel } from "../design/blocks.ts";
import { formActs } from "../design/fields.ts";
import { badge, copyableReference, time } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyIdInPath, response } from "../pages/listed.ts";
import type { Parts } from "../people/parts.ts";
import { recordSection, personTarget, type RecordCall } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { developerTabs, INTEGRATIONS_PATH } from "./tabs.ts";

/** Declares the pages. */
export function integrationPages(console: ConsoleRouter, parts: Parts): void {
  recordSection(console, parts, {
    kind: integrationKind,
    path: INTEGRATIONS_PATH,
    read: "developers.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("integrations"),
      newOne: words.say("newIntegration"),
      none: [words.say("noIntegrations"), words.say("noIntegrationsHint")],
      tabs: developerTabs(words, person, INTEGRATIONS_PATH),
      columns: [
        { title: words.texts.fields["provider"] ?? "" },
        { title: words.say("status") },
        { title: words.say("lastRead"), as: "short spare" },
      ],
      cells: (row) => [row.provider, stateOf(words, row), lastRead(words, row, parts.clock.now())],
    }),
    async extras(call, row, { act, done }) {
      const mayWrite = call.may("settings.write") && row.archived_at === null;
      const { say } = call.words;
      const postbacks = `${INTEGRATIONS_PATH}${row.id}/postbacks/`;
      return {
        panels: [aboutPanel(call, row, mayWrite ? postbackUrl(parts, row) : null, parts.clock.now())],
        acts: [
          html`<a class="button" href="${postbacks}">${say("postbacks")}</a>`,
          ...(mayWrite
            ? [
                html`<a class="button" href="${INTEGRATIONS_PATH}${row.id}/?act=address"
                  >${say("newAddress")}</a
                >`,
              ]
            : []),
        ],
        over: mayWrite && act === "address" ? addressDialog(call, row) : NOTHING,
        done: done === "address" ? say("newAddressDone") : null,
      };
    },
  });

  console.post(`${INTEGRATIONS_PATH}{id}/address/`, "settings.write", {
    summary: "Replace the address that a partner posts to",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { id } = await rotateToken(parts, personTarget(call, call.params.id));
      return seeOther(`${INTEGRATIONS_PATH}${id}/?done=address`);
    },
  });
}

function stateOf(words: Words, { active, provider_active, last_read_error }: IntegrationRow): Html {
  if (!active || !provider_active) return badge("attention", words.say("switchedOff"));
  if (last_read_error !== null) return badge("attention", words.say("readFailed"));
  return badge("good", words.texts.states["active"] ?? "");
}

function lastRead(words: Words, { read_url, last_read_at: at }: IntegrationRow, now: Date): Html | string {
  if (read_url === null) return "–";
  return at === null ? words.say("never") : time(words, at, now);
}

function aboutPanel({ words }: RecordCall, row: IntegrationRow, url: string | null, now: Date): Html {
  const { say } = words;
  return panel(
    say("status"),
    html`${facts([
      [say("status"), stateOf(words, row)],
      [say("postbackUrl"), url === null ? null : copyableReference(words, url)],
      [say("lastRead"), row.read_url === null ? null : lastRead(words, row, now)],
      [say("problem"), row.last_read_error],
    ])}`,
  );
}

function addressDialog({ words, csrf }: RecordCall, row: IntegrationRow): Html {
  const { say } = words;
  const path = `${INTEGRATIONS_PATH}${row.id}/`;
  return dialog(
    `${say("newAddress")}: ${row.name}`,
    html`<p>${say("newAddressWhat")}</p>
      <form method="post" action="${path}address/">
        ${csrfField(csrf)}
        ${formActs(say("newAddress"), "bad", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
