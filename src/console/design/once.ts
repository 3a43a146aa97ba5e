/** The page that shows a secret once: a link or a key. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import { copyableReference } from "./values.ts";

/**
 * The page.
 * @param what its purpose.
 * @param back the page to continue with.
 */
export function shownOnce(words: Words, what: string, secret: string, back: string): Html {
  return html`<section class="panel narrow">
    <div class="in">
      <p>${what}</p>
      <p>${copyableReference(words, secret)}</p>
      <a class="button" href="${back}">${words.say("back")}</a>
    </div>
  </section>`;
}
