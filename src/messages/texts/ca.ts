/** Messages in Catalan. */
import type { MessageTexts } from "./texts.ts";

export const ca: MessageTexts = {
  greeting: "Hola, {name}:",
  greetingUnnamed: "Hola:",
  mandateSubject: "La vostra ordre de domiciliació SEPA per a {creditor}",
  mandateText:
    "Gràcies. Heu donat a {creditor} una ordre de domiciliació de càrrec directe SEPA. La trobareu adjunta; conserveu-la.",
  debitDay: "Càrrec no abans de",
  noticeSubject: "Càrrec directe de {amount} amb data {date}",
  noticeText:
    "{creditor} carregarà {amount} al vostre compte amb data {date}, o el primer dia hàbil bancari posterior. Assegureu-vos que hi hagi prou saldo.",
  noticeRepeats: "Després, {amount} {interval}. Us tornarem a avisar si canvia l’import, el dia o l’ordre.",
  receiptSubject: "Rebut: {amount} a {creditor}",
  receiptText: "{creditor} ha rebut el vostre pagament de {amount}. Gràcies.",
  failedSubject: "El vostre pagament de {amount} a {creditor} no s’ha fet",
  failedText: "El vostre banc no ha executat el càrrec directe de {amount} de {creditor}.",
  failedAgain: "Es tornarà a intentar amb data {date}. Assegureu-vos que aleshores hi hagi prou saldo.",
  failedEnd: "No es tornarà a intentar automàticament. Pregunteu a {creditor} com podeu pagar.",
  failedPay: "Quan s’hagi resolt la causa, podeu demanar aquí un nou càrrec:",
  returnedSubject: "El vostre pagament de {amount} a {creditor} ha estat retornat",
  returnedText:
    "El vostre banc ha retornat el càrrec directe de {amount} de {creditor}: els diners tornen a ser al vostre compte.",
  returnedByYou: "El vostre banc indica que ho heu demanat vós.",
  returnedEnd: "Si encara deveu l’import, pregunteu a {creditor} com podeu pagar.",
  bankCode: "Codi del banc",
};
