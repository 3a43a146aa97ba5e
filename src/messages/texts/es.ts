/** Messages in Spanish. */
import type { MessageTexts } from "./texts.ts";

export const es: MessageTexts = {
  greeting: "Hola, {name}:",
  greetingUnnamed: "Hola:",
  mandateSubject: "Su orden de domiciliación SEPA para {creditor}",
  mandateText:
    "Gracias. Usted ha dado a {creditor} una orden de domiciliación de adeudo directo SEPA. La encontrará adjunta; consérvela, por favor.",
  debitDay: "Cargo no antes del",
  noticeSubject: "Adeudo de {amount} el {date}",
  noticeText:
    "{creditor} cargará {amount} en su cuenta el {date}, o el primer día hábil bancario posterior. Asegúrese de que haya saldo suficiente.",
  noticeRepeats:
    "Después {amount} {interval}. Le avisaremos de nuevo si cambia el importe, el día o la orden.",
  receiptSubject: "Recibo: {amount} a {creditor}",
  receiptText: "{creditor} ha recibido su pago de {amount}. Gracias.",
  failedSubject: "Su pago de {amount} a {creditor} no se ha realizado",
  failedText: "Su banco no ha ejecutado el adeudo de {amount} de {creditor}.",
  failedAgain: "Se intentará de nuevo el {date}. Asegúrese de que entonces haya saldo suficiente.",
  failedEnd: "No se volverá a intentar automáticamente. Pregunte a {creditor} cómo pagar.",
  failedPay: "En cuanto se haya resuelto la causa, puede solicitar aquí un nuevo cargo:",
  returnedSubject: "Su pago de {amount} a {creditor} ha sido devuelto",
  returnedText:
    "Su banco ha devuelto el adeudo de {amount} de {creditor}: el dinero está de nuevo en su cuenta.",
  returnedByYou: "Su banco indica que usted lo ha solicitado.",
  returnedEnd: "Si todavía debe el importe, pregunte a {creditor} cómo pagar.",
  bankCode: "Código del banco",
};
