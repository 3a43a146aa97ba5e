/** Messages in Dutch. */
import type { MessageTexts } from "./texts.ts";

export const nl: MessageTexts = {
  greeting: "Beste {name},",
  greetingUnnamed: "Goedendag,",
  mandateSubject: "Uw SEPA-machtiging voor {creditor}",
  mandateText:
    "Dank u wel. U hebt {creditor} een SEPA-machtiging gegeven. Deze is bijgevoegd; bewaar deze goed.",
  debitDay: "Afschrijving op of na",
  noticeSubject: "Incasso van {amount} op {date}",
  noticeText:
    "{creditor} schrijft {amount} van uw rekening af op {date}, of op de eerste bankwerkdag daarna. Zorg ervoor dat er voldoende saldo op de rekening staat.",
  noticeRepeats:
    "Daarna {amount} {interval}. U krijgt opnieuw bericht als het bedrag, de dag of de machtiging verandert.",
  receiptSubject: "Ontvangstbewijs: {amount} aan {creditor}",
  receiptText: "{creditor} heeft uw betaling van {amount} ontvangen. Dank u wel.",
  failedSubject: "Uw betaling van {amount} aan {creditor} is niet gelukt",
  failedText: "Uw bank heeft de incasso van {amount} voor {creditor} niet uitgevoerd.",
  failedAgain:
    "Op {date} wordt het opnieuw geprobeerd. Zorg ervoor dat er dan voldoende saldo op de rekening staat.",
  failedEnd: "Het wordt niet automatisch opnieuw geprobeerd. Vraag {creditor} hoe u kunt betalen.",
  failedPay: "Zodra de oorzaak is verholpen, kunt u het bedrag hier opnieuw laten afschrijven:",
  returnedSubject: "Uw betaling van {amount} aan {creditor} is teruggeboekt",
  returnedText:
    "Uw bank heeft de incasso van {amount} door {creditor} teruggeboekt: het geld staat weer op uw rekening.",
  returnedByYou: "Uw bank geeft aan dat u daarom hebt gevraagd.",
  returnedEnd: "Als u het bedrag nog verschuldigd bent, vraag dan {creditor} hoe u kunt betalen.",
  bankCode: "Code van de bank",
};
