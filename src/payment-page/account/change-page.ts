/** The form with which a customer moves a mandate to another account, with the text that they agree to. Pure. */
import { html, NOTHING, type Html } from "../../files/html.ts";
import { acceptanceBox, ibanField, notice, type Faults } from "../render/form.ts";
import { merchantPage, merchantPanel } from "../render/frame.ts";
import { mandateText } from "../render/mandate.ts";
import { textOnForm } from "../mandate-text.ts";
import type { AccountSheet } from "./account-page.ts";
import type { AccountMandate } from "./store.ts";

interface ChangeForm {
  readonly mandate: AccountMandate;
  readonly now: Date;
  /** Whether the box was ticked under the displayed text. */
  readonly isAccepted: boolean;
  readonly faults: Faults;
}

export function changePage(sheet: AccountSheet, { mandate, now, isAccepted, faults }: ChangeForm): Html {
  const { words, row, place } = sheet;
  const heading = words.say("changeAccount");
  const { creditor, mandate_texts } = mandate;
  const offer = { words, now, row: { creditor, mandate_texts, billing_type: "RECURRING" as const } };
  const main = html`<h1>${heading}</h1>
    ${notice(words, { faults, declined: null })}
    <p>${words.say("changeAccountText")}</p>
    <form method="post" action="${place.path}mandates/${mandate.id}/?lang=${words.language}" novalidate>
      <input type="hidden" name="text" value="${textOnForm(mandate, words.language)}" />
      ${ibanField(words, row.country, faults.iban)}
      <dl class="facts">
        <div>
          <dt>${words.say("accountHolder")}</dt>
          <dd>${mandate.holder_name}</dd>
        </div>
      </dl>
      ${acceptanceBox(words, isAccepted, faults.accepted)}
      <button class="pay"><span>${heading}</span></button>
    </form>
    ${mandateText(offer, mandate.reference)}
    <p><a href="${place.path}?lang=${words.language}">← ${words.say("accountHeading")}</a></p>`;
  return merchantPage(
    sheet,
    { title: heading, state: "change-account", main },
    merchantPanel(sheet, NOTHING),
  );
}
