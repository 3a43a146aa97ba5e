/** Every sentence of a message to a customer; what stands in braces is filled in. Labels are the payment page's. */
export interface MessageTexts {
  /** `{name}` */
  readonly greeting: string;
  /** Where the name cannot stand in a mail. */
  readonly greetingUnnamed: string;
  /** `{creditor}` */
  readonly mandateSubject: string;
  /** `{creditor}`; the mandate is attached. */
  readonly mandateText: string;
  readonly debitDay: string;
  /** `{amount}`, `{date}` */
  readonly noticeSubject: string;
  /** `{creditor}`, `{amount}`, `{date}` */
  readonly noticeText: string;
  /** `{amount}`, `{interval}` such as "every month": later debits are announced with this one. */
  readonly noticeRepeats: string;
  /** `{amount}`, `{creditor}` */
  readonly receiptSubject: string;
  /** `{creditor}`, `{amount}` */
  readonly receiptText: string;
  /** `{amount}`, `{creditor}` */
  readonly failedSubject: string;
  /** `{creditor}`, `{amount}`; the reason follows. */
  readonly failedText: string;
  /** `{date}` */
  readonly failedAgain: string;
  /** `{creditor}`: it is not tried again. */
  readonly failedEnd: string;
  /** A link follows, by which the payment is made again. */
  readonly failedPay: string;
  /** `{amount}`, `{creditor}` */
  readonly returnedSubject: string;
  /** `{creditor}`, `{amount}`; the reason follows. */
  readonly returnedText: string;
  /** The reason, where the customer has asked the bank for it. */
  readonly returnedByYou: string;
  /** `{creditor}` */
  readonly returnedEnd: string;
  /** Before the bank's code of the reason. */
  readonly bankCode: string;
}
