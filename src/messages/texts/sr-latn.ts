/** Messages in Serbian in Latin letters. */
import type { MessageTexts } from "./texts.ts";

export const srLatn: MessageTexts = {
  greeting: "Dobar dan, {name},",
  greetingUnnamed: "Dobar dan,",
  mandateSubject: "Vaše ovlašćenje za SEPA direktno zaduženje: {creditor}",
  mandateText:
    "Hvala vam. Dali ste ovlašćenje za SEPA direktno zaduženje. Poverilac: {creditor}. Ovlašćenje je u prilogu; molimo vas da ga sačuvate.",
  debitDay: "Zaduženje najranije",
  noticeSubject: "Direktno zaduženje {amount}, {date}",
  noticeText:
    "{creditor} će zadužiti vaš račun za {amount}. Datum: {date} ili prvi naredni bankarski radni dan. Molimo vas da obezbedite dovoljno sredstava na računu.",
  noticeRepeats:
    "Nakon toga {amount} {interval}. Ponovo ćemo vas obavestiti ako se promeni iznos, dan ili ovlašćenje.",
  receiptSubject: "Potvrda: {amount}, {creditor}",
  receiptText: "Vašu uplatu u iznosu od {amount} primio je {creditor}. Hvala vam.",
  failedSubject: "Vaše plaćanje od {amount} nije izvršeno: {creditor}",
  failedText: "Vaša banka nije izvršila direktno zaduženje od {amount}. Poverilac: {creditor}.",
  failedAgain: "Novi pokušaj: {date}. Molimo vas da do tada obezbedite dovoljno sredstava na računu.",
  failedEnd: "Novog automatskog pokušaja neće biti. O načinu plaćanja obratite se trgovcu {creditor}.",
  failedPay: "Kada uzrok bude otklonjen, ovde možete da zatražite ponovno zaduženje:",
  returnedSubject: "Vaše plaćanje od {amount} je vraćeno: {creditor}",
  returnedText:
    "Vaša banka je vratila direktno zaduženje od {amount}. Poverilac: {creditor}. Novac je ponovo na vašem računu.",
  returnedByYou: "Vaša banka navodi da ste to zatražili vi.",
  returnedEnd: "Ako iznos još dugujete, o načinu plaćanja obratite se trgovcu {creditor}.",
  bankCode: "Oznaka banke",
};
