/** The bank's bookings, and the content of its files in the order in which they report it. */

/** One debit or transfer that a booking is about. */
export interface About {
  readonly reference: string;
  /** Empty for a transfer. */
  readonly mandate: string;
  readonly blockId: string;
  readonly messageId: string;
  readonly cents: number;
  /** For a reversal: the debit under whose id the bank books it. */
  readonly debit?: string;
}

export type BookingKind =
  | "credit"
  /** The same collection is credited a second time by mistake. */
  | "credit_again"
  /** The second credit is booked before one of the two is returned. */
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
  /** Belongs to another customer, but has ids that look like ours. */
  | "lookalike";

/** How an entry refers to its debit or transfer. */
export type Naming = "id" | "instruction" | "mandate" | "nothing" | "block" | "file";

/** One movement of an account. Every file that reports it gives the same day and the same reference of the bank. */
export interface Booking {
  readonly number: number;
  readonly account: string;
  readonly day: string;
  readonly kind: BookingKind;
  readonly of: readonly About[];
  /** The amount of the movement, including the fee. */
  readonly cents: number;
  /** The fee of a return, included in the amount; for a sum, the fee that the bank has kept. */
  readonly fee: number;
  readonly currency: "EUR" | "CHF";
  readonly reason: string;
  readonly naming: Naming;
  /** For a reinstatement: whether it is marked as a reversal. For a debit entry: whether it has a code. */
  readonly marked: boolean;
}

export interface Rejection {
  readonly reference: string;
  readonly reason: string;
}

/** One entry or rejection in a file, counted as the service counts them. */
export interface FileLine {
  readonly event: string;
  readonly booking: Booking | null;
  readonly rejections: readonly Rejection[];
}

/** A file for the merchant. */
export interface BankFile {
  readonly xml: string;
  readonly kind: "camt.052" | "camt.053" | "camt.054" | "pain.002";
  /** The account of the statement; for a status report, the account of the file that it answers. */
  readonly account: string;
  readonly lines: readonly FileLine[];
  /** The statement's number; null if the file is not a statement. */
  readonly number: number | null;
  /** The page of the statement; null for a statement on one page. */
  readonly page: number | null;
}

export const isIn = ({ kind }: Booking): boolean =>
  /^(credit|credit_again|credit_ahead|sum|sum_less|sum_part|recredit|transfer_back|stranger|lookalike)$/.test(
    kind,
  );
