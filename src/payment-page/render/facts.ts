/** Facts of a payment or a mandate: a label and a value on each line. Pure. */
import { html, type Html } from "../../files/html.ts";

/** One whose value is null or empty is left out. */
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

/** The end of an account's IBAN, in one piece wherever a line ends. */
export function endOfAccount(account: {
  readonly iban_country: string | null;
  readonly iban_last4: string | null;
}): string {
  return `${account.iban_country ?? ""}\u{a0}••••\u{a0}${account.iban_last4 ?? ""}`.trim();
}
