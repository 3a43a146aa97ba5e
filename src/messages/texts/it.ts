/** Messages in Italian. */
import type { MessageTexts } from "./texts.ts";

export const it: MessageTexts = {
  greeting: "Buongiorno {name},",
  greetingUnnamed: "Buongiorno,",
  mandateSubject: "Il suo mandato di addebito diretto SEPA per {creditor}",
  mandateText:
    "Grazie. Ha conferito a {creditor} un mandato di addebito diretto SEPA. È allegato; la preghiamo di conservarlo.",
  debitDay: "Addebito non prima del",
  noticeSubject: "Addebito di {amount} il {date}",
  noticeText:
    "{creditor} addebiterà {amount} sul suo conto il {date}, o il primo giorno lavorativo bancario successivo. La preghiamo di assicurarsi che il saldo sia sufficiente.",
  noticeRepeats:
    "Poi {amount} {interval}. Sarà avvisato di nuovo se cambiano l’importo, il giorno o il mandato.",
  receiptSubject: "Ricevuta: {amount} a {creditor}",
  receiptText: "{creditor} ha ricevuto il suo pagamento di {amount}. Grazie.",
  failedSubject: "Il suo pagamento di {amount} a {creditor} non è stato eseguito",
  failedText: "La sua banca non ha eseguito l’addebito di {amount} per {creditor}.",
  failedAgain: "Si riproverà il {date}. La preghiamo di assicurarsi che allora il saldo sia sufficiente.",
  failedEnd: "Non si riproverà automaticamente. Chieda a {creditor} come pagare.",
  failedPay: "Risolta la causa, può richiedere qui un nuovo addebito:",
  returnedSubject: "Il suo pagamento di {amount} a {creditor} è stato stornato",
  returnedText:
    "La sua banca ha stornato l’addebito di {amount} di {creditor}: il denaro è di nuovo sul suo conto.",
  returnedByYou: "La sua banca indica che lo ha richiesto lei.",
  returnedEnd: "Se deve ancora l’importo, chieda a {creditor} come pagare.",
  bankCode: "Codice della banca",
};
