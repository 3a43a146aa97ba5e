/** The sandbox bank's verification page: plain HTML, complete without JavaScript. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Answer } from "../../http/endpoint.ts";
import type { Book } from "./store.ts";

const STYLE = html`
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif } body { margin: 0; min-height:
  100vh; display: grid; place-items: center; background: Canvas; color: CanvasText } main { box-sizing:
  border-box; width: min(26rem, 100%); padding: 1.5rem } h1 { font-size: 1.25rem; margin: 0 0 1rem } dl {
  display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1.5rem } dt { opacity: .75 }
  dd { margin: 0; overflow-wrap: anywhere; text-align: right } form { display: grid; grid-template-columns:
  1fr 1fr; gap: .75rem } button { font: inherit; padding: .75rem; border-radius: .5rem; border: 1px solid
  currentColor; cursor: pointer } button[value=confirm] { background: #14532d; color: #fff; border-color:
  #14532d } button:focus-visible, a:focus-visible { outline: 3px solid #2563eb; outline-offset: 2px } small {
  display: block; margin-top: 1.5rem; opacity: .75 }
`;

/** What the account holder is asked; decided already, it only says so and leads back. */
export function verificationPage(book: Book, backUrl: string | null, styleNonce: string): Answer {
  const facts = html` <dl>
    <dt>Amount</dt>
    <dd>${book.amount} ${book.currency}</dd>
    <dt>Merchant</dt>
    <dd>${book.creditor_name}</dd>
    <dt>Mandate</dt>
    <dd>${book.mandate_reference}</dd>
    <dt>Account</dt>
    <dd>ends in ${book.iban_last4}</dd>
  </dl>`;
  const choice =
    book.state === "awaiting_customer"
      ? html`<form method="post">
          <button name="decision" value="refuse">Refuse</button>
          <button name="decision" value="confirm">Confirm</button>
        </form>`
      : html`<p>This verification has been answered.</p>
          ${backLink(backUrl)}`;
  return page(200, "Confirm the direct debit", html`${facts}${choice}`, styleNonce);
}

export function unknownPage(styleNonce: string): Answer {
  return page(404, "Nothing to verify", html`<p>This verification does not exist.</p>`, styleNonce);
}

function backLink(url: string | null): Html {
  return url === null ? NOTHING : html`<p><a href="${url}">Back to the merchant</a></p>`;
}

function page(status: number, title: string, content: Html, nonce: string): Answer {
  const { text: body } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Sandbox bank</title>
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}<small>Sandbox bank: no money moves.</small>
        </main>
      </body>
    </html> `;
  return {
    status,
    body,
    headers: {
      "content-type": "text/html; charset=utf-8",
      // No form-action: the answer to the form leads on to the merchant's page, wherever that is.
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'`,
    },
  };
}
