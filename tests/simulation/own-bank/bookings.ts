/** What the bank has booked, and everything that a file of the bank tells, in the order in which it tells it. */

/** One debit or transfer that a booking is about. */
export interface About {
  readonly reference: string;
  /** Empty for a transfer. */
  readonly mandate: string;
  readonly blockId: string;
  readonly messageId: string;
  readonly cents: number;
  /** Of a reversal the debit under whose id the bank books it. */
  readonly debit?: string;
}

export type BookingKind =
  | "credit"
  /** The same collection is credited again, by mistake. */
  | "credit_again"
  /** It is credited again before one of the two is taken back. */
  | "credit_ahead"
  /** A whole block, without its transactions. */
  | "sum"
  | "sum_less"
  | "sum_part"
  | "return"
  | "return_again"
  | "return_part"
  | "recredit"
  | "fee"
  /** Another fee of the same return, on the same day. */
  | "fee_again"
  | "transfer"
  | "transfer_again"
  | "transfer_sum"
  | "transfer_back"
  /** A debit that the merchant has reversed. */
  | "reversal"
  | "foreign_currency"
  /** Nothing of ours. */
  | "stranger"
  /** Another customer's, with ids that look like ours. */
  | "lookalike";

/** What an entry names of what it is about. */
export type Naming = "id" | "instruction" | "mandate" | "nothing" | "block" | "file";

/** One movement of an account; wherever it is told again it has the same day and the same reference of the bank. */
export interface Booking {
  readonly number: number;
  readonly account: string;
  readonly day: string;
  readonly kind: BookingKind;
  readonly of: readonly About[];
  /** What moves, with the fee. */
  readonly cents: number;
  /** Of a return, inside of what moves; of a sum what the bank has kept. */
  readonly fee: number;
  readonly currency: "EUR" | "CHF";
  readonly reason: string;
  readonly naming: Naming;
  /** Whether money that comes again is marked as a reversal; whether a debit has a code at all. */
  readonly marked: boolean;
}

export interface Rejection {
  readonly reference: string;
  readonly reason: string;
}

/** One thing that a file says, as the service counts them. */
export interface Told {
  readonly event: string;
  readonly booking: Booking | null;
  readonly rejections: readonly Rejection[];
}

/** A file for the merchant. */
export interface BankFile {
  readonly xml: string;
  readonly kind: "camt.052" | "camt.053" | "camt.054" | "pain.002";
  /** Whose statement it is; of a status report the account of the file that it answers. */
  readonly account: string;
  readonly told: readonly Told[];
  /** The statement's number; null for what is none. */
  readonly number: number | null;
  /** Which page of the statement it is; null for what is whole. */
  readonly page: number | null;
}

export const isIn = ({ kind }: Booking): boolean =>
  /^(credit|credit_again|credit_ahead|sum|sum_less|sum_part|recredit|transfer_back|stranger|lookalike)$/.test(
    kind,
  );
