/** Messages in Polish. */
import type { MessageTexts } from "./texts.ts";

export const pl: MessageTexts = {
  greeting: "Dzień dobry {name},",
  greetingUnnamed: "Dzień dobry,",
  mandateSubject: "Twoja zgoda na polecenie zapłaty SEPA dla: {creditor}",
  mandateText:
    "Dziękujemy. Zgoda na polecenie zapłaty SEPA została udzielona. Wierzyciel: {creditor}. Zgoda jest w załączniku; prosimy ją zachować.",
  debitDay: "Obciążenie nie wcześniej niż",
  noticeSubject: "Polecenie zapłaty {amount} w dniu {date}",
  noticeText:
    "{creditor} obciąży Twoje konto kwotą {amount} w dniu {date} albo w pierwszym następnym dniu roboczym banków. Prosimy zadbać o wystarczające środki.",
  noticeRepeats:
    "Następnie {amount} {interval}. Powiadomimy ponownie, gdy zmieni się kwota, dzień lub zgoda.",
  receiptSubject: "Potwierdzenie: {amount} dla: {creditor}",
  receiptText: "{creditor}: otrzymaliśmy Twoją płatność w kwocie {amount}. Dziękujemy.",
  failedSubject: "Płatność {amount} dla: {creditor} nie została wykonana",
  failedText: "Twój bank nie wykonał polecenia zapłaty na kwotę {amount}. Wierzyciel: {creditor}.",
  failedAgain: "Kolejna próba nastąpi w dniu {date}. Prosimy zadbać do tego czasu o wystarczające środki.",
  failedEnd:
    "Próba nie zostanie ponowiona automatycznie. W sprawie zapłaty prosimy zwrócić się do: {creditor}.",
  failedPay: "Po usunięciu przyczyny można tutaj zlecić ponowne obciążenie rachunku:",
  returnedSubject: "Płatność {amount} dla: {creditor} została zwrócona",
  returnedText:
    "Twój bank zwrócił polecenie zapłaty na kwotę {amount}. Wierzyciel: {creditor}. Pieniądze są znów na Twoim koncie.",
  returnedByYou: "Bank podaje, że o to poproszono.",
  returnedEnd: "Jeśli kwota jest nadal należna, w sprawie zapłaty prosimy zwrócić się do: {creditor}.",
  bankCode: "Kod banku",
};
