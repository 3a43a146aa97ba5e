/** Messages in Romanian. */
import type { MessageTexts } from "./texts.ts";

export const ro: MessageTexts = {
  greeting: "Bună ziua, {name},",
  greetingUnnamed: "Bună ziua,",
  mandateSubject: "Mandatul dumneavoastră de debitare directă SEPA pentru {creditor}",
  mandateText:
    "Vă mulțumim. Ați dat către {creditor} un mandat de debitare directă SEPA. Este atașat; vă rugăm să îl păstrați.",
  debitDay: "Debitare nu mai devreme de",
  noticeSubject: "Debitare directă de {amount} la {date}",
  noticeText:
    "{creditor} va debita {amount} din contul dumneavoastră la {date} sau în prima zi bancară lucrătoare următoare. Vă rugăm să vă asigurați că soldul este suficient.",
  noticeRepeats: "Apoi {amount} {interval}. Vă vom anunța din nou dacă se schimbă suma, ziua sau mandatul.",
  receiptSubject: "Chitanță: {amount} către {creditor}",
  receiptText: "{creditor} a primit plata dumneavoastră de {amount}. Vă mulțumim.",
  failedSubject: "Plata dumneavoastră de {amount} către {creditor} nu s-a făcut",
  failedText: "Banca dumneavoastră nu a executat debitarea directă de {amount} pentru {creditor}.",
  failedAgain:
    "Se va încerca din nou la {date}. Vă rugăm să vă asigurați că până atunci soldul este suficient.",
  failedEnd: "Nu se va încerca din nou în mod automat. Întrebați la {creditor} cum puteți plăti.",
  failedPay: "După ce cauza a fost rezolvată, puteți cere aici o nouă debitare:",
  returnedSubject: "Plata dumneavoastră de {amount} către {creditor} a fost returnată",
  returnedText:
    "Banca dumneavoastră a returnat debitarea directă de {amount} pentru {creditor}: banii sunt din nou în contul dumneavoastră.",
  returnedByYou: "Banca arată că ați cerut acest lucru.",
  returnedEnd: "Dacă mai datorați suma, întrebați la {creditor} cum puteți plăti.",
  bankCode: "Codul băncii",
};
