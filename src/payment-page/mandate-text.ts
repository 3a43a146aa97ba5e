/**
 * The mandate that a customer accepts on the page: its reference, known before it is signed, and the version of its
 * text.
 */
import type { Reader } from "../db/database.ts";
import type { Scheme } from "../mandates/creditor.ts";
import type { WordsOf } from "../mandates/sheet.ts";
import { isUuid } from "../lib/ids.ts";
import { findMandateText } from "./mandate-texts/store.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { sha256, type Keyring } from "../lib/keyring.ts";
import { must } from "../lib/assert.ts";
import { mandateReferenceFrom } from "../payments/transaction.ts";
import { languageOf } from "./language.ts";
import type { PageRow } from "./store.ts";
import { wordsIn } from "./render/wording.ts";
import { FORMER, type FormerTexts } from "./texts/former.ts";

/** The data from which a reference is derived. */
type Offered = Pick<PageRow, "session_id" | "transaction_id" | "creditor" | "mandate_texts">;

/** Both change with any mandate text: CONTRIBUTING.md, Change a text of the payment page. */
const TEXT_VERSIONS: Readonly<Record<Scheme, string>> = { CORE: "2026-11-3", B2B: "2026-11-3-b2b" };

/** The version of the scheme's text in a language. */
export function textVersion(scheme: Scheme, language: string): string {
  return `${TEXT_VERSIONS[scheme]}/${language}`;
}

/**
 * The reference of the mandate that the form offers. It is the same each time the form is shown, and changes after each
 * attempt and when the creditor, the scheme's text or the merchant's text changes. A reference is unique, so a form
 * cannot be submitted twice, nor one that shows another creditor than the one that collects, or another text than the
 * recorded one.
 */
export function offeredReference(keys: Keyring, tenant: number, session: Offered): string {
  return must(offeredReferences(keys, tenant, session)[0], "the current key");
}

/**
 * That reference, followed by those offered by instances whose current key is another of the held keys.
 * @param version of the scheme's text.
 */
export function offeredReferences(
  keys: Keyring,
  tenant: number,
  session: Offered,
  version = TEXT_VERSIONS[session.creditor.scheme],
): readonly string[] {
  const { session_id: sessionId, transaction_id: last, creditor, mandate_texts: texts } = session;
  const shown = [version, ...Object.values(texts ?? {}).map(({ id }) => id)].toSorted().join();
  const message = `${tenant}:${sessionId}:${last ?? "first"}:${canonicalJson({ ...creditor })}${shown}`;
  return keys.keyIds.map((id) =>
    mandateReferenceFrom(must(keys.mac(id, "mandate-reference", message), "a key that is held")),
  );
}

/** The texts of a former version of the scheme's text; null for the current version and for an unknown one. */
function formerTexts(scheme: Scheme, version: string): FormerTexts | null {
  const [name = "", business] = version.split(/(?=-b2b$)/);
  return (business === undefined) === (scheme === "CORE") ? (FORMER.get(name) ?? null) : null;
}

/** The version and language of the accepted text, as stored with a mandate. */
export function shownVersion(row: Pick<PageRow, "creditor" | "mandate_texts">, language: string): string {
  const own = row.mandate_texts?.[language];
  return own === undefined ? textVersion(row.creditor.scheme, language) : `${own.id}/${language}`;
}

/**
 * Identifies the text of an existing mandate on a form. It changes with the creditor, the scheme's text and the
 * merchant's text, so that customers agree to the text that they have read.
 */
export function textOnForm(
  row: Pick<PageRow, "creditor" | "mandate_texts">,
  language: string,
  version = shownVersion(row, language),
): string {
  return sha256(canonicalJson([version, { ...row.creditor }])).toString("base64url");
}

/**
 * The words for a mandate on paper, in the requested language, else the language in which it was signed, else the
 * customer's; with the merchant's text if that was accepted on the page.
 */
export function mandateWordsOf(db: Reader): WordsOf {
  return async (tenant, wished, signed) => {
    const language = languageOf({
      chosen: wished ?? signed.language ?? undefined,
      sessionLocale: null,
      acceptLanguage: undefined,
      pageLocale: null,
      country: signed.country,
      merchantLocale: null,
    });
    const [version = "", inLanguage] = signed.text_version?.split("/") ?? [];
    const own =
      isUuid(version) && inLanguage === language ? await findMandateText(db, tenant, version) : null;
    const former = inLanguage === language ? formerTexts(signed.scheme, version) : null;
    const words = wordsIn(language, signed.country, former?.[language]);
    const accepted =
      own !== null || former !== null || signed.text_version === textVersion(signed.scheme, language);
    return { words, accepted, ownText: own?.text ?? null };
  };
}
