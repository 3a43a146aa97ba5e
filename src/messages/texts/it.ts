/** Messages in Italian. */
import type { MessageTexts } from "./texts.ts";

export const it: MessageTexts = {
  greeting: "Buongiorno {name},",
  greetingUnnamed: "Buongiorno,",
  mandateSubject: "Il Suo mandato di addebito diretto SEPA per {creditor}",
  mandateText:
    "Grazie. Ha conferito a {creditor} un mandato di addebito diretto SEPA. È allegato; La preghiamo di conservarlo.",
  debitDay: "Primo giorno di addebito",
  noticeSubject: "Addebito di {amount} in data {date}",
  noticeText:
    "{creditor} addebiterà {amount} sul Suo conto in data {date}, o il primo giorno lavorativo bancario successivo. La preghiamo di assicurarsi che il saldo sia sufficiente.",
  noticeRepeats:
    "Poi {amount} {interval}. Le invieremo un nuovo avviso se cambiano l’importo, il giorno o il mandato.",
  receiptSubject: "Ricevuta: {amount} a {creditor}",
  receiptText: "{creditor} ha ricevuto il Suo pagamento di {amount}. Grazie.",
  failedSubject: "Il Suo pagamento di {amount} a {creditor} non è stato eseguito",
  failedText: "La Sua banca non ha eseguito l’addebito di {amount} per {creditor}.",
  failedAgain:
    "Un nuovo tentativo sarà fatto in data {date}. La preghiamo di assicurarsi che per allora il saldo sia sufficiente.",
  failedEnd: "Non ci sarà un nuovo tentativo automatico. Chieda a {creditor} come pagare.",
  failedPay: "Una volta risolta la causa, può richiedere qui un nuovo addebito:",
  returnedSubject: "Il Suo pagamento di {amount} a {creditor} è stato stornato",
  returnedText:
    "La Sua banca ha stornato l’addebito di {amount} di {creditor}: il denaro è di nuovo sul Suo conto.",
  returnedByYou: "La Sua banca indica che lo ha richiesto Lei.",
  returnedEnd: "Se deve ancora l’importo, chieda a {creditor} come pagare.",
  bankCode: "Codice della banca",
};
