/** A table with its links to other pages. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";

export interface Column {
  readonly title: string;
  /** `number` is right-aligned, `short` never breaks, `spare` is hidden on phones. */
  readonly as?: "number" | "number spare" | "short" | "spare" | "short spare";
}

/**
 * A table.
 * @param caption for screen readers.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const classOf = (at: number) => columns[at]?.as ?? "";
  return html`<div class="table" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="hidden-visually">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ title, as = "" }) => html`<th scope="col" class="${as}">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, at) => html`<td class="${classOf(at)}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Links to the neighbouring pages of a list; paths or null. */
export function pages(
  words: Words,
  { newer, older, shown }: { newer: string | null; older: string | null; shown: number },
): Html {
  if (newer === null && older === null && shown === 0) return NOTHING;
  return html`<nav class="pages" aria-label="${words.say("older")}, ${words.say("newer")}">
    <span>${words.count(words.texts.found, shown)}</span>
    ${newer !== null && html`<a class="button" rel="prev" href="${newer}">${words.say("newer")}</a>`}
    ${older !== null && html`<a class="button" rel="next" href="${older}">${words.say("older")}</a>`}
  </nav>`;
}
