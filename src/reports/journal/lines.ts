/**
 * The journal of the merchant's bank accounts: double entries of the bank's bookings, balanced to its statements. Pure.
 */
import type { IsoDate } from "../../lib/dates.ts";
import { cents, type Cents } from "../../lib/money.ts";
import { must } from "../../lib/assert.ts";

/** `other` balances what a statement contains besides our payments. */
export const ACCOUNTS = ["bank", "receivables", "fees", "other"] as const;
export type JournalAccount = (typeof ACCOUNTS)[number];

/** The kind of a line, for which the files have texts. */
export type LineKind = "collection" | "return" | "refund" | "refund_back" | "fee" | "other";

/** An amount moved from the credit account to the debit account. */
export interface Line {
  readonly day: IsoDate;
  /** The merchant's own account. */
  readonly iban: string;
  readonly debit: JournalAccount;
  readonly credit: JournalAccount;
  readonly amount: Cents;
  readonly currency: string;
  readonly what: LineKind;
  /** The end-to-end id; for `other` the statement's id. */
  readonly reference: string;
}

/** A movement of an instruction in the bank's files. */
export interface JournalMovement {
  readonly day: IsoDate;
  readonly iban: string;
  readonly reference: string;
  readonly kind: "settled" | "returned" | "charged_back" | "fee" | "reinstated";
  readonly isRefund: boolean;
  /** Whether its money had already moved. */
  readonly moved: boolean;
  readonly amount: Cents;
  readonly fee: Cents;
  readonly currency: string;
}

/** The lines of a movement: none for an instruction that the bank rejected before any money moved. */
export function linesOf(movement: JournalMovement): readonly Line[] {
  const { kind, isRefund, moved, amount, fee } = movement;
  const fees = fee > 0 ? [lineOf(movement, "fee", "fees", "bank", fee)] : [];
  if (kind === "fee") return fees;
  if (isRefund) return [...refundLines(movement), ...fees];
  const came = lineOf(movement, "collection", "bank", "receivables", amount);
  if (kind === "settled" || kind === "reinstated") return [came];
  if (kind === "returned") return [];
  const back = lineOf(movement, "return", "receivables", "bank", amount);
  // A return reported before its credit: the bank books both.
  return moved ? [back, ...fees] : [came, back, ...fees];
}

function refundLines(movement: JournalMovement): readonly Line[] {
  const { kind, moved, amount } = movement;
  if (kind === "settled" || kind === "reinstated") {
    return [lineOf(movement, "refund", "receivables", "bank", amount)];
  }
  return moved ? [lineOf(movement, "refund_back", "bank", "receivables", amount)] : [];
}

function lineOf(
  movement: JournalMovement,
  what: LineKind,
  debit: JournalAccount,
  credit: JournalAccount,
  amount: Cents,
): Line {
  const { day, iban, currency, reference } = movement;
  return { day, iban, debit, credit, amount, currency, what, reference };
}

/** All statements of an account that end on a day, combined. Balances are signed whole cents. */
export interface StatementDay {
  readonly iban: string;
  readonly endsOn: IsoDate;
  /** The last day of the previous statement; if that is missing, the day before `endsOn`. */
  readonly since: IsoDate;
  readonly name: string;
  readonly currency: string;
  readonly opening: number;
  readonly closing: number;
}

/** The lines, plus one for each statement with what else it contains: the bank lines then add up to its balances. */
export function balanced(lines: readonly Line[], statements: readonly StatementDay[]): readonly Line[] {
  const byAccount = Map.groupBy(lines, ({ iban }) => iban);
  const others = statements.flatMap((statement) => {
    const { iban, endsOn, since, name, currency } = statement;
    const own = (byAccount.get(iban) ?? []).filter(({ day }) => day > since && day <= endsOn);
    const difference = statement.closing - statement.opening - bankMovement(own);
    if (difference === 0) return [];
    const [debit, credit] = difference > 0 ? (["bank", "other"] as const) : (["other", "bank"] as const);
    const amount = cents(Math.abs(difference));
    return [{ day: endsOn, iban, debit, credit, amount, currency, what: "other" as const, reference: name }];
  });
  return [...lines, ...others].toSorted((a, b) => a.day.localeCompare(b.day));
}

/** The change of the bank account by the lines, in signed cents. */
function bankMovement(lines: readonly Line[]): number {
  return lines.reduce((sum, { debit, credit, amount }) => {
    if (debit === "bank") return sum + amount;
    return credit === "bank" ? sum - amount : sum;
  }, 0);
}

/** The number of an account in the merchant's chart of accounts. */
export function numberOf(numbers: Readonly<Record<JournalAccount, string>>, account: JournalAccount): string {
  return must(numbers[account], account);
}
