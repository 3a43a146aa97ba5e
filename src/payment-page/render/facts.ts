/** Facts of a payment or a mandate: a label and a value on each line. Pure. */
import { html, type Html } from "../../files/html.ts";

/** A label and its value; a line with a null or empty value is omitted. */
export type FactLine = readonly [name: string, value: string | null];

export function factLines(facts: readonly FactLine[]): Html {
  return html`<dl class="facts">
    ${facts
      .filter(([, value]) => value !== null && value !== "")
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;
}

/** The end of an account's IBAN, without a line break inside it. */
export function endOfAccount(account: {
  readonly iban_country: string | null;
  readonly iban_last4: string | null;
}): string {
  return `${account.iban_country ?? ""}\u{a0}••••\u{a0}${account.iban_last4 ?? ""}`.trim();
}
