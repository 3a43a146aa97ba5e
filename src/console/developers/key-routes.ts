/** API keys: made and shown once, replaced, revoked. */
import type { Deps } from "../../deps.ts";
import type { ApiKeyRow } from "../../db/rows.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Scope } from "../../http/scopes.ts";
import { scopesOf } from "../../people/access.ts";
import { apiKeyKind, type ApiKeyFields } from "../../tenants/api-keys/api-key.ts";
import { issueKey } from "../../tenants/api-keys/issue.ts";
import { revokeKey, rotateKey } from "../../tenants/api-keys/rotate.ts";
import { readRecord } from "../../management/resource-write.ts";
import { seeOther } from "../answer.ts";
import { csrfField } from "../csrf.ts";
import { dialog, facts, panel } from "../design/blocks.ts";
import { formActs, select } from "../design/fields.ts";
import { shownOnce } from "../design/once.ts";
import { badge, time } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyIdInPath, response } from "../pages/listed.ts";
import { recordSection, personTarget, type RecordCall } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { developerTabs, KEYS_PATH } from "./tabs.ts";

/** Declares the pages. */
export function keyPages(console: ConsoleRouter, deps: Deps): void {
  const once = (call: RecordCall, name: string, text: string) =>
    call.page(name, shownOnce(call.words, call.words.say("keyOnce"), text, KEYS_PATH));

  recordSection<ApiKeyRow, ApiKeyFields>(console, deps, {
    kind: apiKeyKind,
    path: KEYS_PATH,
    read: "keys.read",
    write: "keys.write",
    look: ({ words, person }) => ({
      title: words.say("apiKeys"),
      newOne: words.say("newApiKey"),
      none: [words.say("noApiKeys"), words.say("noApiKeysHint")],
      tabs: developerTabs(words, person, KEYS_PATH),
      columns: [
        { title: words.say("begins"), as: "short spare" },
        { title: words.say("status") },
        { title: words.say("lastUsed"), as: "short" },
      ],
      cells: (row) => [
        html`<span class="code">${row.prefix}…</span>`,
        keyState(words, row, deps.clock.now()),
        lastUsed(words, row, deps.clock.now()),
      ],
    }),
    chosen: ["scopes"],
    // A key never has more rights than its creator.
    options: async ({ person, words }) => ({
      scopes: scopesOf(person.role).map((scope) => [scope, words.texts.values[scope] ?? scope]),
    }),
    withKept: ({ person }, given, row) => {
      const shown = scopesOf(person.role);
      const kept = row.scopes.filter((scope) => !shown.includes(scope));
      return { ...given, scopes: [...new Set([...(given.scopes ?? []), ...kept])] };
    },
    async create(call, target, given) {
      const { row, text } = await issueKey(deps, target, given);
      return once(call, row.name, text);
    },
    async extras(call, row, { act }) {
      const { words, csrf } = call;
      const path = `${KEYS_PATH}${row.id}/`;
      const usable = row.revoked_at === null && call.may("keys.write");
      return {
        panels: [panel(words.say("status"), stateFacts(words, row, deps.clock.now()))],
        acts: usable
          ? [
              html`<a class="button" href="${path}?act=rotate">${words.say("rotate")}</a>`,
              html`<a class="button" href="${path}?act=revoke">${words.say("revoke")}</a>`,
            ]
          : [],
        over: usable && (act === "rotate" || act === "revoke") ? keyDialog(words, csrf, row, act) : NOTHING,
      };
    },
  });

  console.post(`${KEYS_PATH}{id}/rotate/`, "keys.write", {
    summary: "Replace an API key",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const overlap = OVERLAPS.find((seconds) => seconds === call.body["overlap"]) ?? "0";
      const { row, text } = await rotateKey(deps, personTarget(call, call.params.id), Number(overlap));
      return once(call, row.name, text);
    },
  });

  console.post(`${KEYS_PATH}{id}/revoke/`, "keys.write", {
    summary: "Revoke an API key",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { id } = await readRecord(deps, apiKeyKind, call.person.tenant, call.params.id);
      await revokeKey(deps, personTarget(call, id));
      return seeOther(`${KEYS_PATH}${id}/`);
    },
  });
}

const OVERLAPS = ["0", "3600", "86400", "604800"] as const;

function keyState(words: Words, { revoked_at, expires_at }: ApiKeyRow, now: Date): Html {
  if (revoked_at !== null) return badge("bad", words.say("revoked"));
  if (expires_at !== null && expires_at <= now) return badge("attention", words.say("expired"));
  return badge("good", words.texts.states["active"] ?? "");
}

function lastUsed(words: Words, { last_used_at: at }: ApiKeyRow, now: Date): Html | string {
  return at === null ? words.say("never") : time(words, at, now);
}

function stateFacts(words: Words, row: ApiKeyRow, now: Date): Html {
  return facts([
    [words.say("status"), keyState(words, row, now)],
    [words.say("begins"), html`<span class="code">${row.prefix}…</span>`],
    [words.say("lastUsed"), lastUsed(words, row, now)],
    [words.say("ends"), row.expires_at === null ? null : time(words, row.expires_at, now)],
    [words.texts.fields["scopes"] ?? "", row.scopes.map((scope: Scope) => scope).join(", ")],
  ]);
}

function keyDialog(words: Words, csrf: string, row: ApiKeyRow, act: "rotate" | "revoke"): Html {
  const { say } = words;
  const path = `${KEYS_PATH}${row.id}/`;
  const overlaps = OVERLAPS.map((seconds) => [seconds, words.texts.overlaps[seconds]] as const);
  return dialog(
    `${say(act)}: ${row.name}`,
    html`<p>${say(act === "rotate" ? "rotateWhat" : "revokeWhat")}</p>
      <form method="post" action="${path}${act}/">
        ${csrfField(csrf)}
        ${act === "rotate" && select({ name: "overlap", label: say("overlap"), value: "86400" }, overlaps)}
        ${formActs(say(act), act === "rotate" ? "main" : "bad", html`<a class="button" href="${path}" data-close>${say("cancel")}</a>`)}
      </form>`,
  );
}
