/** The mandate's full text, with every element required by the rulebooks (EPC SDD Core and B2B, mandates). Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { addressLine } from "../../mandates/creditor.ts";
import { merchantParagraphs } from "../../mandates/merchant-text.ts";
import type { Sheet } from "./frame.ts";
import { wordsIn } from "./wording.ts";

/** The data of a mandate's text. */
type Offer = Pick<Sheet, "words" | "now"> & {
  readonly row: Pick<Sheet["row"], "creditor" | "mandate_texts" | "billing_type">;
};

/**
 * The text.
 * @param reference of the offered mandate.
 */
export function mandateText(sheet: Offer, reference: string): Html {
  const { words } = sheet;
  const { scheme } = sheet.row.creditor;
  const heading = scheme === "B2B" ? "businessHeading" : "mandateHeading";
  return html`<section class="mandate" aria-labelledby="mandate-heading">
    <h2 id="mandate-heading">${words.say(heading)}</h2>
    ${words.language !== "en" && html`<p lang="en">${wordsIn("en", null).say(heading)}</p>`}
    ${terms(sheet, reference)}
    <dl>
      ${facts(sheet, reference).map(
        ([label, value]) =>
          html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

function terms(sheet: Offer, reference: string): Html {
  const { words, row } = sheet;
  const { creditor } = row;
  const own = row.mandate_texts?.[words.language];
  if (own !== undefined) return ownTerms(sheet, own.text, reference);
  return html`<p>${words.say("mandateAuthorise", { creditor: creditor.name })}</p>
    <p>${words.say(creditor.scheme === "B2B" ? "businessTerms" : "mandateRefund")}</p>
    <p>${words.say("mandateRights")}</p>
    <p>${typeOf(sheet)}</p>
    <p>${words.say("mandateDebtor")}</p>`;
}

function ownTerms(sheet: Offer, text: string, reference: string): Html {
  const { words, row, now } = sheet;
  const { name: creditor, identifier, pre_notification_days: days } = row.creditor;
  const filled = merchantParagraphs(text, {
    creditor,
    identifier,
    reference,
    type: typeOf(sheet),
    address: addressLine(row.creditor, words),
    notice: words.duration("day", days),
    date: words.date(now),
  });
  return html`${filled.map((paragraph) => html`<p>${paragraph}</p>`)}
    <p>${words.say("mandateDebtor")}</p>`;
}

function typeOf({ words, row }: Offer): string {
  return words.say(row.billing_type === "ONE_OFF" ? "mandateOneOff" : "mandateRecurring");
}

function facts(
  { words, row, now }: Offer,
  reference: string,
): readonly (readonly [label: string, value: Html | string])[] {
  const { creditor } = row;
  const address = addressLine(creditor, words);
  const lines: readonly (readonly [string, Html | string | null])[] = [
    [words.say("creditor"), html`${creditor.name}${address === null ? NOTHING : html`<br />${address}`}`],
    [words.say("creditorIdentifier"), creditor.identifier],
    [words.say("mandateReference"), reference],
    [words.say("noticePeriod"), words.duration("day", creditor.pre_notification_days)],
    [words.say("placeAndDate"), `${words.say("placeOnline")}, ${words.date(now)}`],
  ];
  return lines.filter((line): line is readonly [string, Html | string] => line[1] !== null);
}
