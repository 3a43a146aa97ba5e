/** Every sentence of the payment page: one file per language gives them all, and what stands in braces is filled in. */

/** The plural forms that a language has (CLDR); `other` always exists. */
export type Plural = { readonly other: string } & Partial<
  Readonly<Record<"zero" | "one" | "two" | "few" | "many", string>>
>;

export interface Texts {
  // Around everything.
  /** Title of the browser tab. `{merchant}` */
  readonly title: string;
  readonly language: string;
  readonly changeLanguage: string;
  /** Shown in staging and at gateways in test mode. */
  readonly testMode: string;
  /** Above the IBANs to try the page with. */
  readonly testAccounts: string;

  // What is bought.
  /** `{merchant}` */
  readonly payTo: string;
  /** Unfolds what is bought. */
  readonly details: string;
  readonly nothingDueToday: string;
  /** `{date}`: the bank may debit on that day or later. */
  readonly debitedFrom: string;
  /** `{duration}` such as "14 days" */
  readonly trial: string;
  /** `{amount}`, `{interval}` (one of `every`), `{date}` */
  readonly thenEveryFrom: string;
  /** `{amount}`, `{interval}`: no date is known yet. */
  readonly thenEvery: string;
  /** `{merchant}`: RECURRING without a frequency. */
  readonly thenOnDemand: string;
  readonly every: {
    readonly WEEKLY: string;
    readonly BIWEEKLY: string;
    readonly MONTHLY: string;
    readonly QUARTERLY: string;
    readonly SEMIANNUALLY: string;
    readonly YEARLY: string;
  };

  // The form.
  readonly formHeading: string;
  readonly ibanLabel: string;
  /** `{country}`, `{count}`, `{code}` */
  readonly ibanHint: string;
  readonly holderLabel: string;
  readonly holderHint: string;
  /** Why an address is asked for; shown for accounts whose banks ask for one. */
  readonly addressHint: string;
  readonly streetLabel: string;
  readonly postalCodeLabel: string;
  readonly cityLabel: string;
  // On a payment link's page.
  readonly firstNameLabel: string;
  readonly lastNameLabel: string;
  readonly emailLabel: string;
  readonly countryLabel: string;
  readonly mandateHeading: string;
  /** In place of `mandateHeading`, where the scheme is B2B. */
  readonly businessHeading: string;
  readonly creditor: string;
  readonly creditorIdentifier: string;
  readonly mandateReference: string;
  /** Before a number of days. */
  readonly noticePeriod: string;
  readonly placeAndDate: string;
  /** Where a mandate is signed that has no paper: in place of a town, before the day. */
  readonly placeOnline: string;

  // The nine texts up to the next empty line have a version (MandateTexts in former.ts): CONTRIBUTING.md, Change a text of
  // the payment page.
  /** `{creditor}` */
  readonly mandateAuthorise: string;
  readonly mandateRefund: string;
  /** In place of `mandateRefund`, where the scheme is B2B: no refund, but the right to have a debit stopped until its due date. */
  readonly businessTerms: string;
  readonly mandateRights: string;
  readonly mandateRecurring: string;
  readonly mandateOneOff: string;
  /** Whose account it is for: the form's fields are a part of the mandate. */
  readonly mandateDebtor: string;
  readonly mandateAccept: string;
  /** `{button}`: the words on the button below. */
  readonly mandateImplicit: string;

  /** `{amount}` */
  readonly payButton: string;
  /** The button when nothing is due today. */
  readonly signButton: string;
  readonly sending: string;
  /** `{bank}` */
  readonly bankFound: string;

  // What is wrong with the form.
  readonly errorSummary: string;
  readonly ibanMissing: string;
  readonly ibanCharacters: string;
  readonly ibanCountry: string;
  readonly ibanOutsideSepa: string;
  /** `{country}`, `{expected}`, `{actual}` */
  readonly ibanLength: string;
  readonly ibanStructure: string;
  readonly ibanChecksum: string;
  /** `{ending}`: the last characters of what was typed. */
  readonly ibanTypedEnding: string;
  readonly holderMissing: string;
  readonly holderTooLong: string;
  /** `{min}`, `{max}`: of an amount that the customer chooses. */
  readonly amountBetween: string;
  /** `{min}` */
  readonly amountAtLeast: string;
  readonly cityMissing: string;
  readonly mandateMissing: string;

  // Declined, and the attempts that are left.
  readonly declinedHeading: string;
  readonly reasons: {
    readonly insufficient_funds: string;
    readonly invalid_iban: string;
    readonly mandate_rejected: string;
    readonly account_closed: string;
    readonly do_not_honor: string;
    readonly gateway_unavailable: string;
    readonly unknown: string;
  };
  /** `{count}` */
  readonly attemptsLeft: Plural;

  // Waiting.
  readonly processingHeading: string;
  readonly processingText: string;
  readonly unclearHeading: string;
  /** `{merchant}` */
  readonly unclearText: string;
  readonly verifyHeading: string;
  readonly verifyText: string;
  readonly verifyLink: string;
  readonly verifyDone: string;
  readonly verifyNotYet: string;
  /** `{merchant}`: the merchant's own form asked for it and finishes it. */
  readonly verifiedElsewhere: string;
  /** The bank of test payments, and its page. */
  readonly sandboxBank: string;
  readonly bankConfirm: string;
  readonly bankRefuse: string;
  readonly bankAnswered: string;
  readonly refresh: string;

  // The receipt.
  readonly paidHeading: string;
  /** `{merchant}` */
  readonly paidText: string;
  readonly submittedHeading: string;
  /** `{creditor}`: who is on the mandate and on the bank statement. */
  readonly submittedText: string;
  /** Before the day until which the bank may send the debit back. */
  readonly pendingUntil: string;
  readonly signedHeading: string;
  readonly refundedHeading: string;
  readonly returnedHeading: string;
  readonly returnedText: string;
  readonly receipt: string;
  readonly amount: string;
  readonly date: string;
  readonly account: string;
  readonly bank: string;
  readonly accountHolder: string;
  readonly orderNumber: string;
  readonly nextPayment: string;
  readonly statementText: string;
  readonly print: string;
  /** `{merchant}` */
  readonly backToMerchant: string;
  /** `{seconds}` */
  readonly leavingIn: Plural;
  readonly stay: string;

  // The end without a payment.
  /** The label of a checkbox: the same amount was paid within a day. */
  readonly payAgain: string;
  readonly failedHeading: string;
  readonly failedText: string;
  readonly cancelledHeading: string;
  readonly cancelledText: string;
  readonly expiredHeading: string;
  readonly expiredText: string;
  /** Of a link to a customer's account. */
  readonly linkOverHeading: string;
  /** `{merchant}` */
  readonly linkOverText: string;
  /** Of a payment link that takes no payments: it has ended, or what it sells is not collected now. */
  readonly closedHeading: string;
  readonly closedText: string;
  /** Of a payment link whose uses are paid. */
  readonly linkUsedHeading: string;
  readonly linkUsedText: string;
  /** While other customers have the last uses of a payment link. */
  readonly linkInUseHeading: string;
  readonly linkInUseText: string;
  readonly unknownHeading: string;
  readonly unknownText: string;
  readonly tooFastHeading: string;
  readonly tooFastText: string;
  /** A limit on tries or accounts is reached: a minute, or up to a day. */
  readonly triesHeading: string;
  readonly triesText: string;
  readonly unavailableHeading: string;
  readonly unavailableText: string;
  readonly badRequestHeading: string;
  readonly badRequestText: string;
  readonly backToPayment: string;
  /** `{merchant}` */
  readonly askMerchant: string;
  // Links at the foot of the page.
  readonly imprint: string;
  readonly privacy: string;
  readonly terms: string;
  readonly contact: string;

  // The page of a customer's account.
  readonly accountHeading: string;
  /** Before the day on which a subscription ends, or has. */
  readonly subscriptionEnds: string;
  readonly subscriptionEnded: string;
  readonly cancelSubscription: string;
  readonly cancelExplained: string;
  readonly changeAccount: string;
  readonly changeAccountText: string;
  /** `{account}`: its country and its end. */
  readonly accountChanged: string;
  readonly paymentsHeading: string;

  // The rest of a mandate's copy. Labels, before a colon and what they name; the sentences are those that end in a full stop.
  readonly evidenceHeading: string;
  /** Before a time. */
  readonly acceptedByBox: string;
  readonly acceptedByPaying: string;
  readonly networkAddress: string;
  readonly textVersion: string;
  readonly signedElsewhere: string;
  /** Where the copy shows other words than those that were accepted. */
  readonly otherWording: string;
  readonly endedOn: string;
  /** Before the word for the creditor, the account holder or the bank. */
  readonly endedBy: string;
  /** Above days, each with what was so until then. */
  readonly formerHeading: string;
  /** Above the debits that the customer was told of. */
  readonly noticesHeading: string;
  /** In place of the address of a mail. */
  readonly toldByMerchant: string;

  readonly previewNote: string;
}
