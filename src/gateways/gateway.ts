/** The gateway port: a collection or a refund goes in, an outcome comes out. A port is its conformance suite (tests/conformance/gateway.ts). */
import type { DeclineCode } from "../sepa/reasons.ts";
import type { TSchema } from "../lib/schema.ts";
import type { Database } from "../db/database.ts";
import type { TenantTime } from "../lib/clock.ts";
import type { IsoDate } from "../lib/dates.ts";
import type { Ids } from "../lib/ids.ts";
import type { Keyring } from "../lib/keyring.ts";
import type { Cents } from "../lib/money.ts";
import type { FieldMessages } from "../refusals.ts";
import type { Scheme } from "../mandates/creditor.ts";

/** One instruction to debit a customer. */
export interface Collection {
  /** merchant_transaction_id: our reference and the idempotency key. */
  readonly reference: string;
  /** 0 asks for the mandate only (a free trial). */
  readonly amount: Cents;
  readonly currency: string;
  readonly sequenceType: "FRST" | "RCUR";
  /** Whether the mandate covers further collections. */
  readonly recurring: boolean;
  readonly iban: string;
  readonly bic: string | null;
  readonly holderName: string;
  readonly email: string;
  readonly country: string;
  /** Null where the customer gave none; banks outside the European Economic Area require one. */
  readonly address: {
    readonly street: string | null;
    readonly postalCode: string | null;
    readonly city: string | null;
    readonly country: string;
  } | null;
  readonly customerIp: string | null;
  readonly mandate: {
    readonly reference: string;
    readonly signedAt: Date;
    readonly scheme: Scheme;
    /** Days from the announcement of a debit to its due date; null where the mandate does not specify them. */
    readonly preNotificationDays: number | null;
  };
  readonly creditor: { readonly name: string; readonly identifier: string | null };
  /** Where the customer returns to after a verification; the gateway adds `verification_id`. */
  readonly returnUrl: string;
  readonly descriptor: string | null;
}

/** The outcome of an instruction. An adapter never guesses: an uncertain outcome is `unresolved`. */
export type Outcome =
  | { readonly kind: "approved"; readonly gatewayReference: string | null; readonly processedAt: Date }
  /** Accepted; the result is known at settlement. */
  | {
      readonly kind: "pending";
      readonly gatewayReference: string | null;
      readonly processedAt: Date;
      /** Of a refund: a warning for the merchant. */
      readonly notice?: string | null;
    }
  | {
      readonly kind: "verification_required";
      readonly gatewayReference: string | null;
      readonly verificationId: string;
      readonly url: string;
    }
  | {
      readonly kind: "declined";
      /**
       * False when the instruction was refused because of the customer's input, before any bank was asked. Such an
       * attempt is not counted.
       */
      readonly attemptUsed?: false;
      readonly code: DeclineCode;
      /** The gateway's raw code and message, kept for debugging. */
      readonly gatewayCode: string | null;
      readonly gatewayMessage: string | null;
      readonly gatewayReference: string | null;
      readonly processedAt: Date;
    }
  /** Certainly not reached (refused connection, DNS, TLS): nothing was charged. */
  | { readonly kind: "unreachable"; readonly gatewayMessage: string | null }
  /** Timeout, broken connection, unreadable answer: the gateway may have charged. */
  | { readonly kind: "unresolved"; readonly gatewayMessage: string | null };

/** One instruction to refund a collection, in full or in part. */
export interface Refund {
  /** The refund's own merchant_transaction_id: our reference and the idempotency key. */
  readonly reference: string;
  /** The collection that it refunds: our reference, and the gateway's if it gave one. */
  readonly original: { readonly reference: string; readonly gatewayReference: string | null };
  readonly amount: Cents;
  readonly currency: string;
  /** The merchant's note; not every gateway accepts one. */
  readonly reason: string | null;
  /** `reversal`: reverses the debit itself, at a gateway with that capability; null: the gateway's usual way. */
  readonly way: "reversal" | null;
}

/** The outcome of a refund, which is never verified. */
export type RefundOutcome = Exclude<Outcome, { readonly kind: "verification_required" }>;

/** The last day on which a request is possible. */
export interface LastDay {
  readonly day: IsoDate;
  readonly isOver: boolean;
}

/** A collection as it will appear on the customer's account statement. */
export interface Debit {
  /** The due date of its file, once sent; until then the expected day. */
  readonly day: IsoDate;
  /** Until then the customer's bank may send it back unpaid. */
  readonly pendingUntil: IsoDate;
  /** The text on the account statement. */
  readonly statementText: string;
}

/** News that a gateway reports later. */
export type News = {
  /** The gateway's own id of the notice. */
  readonly id?: string;
  /** For gateways that can reinstate money: how often it has been reinstated, including by this notice. */
  readonly round?: number;
} & (StatusNews | BankFeeNews);

/** Settlement, a return or a chargeback; for a refund, whether it arrived or came back. */
export type StatusNews =
  | {
      readonly kind: "settled";
      readonly reference: string;
      readonly at: Date;
      /** The gateway's reference, if it was not known before. */
      readonly gatewayReference?: string | null;
    }
  | {
      readonly kind: "returned" | "charged_back";
      readonly reference: string;
      readonly at: Date;
      /** ISO 20022 reason code, such as AM04. */
      readonly reasonCode: string;
      readonly reasonMessage: string | null;
      /** What else a bank's statement reports about a chargeback; `bankFee` is the bank's fee with two decimals. */
      readonly bankFee?: string | null;
      readonly reportType?: string | null;
      /** The part of a chargeback that was returned, with two decimals, where it was not returned in full. */
      readonly amount?: string | null;
      /** The source; default `webhook`. */
      readonly source?: "webhook" | "reconciliation";
    }
  /** Money of a declined or charged-back payment has arrived after all. */
  | {
      readonly kind: "reinstated";
      readonly reference: string;
      readonly at: Date;
      readonly gatewayReference?: string | null;
    };

/** The bank's total fee for a chargeback, when part of it was booked separately. It follows the chargeback. */
interface BankFeeNews {
  readonly kind: "fee";
  readonly reference: string;
  readonly at: Date;
  /** With two decimals. */
  readonly bankFee: string;
}

/** A merchant's account at a gateway, ready to use. Every method may throw, which counts as `unresolved`. */
export interface Gateway {
  /** Sends the instruction. Repeating a reference returns the same outcome and charges nothing twice. */
  collect(collection: Collection, signal: AbortSignal): Promise<Outcome>;
  /** Asks for the outcome of a verification; returns `verification_required` until the customer has finished. */
  verify(reference: string, verificationId: string, signal: AbortSignal): Promise<Outcome>;
  /**
   * Refunds a collection in full or in part. Repeating a reference returns the same outcome and refunds nothing twice.
   * A refund of more than was collected is declined. An adapter without the capability throws.
   */
  refund(refund: Refund, signal: AbortSignal): Promise<RefundOutcome>;
  /**
   * The final outcome of a reference, and a fence: once it has answered `declined` for a reference that was never
   * received or not yet charged, a late `collect`, `verify` or `refund` under it moves no money. A reference never received
   * is `gateway_unavailable` without a gateway code: nothing was decided, and it may be sent again. A collection that was
   * accepted and returned since is still `pending`: its news reports the return, so that a payment whose first answer was
   * lost gets all of its events.
   */
  resolve(reference: string, signal: AbortSignal): Promise<Outcome>;
  /**
   * Withdraws an instruction that was accepted but not yet sent to the customer's bank. Returns true if it will never
   * be sent; repeating the call returns the same. Absent for gateways that send at once.
   */
  withdraw?(reference: string, signal: AbortSignal): Promise<boolean>;
  /**
   * The date on which an instruction submitted at this time is debited; absent where the gateway does not report it.
   * @param preNotificationDays as agreed in the mandate; null for the account's default.
   */
  debitDay?(at: Date, preNotificationDays: number | null): IsoDate;
  /** The debit of a reference; null when nothing is debited under it. Absent where the gateway does not report it. */
  debit?(reference: string): Promise<Debit | null>;
  /**
   * The last day on which a collection can be reversed, even if it has passed; null when it cannot be reversed. Absent
   * without the capability.
   */
  reversibleUntil?(reference: string): Promise<LastDay | null>;
  /**
   * Unacknowledged notices, oldest first, without the first `skip`: notices that cannot be recorded must not block
   * later ones.
   */
  news(limit: number, skip: number, signal: AbortSignal): Promise<readonly News[]>;
  /** Acknowledges a notice, so that it is not reported again. */
  acknowledge(news: News, signal: AbortSignal): Promise<void>;
}

/** The merchant account that an adapter serves. */
export interface GatewayAccount {
  readonly tenant: number;
  readonly gatewayId: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
}

interface GatewayCapabilities {
  /** ISO 4217 codes that it collects. */
  readonly currencies: readonly string[];
  readonly verification: boolean;
  /** Whether it reports news: payments settle later, or are returned. `news` is called only where this is true. */
  readonly asynchronous: boolean;
  readonly refunds: boolean;
  /** Refunds may be reversals of the debit. */
  readonly reversals: boolean;
  /** It runs in test mode only. */
  readonly testModeOnly: boolean;
}

export interface TestAccount {
  readonly iban: string;
  readonly outcome: "approved" | "pending" | "declined" | "verification";
}

export interface Adapter {
  /** The name in a gateway record's `adapter`. */
  readonly name: string;
  /** The envelope's adapter.name. */
  readonly displayName: string;
  readonly capabilities: GatewayCapabilities;
  readonly settingsSchema: TSchema;
  readonly credentialsSchema: TSchema;
  /** Test accounts by the outcome that each has. */
  readonly testAccounts?: readonly TestAccount[];
  /** Whether it requires the account holder's address for accounts outside the European Economic Area. */
  readonly asksAddress?: true;
  /** Checks settings beyond the schema: a message for each invalid field; null when they are valid. */
  settingsProblems?(settings: Readonly<Record<string, unknown>>): FieldMessages | null;
  /**
   * The server to which these settings send the credentials; null when they are sent nowhere. Absent where the tenant
   * cannot choose the server.
   */
  credentialsServer?(settings: Readonly<Record<string, unknown>>): string | null;
  connect(account: GatewayAccount): Gateway;
}

/** The dependencies of adapters. */
export interface AdapterParts {
  readonly db: Database;
  readonly time: TenantTime;
  readonly ids: Ids;
  readonly keys: Keyring;
  /** {host_url}, without a slash at its end. */
  readonly publicUrl: string;
}

/** Adapters by name. */
export type Adapters = ReadonlyMap<string, Adapter>;
