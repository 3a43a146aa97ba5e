/** Page of restores: since when the service is held after one, why, and the consequences. */
import { listRestores, type Restore } from "../../backup/place.ts";
import type { Deps } from "../../deps.ts";
import { html, type Html } from "../../files/html.ts";
import { callout, empty, heading } from "../design/blocks.ts";
import { addressWith } from "../design/filters.ts";
import { table } from "../design/table.ts";
import { badge, time } from "../design/values.ts";
import type { ConsoleRouter } from "../guard.ts";
import type { Words } from "../words.ts";
import { response } from "./listed.ts";
import { PAYMENTS_PATH } from "./payments.ts";

export const HELD_PATH = "/console/restores/";

/** Declares the page. */
export function heldPages(console: ConsoleRouter, deps: Deps): void {
  console.get(HELD_PATH, "payments.read", {
    summary: "Restores of the database",
    schema: { response },
    async handle(call) {
      const { words } = call;
      const restores = await listRestores(deps.db, null);
      return call.page(words.say("restores"), restoresPage(words, restores, deps.clock.now()), {
        headed: true,
      });
    },
  });
}

function restoresPage(words: Words, restores: readonly Restore[], now: Date): Html {
  const { say, texts } = words;
  const isHeld = restores.some(({ released_at: at }) => at === null);
  return html`${heading(say("restores"))}
    <div class="stack">
      ${
        isHeld &&
        callout(
          "bad",
          html`${say("restoresHeld")}
            <a href="${addressWith(PAYMENTS_PATH, { status: "pending" })}">${say("restoresPayments")}</a>`,
        )
      }
      <section class="panel">
        ${
          restores.length === 0
            ? empty(say("noRestores"), say("noRestoresHint"))
            : table(
                say("restores"),
                [
                  { title: say("noticed"), as: "short" },
                  { title: say("why") },
                  { title: say("status"), as: "short" },
                ],
                restores.map(({ reason, found_at: found, released_at: released }) => [
                  time(words, found, now),
                  texts.restoreReasons[reason] ?? reason,
                  released === null
                    ? badge("bad", say("heldBack"))
                    : html`${badge("good", say("released"))} ${time(words, released, now)}`,
                ]),
              )
        }
      </section>
    </div>`;
}
