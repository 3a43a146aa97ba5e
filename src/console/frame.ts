/** The frame of every console page: head, navigation, search, the page itself. Pure. */
import { html, NOTHING, type Html } from "../files/html.ts";
import type { Action } from "../people/access.ts";
import { personMay, type SignedIn } from "../people/person.ts";
import { csrfField } from "./csrf.ts";
import { icon, type IconName } from "./design/icons.ts";
import { STYLE_PATH, SCRIPT_PATH } from "./assets.ts";
import { OPERATOR_PAGES, OPERATOR_PATH } from "./operator/places.ts";
import type { TextKey, Words } from "./words.ts";

interface Page {
  /** The tab's title, and the page's heading unless the body has its own. */
  readonly title: string;
  readonly body: Html;
  readonly words: Words;
  /** The signed-in person; null on pages before the sign-in. */
  readonly person?: SignedIn | null;
  /** Paths of more scripts, such as PASSKEY_SCRIPT of assets.ts. */
  readonly scripts?: readonly string[];
  /** Whether the body has its own heading. */
  readonly headed?: boolean;
  /** The page's path; its navigation entry is marked. */
  readonly path?: string;
  /** For the forms of the frame. */
  readonly csrf?: string;
  /** The search text. */
  readonly searched?: string;
  readonly testMode?: boolean;
}

interface Entry {
  readonly path: string;
  /** The path prefix of its pages, if it differs from the path. */
  readonly section?: string;
  readonly text: TextKey;
  readonly icon: IconName;
  readonly action: Action;
}

/** Only the entries that the person may see are shown. */
export const ENTRIES: readonly Entry[] = [
  { path: "/console/", text: "home", icon: "home", action: "payments.read" },
  {
    path: "/console/payments/",
    section: "/console/payment",
    text: "payments",
    icon: "payments",
    action: "payments.read",
  },
  { path: "/console/customers/", text: "customers", icon: "customers", action: "payments.read" },
  { path: "/console/subscriptions/", text: "subscriptions", icon: "subscriptions", action: "payments.read" },
  { path: "/console/mandates/", text: "mandates", icon: "mandates", action: "payments.read" },
  { path: "/console/chargebacks/", text: "chargebacks", icon: "chargebacks", action: "payments.read" },
  { path: "/console/bank/", text: "bank", icon: "bank", action: "bank.read" },
];
/** The entries for operators, whose pages belong to no company. */
const OPERATOR_ENTRIES: readonly Entry[] = OPERATOR_PAGES.map(([path, text, action, icon]) => ({
  path,
  text,
  action,
  icon,
}));
export const ENTRIES_BELOW: readonly Entry[] = [
  {
    path: "/console/developers/webhooks/",
    text: "developers",
    icon: "developers",
    action: "developers.read",
  },
  {
    path: "/console/setup/company/",
    section: "/console/setup/",
    text: "setup",
    icon: "setup",
    action: "settings.read",
  },
  { path: "/console/people/", text: "people", icon: "people", action: "people.read" },
];

/** The whole document. */
export function frame(page: Page): Html {
  const { title, words, person = null, scripts = [] } = page;
  return html`<!doctype html>
    <html lang="${words.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${STYLE_PATH}" />
        <script src="${SCRIPT_PATH}" defer></script>
        ${scripts.map((path) => html`<script src="${path}" defer></script>`)}
      </head>
      <body>
        ${person?.session.stage === "full" ? shell(person, page) : plain(page)}
      </body>
    </html> `;
}

/** Before the sign-in there is no navigation. */
function plain({ title, body }: Page): Html {
  return html`<div class="plain">
    <main>
      <h1>${title}</h1>
      ${body}
    </main>
  </div>`;
}

function shell(person: SignedIn, page: Page): Html {
  const { title, words, body, headed = false, testMode = false } = page;
  return html`<a class="skip" href="#page">${words.say("skip")}</a>
    <div class="shell">
      ${rail(words, person, page.path ?? "")}
      <div class="column">
        ${bar(words, person, page)}
        ${
          testMode &&
          html`<aside class="test-mode" aria-label="${words.say("testMode")}">
            ${words.say("testMode")}
            ${personMay(person, "test_mode.use") && html`<a href="/console/test-mode/">${words.say("tryThings")}</a>`}
          </aside>`
        }
        <main id="page" tabindex="-1">
          ${!headed && html`<div class="heading"><h1>${title}</h1></div>`} ${body}
        </main>
      </div>
    </div>`;
}

function rail(words: Words, person: SignedIn, path: string): Html {
  const entries = (list: readonly Entry[]) =>
    list
      .filter(({ action }) => personMay(person, action))
      .map(
        (entry) =>
          html`<li>
            <a href="${entry.path}" ${isAt(entry.section ?? entry.path, path) && html`aria-current="page"`}
              >${icon(entry.icon)}<span>${words.say(entry.text)}</span></a
            >
          </li>`,
      );
  return html`<nav class="rail" aria-label="${words.say("navigation")}">
    <p class="company">
      ${person.company !== null && person.company.name} <small>${words.texts.role[person.role]}</small>
    </p>
    <ul>
      ${entries([...ENTRIES, ...OPERATOR_ENTRIES])}
    </ul>
    <ul class="below">
      ${entries(ENTRIES_BELOW)}
    </ul>
  </nav>`;
}

/** A home entry is marked on its own page only; the others also on the pages below them. */
function isAt(entry: string, path: string): boolean {
  return entry === "/console/" || entry === OPERATOR_PATH ? path === entry : path.startsWith(entry);
}

function bar(words: Words, person: SignedIn, { csrf = "", searched = "" }: Page): Html {
  return html`<header class="bar">
    ${
      personMay(person, "payments.read")
        ? html`<form class="search" method="post" action="/console/search/" role="search">
            ${csrfField(csrf)} ${icon("search")}
            <input
              type="search"
              name="text"
              value="${searched}"
              maxlength="255"
              placeholder="${words.say("searchHint")}"
              aria-label="${words.say("search")}"
              autocomplete="off"
              data-search
            />
            <kbd aria-hidden="true">/</kbd>
            <div class="found" role="region" aria-label="${words.say("results")}" data-found hidden></div>
          </form>`
        : NOTHING
    }
    <div class="end">
      <details class="menu">
        <summary>${person.name}</summary>
        <div>
          <span class="soft">${person.email}</span>
          <a href="/console/account/">${words.say("account")}</a>
          <form method="post" action="/console/sign-out/">
            ${csrfField(csrf)}<button>${words.say("signOut")}</button>
          </form>
        </div>
      </details>
    </div>
  </header>`;
}
