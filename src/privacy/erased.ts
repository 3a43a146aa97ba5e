/** The replacement of a person's data, and its removal from JSON and text. Pure. */

export const ERASED = "erased";

/** JSON members that always contain personal data. */
const PERSONAL_MEMBERS: ReadonlySet<string> = new Set([
  "accepted_ip",
  "accepted_user_agent",
  "account_holder_name",
  "address",
  "bank_name",
  "bic",
  "cancel_reason",
  "city",
  "counterparty",
  "customer_email",
  "customer_email_csv",
  "customer_ip",
  "customer_name",
  "customer_name_csv",
  "debtor_iban",
  "debtor_name",
  "email",
  "first_name",
  "gateway_message",
  "holder_name",
  "iban",
  "iban_last4",
  "iban_masked",
  "last_name",
  "phone",
  "postal_code",
  "reason_message",
  "report_info",
  "report_message",
]);

/** What identifies a person. */
export interface Known {
  /** Everything; searched in the person's own records, which are about no namesake. */
  readonly own: readonly string[];
  /** What no other customer has, with the person's ids and references; searched everywhere. */
  readonly unique: readonly string[];
}

const WORD_CHARS_MIN = 3;

/** Texts to search for: in lower case, longest first, without duplicates. */
export function wordsOf(texts: readonly (string | null)[]): readonly string[] {
  const words = texts.flatMap((text) => {
    const word = text?.trim().toLowerCase() ?? "";
    return word.length >= WORD_CHARS_MIN ? [word] : [];
  });
  return [...new Set(words)].toSorted((a, b) => b.length - a.length);
}

/** A name in the orders used by files and people. */
export function spellingsOf(first: string, last: string): readonly string[] {
  return [`${first} ${last}`, `${last} ${first}`, `${last}, ${first}`, `${last},${first}`];
}

/** An IBAN with and without its spaces. */
export function spellingsOfIban(iban: string): readonly string[] {
  return [iban, iban.replace(/(.{4})(?=.)/g, "$1 ")];
}

/** The words as a PostgreSQL regular expression, for columns of the person's own records. */
export function patternOf(words: readonly string[]): string {
  const escaped = words.map((word) => word.replace(/[^\p{L}\p{N} ]/gu, "\\$&"));
  return `(^|[^[:alnum:]])(${escaped.join("|")})($|[^[:alnum:]])`;
}

const PART_OF_WORD = /[\p{L}\p{N}]/u;
/** `max@shop.example` is not in `anna-max@shop.example`, nor in `max@shop.example.org`. */
const PART_OF_ADDRESS = /[\p{L}\p{N}._%+-]/u;

/** Whether a text contains one of the words, as a whole word and in any case. */
export function containsAny(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => hasWord(lower, word));
}

function hasWord(lower: string, word: string): boolean {
  const part = word.includes("@") ? PART_OF_ADDRESS : PART_OF_WORD;
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    const end = at + word.length;
    // A full stop after an address ends a sentence.
    const follows = lower.slice(end, end + 2).replace(/^\.(?![\p{L}\p{N}])/u, " ");
    if (!part.test(lower[at - 1] ?? " ") && !part.test(follows[0] ?? " ")) return true;
  }
  return false;
}

/** The JSON of a person's record without personal data. */
export function withoutPerson(value: unknown, own: readonly string[], member = ""): unknown {
  if (typeof value === "string")
    return PERSONAL_MEMBERS.has(member) || containsAny(value, own) ? ERASED : value;
  if (Array.isArray(value)) return value.map((item) => withoutPerson(item, own, member));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutPerson(inner, own, name)]),
  );
}

/** The same for JSON that may contain records of several people: of a list only the items that name this person. */
export function withoutPersonInJson(value: unknown, known: Known): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPersonInJson(item, known));
  if (!containsAny(JSON.stringify(value) ?? "", known.unique)) return value;
  if (typeof value !== "object" || value === null) return withoutPerson(value, known.unique);
  const lists = Object.entries(value).some(([, inner]) => isListOfRecords(inner));
  if (!lists) return withoutPerson(value, known.own);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isListOfRecords(inner) ? withoutPersonInJson(inner, known) : withoutPerson(inner, known.own, name),
    ]),
  );
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null);
}
