/** The frame of every page of the console: head, navigation, the page itself. */
import { html, type Html } from "../files/html.ts";
import type { SignedIn } from "../people/person.ts";

interface Page {
  /** The tab's title and the page's heading. */
  readonly title: string;
  readonly body: Html;
  /** Who is signed in; null on pages that come before that. */
  readonly person?: SignedIn | null;
  /** Paths of the page's scripts, such as /console/assets/passkey.js. */
  readonly scripts?: readonly string[];
  readonly language?: string;
}

/** The whole document. */
export function frame({ title, body, person = null, scripts = [], language = "en" }: Page): Html {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${scripts.map((path) => html`<script src="${path}" defer></script>`)}
      </head>
      <body>
        ${person !== null && html`<header><p>${person.name} · ${person.company?.name ?? "Operator"}</p></header>`}
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
}
