/**
 * Payment pages: their looks and texts, with a preview of every state on a phone and on a desktop, in each language.
 */
import type { Deps } from "../../deps.ts";
import { html, type Html } from "../../files/html.ts";
import { LANGUAGE_NAMES } from "../../payment-page/texts/all.ts";
import { previewOf } from "../../payment-page/preview/routes.ts";
import { SAMPLES } from "../../payment-page/preview/sample.ts";
import { hostedPageKind } from "../../payment-page/settings.ts";
import { panel } from "../design/blocks.ts";
import { select } from "../design/fields.ts";
import type { ConsoleRouter } from "../guard.ts";
import { recordSection } from "../records/routes.ts";
import type { Words } from "../words.ts";
import { PAGES_PATH, setupTabs } from "./tabs.ts";

/** Declares the pages. */
export function paymentPagePages(console: ConsoleRouter, deps: Deps): void {
  recordSection(console, deps, {
    kind: hostedPageKind,
    path: PAGES_PATH,
    read: "settings.read",
    write: "settings.write",
    look: ({ words, person }) => ({
      title: words.say("paymentPages"),
      newOne: words.say("newPaymentPage"),
      none: [words.say("noPaymentPages"), words.say("noPaymentPagesHint")],
      tabs: setupTabs(words, person, PAGES_PATH),
      columns: [{ title: words.say("language"), as: "short" }],
      cells: (row) => [row.locale ?? "–"],
    }),
    extras: async (call, row, query) => {
      const { path } = previewOf(deps, call.person.tenant, row.id);
      const view = VIEWS.find((one) => one === query["view"]) ?? "phone";
      const preview = [previewPanel(call.words, path, view, query)];
      // The desktop preview needs the width of both columns.
      return view === "desktop" ? { wide: preview } : { panels: preview };
    },
  });
}

const VIEWS = ["phone", "desktop"] as const;

function previewPanel(
  words: Words,
  link: string,
  view: (typeof VIEWS)[number],
  query: Readonly<Record<string, string>>,
): Html {
  const { say, texts } = words;
  const state = SAMPLES.find((sample) => sample === query["state"]) ?? "form";
  const lang = LANGUAGE_NAMES.find(([tag]) => tag === query["lang"])?.[0] ?? words.language;
  const address = `${link}&state=${state}&lang=${lang}`;
  return panel(
    say("preview"),
    html`<div class="in">
      <p class="soft">${say("previewWhat")}</p>
      <form method="get" class="inline">
        ${select({ name: "view", label: say("preview"), value: view }, [
          ["phone", say("phoneView")],
          ["desktop", say("desktopView")],
        ])}
        ${select(
          { name: "state", label: say("state"), value: state },
          SAMPLES.map((sample) => [sample, texts.samples[sample] ?? sample]),
        )}
        ${select({ name: "lang", label: say("language"), value: lang }, LANGUAGE_NAMES)}
        <button>${say("show")}</button>
      </form>
      <div class="preview ${view}" tabindex="0" role="region" aria-label="${say("preview")}">
        <iframe src="${address}" title="${say("preview")}" loading="lazy"></iframe>
      </div>
      <p><a href="${address}" target="_blank" rel="noopener">${say("openPreview")}</a></p>
    </div>`,
  );
}
