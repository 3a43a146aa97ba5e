/** Messages in English. */
import type { MessageTexts } from "./texts.ts";

export const en: MessageTexts = {
  greeting: "Hello {name},",
  greetingUnnamed: "Hello,",
  mandateSubject: "Your SEPA direct debit mandate for {creditor}",
  mandateText:
    "Thank you. You have given {creditor} a SEPA direct debit mandate. It is attached; please keep it.",
  debitDay: "Debited on or after",
  noticeSubject: "Direct debit of {amount} on {date}",
  noticeText:
    "{creditor} will debit {amount} from your account on {date}, or on the first day after it on which banks are open. Please see that there is enough money in the account.",
  noticeRepeats:
    "After that {amount} {interval}. You will be told again if the amount, the day or the mandate changes.",
  receiptSubject: "Receipt: {amount} to {creditor}",
  receiptText: "{creditor} has received your payment of {amount}. Thank you.",
  failedSubject: "Your payment of {amount} to {creditor} was not made",
  failedText: "Your bank did not carry out the direct debit of {amount} for {creditor}.",
  failedAgain:
    "It will be tried again on {date}. Please see that there is enough money in the account by then.",
  failedEnd: "It will not be tried again automatically. Please ask {creditor} how to pay.",
  failedPay: "Once the cause is removed, you can have the amount debited again here:",
  returnedSubject: "Your payment of {amount} to {creditor} was returned",
  returnedText:
    "Your bank has returned the direct debit of {amount} by {creditor}: the money is back in your account.",
  returnedByYou: "Your bank says that you asked for it.",
  returnedEnd: "If you still owe the amount, please ask {creditor} how to pay.",
  bankCode: "The bank's code",
};
