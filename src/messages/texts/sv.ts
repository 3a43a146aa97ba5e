/** Messages in Swedish. */
import type { MessageTexts } from "./texts.ts";

export const sv: MessageTexts = {
  greeting: "Hej {name},",
  greetingUnnamed: "Hej,",
  mandateSubject: "Ditt medgivande till SEPA-autogiro för {creditor}",
  mandateText: "Tack. Du har gett {creditor} ett medgivande till SEPA-autogiro. Det är bifogat; spara det.",
  debitDay: "Debiteras tidigast",
  noticeSubject: "Autogiro på {amount} den {date}",
  noticeText:
    "{creditor} debiterar ditt konto med {amount} den {date}, eller den första bankdagen därefter. Se till att det finns tillräckligt med pengar på kontot.",
  noticeRepeats:
    "Därefter {amount} {interval}. Du får besked igen om beloppet, dagen eller medgivandet ändras.",
  receiptSubject: "Kvitto: {amount} till {creditor}",
  receiptText: "{creditor} har tagit emot din betalning på {amount}. Tack.",
  failedSubject: "Din betalning på {amount} till {creditor} genomfördes inte",
  failedText: "Din bank har inte genomfört autogirobetalningen på {amount} till {creditor}.",
  failedAgain: "Ett nytt försök görs den {date}. Se till att det då finns tillräckligt med pengar på kontot.",
  failedEnd: "Inget nytt försök görs automatiskt. Fråga {creditor} hur du kan betala.",
  failedPay: "När orsaken är åtgärdad kan du låta beloppet debiteras igen här:",
  returnedSubject: "Din betalning på {amount} till {creditor} har returnerats",
  returnedText:
    "Din bank har returnerat autogirobetalningen på {amount} till {creditor}: pengarna är tillbaka på ditt konto.",
  returnedByYou: "Din bank uppger att du har begärt det.",
  returnedEnd: "Om du fortfarande är skyldig beloppet, fråga {creditor} hur du kan betala.",
  bankCode: "Bankens kod",
};
