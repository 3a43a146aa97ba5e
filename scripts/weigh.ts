/** `npm run weigh`: prints the size of the payment page in every language, and fails if one is above the limit. */
import { gzipSync } from "node:zlib";
import { SCRIPT, SCRIPT_INTEGRITY } from "../src/payment-page/assets.ts";
import { sampleDebit, sampleRow } from "../src/payment-page/preview/sample.ts";
import { PAGE_ACCOUNTS } from "../src/gateways/sandbox/scenarios.ts";
import { showPage } from "../src/payment-page/render/page-of-session.ts";
import { LANGUAGES } from "../src/payment-page/texts/all.ts";
import { viewOf } from "../src/payment-page/render/choose-page.ts";
import { wordsIn } from "../src/payment-page/render/wording.ts";
import { systemClock } from "../src/lib/clock.ts";

const LIMIT_BYTES = 15_000;
const now = systemClock.now();
const weights = LANGUAGES.map((language) => ({ language, page: gzipSync(pageIn(language)).length })).toSorted(
  (a, b) => b.page - a.page,
);

console.log(`script   ${SCRIPT.compressed.length} bytes compressed (${SCRIPT.plain.length} plain)`);
for (const { language, page } of weights) {
  console.log(
    `${language.padEnd(8)} ${page} bytes of HTML and CSS, ${page + SCRIPT.compressed.length} in all`,
  );
}
const heaviest = (weights[0]?.page ?? 0) + SCRIPT.compressed.length;
console.log(`heaviest ${heaviest} of ${LIMIT_BYTES} bytes`);
if (heaviest > LIMIT_BYTES) process.exitCode = 1;

function pageIn(language: (typeof LANGUAGES)[number]): string {
  const row = sampleRow(
    {
      merchant_name: "Sample Shop",
      creditor: {
        name: "Sample Shop",
        identifier: "DE98ZZZ09999999999",
        address: "Musterstraße 1",
        postal_code: "10115",
        city: "Berlin",
        country: "DE",
        scheme: "B2B",
        pre_notification_days: 14,
      },
      mandate_texts: null,
      default_locale: null,
      country: "DE",
      page: {
        branding: { logo_url: "https://shop.example.com/logo.png" },
        content: { headline: "A headline", text: "A paragraph of the merchant's own." },
        show_product_name: true,
        show_product_price: true,
        show_product_description: true,
        offer_overrides: {},
        success_redirect_url: null,
        failure_redirect_url: null,
        cancel_redirect_url: null,
        redirect_wait_seconds: 10,
        links: {},
        mandate_acceptance_mode: "checkbox",
        locale: null,
        frame_origins: [],
      },
    },
    "declined",
    now,
  );
  const place = {
    path: `/pay/ps_${"A".repeat(44)}/`,
    nonce: "A".repeat(24),
    script: { path: `/pay/assets/pay.js?v=${SCRIPT.version}`, integrity: SCRIPT_INTEGRITY },
  };
  const sheet = {
    place,
    row,
    words: wordsIn(language, "DE"),
    now,
    debit: sampleDebit(now, row.creditor.pre_notification_days),
    testAccounts: PAGE_ACCOUNTS,
    asksAddress: true,
  };
  return showPage(sheet, viewOf(row, now), {
    sessionToken: "ps_sample",
    reference: "MND-SAMPLE",
    justEnded: false,
    heldBack: false,
    leaving: false,
    notYet: false,
    typed: null,
    faults: {},
    preview: false,
  }).text;
}
