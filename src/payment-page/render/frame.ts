/** The frame of every page: head, the merchant's panel with the product, the footer with the language switch. Pure. */
import { formatAmount } from "../../lib/money.ts";
import { billingTermsOf, firstAmount } from "../../subscriptions/subscription.ts";
import { paletteOf, type Palette } from "./colours.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { TestAccount } from "../../gateways/gateway.ts";
import type { ShownDebit } from "../debit.ts";
import type { PageRow, PageSettings } from "../store.ts";
import { STYLE } from "./style.ts";
import { LANGUAGE_NAMES, LANGUAGES, type Language } from "../texts/all.ts";
import type { PageWords } from "./wording.ts";

/** The page's path, and the nonce and hash that allow its style and script. */
export interface Place {
  /** The path of the page itself, with a trailing slash. */
  readonly path: string;
  readonly nonce: string;
  readonly script: { readonly path: string; readonly integrity: string };
}

/** The parts of a page. */
export interface Sheet {
  readonly place: Place;
  readonly words: PageWords;
  readonly row: PageRow;
  readonly now: Date;
  readonly debit: ShownDebit;
  /** Test accounts; empty where real money moves. */
  readonly testAccounts: readonly TestAccount[];
  /** Whether customers are asked for an address if their bank requires one. */
  readonly asksAddress: boolean;
}

export interface Body {
  /** The tab's title, before the merchant's name. */
  readonly title: string;
  /** The name of the state, with which the script checks whether the state has changed. */
  readonly state: string;
  /** Whether the script reports that the page was seen. */
  readonly firstSeen?: boolean;
  readonly main: Html;
  /** The interval at which the page reloads without the script. */
  readonly refreshSeconds?: number;
  /** The way back to the shop, as long as nothing is paid. */
  readonly backUrl?: string | null;
  /** The address to which the browser is redirected at once. */
  readonly leadsTo?: string;
  /** A line above the page, as on a preview. */
  readonly note?: string;
}

/** A page of a session. */
export function sessionPage(sheet: Sheet, body: Body): Html {
  return merchantPage(sheet, body, summary(sheet, body.state));
}

/** The parts of every page of a merchant. */
export type MerchantSheet = Pick<Sheet, "place" | "words"> & {
  readonly row: Pick<PageRow, "page" | "merchant_name" | "test_mode">;
};

/**
 * A page of a merchant.
 * @param panel the product, next to the page's body.
 */
export function merchantPage(sheet: MerchantSheet, body: Body, panel: Html): Html {
  const { row, words } = sheet;
  const content = html`<div class="sheet">
    ${panel}
    <main data-state="${body.state}" ${body.firstSeen === true && html`data-first`}>
      ${topOf(sheet, body)} ${row.test_mode && html`<p class="test">${words.say("testMode")}</p>`}
      ${body.main} ${footer(sheet)}
    </main>
  </div>`;
  return document(
    sheet.place,
    words,
    paletteOf(row.page?.branding ?? {}),
    { ...body, title: `${body.title} · ${row.merchant_name}` },
    content,
  );
}

/** A page without a session: for an unknown token, or without a database. */
export function plainPage(place: Place, words: PageWords, body: Body): Html {
  const content = html`<div class="plain"><main data-state="${body.state}">${body.main}</main></div>`;
  return document(place, words, paletteOf({}), body, content);
}

function document(place: Place, words: PageWords, palette: Palette, body: Body, content: Html): Html {
  const { nonce, script } = place;
  const wait = body.refreshSeconds ?? null;
  return html`<!doctype html>
    <html lang="${words.language}" dir="${words.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${body.title}</title>
        <link rel="icon" href="data:," />
        ${body.leadsTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${body.leadsTo}" />`}
        ${wait !== null && html`<noscript><meta http-equiv="refresh" content="${wait}" /></noscript>`}
        <style nonce="${nonce}">
          :root{--primary:${palette.primary};--on-primary:${palette.onPrimary};--accent:${palette.accent};--on-accent:${palette.onAccent};--mark:${palette.mark}}${STYLE}
        </style>
        <script nonce="${nonce}" src="${script.path}" integrity="${script.integrity}" defer></script>
      </head>
      <body>
        ${body.note !== undefined && html`<aside class="note">${body.note}</aside>`} ${content}
      </body>
    </html> `;
}

/** The panel: payee, amount, product, and further debits. */
function summary(sheet: Sheet, state: string): Html {
  const { row, words } = sheet;
  const { headline, paragraphs } = contentOf(row.page, words.language);
  const description = descriptionOf(sheet);
  const more = [...(description === null ? [] : [description]), ...paragraphs];
  const today = firstAmount(billingTermsOf(row));
  return merchantPanel(
    sheet,
    html`${headline !== null && html`<p class="headline">${headline}</p>`}
      <p class="due">
        <span>${amountLabel(sheet, today, state)}</span>
        ${today > 0 && html`<strong>${words.amount(formatAmount(today), row.currency)}</strong>`}
      </p>
      ${product(sheet)} ${terms(sheet)} ${more.length > 0 && details(words, more)}`,
  );
}

/** The merchant's name and logo above the product. */
export function merchantPanel({ row, words }: MerchantSheet, what: Html): Html {
  return html`<section class="summary" aria-label="${words.say("payTo", { merchant: row.merchant_name })}">
    <div class="inner">
      <div class="merchant">${logo(row)}<span>${row.merchant_name}</span></div>
      ${what}
    </div>
  </section>`;
}

/** A debit is due on its own day, never on the day on which it is agreed. */
function amountLabel({ words, debit }: Sheet, today: number, state: string): string {
  if (today === 0) return words.say("nothingDueToday");
  return state === "form" && debit.ifPaidNow !== null
    ? words.say("debitedFrom", { date: words.date(debit.ifPaidNow) })
    : words.say("amount");
}

function logo(row: Pick<PageRow, "page">): Html {
  const url = logoUrl(row.page);
  return url === null
    ? NOTHING
    : html`<img src="${url}" alt="" height="40" referrerpolicy="no-referrer" decoding="async" />`;
}

/** Only https addresses are loaded; this is checked again here. */
export function logoUrl(page: PageSettings | null): string | null {
  const url = page?.branding.logo_url;
  return typeof url === "string" && URL.canParse(url) && new URL(url).protocol === "https:" ? url : null;
}

/** On phones, content that is not needed to pay is folded, so that the button is on the first screen. */
export function details(words: PageWords, paragraphs: readonly string[]): Html {
  return html`<details class="more">
    <summary>${words.say("details")}</summary>
    ${paragraphs.map((text) => html`<p class="content">${text}</p>`)}
  </details>`;
}

/** The merchant's own texts: the headline, and every other text of the dictionary as a paragraph. */
function contentOf(
  page: PageSettings | null,
  language: Language,
): { readonly headline: string | null; readonly paragraphs: readonly string[] } {
  const entries = Object.entries(page?.content ?? {}).map(
    ([name, value]) => [name, textIn(value, language)] as const,
  );
  const texts = entries.filter((entry): entry is readonly [string, string] => entry[1] !== null);
  return {
    headline: texts.find(([name]) => name === "headline")?.[1] ?? null,
    paragraphs: texts.filter(([name]) => name !== "headline").map(([, text]) => text),
  };
}

/** The parts shown by the settings; the page's texts replace the offer's. */
function product({ row, words }: Sheet): Html {
  const { page } = row;
  const overrides = page?.offer_overrides ?? {};
  const own = textIn(overrides["product_name"], words.language) ?? textIn(overrides["name"], words.language);
  const name = own ?? row.product_name ?? row.offer_name;
  const lines = [
    page?.show_product_name !== false && html`<dt>${name}</dt>`,
    page?.show_product_price !== false && html`<dd>${words.amount(row.amount, row.currency)}</dd>`,
  ].filter((line) => line !== false);
  return html`${lines.length > 0 && html`<dl class="product">${lines}</dl>`}`;
}

function descriptionOf({ row: { page, product_description }, words }: Sheet): string | null {
  if (page?.show_product_description === false) return null;
  return textIn(page?.offer_overrides["product_description"], words.language) ?? product_description;
}

/** A single text, or one of several by language: that of the page, else the first. */
function textIn(value: unknown, language: Language): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (typeof value !== "object" || value === null) return null;
  const texts = new Map(Object.entries(value));
  const text = [language, ...LANGUAGES].map((tag) => texts.get(tag)).find((one) => typeof one === "string");
  return text === undefined || text === "" ? null : text;
}

/** "Then 29.90 EUR every month, first on 21 December 2026": the day of the debit. */
function terms({ row, words, debit }: Sheet): Html {
  if (row.billing_type === "ONE_OFF") return NOTHING;
  const { trial_interval_unit: unit, trial_period: period, merchant_name: merchant } = row;
  const onTrial = row.billing_type === "TRIAL_RECURRING" && unit !== null && period !== null;
  return html`<ul class="terms">
    ${onTrial && html`<li>${words.say("trial", { duration: words.duration(unit, period) })}</li>`}
    <li>${thenWhat({ row, words, debit }, merchant)}</li>
  </ul>`;
}

function thenWhat({ row, words, debit }: Pick<Sheet, "row" | "words" | "debit">, merchant: string): string {
  const amount = words.amount(row.amount, row.currency);
  if (row.billing_frequency === null) return words.say("thenOnDemand", { merchant });
  const interval = words.interval(row.billing_frequency);
  return debit.next === null
    ? words.say("thenEvery", { amount, interval })
    : words.say("thenEveryFrom", { amount, interval, date: words.date(debit.next) });
}

/** The way back, and the language. */
function topOf({ place, words, row }: MerchantSheet, { backUrl = null }: Body): Html {
  return html`<div class="top">
    ${
      backUrl !== null &&
      html`<a href="${backUrl}" rel="noreferrer"
        >← ${words.say("backToMerchant", { merchant: row.merchant_name })}</a
      >`
    }
    <form method="get" action="${place.path}" class="language">
      <label for="lang">${words.say("language")}</label>
      <select id="lang" name="lang" autocomplete="off">
        ${LANGUAGE_NAMES.map(
          ([tag, name]) =>
            html`<option value="${tag}" lang="${tag}" ${tag === words.language && html` selected`}>
              ${name}
            </option>`,
        )}
      </select>
      <button>${words.say("changeLanguage")}</button>
    </form>
  </div>`;
}

/** The merchant's legal links and support address. */
function footer({ words, row }: MerchantSheet): Html {
  const { imprint_url, privacy_url, terms_url, support_url, support_email } = row.page?.links ?? {};
  const contact = support_url ?? (support_email ? `mailto:${support_email}` : null);
  const links = [
    [words.say("imprint"), imprint_url],
    [words.say("privacy"), privacy_url],
    [words.say("terms"), terms_url],
    [words.say("contact"), contact],
  ] as const;
  const given = links.filter(([, url]) => typeof url === "string");
  if (given.length === 0) return NOTHING;
  return html`<footer>
    ${given.map(([name, url]) => html`<a href="${url ?? ""}" rel="noreferrer" target="_blank">${name}</a>`)}
  </footer>`;
}
