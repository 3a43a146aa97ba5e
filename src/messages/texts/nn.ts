/** Messages in Norwegian Nynorsk. */
import type { MessageTexts } from "./texts.ts";

export const nn: MessageTexts = {
  greeting: "Hei {name},",
  greetingUnnamed: "Hei,",
  mandateSubject: "Mandatet ditt for SEPA-direktedebitering til {creditor}",
  mandateText:
    "Takk. Du har gitt {creditor} eit mandat for SEPA-direktedebitering. Det er lagt ved; ta vare på det.",
  debitDay: "Blir belasta tidlegast",
  noticeSubject: "Belasting på {amount} den {date}",
  noticeText:
    "{creditor} belastar kontoen din med {amount} den {date}, eller den første bankdagen etter det. Sørg for at det er nok pengar på kontoen.",
  noticeRepeats:
    "Deretter {amount} {interval}. Du får melding igjen dersom beløpet, dagen eller mandatet blir endra.",
  receiptSubject: "Kvittering: {amount} til {creditor}",
  receiptText: "{creditor} har fått betalinga di på {amount}. Takk.",
  failedSubject: "Betalinga di på {amount} til {creditor} vart ikkje gjennomført",
  failedText: "Banken din har ikkje gjennomført belastinga på {amount} frå {creditor}.",
  failedAgain: "Det blir gjort eit nytt forsøk den {date}. Sørg for at det er nok pengar på kontoen då.",
  failedEnd: "Det blir ikkje gjort eit nytt forsøk automatisk. Spør {creditor} korleis du kan betale.",
  failedPay: "Når årsaka er løyst, kan du få beløpet belasta på nytt her:",
  returnedSubject: "Betalinga di på {amount} til {creditor} vart returnert",
  returnedText:
    "Banken din har returnert belastinga på {amount} frå {creditor}: pengane er tilbake på kontoen din.",
  returnedByYou: "Banken din opplyser at du har bede om det.",
  returnedEnd: "Dersom du framleis skuldar beløpet, spør {creditor} korleis du kan betale.",
  bankCode: "Koden til banken",
};
