/** Every sentence of the console: one file per language gives them all, and what stands in braces is filled in. */

/** The plural forms that a language has (CLDR); `other` always exists. */
export type Plural = { readonly other: string } & Partial<Readonly<Record<"one" | "few" | "many", string>>>;

export interface Texts {
  // The frame.
  readonly skip: string;
  readonly navigation: string;
  readonly home: string;
  readonly payments: string;
  readonly customers: string;
  readonly subscriptions: string;
  readonly mandates: string;
  readonly chargebacks: string;
  readonly bank: string;
  readonly developers: string;
  readonly setup: string;
  readonly people: string;
  readonly account: string;
  readonly signOut: string;
  readonly search: string;
  readonly searchHint: string;
  readonly testMode: string;
  readonly role: Readonly<
    Record<"owner" | "developer" | "finance" | "support" | "viewer" | "operator", string>
  >;

  // Lists.
  readonly all: string;
  readonly newer: string;
  readonly older: string;
  readonly export: string;
  readonly apply: string;
  readonly clear: string;
  /** `{name}`, `{value}` */
  readonly removeFilter: string;
  readonly any: string;
  readonly noMatches: string;
  readonly noMatchesHint: string;
  /** `{number}` */
  readonly found: Plural;

  // Words of a payment.
  readonly amount: string;
  readonly amountFrom: string;
  readonly amountTo: string;
  readonly status: string;
  readonly type: string;
  readonly customer: string;
  readonly account4: string;
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly country: string;
  readonly gateway: string;
  readonly campaign: string;
  readonly reason: string;
  readonly reference: string;
  readonly order: string;
  readonly mandate: string;
  readonly ownReference: string;
  readonly gatewayReference: string;
  readonly refunded: string;
  readonly refundable: string;
  readonly created: string;
  readonly email: string;
  readonly name: string;
  readonly address: string;
  readonly phone: string;
  readonly bic: string;
  readonly states: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, string>>;
  readonly reasons: Readonly<Record<string, string>>;
  readonly noPayments: string;
  readonly noPaymentsHint: string;

  // A payment.
  readonly timeline: string;
  readonly facts: string;
  readonly related: string;
  readonly raw: string;
  /** `{kind} {what}` as written in reports/transactions/store.ts; of a webhook `{what}` is the event and `{whom}` the profile. */
  readonly steps: Readonly<Record<string, string>>;
  /** What became of a webhook: a status, or the HTTP status of the answer. */
  readonly answers: Readonly<Record<string, string>>;
  readonly refund: string;
  /** `{customer}`, `{last4}` */
  readonly refundWhat: string;
  /** `{amount}` */
  readonly refundLeft: string;
  readonly refundReason: string;
  readonly refundReasonHint: string;
  readonly refundDone: string;
  readonly amountWrong: string;
  readonly refundNow: string;
  readonly cancel: string;
  readonly copy: string;

  // Customers.
  readonly noCustomers: string;
  readonly noCustomersHint: string;
  readonly collected: string;
  readonly pending: string;
  readonly takenBack: string;
  readonly next: string;

  // Home.
  readonly needsYou: string;
  readonly needsNothing: string;
  readonly newest: string;
  readonly attention: Readonly<Record<string, Plural>>;

  // Search.
  readonly searchFor: string;
  readonly nothingFound: string;
  readonly nothingFoundHint: string;
  readonly kinds: Readonly<
    Record<"transaction" | "customer" | "mandate" | "subscription" | "session", string>
  >;
}
