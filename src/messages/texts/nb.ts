/** Messages in Norwegian Bokmål. */
import type { MessageTexts } from "./texts.ts";

export const nb: MessageTexts = {
  greeting: "Hei {name},",
  greetingUnnamed: "Hei,",
  mandateSubject: "Din fullmakt til SEPA direktedebitering for {creditor}",
  mandateText:
    "Takk. Du har gitt {creditor} en fullmakt til SEPA direktedebitering. Den er vedlagt; ta vare på den.",
  debitDay: "Belastes tidligst",
  noticeSubject: "Belastning på {amount} den {date}",
  noticeText:
    "{creditor} belaster kontoen din med {amount} den {date}, eller den første bankdagen etter det. Sørg for at det er nok penger på kontoen.",
  noticeRepeats:
    "Deretter {amount} {interval}. Du får beskjed igjen hvis beløpet, dagen eller fullmakten endres.",
  receiptSubject: "Kvittering: {amount} til {creditor}",
  receiptText: "{creditor} har mottatt betalingen din på {amount}. Takk.",
  failedSubject: "Betalingen din på {amount} til {creditor} ble ikke gjennomført",
  failedText: "Banken din har ikke gjennomført belastningen på {amount} fra {creditor}.",
  failedAgain: "Det gjøres et nytt forsøk den {date}. Sørg for at det er nok penger på kontoen da.",
  failedEnd: "Det gjøres ikke et nytt forsøk automatisk. Spør {creditor} hvordan du kan betale.",
  failedPay: "Når årsaken er løst, kan du få beløpet belastet på nytt her:",
  returnedSubject: "Betalingen din på {amount} til {creditor} ble returnert",
  returnedText:
    "Banken din har returnert belastningen på {amount} fra {creditor}: pengene er tilbake på kontoen din.",
  returnedByYou: "Banken din opplyser at du har bedt om det.",
  returnedEnd: "Hvis du fortsatt skylder beløpet, spør {creditor} hvordan du kan betale.",
  bankCode: "Bankens kode",
};
