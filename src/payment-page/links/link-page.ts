/**
 * The page of a payment link: what is paid for, and a form that starts a payment. Opening the page starts nothing.
 * Pure.
 */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { SEPA_IBAN_CODES } from "../../sepa/iban.ts";
import { LINK_CURRENCY } from "../../sessions/links/link.ts";
import { details, merchantPage, merchantPanel, type MerchantSheet } from "../render/frame.ts";
import { endedBody } from "../render/messages.ts";
import type { PageWords } from "../render/wording.ts";
import type { LinkRow } from "./store.ts";

export const LINK_FIELDS = ["amount", "first_name", "last_name", "email", "country"] as const;
export type LinkField = (typeof LINK_FIELDS)[number];
export type TypedAtLink = Readonly<Partial<Record<LinkField, string>>>;

/** A link's page while it accepts payments: the typed values and the errors. */
interface LinkView {
  readonly row: LinkRow;
  readonly takesPayments: boolean;
  readonly typed: TypedAtLink;
  readonly wrong: readonly LinkField[];
}

type LinkSheet = MerchantSheet & { readonly row: LinkRow };

const LABELS = {
  amount: "amount",
  first_name: "firstNameLabel",
  last_name: "lastNameLabel",
  email: "emailLabel",
  country: "countryLabel",
} as const;

export function linkPage(sheet: LinkSheet, { takesPayments, typed, wrong }: LinkView): Html {
  const body = takesPayments
    ? { title: sheet.row.name, state: "link", main: form(sheet, typed, wrong) }
    : endedBody(sheet, sheet.row.is_used_up ? "linkUsed" : "closed", null, null);
  return merchantPage(sheet, body, panel(sheet, !takesPayments));
}

/** The link's name is shown here if the body has another heading. */
function panel(sheet: LinkSheet, isNamed: boolean): Html {
  const { row, words } = sheet;
  const price = row.amount ?? (row.amount_min === null ? row.price : null);
  const currency = currencyOf(row);
  return merchantPanel(
    sheet,
    html`${isNamed && html`<p class="headline">${row.name}</p>`}
    ${
      price !== null &&
      html`<p class="due">
        <span
          >${row.billing_frequency === null ? words.say("amount") : words.interval(row.billing_frequency)}</span
        >
        <strong>${words.amount(price, currency)}</strong>
      </p>`
    }
    ${row.description !== null && details(words, row.description.split(/\n+/))}`,
  );
}

function currencyOf(row: LinkRow): string {
  return row.currency ?? LINK_CURRENCY;
}

function form({ row, words, place }: LinkSheet, typed: TypedAtLink, wrong: readonly LinkField[]): Html {
  const text = (name: LinkField, type: string, autocomplete: string) =>
    field(
      words,
      name,
      wrong,
      (attributes) =>
        html`<input
          id="${name}"
          name="${name}"
          type="${type}"
          required
          maxlength="255"
          autocomplete="${autocomplete}"
          value="${typed[name] ?? ""}"
          ${attributes}
        />`,
    );
  return html`<h1>${row.name}</h1>
    ${problem({ row, words }, wrong)}
    <form method="post" action="${place.path}?lang=${words.language}" autocomplete="on">
      ${row.amount_min !== null && amountField({ row, words }, typed, wrong)}
      ${text("first_name", "text", "given-name")} ${text("last_name", "text", "family-name")}
      ${text("email", "email", "email")} ${countryField({ row, words }, typed, wrong)}
      <button class="pay"><span>${words.say("formHeading")}</span></button>
    </form>`;
}

/** The list of errors; it gets the focus when the page opens. */
function problem(sheet: Pick<LinkSheet, "row" | "words">, wrong: readonly LinkField[]): Html {
  const { words } = sheet;
  if (wrong.length === 0) return NOTHING;
  return html`<div class="notice" role="alert" tabindex="-1" autofocus>
    <p><strong>${words.say("errorSummary")}</strong></p>
    <ul>
      ${wrong.map((name) => html`<li><a href="#${name}">${name === "amount" ? amountFault(sheet) : words.say(LABELS[name])}</a></li>`)}
    </ul>
  </div>`;
}

function field(
  words: PageWords,
  name: LinkField,
  wrong: readonly LinkField[],
  control: (attributes: Html) => Html,
  below: Html = NOTHING,
): Html {
  const attributes = wrong.includes(name) ? html` aria-invalid="true"` : NOTHING;
  return html`<div class="field">
    <label for="${name}">${words.say(LABELS[name])}</label>
    ${control(attributes)} ${below}
  </div>`;
}

/** The field, with the bounds below it, formatted for the customer. */
function amountField(
  sheet: Pick<LinkSheet, "row" | "words">,
  typed: TypedAtLink,
  wrong: readonly LinkField[],
): Html {
  const { row, words } = sheet;
  const { min, max } = boundsOf(sheet);
  const suggested = row.amount_suggested === null ? "" : words.typedAmount(row.amount_suggested);
  const value = typed.amount ?? suggested;
  return field(
    words,
    "amount",
    wrong,
    (attributes) =>
      html`<input
        id="amount"
        name="amount"
        inputmode="decimal"
        required
        maxlength="20"
        autocomplete="off"
        aria-describedby="amount-hint amount-error"
        value="${value}"
        ${attributes}
      />`,
    html`<p class="hint" id="amount-hint">${max === null ? `≥ ${min}` : `${min} – ${max}`}</p>
      <p class="error" id="amount-error">${wrong.includes("amount") && amountFault(sheet)}</p>`,
  );
}

/** The error of an amount outside the bounds, with the bounds. */
function amountFault(sheet: Pick<LinkSheet, "row" | "words">): string {
  const { min, max } = boundsOf(sheet);
  return max === null
    ? sheet.words.say("amountAtLeast", { min })
    : sheet.words.say("amountBetween", { min, max });
}

function boundsOf({ row, words }: Pick<LinkSheet, "row" | "words">) {
  const written = (bound: string | null) => bound && words.amount(bound, currencyOf(row));
  return { min: written(row.amount_min) ?? "", max: written(row.amount_max) };
}

function countryField(
  { row, words }: Pick<LinkSheet, "row" | "words">,
  typed: TypedAtLink,
  wrong: readonly LinkField[],
): Html {
  const chosen = typed.country ?? row.country ?? "";
  const names = SEPA_IBAN_CODES.map((code) => [code, words.country(code)] as const);
  const sorted = names.toSorted(([, one], [, other]) => one.localeCompare(other, words.language));
  const options = sorted.map(
    ([code, name]) => html`<option value="${code}" ${code === chosen && html` selected`}>${name}</option>`,
  );
  return field(
    words,
    "country",
    wrong,
    (attributes) =>
      html`<select id="country" name="country" required autocomplete="country" ${attributes}>
        ${options}
      </select>`,
  );
}
