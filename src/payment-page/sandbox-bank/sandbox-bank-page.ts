/** The sandbox bank's page: the account holder's confirmation, with the texts and style of the payment page. Pure. */
import { html, type Html } from "../../files/html.ts";
import type { Book } from "../../gateways/sandbox/store.ts";
import { isUndecided } from "../../gateways/sandbox/verification.ts";
import { endOfAccount, factLines, type FactLine } from "../render/facts.ts";
import type { Body, Sheet } from "../render/frame.ts";

/** The address of a sandbox verification in the language of the linking page; a real bank's address stays unchanged. */
export function bankUrl({ row, words }: Pick<Sheet, "row" | "words">, url: string): string {
  if (row.adapter !== "sandbox" || !URL.canParse(url)) return url;
  const there = new URL(url);
  there.searchParams.set("lang", words.language);
  return there.href;
}

/**
 * The page's body.
 * @param backUrl the address to return to, once the verification is decided.
 */
export function sandboxBankBody({ words, row, place }: Sheet, book: Book, backUrl: string | null): Body {
  const heading = words.say("verifyHeading");
  const facts: readonly FactLine[] = [
    [words.say("creditor"), book.creditor_name],
    [words.say("amount"), words.amount(book.amount, book.currency)],
    [words.say("mandateReference"), book.mandate_reference],
    [words.say("account"), endOfAccount({ ...row, iban_last4: book.iban_last4 })],
  ];
  return {
    title: heading,
    state: "sandbox-bank",
    main: html`<p class="hint">${words.say("sandboxBank")}</p>
      <h1>${heading}</h1>
      ${factLines(facts)}
      ${isUndecided(book) ? choice(words, `${place.path}?lang=${words.language}`) : decided(words, backUrl)}`,
  };
}

function choice(words: Sheet["words"], action: string): Html {
  return html`<form method="post" action="${action}">
    <p>
      <button class="pay" name="decision" value="confirm"><span>${words.say("bankConfirm")}</span></button>
    </p>
    <p><button class="quiet" name="decision" value="refuse">${words.say("bankRefuse")}</button></p>
  </form>`;
}

function decided(words: Sheet["words"], backUrl: string | null): Html {
  return html`<p>${words.say("bankAnswered")}</p>
    ${backUrl !== null && html`<p><a class="button" href="${backUrl}">${words.say("backToPayment")}</a></p>`}`;
}
