/** Page that a person sees first: what needs a person, and the newest payments. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Waiting } from "../../reports/attention/routes.ts";
import type { ListedTransaction } from "../../reports/transactions/store.ts";
import { empty, heading, panel } from "../design/blocks.ts";
import type { Words } from "../words.ts";
import { paymentsTable, PAYMENTS_PATH } from "./payments.ts";

interface HomePage {
  readonly words: Words;
  readonly now: Date;
  readonly waiting: readonly Waiting[];
  readonly newest: readonly ListedTransaction[];
}

export function homePage({ words, now, waiting, newest }: HomePage): Html {
  const say = words.say;
  return html`${heading(say("home"))}
    <div class="stack">
      ${panel(
        say("needsYou"),
        waiting.length === 0
          ? html`<p class="in soft">${say("needsNothing")}</p>`
          : html`<ul class="rows">
              ${waiting.map((one) => entry(words, one))}
            </ul>`,
      )}
      ${panel(
        say("newest"),
        newest.length === 0
          ? empty(say("noPayments"), say("noPaymentsHint"))
          : paymentsTable(words, newest, now),
        html`<a href="${PAYMENTS_PATH}">${say("all")}</a>`,
      )}
    </div>`;
}

function entry(words: Words, { kind, count, more }: Waiting): Html {
  const forms = words.texts.attention[kind];
  const text = forms === undefined ? kind : words.count(forms, count);
  return html`<li><span class="waiting">${more && ">"}${text}</span></li>`;
}
