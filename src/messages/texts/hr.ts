/** Messages in Croatian. */
import type { MessageTexts } from "./texts.ts";

export const hr: MessageTexts = {
  greeting: "Dobar dan, {name},",
  greetingUnnamed: "Dobar dan,",
  mandateSubject: "Vaša suglasnost za SEPA izravno terećenje: {creditor}",
  mandateText:
    "Hvala. Dali ste suglasnost za SEPA izravno terećenje. Primatelj: {creditor}. Suglasnost je u privitku; molimo sačuvajte je.",
  debitDay: "Terećenje najranije",
  noticeSubject: "Izravno terećenje {amount}, {date}",
  noticeText:
    "{creditor} će teretiti vaš račun za {amount} dana {date} ili prvoga sljedećeg bankovnog radnog dana. Molimo osigurajte dovoljno sredstava na računu.",
  noticeRepeats:
    "Nakon toga {amount} {interval}. Javit ćemo vam se ponovno ako se promijeni iznos, dan ili suglasnost.",
  receiptSubject: "Potvrda: {amount}, {creditor}",
  receiptText: "Vaše plaćanje u iznosu od {amount} primio je {creditor}. Hvala.",
  failedSubject: "Vaše plaćanje od {amount} nije izvršeno: {creditor}",
  failedText: "Vaša banka nije izvršila izravno terećenje od {amount}. Primatelj: {creditor}.",
  failedAgain: "Novi pokušaj bit će dana {date}. Molimo do tada osigurajte dovoljno sredstava na računu.",
  failedEnd: "Neće biti novoga automatskog pokušaja. O načinu plaćanja obratite se: {creditor}.",
  failedPay: "Kad uzrok bude otklonjen, ovdje možete zatražiti ponovno terećenje:",
  returnedSubject: "Vaše plaćanje od {amount} je vraćeno: {creditor}",
  returnedText:
    "Vaša je banka vratila izravno terećenje od {amount}. Primatelj: {creditor}. Novac je ponovno na vašem računu.",
  returnedByYou: "Vaša banka navodi da ste to zatražili vi.",
  returnedEnd: "Ako iznos još dugujete, o načinu plaćanja obratite se: {creditor}.",
  bankCode: "Oznaka banke",
};
