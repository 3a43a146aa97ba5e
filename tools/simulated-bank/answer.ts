/** The simulated bank's reports on a file of direct debits: rejections, credits and returns. Pure. */
import type { IsoDate } from "../../src/lib/dates.ts";
import { cents, type Cents } from "../../src/lib/money.ts";
import { checkReference } from "../../src/sepa/messages/file-rules.ts";
import { bookingsOf, rejectionsOf, type Reason, type ScenarioOf } from "./booking.ts";
import type { ReceivedFile } from "./read.ts";
import { notifications, statements, type AccountDay } from "./statement.ts";
import { fileRejectionReport, rejectionReport } from "./status-report.ts";

export interface AnswerOptions {
  /** Prefix of the names of this answer's documents and lines, followed by their kind: unique, at most 18 characters. */
  readonly id: string;
  /** When the bank reads the file, which is the time of its report. Statements are made at the end of their day. */
  readonly receivedAt: Date;
  /** Whether a block is credited as one sum or per payment; default: as the file asks. */
  readonly booking?: "collective" | "single";
  /** TARGET days from settlement to the return; default: two. */
  readonly returnAfterTargetDays?: number;
  /** Default: three euro. */
  readonly returnFee?: Cents;
  /** The account's balance before; negative if it is overdrawn. */
  readonly openingBalanceCents?: number;
  /** The first statement's number in the year. */
  readonly statementNumber?: number;
  /** The reason for which the bank rejects the whole file. */
  readonly rejectFile?: Reason;
}

export interface Answer {
  /** Payments rejected before settlement, or null. */
  readonly pain002: string | null;
  /** All lines of the account, each day with the statement's references; null when nothing was booked. */
  readonly camt054: string | null;
  /** A statement for every due date and every day with a line. */
  readonly camt053: string;
  /** The same statements and notifications, one document per day. */
  readonly days: readonly AnswerOfDay[];
  /** The opening balance of the next answer. */
  readonly closingBalanceCents: number;
}

interface AnswerOfDay {
  readonly date: IsoDate;
  readonly camt053: string;
  readonly camt054: string | null;
}

const ID_CHARS_MAX = 18;

export function answer(file: ReceivedFile, scenarioOf: ScenarioOf, options: AnswerOptions): Answer {
  checkId(options.id);
  const days = accountDays(file, scenarioOf, options);
  const last = days.at(-1);
  const createdAt = last?.createdAt ?? options.receivedAt;
  return {
    pain002: reportOf(file, scenarioOf, options),
    camt053: statements(`${options.id}-053`, createdAt, days),
    camt054: notifications(`${options.id}-054`, createdAt, days),
    days: days.map((day) => ({
      date: day.date,
      camt053: statements(`${day.id}-053`, day.createdAt, [day]),
      camt054: notifications(`${day.id}-054`, day.createdAt, [day]),
    })),
    closingBalanceCents: last?.closing ?? options.openingBalanceCents ?? 0,
  };
}

function reportOf(file: ReceivedFile, scenarioOf: ScenarioOf, options: AnswerOptions): string | null {
  const head = { messageId: `${options.id}-002`, createdAt: options.receivedAt };
  if (options.rejectFile !== undefined) return fileRejectionReport(head, file, options.rejectFile);
  const rejections = rejectionsOf(file, scenarioOf);
  return rejections.length === 0 ? null : rejectionReport(head, file, rejections);
}

function accountDays(
  file: ReceivedFile,
  scenarioOf: ScenarioOf,
  options: AnswerOptions,
): readonly AccountDay[] {
  const terms = {
    booking: options.booking ?? null,
    returnAfterTargetDays: options.returnAfterTargetDays ?? 2,
    returnFee: options.returnFee ?? cents(300),
  };
  const bookings = options.rejectFile === undefined ? bookingsOf(file, scenarioOf, terms) : [];
  const byDay = Map.groupBy(bookings, ({ date }) => date);
  const dates = new Set([...file.blocks.map(({ dueDate }) => dueDate), ...byDay.keys()]);
  let balance = options.openingBalanceCents ?? 0;
  return [...dates].toSorted().map((date, index) => {
    const ofDay = byDay.get(date) ?? [];
    const opening = balance;
    for (const { kind, amount } of ofDay) balance += kind === "credit" ? amount : 0 - amount;
    return {
      id: `${options.id}-${date.replaceAll("-", "")}`,
      date,
      number: (options.statementNumber ?? 1) + index,
      iban: file.creditorIban,
      createdAt: new Date(`${date}T20:30:00Z`),
      opening,
      closing: balance,
      bookings: ofDay,
    };
  });
}

/** So that it is a valid reference with a date, a kind or a line's number. */
function checkId(id: string): void {
  checkReference(id, "id", id);
  if (id.length > ID_CHARS_MAX) throw new Error("The id of an answer is too long");
}
