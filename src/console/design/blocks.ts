/** The building blocks of pages: panels, facts, empty states, callouts, tabs, figures. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Words } from "../words.ts";
import type { Meaning } from "./values.ts";

type Content = Html | string;

/** A page's heading with its state and actions, and the sentence that answers the page's question. */
export function heading(
  title: Content,
  {
    after = NOTHING,
    acts = [],
    lead = NOTHING,
  }: { after?: Html; acts?: readonly Html[]; lead?: Content } = {},
): Html {
  return html`<div class="heading">
    <h1>${title}</h1>
    ${after} ${acts.length > 0 && html`<div class="acts">${acts}</div>`}
    ${lead !== NOTHING && html`<p class="lead">${lead}</p>`}
  </div>`;
}

/**
 * A panel.
 * @param after follows its heading, such as a link.
 */
export function panel(title: string, body: Html, after: Html = NOTHING): Html {
  return html`<section class="panel">
    <header>
      <h2>${title}</h2>
      ${after}
    </header>
    ${body}
  </section>`;
}

/** Names and values; entries without a value are omitted. */
export function facts(entries: readonly (readonly [name: string, value: Content | null])[]): Html {
  const given = entries.filter(([, value]) => value !== null);
  return html`<dl class="facts in">
    ${given.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** An empty state: what will be shown here, and how to make the first. */
export function empty(title: string, hint: string, act: Html = NOTHING): Html {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${hint}</p>
    ${act}
  </div>`;
}

export function callout(meaning: Meaning, body: Content): Html {
  return html`<div class="callout ${meaning}" role="${meaning === "bad" ? "alert" : "note"}">
    <p>${body}</p>
  </div>`;
}

/** A message about what has just been done. */
export function toast(text: string): Html {
  return html`<p class="toast" role="status">${text}</p>`;
}

/** Where the script announces new rows of the page's table or timeline, which it shows on request. */
export function newsNotice(words: Words): Html {
  return html`<p class="news" aria-live="polite" data-news="${words.say("news")}"></p>`;
}

/**
 * Tabs.
 * @param at the path of the current tab.
 */
export function tabs(
  label: string,
  at: string,
  entries: readonly (readonly [path: string, name: string])[],
): Html {
  return html`<nav class="tabs" aria-label="${label}">
    ${entries.map(([path, name]) => html`<a href="${path}" ${path === at && html` aria-current="page"`}>${name}</a>`)}
  </nav>`;
}

interface Stat {
  readonly name: string;
  readonly value: Content;
  /** The change from the previous period. */
  readonly change?: Content;
  /** The course of it: a line, which repeats figures that stand elsewhere on the page. */
  readonly course?: Html;
}

export function stats(entries: readonly Stat[]): Html {
  return html`<dl class="stats">
    ${entries.map(
      ({ name, value, change, course }) =>
        html`<div class="stat">
          <dt>${name}</dt>
          <dd class="figure">${value}</dd>
          ${change !== undefined && html`<dd class="change">${change}</dd>`}
          ${course !== undefined && html`<dd class="course">${course}</dd>`}
        </div>`,
    )}
  </dl>`;
}

/**
 * A dialog that asks for a decision, in front of its page. It has its own address and gets the keyboard focus, even
 * without the script.
 */
export function dialog(title: string, body: Html): Html {
  return html`<div class="curtain">
    <div
      class="dialog"
      role="dialog"
      aria-modal="true"
      aria-labelledby="dialog-title"
      tabindex="-1"
      autofocus
      data-dialog
    >
      <h2 id="dialog-title">${title}</h2>
      ${body}
    </div>
  </div>`;
}

/** Text in a monospaced font, such as JSON. */
export function rawBlock(title: string, text: string): Html {
  return html`<details class="panel raw">
    <summary>${title}</summary>
    <div class="in"><pre tabindex="0">${text}</pre></div>
  </details>`;
}
