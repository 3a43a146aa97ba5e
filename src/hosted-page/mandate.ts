/** The mandate that a customer accepts on the page: its reference, known before it is signed, and the version of its text. */
import type { Keyring } from "../lib/keyring.ts";
import { must } from "../lib/assert.ts";
import { mandateReferenceFrom } from "../payments/references.ts";
import { languageOf } from "./language.ts";
import { wordsIn, type Words } from "./words.ts";

/** Changes with any change of a mandate text in texts/; a test holds the texts of each version. */
const TEXT_VERSION = "2026-11";

/** What is stored with a mandate: which text, in which language. */
export function textVersion(language: string): string {
  return `${TEXT_VERSION}/${language}`;
}

/**
 * The reference of the mandate that the form offers: the same each time the form is shown, another one after each
 * attempt. A reference exists once, so one form cannot be submitted twice.
 */
export function offeredReference(
  keys: Keyring,
  tenant: number,
  session: { readonly session_id: string; readonly transaction_id: string | null },
): string {
  const message = `${tenant}:${session.session_id}:${session.transaction_id ?? "first"}`;
  return mandateReferenceFrom(
    must(keys.mac(keys.currentKeyId, "mandate-reference", message), "the current key"),
  );
}

/**
 * The words for a mandate on paper: in the language that is asked for, else the one in which it was signed, else the
 * customer's. `accepted` says whether they are those that were accepted on the page.
 */
export function mandateWords(
  wished: string | null,
  signed: {
    readonly text_version: string | null;
    readonly language: string | null;
    readonly country: string;
  },
): { readonly words: Words; readonly accepted: boolean } {
  const language = languageOf({
    chosen: wished ?? signed.language ?? undefined,
    acceptLanguage: undefined,
    pageLocale: null,
    country: signed.country,
    merchantLocale: null,
  });
  const words = wordsIn(language, signed.country);
  return { words, accepted: signed.text_version === textVersion(language) };
}
