/** The letters that activate a user, on one page to print and sign: the hashes of its public keys. Pure. */
import { createHash, X509Certificate } from "node:crypto";
import { html, Html } from "../../../../files/html.ts";
import { utcDate } from "../../../../lib/dates.ts";
import { keyHash, numbersOf } from "./crypto.ts";
import { certificateHash, KEY_PURPOSES, versionOf, type KeyPurpose, type OwnKeys } from "./keys.ts";
import { LETTER_TEXTS, type LetterLanguage, type LetterTexts } from "./letter-texts.ts";
import type { KeyedSubscriber } from "./subscriber.ts";

const STYLE = `
@page{size:A4;margin:18mm}
body{margin:0 auto;max-width:174mm;padding:1rem;color:#111827;background:#fff;
font:10.5pt/1.4 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1{font-size:15pt}
h2{font-size:11pt;margin:1.1rem 0 .3rem}
dl{display:grid;grid-template-columns:minmax(9rem,1fr) 2fr;gap:.2rem 1rem;margin:0}
dt{color:#4b5563}
dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace;font-size:9.5pt}
section{break-inside:avoid}
article+article{break-before:page}
.modulus{font-size:7.5pt}
.sign{display:grid;grid-template-columns:repeat(3,1fr);gap:1rem;margin-top:3.5rem}
.sign p{border-top:1px solid #111827;margin:0;padding-top:.2rem}
@media print{body{padding:0;max-width:none}}
`;
/** Not in a template: formatting could add a space, the policy's hash would differ, and browsers would refuse it. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** Allows only the page's own style. */
export const LETTER_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The letters as a page.
 * @param pairs one letter for each: where it is unknown which of two the bank has, the bank says which letter it needs.
 */
export function letterPages(
  subscriber: Omit<KeyedSubscriber, "keys">,
  pairs: readonly OwnKeys[],
  language: LetterLanguage,
): Html {
  const texts = LETTER_TEXTS[language];
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${texts.title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        ${pairs.map((keys, index) => letter({ ...subscriber, keys }, texts, pairs.length === 1 ? "" : ` (${index + 1}/${pairs.length})`))}
      </body>
    </html> `;
}

/**
 * One letter.
 * @param nth its position among several.
 */
function letter(subscriber: KeyedSubscriber, texts: LetterTexts, nth: string): Html {
  const { hostId, partnerId, userId, version } = subscriber;
  const made = new Date(new X509Certificate(subscriber.keys.signature.certificate).validFrom);
  return html`<article>
    <h1>${texts.title}${nth}</h1>
    <p>${texts.intro}</p>
    <dl>
      <dt>${texts.hostId}</dt>
      <dd>${hostId}</dd>
      <dt>${texts.partnerId}</dt>
      <dd>${partnerId}</dd>
      <dt>${texts.userId}</dt>
      <dd>${userId}</dd>
      <dt>EBICS</dt>
      <dd>${version}</dd>
      <dt>${texts.date}</dt>
      <dd>${utcDate(made)}</dd>
    </dl>
    ${KEY_PURPOSES.map((use) => keySection(subscriber, use, texts))}
    <p>${texts.confirm}</p>
    <div class="sign">
      <p>${texts.placeAndDate}</p>
      <p>${texts.name}</p>
      <p>${texts.signature}</p>
    </div>
  </article>`;
}

function keySection(
  { keys, version, signatureVersion }: KeyedSubscriber,
  use: KeyPurpose,
  texts: LetterTexts,
): Html {
  const { publicKey, certificate } = keys[use];
  const { modulus, exponent } = numbersOf(publicKey);
  const inCertificate = version === "H005";
  return html`<section>
    <h2>${texts.uses[use]}</h2>
    <dl>
      <dt>${texts.version}</dt>
      <dd>${versionOf(use, signatureVersion)}</dd>
      <dt>${texts.keyHash}</dt>
      <dd><code>${hexPairs(keyHash(publicKey))}</code></dd>
      ${
        inCertificate &&
        html`<dt>${texts.certificateHash}</dt>
          <dd><code>${hexPairs(certificateHash(certificate))}</code></dd>`
      }
      <dt>${texts.exponent}</dt>
      <dd><code>${exponent}</code></dd>
      <dt>${texts.modulus}</dt>
      <dd><code class="modulus">${modulus}</code></dd>
    </dl>
  </section>`;
}

/** A hash as letters print it: pairs of capital hexadecimal digits. */
export function hexPairs(hash: Buffer): string {
  return (hash.toString("hex").toUpperCase().match(/../g) ?? []).join(" ");
}
