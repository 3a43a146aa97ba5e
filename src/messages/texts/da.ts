/** Messages in Danish. */
import type { MessageTexts } from "./texts.ts";

export const da: MessageTexts = {
  greeting: "Hej {name}",
  greetingUnnamed: "Hej",
  mandateSubject: "Din fuldmagt til SEPA Direct Debit til {creditor}",
  mandateText: "Tak. Du har givet {creditor} en fuldmagt til SEPA Direct Debit. Den er vedhæftet; gem den.",
  debitDay: "Debiteres tidligst",
  noticeSubject: "Opkrævning på {amount} den {date}",
  noticeText:
    "{creditor} debiterer {amount} fra din konto den {date} eller den første bankdag derefter. Sørg for, at der er penge nok på kontoen.",
  noticeRepeats:
    "Derefter {amount} {interval}. Du får besked igen, hvis beløbet, dagen eller fuldmagten ændres.",
  receiptSubject: "Kvittering: {amount} til {creditor}",
  receiptText: "{creditor} har modtaget din betaling på {amount}. Tak.",
  failedSubject: "Din betaling på {amount} til {creditor} blev ikke gennemført",
  failedText: "Din bank har ikke gennemført opkrævningen på {amount} fra {creditor}.",
  failedAgain: "Der gøres et nyt forsøg den {date}. Sørg for, at der er penge nok på kontoen til den tid.",
  failedEnd: "Der gøres ikke automatisk et nyt forsøg. Spørg {creditor}, hvordan du kan betale.",
  failedPay: "Når årsagen er løst, kan du få beløbet opkrævet igen her:",
  returnedSubject: "Din betaling på {amount} til {creditor} blev returneret",
  returnedText:
    "Din bank har returneret opkrævningen på {amount} fra {creditor}: pengene er tilbage på din konto.",
  returnedByYou: "Din bank oplyser, at du har bedt om det.",
  returnedEnd: "Hvis du stadig skylder beløbet, så spørg {creditor}, hvordan du kan betale.",
  bankCode: "Bankens kode",
};
