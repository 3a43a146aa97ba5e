/** Messages in Polish. */
import type { MessageTexts } from "./texts.ts";

export const pl: MessageTexts = {
  greeting: "Dzień dobry, {name},",
  greetingUnnamed: "Dzień dobry,",
  mandateSubject: "Zgoda na polecenie zapłaty SEPA dla: {creditor}",
  mandateText:
    "Dziękujemy. Zgoda na polecenie zapłaty SEPA została udzielona. Wierzyciel: {creditor}. Zgoda jest w załączniku; prosimy ją zachować.",
  debitDay: "Obciążenie nie wcześniej niż",
  noticeSubject: "Polecenie zapłaty {amount} w dniu {date}",
  noticeText:
    "{creditor} obciąży Pani/Pana rachunek kwotą {amount} w dniu {date} albo w pierwszym następnym dniu roboczym banków. Prosimy zadbać o wystarczające środki.",
  noticeRepeats:
    "Następnie {amount} {interval}. Powiadomimy ponownie, gdy zmieni się kwota, dzień lub zgoda.",
  receiptSubject: "Potwierdzenie: {amount} dla: {creditor}",
  receiptText: "Płatność w kwocie {amount} została przyjęta. Odbiorca: {creditor}. Dziękujemy.",
  failedSubject: "Płatność {amount} dla: {creditor} nie została wykonana",
  failedText: "Bank nie wykonał polecenia zapłaty na kwotę {amount}. Wierzyciel: {creditor}.",
  failedAgain: "Kolejna próba nastąpi w dniu {date}. Prosimy zadbać do tego czasu o wystarczające środki.",
  failedEnd:
    "Próba nie zostanie ponowiona automatycznie. W sprawie zapłaty prosimy zwrócić się do: {creditor}.",
  failedPay: "Po usunięciu przyczyny można tutaj zlecić ponowne obciążenie rachunku:",
  returnedSubject: "Płatność {amount} dla: {creditor} została zwrócona",
  returnedText:
    "Bank zwrócił polecenie zapłaty na kwotę {amount}. Wierzyciel: {creditor}. Pieniądze wróciły na Pani/Pana rachunek.",
  returnedByYou: "Bank podaje, że nastąpiło to na Pani/Pana żądanie.",
  returnedEnd: "Jeśli kwota jest nadal należna, w sprawie zapłaty prosimy zwrócić się do: {creditor}.",
  bankCode: "Kod banku",
};
