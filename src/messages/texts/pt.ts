/** Messages in Portuguese. */
import type { MessageTexts } from "./texts.ts";

export const pt: MessageTexts = {
  greeting: "Olá, {name},",
  greetingUnnamed: "Olá,",
  mandateSubject: "A sua autorização de débito direto SEPA para {creditor}",
  mandateText:
    "Obrigado. Deu a {creditor} uma autorização de débito direto SEPA. A autorização segue em anexo; guarde-a, por favor.",
  debitDay: "Débito não antes de",
  noticeSubject: "Débito direto de {amount} em {date}",
  noticeText:
    "{creditor} debitará {amount} na sua conta em {date}, ou no primeiro dia útil bancário seguinte. Certifique-se, por favor, de que a conta tem saldo suficiente.",
  noticeRepeats:
    "Depois, {amount} {interval}. Voltaremos a avisar se o montante, o dia ou a autorização mudar.",
  receiptSubject: "Recibo: {amount} para {creditor}",
  receiptText: "{creditor} recebeu o seu pagamento de {amount}. Obrigado.",
  failedSubject: "O seu pagamento de {amount} a {creditor} não foi efetuado",
  failedText: "O seu banco não executou o débito direto de {amount} de {creditor}.",
  failedAgain:
    "Haverá uma nova tentativa em {date}. Certifique-se, por favor, de que a conta terá então saldo suficiente.",
  failedEnd: "Não haverá uma nova tentativa automática. Pergunte a {creditor} como pode pagar.",
  failedPay: "Logo que a causa esteja resolvida, pode pedir aqui um novo débito:",
  returnedSubject: "O seu pagamento de {amount} a {creditor} foi devolvido",
  returnedText:
    "O seu banco devolveu o débito direto de {amount} de {creditor}: o dinheiro está de novo na sua conta.",
  returnedByYou: "O seu banco indica que foi a seu pedido.",
  returnedEnd: "Se ainda dever o montante, pergunte a {creditor} como pode pagar.",
  bankCode: "Código do banco",
};
