/** Every text of the console. Each language has one file with all of them; values replace the names in braces. */

import type { Action, Role } from "../../people/access.ts";
import type { EventType } from "../../webhooks/events.ts";
import type { Advice } from "../pages/advice.ts";
import type { Period } from "../periods.ts";
import type { DeveloperTexts } from "./developers.ts";
import type { OperatorTexts } from "./operator.ts";
import type { RecordTexts } from "./records.ts";
import type { RefusalTexts } from "./refusals.ts";
import type { SetupTexts } from "./setup.ts";
import type { TestModeTexts } from "./test-mode.ts";

/** The plural forms that a language has (CLDR); `other` always exists. */
export type Plural = { readonly other: string } & Partial<Readonly<Record<"one" | "few" | "many", string>>>;

export interface Texts
  extends RecordTexts, RefusalTexts, DeveloperTexts, SetupTexts, TestModeTexts, OperatorTexts {
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
  readonly results: string;
  readonly returnsByWeek: string;
  readonly returnsWhat: string;
  readonly returnsLimits: string;
  readonly nothingCollected: string;
  readonly week: string;
  readonly page: string;
  /** `{number}` */
  readonly news: string;
  readonly searchHint: string;
  readonly testMode: string;
  readonly role: Readonly<Record<Role, string>>;

  // Lists.
  readonly all: string;
  readonly newer: string;
  readonly older: string;
  readonly export: string;
  readonly exportPayments: string;
  readonly exportAll: string;
  readonly exportHow: string;
  readonly exportRows: string;
  readonly exportRowsOf: string;
  readonly exportDone: string;
  readonly exportBroken: string;
  readonly exportCsv: string;
  readonly exportXlsx: string;
  readonly filters: string;
  readonly moreFilters: string;
  readonly filterLeftOut: string;
  readonly noSuchFilter: string;
  /** `{number}` */
  readonly moreThan: string;
  readonly apply: string;
  readonly clear: string;
  readonly columns: string;
  readonly usualColumns: string;
  readonly periods: Readonly<Record<Period, string>>;
  readonly sinceDay: string;
  readonly untilDay: string;
  readonly daysInZone: string;
  readonly restores: string;
  readonly restoresHeld: string;
  readonly restoresPayments: string;
  readonly noRestores: string;
  readonly noRestoresHint: string;
  readonly noticed: string;
  readonly heldBack: string;
  readonly released: string;
  readonly restoreReasons: Readonly<Record<string, string>>;
  readonly dueWhat: string;
  readonly monthBefore: string;
  readonly monthAfter: string;
  readonly banksClosed: string;
  readonly renewals: Plural;
  readonly triedAgain: Plural;
  readonly changeTerms: string;
  readonly changeTermsWhat: string;
  readonly changeTermsDone: string;
  readonly nextDue: string;
  readonly nextDueHint: string;
  readonly savedViews: string;
  readonly allPayments: string;
  readonly allCustomers: string;
  readonly allSubscriptions: string;
  readonly allMandates: string;
  readonly allChargebacks: string;
  readonly allFiles: string;
  readonly allStatements: string;
  readonly allEntries: string;
  readonly lastCollected: string;
  readonly dueCalendar: string;
  readonly saveView: string;
  readonly saveViewHint: string;
  readonly shareView: string;
  readonly sharedView: string;
  readonly changeView: string;
  readonly deleteView: string;
  /** `{name}`, `{value}` */
  readonly removeFilter: string;
  readonly any: string;
  readonly chooseOne: string;
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
  readonly failingSince: string;
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
  readonly processed: string;
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
  readonly refundedPayment: string;
  readonly raw: string;
  /** `{kind} {what}` as written in reports/transactions/store.ts; of a webhook `{what}` is the event and `{whom}` the profile. */
  readonly steps: Readonly<Record<string, string>>;
  /** The name of an event, as a part of a sentence. */
  readonly eventNames: Readonly<Record<EventType, string>>;
  /** The result of a webhook: a status, or the HTTP status of the response. */
  readonly shopFailed: string;
  readonly shopUnreached: string;
  readonly shopRefused: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly refund: string;
  /** `{customer}`, `{last4}` */
  readonly refundWhat: string;
  /** `{amount}` */
  readonly refundLeft: string;
  readonly refundTooMuch: string;
  readonly refundDeclined: string;
  /** Why a gateway made no refund, by its code; `late` of a reversal, DT01 of a transfer. */
  readonly refundRefusals: Readonly<Record<string, string>>;
  readonly refundReason: string;
  readonly refundReasonHint: string;
  readonly way: string;
  readonly wayTransfer: string;
  readonly byReversal: string;
  /** `{day}` */
  readonly wayReversal: string;
  readonly wayHint: string;
  readonly refundDone: string;
  readonly campaignStopped: string;
  readonly held: string;
  readonly heldNow: string;
  /** `{time}` */
  readonly heldWhat: string;
  readonly debitFrom: string;
  readonly pendingUntil: string;
  /** {day}: the last day for reversing its debit. */
  readonly heldReversal: string;
  /** {day}: the last day for reversing its debit, which has passed. */
  readonly heldReversalOver: string;
  readonly heldRelease: string;
  readonly heldCancel: string;
  readonly heldCancelDone: string;
  readonly noteOnPayment: string;
  readonly noteText: string;
  readonly noteHint: string;
  readonly noteWrite: string;
  readonly noteDone: string;
  /** `{max}` characters. */
  readonly noteLength: string;
  /** For a payment that has not been sent to the bank. */
  readonly stopDebit: string;
  readonly stopRefund: string;
  /** `{customer}`, `{last4}` */
  readonly stopDebitWhat: string;
  readonly stopRenewalWhat: string;
  readonly stopRefundWhat: string;
  readonly stopDone: string;
  readonly amountWrong: string;
  readonly refundNow: string;
  readonly cancel: string;
  readonly copy: string;
  readonly erase: string;
  readonly eraseWhat: string;
  readonly eraseEvidence: string;
  readonly eraseNow: string;
  /** `{time}` */
  readonly erasedAt: string;

  // Customers.
  readonly noCustomers: string;
  readonly noCustomersHint: string;
  readonly collected: string;
  readonly pending: string;
  readonly takenBack: string;
  readonly next: string;

  // Subscriptions.
  readonly noSubscriptions: string;
  readonly noSubscriptionsHint: string;
  readonly frequency: string;
  readonly frequencies: Readonly<Record<string, string> & Record<"none", string>>;
  readonly cycles: string;
  readonly noCycles: string;
  readonly due: string;
  readonly tries: string;
  readonly collectedTwice: string;
  readonly paidAgain: string;
  readonly paidTwice: string;
  readonly show: string;
  readonly paidCycles: string;
  readonly failedCycles: string;
  readonly trialEnd: string;
  /** `{day}` */
  readonly nextOn: string;
  readonly endsOn: string;
  readonly endedOn: string;
  readonly end: string;
  /** `{amount}` */
  readonly endWhat: string;
  readonly when: string;
  readonly endNow: string;
  readonly endAtPeriod: string;
  readonly endDone: string;
  readonly collectNow: string;
  /** `{amount}` */
  readonly collectWhat: string;
  readonly collectDone: string;

  // Mandates.
  readonly noMandates: string;
  readonly noMandatesHint: string;
  readonly unusedMandate: string;
  readonly scheme: string;
  readonly schemes: Readonly<Record<"CORE" | "B2B", string>>;
  readonly mandateTypes: Readonly<Record<"recurrent" | "one_off", string>>;
  readonly holder: string;
  readonly bankAccount: string;
  readonly creditor: string;
  readonly creditorIdentifier: string;
  readonly signed: string;
  readonly validUntil: string;
  /** `{day}` */
  readonly activeUntil: string;
  /** `{number}` of days */
  readonly lapsing: string;
  readonly notLapsing: string;
  readonly document: string;
  readonly dossier: string;
  readonly signature: string;
  readonly how: string;
  readonly acceptedBy: Readonly<Record<"checkbox" | "IMPLICIT" | "elsewhere", string>>;
  readonly textVersion: string;
  readonly ownText: string;
  readonly noticeDays: string;
  readonly amendments: string;
  /** `{before}` */
  readonly amended: Readonly<Record<"reference" | "creditor" | "account" | "holder", string>>;
  readonly anotherAccount: string;
  /** `{time}` */
  readonly bankTold: string;
  readonly bankNotTold: string;
  readonly amend: string;
  readonly amendWhat: string;
  readonly newIban: string;
  /** `{last4}` */
  readonly newIbanHint: string;
  readonly amendNow: string;
  readonly amendDone: string;
  readonly confirmMandate: string;
  readonly confirmMandateWhat: string;
  readonly confirmMandateDone: string;
  readonly bankConfirmed: string;
  readonly endMandate: string;
  /** `{customer}` */
  readonly endMandateWhat: string;
  /** `{number}` */
  readonly endWithMandate: Plural;
  readonly whoEnds: string;
  readonly endedBy: Readonly<Record<"creditor" | "debtor" | "bank", string>>;
  readonly endMandateDone: string;

  // Chargebacks.
  readonly noChargebacks: string;
  readonly noChargebacksHint: string;
  readonly reported: string;
  readonly payment: string;
  readonly linked: string;
  readonly unlinked: string;
  readonly bankTookBack: string;
  readonly takenBackByBank: string;
  readonly thePayment: string;
  readonly theSubscription: string;
  readonly theMandate: string;
  readonly whatToDo: string;
  readonly sameReason: string;
  readonly kindOfReturn: string;
  readonly returnTypes: Readonly<Record<string, string>>;
  readonly bankFee: string;
  readonly heardFrom: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly advice: Readonly<Record<Advice, string>>;
  readonly unlinkedAdvice: string;
  readonly withdrawnAdvice: string;

  // Bank.
  readonly files: string;
  readonly file: string;
  readonly statements: string;
  readonly unmatchedEntries: string;
  readonly direction: string;
  readonly bankRefuses: string;
  readonly bankRefusesWhat: string;
  readonly resumeBankUser: string;
  readonly newsSetAside: string;
  readonly newsSetAsideWhat: string;
  readonly nextTry: string;
  readonly since: string;
  /** A gateway's news about a payment. */
  readonly newsKinds: Readonly<Record<string, string>>;
  readonly toTheBank: string;
  readonly fromTheBank: string;
  readonly content: string;
  readonly orderAtBank: string;
  readonly stepTime: string;
  readonly stepOfOrder: string;
  readonly fileKinds: Readonly<Record<string, string>>;
  readonly entries: Plural;
  readonly unanswered: Plural;
  readonly withoutAnswer: string;
  readonly noFiles: string;
  readonly noFilesHint: string;
  readonly nextFiles: string;
  readonly cutOff: string;
  readonly dueFrom: string;
  readonly waiting: string;
  readonly transport: string;
  readonly transports: Readonly<Record<string, string>>;
  readonly noStatements: string;
  readonly noStatementsHint: string;
  readonly gap: string;
  readonly withGap: string;
  readonly withoutGap: string;
  readonly noGap: string;
  readonly upTo: string;
  readonly opening: string;
  readonly closing: string;
  readonly readAt: string;
  readonly noUnmatched: string;
  readonly noUnmatchedHint: string;
  readonly why: string;
  readonly booked: string;
  readonly entryKinds: Readonly<Record<string, string>>;
  /** By the English sentence that is stored (gateways/sepa-batch/incoming/, payments/news/); `{braces}` stand for what differs. English has none. */
  readonly entryReasons: Readonly<Record<string, string>>;
  readonly noEntries: string;
  readonly noEntriesHint: string;
  readonly more: string;
  readonly sentAt: string;
  readonly message: string;
  readonly download: string;
  readonly unclearWhat: string;
  readonly approvals: string;
  /** `{given}` of `{number}` */
  readonly approvalsGiven: string;
  readonly act_approve: string;
  /** `{number}` of entries, `{amount}` */
  readonly what_approve: string;
  readonly done_approve: string;
  readonly act_sent: string;
  /** `{number}` of entries, `{amount}` */
  readonly what_sent: string;
  readonly done_sent: string;
  readonly act_withdraw: string;
  /** `{number}` of entries, `{amount}` */
  readonly what_withdraw: string;
  readonly what_withdraw_unapproved: string;
  readonly done_withdraw: string;
  readonly act_arrived: string;
  /** `{number}` of entries, `{amount}` */
  readonly what_arrived: string;
  readonly done_arrived: string;
  readonly act_lost: string;
  /** `{number}` of entries, `{amount}` */
  readonly what_lost: string;
  readonly done_lost: string;
  readonly entry: string;
  readonly suggestions: string;
  readonly noSuggestions: string;
  readonly noSuggestionsHint: string;
  readonly clue: string;
  readonly clues: Readonly<Record<"reference" | "mandate" | "amount", string>>;
  readonly decide: string;
  readonly applyEntry: string;
  readonly reinstate: string;
  readonly rejectedBlock: string;
  readonly rejectRest: string;
  readonly rejectRestWhat: string;
  readonly rejectOnly: string;
  readonly rejectOnlyHint: string;
  readonly amountDiffers: string;
  readonly anotherPayment: string;
  readonly severalPayments: string;
  readonly severalWhat: string;
  readonly noFile: string;
  readonly block: string;
  readonly blockHint: string;
  readonly severalIds: string;
  readonly severalIdsHint: string;
  readonly bankFeeHint: string;
  readonly settleAll: string;
  readonly settlePart: string;
  readonly paymentId: string;
  readonly paymentIdHint: string;
  readonly acceptAmount: string;
  readonly dismiss: string;
  readonly dismissWhat: string;
  readonly note: string;
  readonly decided: string;
  readonly entryDone: string;

  // Home.
  /** By the number of days up to today. */
  readonly spans: Readonly<Record<"1" | "7" | "30" | "90", string>>;
  readonly figures: string;
  readonly declined: string;
  readonly returned: string;
  readonly refunds: string;
  readonly success: string;
  /** `{change}`, `{before}` */
  readonly against: string;
  /** `{before}` */
  readonly againstNothing: string;
  /** Also `{rate}`. */
  readonly rateOf: Plural;
  readonly returnedBefore: string;
  readonly daysInUtc: string;
  readonly noFigures: string;
  readonly timeBefore: string;
  readonly byDay: string;
  readonly whyDeclined: string;
  readonly whyReturned: string;
  readonly noReason: string;
  readonly share: string;
  /** The heading of the share of collected payments that came back for one reason. */
  readonly ofCollected: string;
  /** Above the reasons: the total share. */
  readonly rateByReason: string;
  readonly number: string;
  /** The number of a line in a file. */
  readonly lineNumber: string;
  readonly noDeclines: string;
  readonly noReturns: string;
  readonly expectedCash: string;
  readonly atTheBank: string;
  readonly renewalsDue: string;
  readonly nothingExpected: string;
  readonly asTable: string;
  /** `{time}` */
  readonly asOf: string;
  /** `{time}` */
  readonly expectedAsOf: string;
  readonly needsYou: string;
  readonly needsNothing: string;
  readonly newest: string;
  readonly attention: Readonly<Record<string, Plural>>;

  // Search.
  readonly searchFor: string;
  readonly foundMost: string;
  readonly nothingFound: string;
  readonly nothingFoundHint: string;
  readonly kinds: Readonly<
    Record<"transaction" | "customer" | "mandate" | "subscription" | "session", string>
  >;

  // Before the sign-in.
  readonly languageName: string;
  readonly console: string;
  readonly signIn: string;
  readonly emailAddress: string;
  readonly password: string;
  readonly newPassword: string;
  readonly newPasswordHint: string;
  readonly currentPassword: string;
  readonly wrong: string;
  readonly or: string;
  readonly withPasskey: string;
  readonly passkeyFailed: string;
  readonly atCompany: string;
  readonly companyFailed: string;
  readonly companyDown: string;
  readonly companyCancelled: string;
  readonly companyUnusable: string;
  readonly companyOver: string;
  /** Shown before an action. */
  readonly companyOther: string;
  readonly secondFactor: string;
  readonly code: string;
  readonly wrongCode: string;
  readonly goOn: string;
  readonly again: string;
  readonly againWhy: string;
  readonly provePasskey: string;
  readonly linkGone: string;
  readonly linkGoneWhy: string;
  readonly accept: string;
  readonly reset: string;
  /** `{company}`, `{email}`, `{role}` */
  readonly invitedTo: string;
  readonly usePasskeyInstead: string;

  // One's own account.
  readonly profile: string;
  readonly save: string;
  readonly language: string;
  readonly timeZone: string;
  readonly changePassword: string;
  readonly setUpFirst: string;
  readonly authenticator: string;
  readonly authenticatorOn: string;
  readonly authenticatorOff: string;
  readonly setUpAuthenticator: string;
  readonly scan: string;
  readonly key: string;
  readonly codeNow: string;
  readonly confirm: string;
  readonly remove: string;
  readonly factorNeeded: string;
  readonly passkeys: string;
  readonly passkeysWhy: string;
  readonly addPasskey: string;
  readonly passkeyName: string;
  readonly recoveryCodes: string;
  readonly recoveryCodesWhy: string;
  /** `{number}` */
  readonly codesLeft: Plural;
  readonly newCodes: string;
  readonly keepCodes: string;
  readonly done: string;
  readonly sessions: string;
  readonly browser: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly lastUsed: string;
  readonly thisSession: string;
  readonly endSession: string;
  readonly endOthers: string;

  // People.
  readonly roleLabel: string;
  readonly lastSignIn: string;
  readonly never: string;
  readonly invite: string;
  readonly inviteHint: string;
  readonly changeRole: string;
  readonly newLink: string;
  readonly removeFactors: string;
  readonly endSessions: string;
  readonly removePerson: string;
  readonly removePersonWhat: string;
  readonly ssoSaved: string;
  readonly ssoSignedOut: Plural;
  readonly ssoOff: string;
  readonly ssoOffWhat: string;
  readonly personDone: Readonly<Record<"role" | "remove-factors" | "end-sessions" | "remove", string>>;
  /** `{name}` */
  readonly linkFor: string;
  /** `{time}` */
  readonly linkOnce: string;
  readonly roles: string;
  readonly whatRolesMayDo: string;
  readonly mayDo: string;
  readonly mayNot: string;
  readonly stepUp: string;
  readonly stepUpAlways: string;
  readonly stepUpAbove: string;
  readonly singleSignOn: string;
  readonly issuer: string;
  readonly issuerHint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientSecretHint: string;
  readonly emailDomain: string;
  readonly roleForNew: string;
  readonly onlyInvited: string;
  readonly required: string;
  readonly requiredHint: string;
  readonly provider: string;
  readonly addresses: string;
  readonly action: string;
  readonly signInLink: string;
  readonly callback: string;
  readonly switchOff: string;
  readonly back: string;

  // Refusals.
  readonly notFound: string;
  readonly nothingHere: string;
  readonly notAllowed: string;
  readonly didNotWork: string;
  readonly toStart: string;
  readonly formTooOld: string;
  readonly signedOut: string;
  readonly openAgain: string;
  readonly formUnread: string;
  /** `{role}`, `{what}` */
  readonly roleForbids: string;
  /** What a role may do, in one line. */
  readonly roleMay: Readonly<Record<Role, string>>;
  readonly actions: Readonly<Record<Action, string>>;
}
