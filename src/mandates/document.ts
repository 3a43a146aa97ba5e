/** A mandate as a printable page, for a debtor who asks for a copy and a bank that asks for proof. Pure. */
import { createHash } from "node:crypto";
import { html, Html } from "../files/html.ts";
import type { MandateSheet } from "./sheet.ts";

/** Designed for print: dark on white, one page of A4. */
const STYLE = `
@page{size:A4;margin:20mm}
*{box-sizing:border-box}
body{margin:0 auto;max-width:170mm;padding:1rem;color:#111827;background:#fff;overflow-wrap:anywhere;
font:11pt/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1{font-size:16pt;margin:0 0 1rem}
h2{font-size:11pt;margin:1.25rem 0 .25rem}
p{margin:0 0 .5rem}
dl{display:grid;grid-template-columns:minmax(9rem,1fr) 2fr;gap:.25rem 1rem;margin:1rem 0;
border-block:1px solid #6b7280;padding:.75rem 0}
dt{color:#4b5563}
dd{margin:0;font-weight:600}
section,dl{break-inside:avoid}
.proof{font-size:9pt;color:#374151}
@media print{body{padding:0;max-width:none}}
`;
/** Not in a template: formatting could add a space, the policy's hash would differ, and browsers would refuse it. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Allows only the page's own style: no scripts, pictures or frames. */
export const DOCUMENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function mandateDocument(sheet: MandateSheet): Html {
  const { language, direction, heading, reference, paragraphs, facts, proof } = sheet;
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${heading} ${reference}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${heading}</h1>
          ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
          <dl>
            ${facts.map(
              ([label, value]) =>
                html`<dt>${label}</dt>
                  <dd dir="auto">${value}</dd>`,
            )}
          </dl>
          ${proof.map(
            (section) =>
              html`<section class="proof">
                <h2>${section.heading}</h2>
                ${section.lines.map((line) => html`<p>${line}</p>`)}
              </section>`,
          )}
        </main>
      </body>
    </html>`;
}
