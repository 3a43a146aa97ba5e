/** How the simulated bank processes a file's payments: rejections, bookings and returns, with their days. */
import { addTargetDays } from "../../src/sepa/target.ts";
import type { IsoDate } from "../../src/lib/dates.ts";
import { cents, type Cents } from "../../src/lib/money.ts";
import type { ReceivedBlock, ReceivedCollection, ReceivedFile } from "./read.ts";

/** The outcome of a payment from this account, in the form of the sandbox's table of test IBANs. */
export type ScenarioOf = (iban: string) => {
  readonly kind: string;
  readonly code?: string;
  readonly message?: string;
};

interface BookingTerms {
  /** Null: as the file asks, block by block. */
  readonly booking: "collective" | "single" | null;
  /** TARGET days after settlement on which money goes back. */
  readonly returnAfterTargetDays: number;
  /** The other bank's fee for a return; the entry is the amount plus this. */
  readonly returnFee: Cents;
}

export interface Rejection {
  readonly block: ReceivedBlock;
  readonly collection: ReceivedCollection;
  readonly reason: Reason;
}

/** An ISO reason code, and a sentence about it. */
export interface Reason {
  readonly code: string;
  readonly text: string;
}

/** A line of the account. */
export type Booking = Credit | Return;

export interface Credit {
  readonly kind: "credit";
  readonly date: IsoDate;
  readonly block: ReceivedBlock;
  readonly amount: Cents;
  readonly collections: readonly ReceivedCollection[];
  /** Whether the line is one sum for several payments. */
  readonly collective: boolean;
  /** Whether it names them; not if they are the whole rest of the block, which the block's id identifies. */
  readonly detailed: boolean;
}

export interface Return {
  readonly kind: "return";
  readonly date: IsoDate;
  readonly block: ReceivedBlock;
  /** With the fee. */
  readonly amount: Cents;
  readonly fee: Cents;
  readonly collection: ReceivedCollection;
  readonly reason: Reason;
}

export function rejectionsOf(file: ReceivedFile, scenarioOf: ScenarioOf): readonly Rejection[] {
  return file.blocks.flatMap((block) =>
    block.collections.flatMap((collection) => {
      const { kind, code, message } = scenarioOf(collection.debtorIban);
      if (kind !== "decline") return [];
      return [{ block, collection, reason: { code: code ?? "MS03", text: message ?? "" } }];
    }),
  );
}

/** All lines of the account by day, credits before returns. */
export function bookingsOf(
  file: ReceivedFile,
  scenarioOf: ScenarioOf,
  terms: BookingTerms,
): readonly Booking[] {
  const bookings = file.blocks.flatMap((block) => {
    const due = Map.groupBy(block.collections, ({ debtorIban }) =>
      settledOn(block, scenarioOf(debtorIban).kind),
    );
    due.delete(null);
    const credits = [...due].flatMap(([date, collections]) =>
      date === null ? [] : creditsOf(block, date, collections, terms, due.size === 1),
    );
    return [...credits, ...credits.flatMap((credit) => returnsOf(credit, scenarioOf, terms))];
  });
  const key = ({ date, kind }: Booking) => `${date} ${kind}`;
  return bookings.toSorted((one, other) => (key(one) < key(other) ? -1 : Number(key(one) > key(other))));
}

/** Null for a payment that never settles. */
function settledOn({ dueDate }: ReceivedBlock, kind: string): IsoDate | null {
  if (kind === "decline") return null;
  return kind === "settle_later" ? addTargetDays(dueDate, 1) : dueDate;
}

function creditsOf(
  block: ReceivedBlock,
  date: IsoDate,
  collections: readonly ReceivedCollection[],
  { booking }: BookingTerms,
  whole: boolean,
): readonly Credit[] {
  const credit = { kind: "credit", date, block } as const;
  const collective = booking === null ? block.batchBooking : booking === "collective";
  if (collective) {
    const amount = cents(collections.reduce((sum, { amount }) => sum + amount, 0));
    return [{ ...credit, amount, collections, collective: true, detailed: !whole }];
  }
  return collections.map((collection) => ({
    ...credit,
    amount: collection.amount,
    collections: [collection],
    collective: false,
    detailed: true,
  }));
}

const REASONS: Readonly<Record<string, Reason>> = {
  charge_back: { code: "MD06", text: "Refund requested by the debtor" },
  return_later: { code: "AM04", text: "Insufficient funds" },
};

function returnsOf(
  { block, date, collections }: Credit,
  scenarioOf: ScenarioOf,
  terms: BookingTerms,
): readonly Return[] {
  return collections.flatMap((collection) => {
    const reason = REASONS[scenarioOf(collection.debtorIban).kind];
    if (reason === undefined) return [];
    const amount = cents(collection.amount + terms.returnFee);
    const returned = addTargetDays(date, terms.returnAfterTargetDays);
    return [{ kind: "return", date: returned, block, amount, fee: terms.returnFee, collection, reason }];
  });
}
