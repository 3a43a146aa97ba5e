/** Messages in Macedonian. */
import type { MessageTexts } from "./texts.ts";

export const mk: MessageTexts = {
  greeting: "Почитувани {name},",
  greetingUnnamed: "Почитувани,",
  mandateSubject: "Вашето овластување за SEPA директно задолжување за {creditor}",
  mandateText:
    "Ви благодариме. На {creditor} му дадовте овластување за SEPA директно задолжување. Тоа е приложено; ве молиме зачувајте го.",
  debitDay: "Задолжување најрано на",
  noticeSubject: "Директно задолжување од {amount} на {date}",
  noticeText:
    "{creditor} ќе ја задолжи вашата сметка со {amount} на {date} или на првиот следен работен ден на банките. Ве молиме обезбедете доволно средства на сметката.",
  noticeRepeats:
    "Потоа {amount} {interval}. Повторно ќе ве известиме ако се промени износот, денот или овластувањето.",
  receiptSubject: "Потврда: {amount} за {creditor}",
  receiptText: "{creditor} го прими вашето плаќање од {amount}. Ви благодариме.",
  failedSubject: "Вашето плаќање од {amount} за {creditor} не е извршено",
  failedText: "Вашата банка не го изврши директното задолжување од {amount} за {creditor}.",
  failedAgain: "Ќе се направи нов обид на {date}. Ве молиме дотогаш обезбедете доволно средства на сметката.",
  failedEnd: "Нема да се направи нов автоматски обид. Прашајте како да платите кај {creditor}.",
  failedPay: "Кога причината ќе се отстрани, овде можете да побарате износот повторно да се наплати:",
  returnedSubject: "Вашето плаќање од {amount} за {creditor} е вратено",
  returnedText:
    "Вашата банка го врати директното задолжување од {amount} за {creditor}: парите повторно се на вашата сметка.",
  returnedByYou: "Вашата банка наведува дека тоа сте го побарале вие.",
  returnedEnd: "Ако сѐ уште го должите износот, прашајте како да платите кај {creditor}.",
  bankCode: "Код на банката",
};
