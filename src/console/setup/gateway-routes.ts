/**
 * Gateways: the accounts that collect. The fields of their settings depend on the adapter; the connection can be
 * tested.
 */
import type { Deps } from "../../deps.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Adapter } from "../../gateways/gateway.ts";
import { gatewayKind, withStoredCredentials } from "../../gateways/records/gateway-record.ts";
import { tryConnection } from "../../gateways/try-connection.ts";
import { Type, type TProperties, type TSchema } from "../../lib/schema.ts";
import { csrfField } from "../csrf.ts";
import { callout, panel } from "../design/blocks.ts";
import { formActs, select } from "../design/fields.ts";
import { activeBadge, badge } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import { AnyForm, AnyIdInPath, response } from "../pages/listed.ts";
import { recordSection, type RecordCall } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { GATEWAYS_PATH, setupTabs } from "./tabs.ts";

/** Declares the pages. */
export function gatewayPages(console: ConsoleRouter, deps: Deps): void {
  const { adapters } = deps;
  const adapterOf = ({ adapter }: Readonly<Record<string, unknown>>) =>
    adapters.get(String(adapter)) ?? [...adapters.values()][0];

  recordSection(console, deps, {
    kind: gatewayKind,
    path: GATEWAYS_PATH,
    read: "settings.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("gateways"),
      newOne: words.say("newGateway"),
      none: [words.say("noGateways"), words.say("noGatewaysHint")],
      tabs: setupTabs(words, person, GATEWAYS_PATH),
      columns: [{ title: words.say("chooseAdapter") }],
      cells: (row) => [adapters.get(row.adapter)?.displayName ?? row.adapter],
      state: (row) =>
        html`${activeBadge(words, row.active)}
        ${row.test_mode && badge("waiting", words.texts.fields["test_mode"] ?? "")}`,
    }),
    // The adapter cannot be changed: it is chosen before the form, whose fields depend on it.
    async options(_call, values) {
      const adapter = adapterOf(values);
      return { adapter: adapter === undefined ? [] : [[adapter.name, adapter.displayName]] };
    },
    schema: (values) => withAdapter(adapterOf(values)),
    before: ({ words }, values) =>
      values["adapter"] === undefined
        ? adapterChoice(words, adapters, adapterOf(values)?.name ?? "")
        : NOTHING,
    withKept: (_call, given, row) => withStoredCredentials(deps, given, row),
    extras: async (call, row) => ({
      panels: call.may("settings.write") && row.archived_at === null ? [tryPanel(call, row.id)] : [],
    }),
  });

  console.post(`${GATEWAYS_PATH}{id}/test/`, "settings.write", {
    summary: "Test a gateway's connection",
    schema: { params: AnyIdInPath, body: AnyForm, response },
    async handle(call) {
      const { words, person, params } = call;
      const tried = await tryConnection(deps, person.tenant, params.id);
      const back = html`<a class="button" href="${GATEWAYS_PATH}${params.id.toLowerCase()}/"
        >${words.say("back")}</a
      >`;
      const body = html`${callout(MEANING[tried.outcome], wordsOf(words, tried))}
        <p>${back}</p>`;
      return call.page(words.say("tryConnection"), body);
    },
  });
}

/** The record's form, including the adapter's own settings and credentials. */
function withAdapter(adapter: Pick<Adapter, "settingsSchema" | "credentialsSchema"> | undefined): TSchema {
  const { create } = gatewayKind.schemas;
  if (adapter === undefined) return create;
  const { settingsSchema: settings, credentialsSchema: credentials } = adapter;
  const { properties, ...rest } = create as TSchema & { readonly properties?: TProperties };
  return {
    ...rest,
    ...Type.Object({ ...properties, settings, credentials }),
    required: ["name", "adapter", "settings"],
  };
}

function adapterChoice(words: Words, adapters: Deps["adapters"], chosen: string): Html {
  const options = [...adapters.values()].map(({ name, displayName }) => [name, displayName] as const);
  if (options.length < 2) return NOTHING;
  return html`<form method="get" action="${GATEWAYS_PATH}" class="inline">
    <input type="hidden" name="act" value="new" />
    ${select({ name: "adapter", id: "choose-adapter", label: words.say("chooseAdapter"), value: chosen }, options)}
    <button>${words.say("show")}</button>
  </form>`;
}

function tryPanel({ words, csrf }: RecordCall, id: string): Html {
  const { say } = words;
  return panel(
    say("tryConnection"),
    html`<form class="in" method="post" action="${GATEWAYS_PATH}${id}/test/">
      ${csrfField(csrf)}
      <p class="soft">${say("tryConnectionWhat")}</p>
      ${formActs(say("tryConnection"), "")}
    </form>`,
  );
}

type Tried = Awaited<ReturnType<typeof tryConnection>>;

const MEANING = { reached: "good", nothing: "good", failed: "bad" } as const;

function wordsOf(words: Words, { outcome, files, error }: Tried): string {
  if (outcome === "failed") return words.say("connectionFailed", { error: error ?? "" });
  if (files === null) return words.say("connectionNothing");
  const [outgoing, incoming] = [words.number(files.outgoing), words.number(files.incoming)];
  return words.say("connectionReached", { outgoing, incoming });
}
