/** What a text in the search box may be: an address, an account, an amount, a reference, a name. Pure. */
import { checkIban } from "../../sepa/iban.ts";
import { isUuid } from "../../lib/ids.ts";

/** Everything that a text may be; null for what it cannot be. A text may be several things. */
interface Terms {
  /** A whole IBAN, normalised. */
  readonly iban: string | null;
  /** The end of an account number, in upper case. */
  readonly last4: string | null;
  /** With two decimals. */
  readonly amount: string | null;
  readonly uuid: string | null;
  /** One of our references, the merchant's or the bank's. */
  readonly reference: string | null;
  /** The beginning of an e-mail address, in lower case. */
  readonly emailStart: string | null;
  /** The beginning of a name; with two words, first and last name in either order. */
  readonly names: readonly [string] | readonly [string, string] | null;
  /** The beginning of a name and the end of the account: what a customer says on the telephone. */
  readonly payer: { readonly name: string; readonly last4: string } | null;
}

/** The longest stored reference. */
const REFERENCE_CHARS_MAX = 255;
const AMOUNT = /^(\d{1,8})(?:[.,](\d{1,2}))?$/;
const CURRENCY_SIGN = /^(?:EUR|€)?\s*(.*?)\s*(?:EUR|€)?$/i;
const NAME = /^[\p{L}\p{M}][\p{L}\p{M}'’.-]*$/u;

/** Interprets a text as typed. A whole IBAN has no other meaning, so it is never compared unsealed. */
export function searchTerms(typed: string): Terms {
  const text = typed.trim();
  const iban = checkIban(text);
  if (iban.valid) return { ...NOTHING, iban: iban.iban };
  if (text === "" || text.length > REFERENCE_CHARS_MAX) return NOTHING;
  return {
    iban: null,
    last4: /^[A-Za-z0-9]{4}$/.test(text) ? text.toUpperCase() : null,
    amount: amountOf(text),
    uuid: isUuid(text) ? text.toLowerCase() : null,
    reference: text,
    emailStart: /^[^\s@]+@\S*$/.test(text) ? text.toLowerCase() : null,
    names: namesOf(text),
    payer: payerOf(text),
  };
}

const NOTHING: Terms = {
  iban: null,
  last4: null,
  amount: null,
  uuid: null,
  reference: null,
  emailStart: null,
  names: null,
  payer: null,
};

/** `19.9`, `19,90`, `19.90 EUR` and `€ 19.90` are the same amount. */
function amountOf(text: string): string | null {
  const bare = CURRENCY_SIGN.exec(text)?.[1] ?? "";
  const [, whole, decimals = ""] = AMOUNT.exec(bare) ?? [];
  return whole === undefined ? null : `${Number(whole)}.${decimals.padEnd(2, "0")}`;
}

/** The end of an account contains a digit, unlike a last name of four letters. */
function payerOf(text: string): Terms["payer"] {
  const [, name, last4] = /^(.+?)[\s,]+(?=\S*\d)([A-Za-z0-9]{4})$/.exec(text) ?? [];
  if (name === undefined || last4 === undefined || namesOf(name) === null) return null;
  return { name: name.split(/\s+/).join(" "), last4: last4.toUpperCase() };
}

function namesOf(text: string): Terms["names"] {
  const words = text.split(/\s+/);
  if (!words.every((word) => NAME.test(word))) return null;
  const [first, ...others] = words;
  if (first === undefined) return null;
  return others.length === 0 ? [first] : [first, others.join(" ")];
}
