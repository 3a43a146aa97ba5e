/** Messages in Latvian. */
import type { MessageTexts } from "./texts.ts";

export const lv: MessageTexts = {
  greeting: "Labdien, {name}!",
  greetingUnnamed: "Labdien!",
  mandateSubject: "Jūsu SEPA tiešā debeta pilnvarojums: {creditor}",
  mandateText:
    "Paldies. SEPA tiešā debeta pilnvarojums ir sniegts. Saņēmējs: {creditor}. Pilnvarojums ir pielikumā; lūdzu, saglabājiet to.",
  debitDay: "Debetēs ne agrāk kā",
  noticeSubject: "Tiešais debets {amount}, {date}",
  noticeText:
    "{creditor} debetēs no jūsu konta {amount}. Diena: {date} vai pirmā banku darba diena pēc tās. Lūdzu, nodrošiniet, lai kontā pietiktu līdzekļu.",
  noticeRepeats:
    "Pēc tam {amount} {interval}. Mēs paziņosim vēlreiz, ja mainīsies summa, diena vai pilnvarojums.",
  receiptSubject: "Kvīts: {amount}, {creditor}",
  receiptText: "{creditor} ir saņēmis jūsu maksājumu: {amount}. Paldies.",
  failedSubject: "Jūsu maksājums {amount} netika veikts: {creditor}",
  failedText: "Jūsu banka neizpildīja tiešo debetu: {amount}. Saņēmējs: {creditor}.",
  failedAgain: "Nākamais mēģinājums: {date}. Lūdzu, līdz tam nodrošiniet, lai kontā pietiktu līdzekļu.",
  failedEnd: "Automātiski netiks mēģināts vēlreiz. Par samaksas veidu sazinieties: {creditor}.",
  failedPay: "Kad cēlonis būs novērsts, šeit varat ļaut debetēt summu vēlreiz:",
  returnedSubject: "Jūsu maksājums {amount} tika atgriezts: {creditor}",
  returnedText:
    "Jūsu banka ir atgriezusi tiešo debetu: {amount}. Saņēmējs: {creditor}. Nauda atkal ir jūsu kontā.",
  returnedByYou: "Banka norāda, ka to lūdzāt jūs.",
  returnedEnd: "Ja summa vēl ir jāmaksā, par samaksas veidu sazinieties: {creditor}.",
  bankCode: "Bankas kods",
};
