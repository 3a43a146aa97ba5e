/** The mandate that a customer accepts on the page: its reference, known before it is signed, and the version of its text. */
import type { Scheme } from "../mandates/creditor.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { Keyring } from "../lib/keyring.ts";
import { must } from "../lib/assert.ts";
import { mandateReferenceFrom } from "../payments/references.ts";
import { languageOf } from "./language.ts";
import type { PageRow } from "./store.ts";
import { wordsIn, type Words } from "./render/wording.ts";

/** Each changes with any change of its mandate text in texts/; a test holds the texts of each version. */
const TEXT_VERSIONS: Readonly<Record<Scheme, string>> = { CORE: "2026-11-2", B2B: "2026-11-2-b2b" };

/** What is stored with a mandate: which text, in which language. */
export function textVersion(scheme: Scheme, language: string): string {
  return `${TEXT_VERSIONS[scheme]}/${language}`;
}

/**
 * The reference of the mandate that the form offers: the same each time the form is shown, another one after each
 * attempt, and when the creditor has changed. A reference exists once, so one form cannot be submitted twice, and none
 * that shows another creditor than the one who collects.
 */
export function offeredReference(
  keys: Keyring,
  tenant: number,
  session: Pick<PageRow, "session_id" | "transaction_id" | "creditor">,
): string {
  return must(offeredReferences(keys, tenant, session)[0], "the current key");
}

/** That reference, and what another instance offers whose current key is another one of those held. */
export function offeredReferences(
  keys: Keyring,
  tenant: number,
  session: Pick<PageRow, "session_id" | "transaction_id" | "creditor">,
): readonly string[] {
  const { session_id: sessionId, transaction_id: last, creditor } = session;
  const message = `${tenant}:${sessionId}:${last ?? "first"}:${canonicalJson({ ...creditor })}`;
  return keys.keyIds.map((id) =>
    mandateReferenceFrom(must(keys.mac(id, "mandate-reference", message), "a key that is held")),
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
    readonly scheme: Scheme;
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
  return { words, accepted: signed.text_version === textVersion(signed.scheme, language) };
}
