/** A message's content as plain text and as HTML: no pictures, scripts or tracking links. Pure. */
import { html, type Html } from "../files/html.ts";
import type { PageWords } from "../payment-page/render/wording.ts";

/** A message's content: sentences, then facts, then sentences. */
export interface Content {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** A link to the page where the customer can act. */
  readonly links?: readonly { readonly label: string; readonly url: string }[];
  readonly closing: readonly string[];
}

export function laidOut(
  words: Pick<PageWords, "language" | "direction">,
  content: Content,
): { readonly text: string; readonly html: string } {
  return { text: asText(words, content), html: asHtml(words, content).text };
}

function asText(
  { language }: Pick<PageWords, "language">,
  { paragraphs, facts, links = [], closing }: Content,
): string {
  // French has a non-breaking space before a colon.
  const colon = language === "fr" ? "\u00a0:" : ":";
  const lines = facts.map(([label, value]) => `${label}${colon} ${value}`).join("\n");
  const linked = links.map(({ label, url }) => `${label}${colon} ${url}`);
  return `${[...paragraphs, ...linked, lines, ...closing].filter((part) => part !== "").join("\n\n")}\n`;
}

/** The length of an identifier or reference of ours, which fits on the smallest phone next to its label. */
const ONE_PIECE_CHARS_MAX = 24;

/** Keeps a reference on one line, to be read and copied. */
function isOnePiece(value: string): boolean {
  return value.length <= ONE_PIECE_CHARS_MAX && !/\s/.test(value);
}

/** Mail readers drop style sheets, so the few styles are on the elements. */
function asHtml({ language, direction }: Pick<PageWords, "language" | "direction">, content: Content): Html {
  const { subject, paragraphs, facts, links = [], closing } = content;
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body
        style="margin:0 auto;max-width:36rem;padding:1rem;color:#111827;background:#fff;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere"
      >
        ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
        ${links.map(({ label, url }) => html`<p><a href="${url}">${label}</a></p>`)}
        <table style="border-collapse:collapse;font-size:14px">
          ${facts.map(
            ([label, value]) =>
              html`<tr>
                <th
                  scope="row"
                  style="padding:2px 1rem 2px 0;text-align:start;vertical-align:top;font-weight:400;color:#4b5563;hyphens:auto"
                >
                  ${label}
                </th>
                <td style="padding:2px 0${isOnePiece(value) && ";white-space:nowrap"}" dir="auto">
                  ${value}
                </td>
              </tr>`,
          )}
        </table>
        ${closing.map((paragraph) => html`<p>${paragraph}</p>`)}
      </body>
    </html>`;
}
