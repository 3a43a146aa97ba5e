/** All texts of a page come from the texts of its language: templates contain none. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Creditor } from "../../mandates/creditor.ts";
import { mandateSheet } from "../../mandates/sheet.ts";
import type { ShownNotice } from "../../mandates/notices.ts";
import type { MandateDetailRow } from "../../mandates/store.ts";
import { sampleDebit, sampleRow, SAMPLES } from "../preview/sample.ts";
import type { PageSettings } from "../store.ts";
import { viewOf } from "./choose-page.ts";
import type { Faults } from "./form.ts";
import type { Sheet } from "./frame.ts";
import { showPage } from "./page-of-session.ts";
import type { Texts } from "../texts/texts.ts";
import { wordsIn, type PageWords } from "./wording.ts";

const NOW = new Date("2026-11-23T10:00:00Z");
/** Marks every text that a page takes from its words. */
const said = (text: string) => `⟦${text}⟧`;

const REASONS = Object.fromEntries(
  Object.keys(wordsIn("de", "DE").texts.reasons).map((reason) => [reason, said(reason)]),
) as unknown as Texts["reasons"];

/** Words that return their own keys. */
const NAMES: PageWords = {
  ...wordsIn("de", "DE"),
  say: (key) => said(key),
  count: (key) => said(key),
  amount: () => said("amount"),
  date: () => said("date"),
  duration: () => said("duration"),
  interval: () => said("interval"),
  country: () => said("country"),
  texts: { ...wordsIn("de", "DE").texts, reasons: REASONS },
};

const CREDITOR: Creditor = {
  name: "1 & 1",
  identifier: "98ZZZ0",
  address: "1",
  postal_code: "10115",
  city: "2",
  country: "DE",
  scheme: "CORE",
  pre_notification_days: 14,
};
/**
 * Data instead of texts of ours: names, references, and the term for an account number, which is the same in every
 * language.
 */
const DATA = [
  "98ZZZ0",
  "MND-SAMPLE",
  "ORD-SAMPLE",
  "SHOP TXN-SAMPLE",
  "Sample product",
  "DE",
  "Ada Example",
  "UTC",
];
const TYPED = {
  iban: "",
  holder: "",
  accepted: false,
  again: true,
  address: { street: "", postalCode: "", city: "" },
};
const FAULTS: readonly Faults[] = [{}, { iban: said("iban"), holder: said("holder"), city: said("city") }];

test("every word of every state of the page, with and without errors, comes from the texts of its language", () => {
  for (const scheme of ["CORE", "B2B"] as const) {
    for (const sample of SAMPLES) {
      for (const faults of FAULTS) {
        assert.deepEqual(wordsOf(pageOf(sample, scheme, faults)), [], `${sample}, ${scheme}`);
      }
    }
  }
});

const AMENDMENTS = [
  { kind: "reference", original_reference: "MND-SAMPLE" },
  { kind: "creditor", original_creditor_name: "1 & 1", original_creditor_identifier: "98ZZZ0" },
  { kind: "holder", original_holder_name: "Ada Example" },
  {
    kind: "account",
    original_iban_country: "DE",
    original_iban_last4: "0000",
    accepted_ip: "1",
    text_version: "1",
  },
  { kind: "account", original_iban_country: null, original_iban_last4: null },
].map((one) => ({ accepted_ip: null, text_version: null, at: NOW.toISOString(), ...one }));
const NOTICES = ["message", "event"].map((told_by) => ({
  told_at: NOW,
  told_by,
  amount: "1.00",
  currency: "EUR",
  collection_date: "2026-12-01",
  billing_frequency: "MONTHLY",
  mandate_reference: "MND-SAMPLE",
  recipient: "⟦ada@example.com⟧",
  text_version: "1",
})) as unknown as readonly ShownNotice[];

test("every word of a mandate's document that its customer reads comes from the texts of its language", () => {
  const row = {
    scheme: "CORE",
    type: "recurrent",
    reference: "MND-SAMPLE",
    acceptance_mode: "checkbox",
    creditor_name: "1 & 1",
    creditor_identifier: "98ZZZ0",
    creditor_address: "1",
    creditor_city: "2",
    creditor_postal_code: "10115",
    creditor_country: "DE",
    holder_name: "Ada Example",
    iban_country: "DE",
    iban_last4: "0000",
    bic: null,
    bank_name: null,
    pre_notification_days: 14,
    status: "cancelled",
    cancelled_at: NOW,
    cancelled_by: "debtor",
    status_reason: "⟦MD07⟧",
    accepted_at: NOW,
    text_version: "1",
    amendments: AMENDMENTS,
    accepted_ip: "127.0.0.1",
    accepted_user_agent: null,
  } as unknown as MandateDetailRow;
  const modes = ["checkbox", "IMPLICIT", null] as const;
  for (const acceptance_mode of modes) {
    const shown = { words: NAMES, accepted: false, ownText: null };
    const sheet = mandateSheet({ ...row, acceptance_mode }, shown, NOTICES);
    const { heading, paragraphs, facts, proof } = sheet;
    assert.ok(facts.length > 5);
    assert.deepEqual(
      proof.map(({ lines }) => lines.length),
      [acceptance_mode === null ? 4 : 6, 5, 2],
    );
    const lines = proof.flatMap((part) => [part.heading, ...part.lines]);
    assert.deepEqual(wordsOf([heading, ...paragraphs, ...facts.flat(), ...lines].join(" ")), []);
  }
});

function pageOf(sample: (typeof SAMPLES)[number], scheme: Creditor["scheme"], faults: Faults): string {
  const page = { branding: {}, content: {}, offer_overrides: {}, mandate_acceptance_mode: "checkbox" };
  const settings = {
    page: {
      ...page,
      links: LINKS,
      cancel_redirect_url: "https://shop.example.com/",
    } as unknown as PageSettings,
    mandate_texts: null,
    merchant_name: "1",
    creditor: { ...CREDITOR, scheme },
    default_locale: null,
    country: "DE",
  };
  const row = {
    ...sampleRow(settings, sample, NOW),
    product_description: null,
    success_redirect_url: "https://shop.example.com/",
    mandate_id: "1",
  };
  const sheet: Sheet = {
    place: { path: "/", nonce: "", script: { path: "", integrity: "" } },
    words: NAMES,
    row,
    now: NOW,
    debit: sampleDebit(NOW, CREDITOR.pre_notification_days),
    testAccounts: [{ iban: "DE89370400440532013000", outcome: "approved" }],
    asksAddress: true,
  };
  const moment = {
    sessionToken: "1",
    reference: "MND-SAMPLE",
    justEnded: true,
    heldBack: false,
    leaving: false,
    notYet: true,
    typed: TYPED,
    faults,
    preview: true,
  };
  return showPage(sheet, viewOf(row, NOW), moment).text;
}

const LINKS = {
  imprint_url: "https://shop.example.com/",
  privacy_url: "https://shop.example.com/",
  terms_url: "https://shop.example.com/",
  support_email: "help@shop.example.com",
};

/**
 * The words in a page's text, in its labels and in its placeholders that are neither texts of the language nor data.
 */
function wordsOf(page: string): readonly string[] {
  const read = [...page.matchAll(/ (?:aria-label|placeholder|title|alt)="([^"]*)"/g)].map(([, text]) => text);
  const seen = page
    .replace(/<(style|select)\b.*?<\/\1>/gs, " ")
    // English content is marked as such.
    .replace(/<p lang="en">.*?<\/p>/gs, " ")
    .replace(/<[^>]*>/gs, " ");
  const rest = [seen, ...read].join(" ").replace(/⟦[^⟧]*⟧/g, " ");
  return DATA.reduce((text, known) => text.replaceAll(known, " "), rest).match(/\p{Letter}+/gu) ?? [];
}
