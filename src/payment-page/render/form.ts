/**
 * The form: IBAN, account holder, mandate. It works without JavaScript and shows each error next to its field. Pure.
 */
import { normaliseIban } from "../../sepa/iban.ts";
import { checkIban, ibanLength, SEPA_IBAN_CODES, type CheckedIban } from "../../sepa/iban.ts";
import { needsAddress, OUTSIDE_EEA } from "../../sepa/messages/direct-debit-file.ts";
import { CITY_CHARS_MAX, POSTAL_CODE_CHARS_MAX, STREET_CHARS_MAX } from "../../sepa/messages/lengths.ts";
import { hasLetter, toSepaText } from "../../sepa/messages/text.ts";
import { formatAmount } from "../../lib/money.ts";
import { billingTermsOf, firstAmount } from "../../subscriptions/subscription.ts";
import { html, NOTHING, type Html } from "../../files/html.ts";
import type { Sheet } from "./frame.ts";
import type { Declined } from "./choose-page.ts";
import { mandateText } from "./mandate.ts";
import type { PageWords } from "./wording.ts";

/** The customer's input; browsers send nothing for an unticked checkbox. */
export interface Typed {
  readonly iban: string;
  readonly holder: string;
  readonly accepted: boolean;
  /** Whether the customer confirms paying the same amount again. */
  readonly again: boolean;
  /** Used only if the form asks for it. */
  readonly address: { readonly street: string; readonly postalCode: string; readonly city: string };
}

/** A sentence for each invalid field. */
export interface Faults {
  readonly iban?: string;
  readonly holder?: string;
  readonly accepted?: string;
  /** Set if the customer has paid the same amount within a day. */
  readonly again?: string;
  readonly city?: string;
}

interface FormState {
  /** The reference of the offered mandate. */
  readonly reference: string;
  readonly declined: Declined | null;
  /** The invalid input. */
  readonly typed: Typed | null;
  readonly faults: Faults;
  /** Whether this is a preview, in which nothing can be submitted. */
  readonly inert: boolean;
}

const HOLDER_CHARS_MAX = 255;
/**
 * The longest IBAN has 34 characters; this leaves room for separators between all of them, the word IBAN in front, and
 * a few typing errors.
 */
const IBAN_CHARS_MAX = 80;
/** The number of characters shown of an invalid IBAN, enough to recognise it. */
const ENDING_CHARS = 4;

/** The errors in the input, empty if it can be submitted. */
export function faultsOf(sheet: Pick<Sheet, "words" | "row" | "asksAddress">, typed: Typed): Faults {
  const { words } = sheet;
  const checked = checkIban(typed.iban);
  const iban = ibanFault(words, checked, typed.iban);
  const addressLacks =
    needsTyped(sheet, checked) && !hasLetter(toSepaText(typed.address.city, CITY_CHARS_MAX));
  const holder = holderFault(words, typed.holder);
  const unticked = mustAccept(sheet) && !typed.accepted;
  return {
    ...(iban === null ? {} : { iban }),
    ...(holder === null ? {} : { holder }),
    ...(addressLacks ? { city: words.say("cityMissing") } : {}),
    ...(unticked ? { accepted: words.say("mandateMissing") } : {}),
  };
}

/** Whether a payment from this account includes the customer's address. */
export function needsTyped({ asksAddress }: Pick<Sheet, "asksAddress">, checked: CheckedIban): boolean {
  return asksAddress && checked.valid && needsAddress(checked.country);
}

function holderFault(words: PageWords, holder: string): string | null {
  if (holder.trim() === "") return words.say("holderMissing");
  return holder.length > HOLDER_CHARS_MAX ? words.say("holderTooLong") : null;
}

/** The error of an IBAN; null if it can be debited. */
export function ibanFault(words: PageWords, checked: CheckedIban, typed: string): string | null {
  if (checked.valid) return checked.sepa ? null : words.say("ibanOutsideSepa");
  if (checked.reason === "empty") return words.say("ibanMissing");
  return `${ibanSentence(words, checked.reason, typed)} ${typedEnding(words, typed)}`.trim();
}

function ibanSentence(
  words: PageWords,
  reason: Exclude<CheckedIban, { valid: true }>["reason"],
  typed: string,
): string {
  const letters = normaliseIban(typed);
  const country = letters.slice(0, 2);
  const expected = ibanLength(country);
  switch (reason) {
    case "empty":
      return words.say("ibanMissing");
    case "characters":
      return words.say("ibanCharacters");
    case "country":
      return words.say("ibanCountry");
    case "length":
      return expected === null
        ? words.say("ibanChecksum")
        : words.say("ibanLength", { country: words.country(country), expected, actual: letters.length });
    case "structure":
      return words.say("ibanStructure");
    case "checksum":
    case "national_checksum":
      return words.say("ibanChecksum");
  }
}

/** The end of the invalid IBAN, as the field itself is returned empty. */
function typedEnding(words: PageWords, typed: string): string {
  const letters = normaliseIban(typed).replace(/[^A-Za-z0-9]/g, "");
  return letters.length <= 2 * ENDING_CHARS
    ? ""
    : words.say("ibanTypedEnding", { ending: letters.slice(-ENDING_CHARS) });
}

/** The whole form, with what precedes it. */
export function formMain(sheet: Sheet, state: FormState): Html {
  const { words, row, place } = sheet;
  const { faults, typed, reference } = state;
  const button = buttonWords(sheet);
  const holder = typed?.holder ?? row.holder_name ?? `${row.first_name} ${row.last_name}`;
  return html`<h1>${words.say("formHeading")}</h1>
    ${notice(words, state)}
    <form
      method="post"
      action="${place.path}?lang=${words.language}"
      id="pay"
      novalidate
      autocomplete="on"
      data-lengths="${IBAN_LENGTHS}"
      data-texts="${scriptTexts(words)}"
      ${sheet.asksAddress && html`data-address="${OUTSIDE_EEA.join(" ")}"`}
    >
      <input type="hidden" name="reference" value="${reference}" />
      ${ibanField(words, row.country, faults.iban)}
      <div class="field">
        <label for="holder">${words.say("holderLabel")}</label>
        <input
          id="holder"
          name="holder"
          autocomplete="name"
          maxlength="${HOLDER_CHARS_MAX}"
          required
          value="${holder}"
          aria-describedby="holder-hint holder-error"
          ${invalid(faults.holder)}
        />
        <p class="hint" id="holder-hint">${words.say("holderHint")}</p>
        <p class="error" id="holder-error">${faults.holder ?? ""}</p>
      </div>
      ${sheet.asksAddress && address(words, state)} ${acceptance(sheet, state, button)}
      ${(faults.again !== undefined || typed?.again === true) && payAgain(words, state)}
      <button class="pay" ${state.inert && html` type="button" aria-disabled="true"`}>
        ${LOCK} <span>${button}</span>
      </button>
      <p class="hint" id="sending" role="status"></p>
    </form>
    ${sheet.testAccounts.length > 0 && testAccounts(sheet)} ${mandateText(sheet, reference)}`;
}

/** A padlock: the input is sent over an encrypted connection, and only to the merchant's service. */
const LOCK = html`<svg aria-hidden="true" viewBox="0 0 16 16" width="15" height="15" fill="currentColor">
  <path d="M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7zm2 0h4V5a2 2 0 0 0-4 0z" />
</svg>`;

/**
 * The field for the IBAN.
 * @param country of the customer.
 */
export function ibanField(words: PageWords, country: string, fault: string | undefined): Html {
  return html`<div class="field">
    <label for="iban">${words.say("ibanLabel")}</label>
    <input
      id="iban"
      name="iban"
      inputmode="text"
      autocomplete="off"
      autocapitalize="characters"
      spellcheck="false"
      maxlength="${IBAN_CHARS_MAX}"
      required
      placeholder="${ibanExample(country)}"
      aria-describedby="iban-hint iban-error"
      ${invalid(fault)}
      dir="ltr"
    />
    <p class="hint" id="bank" role="status"></p>
    <p class="hint" id="iban-hint">${ibanHint(words, country)}</p>
    <p class="error" id="iban-error" aria-live="polite">${fault ?? ""}</p>
  </div>`;
}

const OUTCOMES = {
  approved: "paidHeading",
  pending: "submittedHeading",
  declined: "declinedHeading",
  verification: "verifyHeading",
} as const;

/** The test accounts; the script fills in the selected one. */
function testAccounts({ words, testAccounts: accounts }: Sheet): Html {
  return html`<details class="test">
    <summary>${words.say("testAccounts")}</summary>
    <ul>
      ${accounts.map(
        ({ iban, outcome }) =>
          html`<li>
            <button type="button" data-iban="${iban}">${groupsOfFour(iban)}</button>
            ${words.say(OUTCOMES[outcome])}
          </li>`,
      )}
    </ul>
  </details>`;
}

function groupsOfFour(iban: string): string {
  return iban.replace(/.{4}(?=.)/g, "$& ");
}

/** A placeholder IBAN of the customer's country without an account number, so that it cannot be debited. */
function ibanExample(code: string): string {
  const length = SEPA_IBAN_CODES.includes(code) ? ibanLength(code) : null;
  return length === null ? "" : groupsOfFour(code.padEnd(length, "0"));
}

/** Hidden until the account's bank is known to require an address. */
function address(words: PageWords, { typed, faults }: FormState): Html {
  const field = (
    name: "street" | "postalCode" | "city",
    label: string,
    autocomplete: string,
    chars: number,
  ) =>
    html`<div class="field">
      <label for="${name}">${label}</label>
      <input
        id="${name}"
        name="${name}"
        autocomplete="${autocomplete}"
        maxlength="${chars}"
        value="${typed?.address[name] ?? ""}"
        aria-describedby="${name}-error"
        ${name === "city" && invalid(faults.city)}
      />
      <p class="error" id="${name}-error">${(name === "city" && faults.city) || ""}</p>
    </div>`;
  return html`<div id="address" ${faults.city === undefined && html` hidden`}>
    <p class="hint">${words.say("addressHint")}</p>
    ${field("street", words.say("streetLabel"), "street-address", STREET_CHARS_MAX)}
    ${field("postalCode", words.say("postalCodeLabel"), "postal-code", POSTAL_CODE_CHARS_MAX)}
    ${field("city", words.say("cityLabel"), "address-level2", CITY_CHARS_MAX)}
  </div>`;
}

function invalid(fault: string | undefined): Html {
  return fault === undefined ? NOTHING : html` aria-invalid="true"`;
}

/** The list of errors, or why the bank declined the payment; it gets the focus when the page opens. */
export function notice(words: PageWords, { faults, declined }: Pick<FormState, "faults" | "declined">): Html {
  const wrong = Object.entries(faults) as readonly (readonly [string, string])[];
  if (wrong.length > 0) {
    return html`<div class="notice" role="alert" tabindex="-1" autofocus>
      <p><strong>${words.say("errorSummary")}</strong></p>
      <ul>
        ${wrong.map(([field, fault]) => html`<li><a href="#${field}">${fault}</a></li>`)}
      </ul>
    </div>`;
  }
  if (declined === null) return NOTHING;
  return html`<div class="notice" role="alert" tabindex="-1" autofocus>
    <p><strong>${words.say("declinedHeading")}</strong></p>
    <p>${words.texts.reasons[declined.reason]}</p>
    <p>${words.count("attemptsLeft", "count", declined.attemptsLeft)}</p>
  </div>`;
}

function ibanHint(words: PageWords, code: string): string {
  const count = ibanLength(code);
  if (count === null || !SEPA_IBAN_CODES.includes(code)) return words.say("ibanCountry");
  return words.say("ibanHint", { country: words.country(code), count, code });
}

/** The acceptance of the mandate, according to the page's settings. */
function acceptance(sheet: Sheet, { typed, faults }: FormState, button: string): Html {
  const { words } = sheet;
  if (!mustAccept(sheet)) return html`<p class="implicit">${words.say("mandateImplicit", { button })}</p>`;
  return acceptanceBox(words, typed?.accepted === true, faults.accepted);
}

export function acceptanceBox(words: PageWords, isChecked: boolean, fault: string | undefined): Html {
  return html`<div class="field check">
    <input
      type="checkbox"
      id="accepted"
      name="accepted"
      value="yes"
      required
      aria-describedby="accepted-error"
      ${isChecked && html` checked`}${invalid(fault)}
    />
    <label for="accepted">${words.say("mandateAccept")}</label>
    <p class="error" id="accepted-error">${fault ?? ""}</p>
  </div>`;
}

/** Shown once the service has reported that this amount was already paid. */
function payAgain(words: PageWords, { typed, faults }: FormState): Html {
  return html`<div class="field check">
    <input
      type="checkbox"
      id="again"
      name="again"
      value="yes"
      ${typed?.again === true && html` checked`}${invalid(faults.again)}
    />
    <label for="again">${words.say("payAgain")}</label>
  </div>`;
}

/**
 * Whether the customer must tick a box to accept the mandate. Without a page of its own, a session treats paying as
 * acceptance, as its retrieve response says.
 */
export function mustAccept({ row }: Pick<Sheet, "row">): boolean {
  return row.page?.mandate_acceptance_mode === "checkbox";
}

function buttonWords({ words, row }: Sheet): string {
  const today = firstAmount(billingTermsOf(row));
  return today === 0
    ? words.say("signButton")
    : words.say("payButton", { amount: words.amount(formatAmount(today), row.currency) });
}

/** "DE22 FR27 …": the lengths of the IBANs that can be debited, for the script. */
const IBAN_LENGTHS = SEPA_IBAN_CODES.map((code) => `${code}${ibanLength(code)}`).join(" ");

/** The script's texts. */
function scriptTexts({ texts }: PageWords): string {
  const {
    sending,
    bankFound,
    ibanHint: hint,
    ibanMissing,
    ibanCharacters,
    ibanCountry,
    ibanOutsideSepa,
    ibanLength: length,
    ibanChecksum,
  } = texts;
  const { holderMissing, cityMissing, mandateMissing, errorSummary } = texts;
  return JSON.stringify({
    sending,
    bankFound,
    ibanHint: hint,
    ibanMissing,
    ibanCharacters,
    ibanCountry,
    ibanOutsideSepa,
    ibanLength: length,
    ibanChecksum,
    holderMissing,
    cityMissing,
    mandateMissing,
    errorSummary,
  });
}
