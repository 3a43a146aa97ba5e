/**
 * A model of a merchant's bank with the customers' accounts, to which the service is compared. It knows of the service
 * only the files that it gets.
 */
import { addTargetDays, isTargetDay } from "../../../src/sepa/target.ts";
import { ISO_CODES } from "../../../src/sepa/reasons.ts";
import type { Random } from "../../../tools/random.ts";
import type { About, BankFile, Booking, BookingKind, Naming, Rejection } from "./bookings.ts";
import { readOrder, type DebitOrder, type Order, type TransferOrder } from "./orders.ts";
import { statusReport, type Answered } from "./status.ts";
import type { Messages } from "./messages.ts";
import { isWeekly, type Habits, type Plan } from "./trouble.ts";

/** The outcome of a collection, drawn when the bank receives it. */
type Fate =
  | "pays"
  | "rejected"
  | "returned"
  | "refunded"
  | "recredited"
  | "returned_twice"
  | "credited_twice"
  /** Credited twice, then one of the credits is returned. */
  | "corrected"
  | "returned_in_part"
  | "foreign"
  /** Rejected by a report, and paid nevertheless. */
  | "paid_though_rejected"
  /** Rejected by a report of a later day, and the money returned then. */
  | "rejected_though_paid"
  /** Never booked and never reported. */
  | "silent";

export interface Debit extends DebitOrder, About {
  readonly account: string;
  readonly messageId: string;
  readonly fate: Fate;
  readonly reason: string;
  /** The days of credits, returns and reinstatements. */
  readonly creditedOn: string[];
  readonly returnedOn: string[];
  readonly recreditedOn: string[];
  rejected: boolean;
  /** The number of steps that an unusual outcome has taken. */
  steps: number;
  refunded: number;
  /** When a file with the return was delivered, in milliseconds; null while the merchant cannot know of it. */
  backToldAt: number | null;
  /** Delivered reports of returns less delivered reports of reinstatements. */
  net: number;
}

export interface Transfer extends TransferOrder, About {
  readonly account: string;
  readonly fate: "pays" | "rejected" | "comes_back" | "twice" | "silent";
  state: "sent" | "rejected" | "booked" | "back" | "twice";
}

export interface BankModel {
  readonly debits: ReadonlyMap<string, Debit>;
  readonly transfers: ReadonlyMap<string, Transfer>;
  /** Violations that the bank can see in the service's files. */
  readonly wrongs: string[];
  has(messageId: string): boolean;
  /** The first reference that the bank had for a mandate. */
  rootOf(mandate: string): string;
  /**
   * Receives a file of the service on a banking day. @returns status reports: one for now, and at times one for later.
   */
  take(xml: string, today: string): readonly BankFile[];
  /** Status reports of a day that reject debits that were booked before. */
  reports(day: string): readonly BankFile[];
  /** The bookings of a day, by account. */
  book(day: string): ReadonlyMap<string, readonly Booking[]>;
  /** A file with this return was delivered. @param at in milliseconds; null: the file has a reinstatement. */
  toldBack(booking: Booking, at: number | null): void;
  /** The merchant has ended a mandate, or a subscription. @param kept references that may still be debited. */
  ended(mandate: string, kept: readonly string[], at: number): void;
  /** The merchant has stopped a payment before it was sent to the bank. @param at in milliseconds. */
  stopped(reference: string, at: number): void;
  /** The merchant has changed a mandate's reference. */
  renamed(before: string, now: string): void;
  /** Whether the customer may still take the money back. */
  mayComeBack(reference: string, day: string): boolean;
  /** The customer was told that the debit is not before this day. */
  promised(reference: string, day: string): void;
  /** A booking that is not the merchant's. */
  stranger(account: string, day: string, kind: "stranger" | "lookalike", reference: string): Booking;
}

export function createBankModel(
  random: Random,
  habits: Habits,
  messages: Messages,
  {
    firstSequenceType,
    assumeAfter,
    trait,
    skewMs,
    extra,
  }: Pick<Plan, "firstSequenceType" | "assumeAfter" | "trait" | "skewMs" | "extra">,
): BankModel {
  /** A file has the time of the instance that wrote it, whose clock may be ahead. */
  const aheadMs = Math.max(skewMs ?? 0, 0);
  const debits = new Map<string, Debit>();
  const transfers = new Map<string, Transfer>();
  const orders = new Set<string>();
  const mandates = new Map<string, { creditorId: string; scheme: string; iban: string; usedOn: string }>();
  /** The former reference of each mandate, and the references of mandates in files that the bank has received. */
  const formers = new Map<string, string>();
  const heard = new Set<string>();
  const firsts = new Set<string>();
  const ends = new Map<string, { readonly kept: readonly string[]; readonly at: number }>();
  const promises = new Map<string, string>();
  const sums: {
    readonly on: string;
    readonly kind: "credit" | "transfer";
    readonly of: readonly About[];
    readonly account: string;
  }[] = [];
  /** Second parts of sums, and fees that are booked separately. */
  let later: { readonly on: string; readonly make: (day: string) => Booking }[] = [];
  const roots = new Map<string, string>();
  const stops = new Map<string, number>();
  const wrongs: string[] = [];
  const told = new Set<number>();
  let numbers = 0;

  const booking = (
    day: string,
    kind: BookingKind,
    account: string,
    of: readonly About[],
    more: Partial<Booking> = {},
  ): Booking => {
    numbers += 1;
    return {
      number: numbers,
      account,
      day,
      kind,
      of,
      cents: of.reduce((sum, { cents }) => sum + cents, 0),
      fee: 0,
      currency: "EUR",
      reason: "",
      naming: "id",
      marked: true,
      ...more,
    };
  };

  /** Whether a repeated booking is booked on the same day. */
  const onOneDay = (): boolean => extra === "seconds" && random.chance(0.7);
  /** How much more frequent repeated bookings are with the extra `seconds`. */
  const more = extra === "seconds" ? 4 : 1;
  const isLate = trait === "contradicts";
  const isMeanwhile = extra === "meanwhile";
  const paysRefused = isLate ? 0.7 : 0.2;
  const namings: readonly Naming[] = trait === "amends" ? ["mandate"] : ["mandate", "instruction", "nothing"];
  /** Where a seed is mostly about renewals, only reasons after which they are retried. */
  const refusals = isWeekly(trait) ? ["AM04", "MS03", "FF10"] : ISO_CODES;
  /** Within a sum there is no silence, because the bank would book the rest of it. */
  const silenceIn = ({ batchBooking }: Order): number => (trait === "silence" && !batchBooking ? 25 : 0);

  const fateOf = (order: Order, rejected: boolean): Fate => {
    if (rejected)
      return random.chance(habits.contradicts * paysRefused) ? "paid_though_rejected" : "rejected";
    return random.weighted<Fate>({
      pays: 50,
      rejected: 0,
      returned: 22 * habits.returns,
      refunded: (isMeanwhile ? 72 : 24) * habits.returns,
      recredited: 9 * habits.odd,
      returned_twice: 4 * habits.odd * more,
      credited_twice: 4 * habits.odd * more,
      corrected: isLate ? 14 : 0,
      returned_in_part: 3 * habits.odd,
      foreign: (isMeanwhile ? 12 : 3) * habits.odd,
      paid_though_rejected: 0,
      rejected_though_paid: 5 * habits.contradicts,
      silent: silenceIn(order),
    });
  };

  const takeDebits = (order: Order, today: string): Answered => {
    const level = random.weighted({
      none: 60,
      transaction: 35 * habits.rejects,
      block: 8 * habits.rejects,
      file: 6 * habits.rejects,
    });
    const reason = random.pick(ISO_CODES);
    const refusedBlock = level === "block" ? random.pick(order.blocks).id : null;
    const rejected: Rejection[] = [];
    if (today > addTargetDays(order.dueDate, -1))
      wrongs.push(`FILE-4: ${order.messageId} is due on ${order.dueDate} and came to the bank on ${today}`);
    if (!isTargetDay(order.dueDate))
      wrongs.push(`FILE-4: ${order.messageId} is due on ${order.dueDate}, when banks are closed`);
    for (const one of order.debits) {
      const refused =
        level === "file" || one.blockId === refusedBlock || (level === "transaction" && random.chance(0.4));
      if (refused)
        rejected.push({
          reference: one.reference,
          reason: level === "transaction" ? random.pick(refusals) : reason,
        });
      checkDebit(order, one, !refused);
      debits.set(one.reference, {
        ...one,
        account: order.account,
        messageId: order.messageId,
        fate: fateOf(order, refused),
        reason: random.pick([...ISO_CODES, "AM04", "MS03", "MD06", "ZZ99"]),
        creditedOn: [],
        returnedOn: [],
        recreditedOn: [],
        rejected: refused,
        steps: 0,
        refunded: 0,
        backToldAt: null,
        net: 0,
      });
    }
    if (order.batchBooking)
      for (const { id } of order.blocks) {
        const of = order.debits.flatMap(
          ({ reference, blockId }) => debits.get(blockId === id ? reference : "") ?? [],
        );
        if (random.chance(0.7))
          sums.push({
            on: order.dueDate,
            kind: "credit",
            of: of.filter(({ rejected: no }) => !no),
            account: order.account,
          });
      }
    return { ...order, level: rejected.length === 0 ? "none" : level, rejected };
  };

  /**
   * Checks the parties and the mandate of a debit. Banks return a debit whose mandate was changed without an amendment.
   */
  const checkDebit = ({ createdAt, messageId }: Order, one: DebitOrder, accepted: boolean): void => {
    const { reference, mandate, iban, scheme, creditorId, announced, sequenceType, dueDate } = one;
    if (debits.has(reference)) wrongs.push(`MONEY-1: ${reference} was sent to the bank twice`);
    if ((stops.get(reference) ?? Infinity) + aheadMs < createdAt)
      wrongs.push(`MONEY-2: ${reference} was written into ${messageId} after the merchant had stopped it`);
    if (iban.startsWith("CH") && !/\w/.test(one.town))
      wrongs.push(`MANDATE-7: ${reference} debits an account outside the EEA, and no town is told`);
    const former = announced?.mandate ?? mandate;
    if (former !== mandate) roots.set(mandate, roots.get(former) ?? former);
    const end = ends.get(mandate) ?? ends.get(announced?.mandate ?? "");
    if (end !== undefined && end.at + aheadMs < createdAt && !end.kept.includes(reference))
      wrongs.push(`MANDATE-1: ${reference} was written into ${messageId} after ${mandate} had ended`);
    const promise = promises.get(reference);
    if (promise !== undefined && dueDate < promise)
      wrongs.push(
        `MANDATE-3: ${reference} is due on ${dueDate}, and the customer was told ${promise} at the earliest`,
      );
    const known = mandates.get(announced?.mandate ?? mandate) ?? mandates.get(mandate);
    const usedOn = [one.signedOn, known?.usedOn ?? ""].toSorted().at(-1) ?? "";
    if (Temporal.PlainDate.from(usedOn).add({ months: 36, days: 21 }).toString() < dueDate)
      wrongs.push(`MANDATE-1: ${mandate} was last used on ${usedOn} and is debited on ${dueDate}`);
    if (
      firstSequenceType === "FRST" &&
      sequenceType === "FRST" &&
      (firsts.has(mandate) || firsts.has(announced?.mandate ?? ""))
    )
      wrongs.push(`MANDATE-4: ${mandate} is FRST a second time`);
    if (!accepted) return;
    firsts.add(mandate);
    if (known !== undefined) {
      if (known.scheme !== scheme)
        wrongs.push(`MANDATE-2: ${mandate} was signed for ${known.scheme} and debited as ${scheme}`);
      if (known.creditorId !== creditorId && announced?.creditorId !== known.creditorId)
        wrongs.push(
          `MANDATE-5: ${mandate} was given to ${known.creditorId}, and ${creditorId} debits it unannounced`,
        );
      if (known.iban !== iban && announced?.account !== true)
        wrongs.push(`MANDATE-5: ${mandate} is debited at another account than before, unannounced`);
    }
    const names = namesBefore(mandate).filter((name) => heard.has(name));
    if (!heard.has(mandate) && names.length > 0 && !names.includes(announced?.mandate ?? ""))
      wrongs.push(`MANDATE-5: the bank knows ${mandate} as ${names[0]}, and nothing says so`);
    learn(one);
  };

  const namesBefore = (mandate: string): readonly string[] => {
    const former = formers.get(mandate);
    return former === undefined ? [] : [former, ...namesBefore(former)];
  };

  /** Stores what a bank knows of a mandate after a debit. */
  const learn = ({ mandate, announced, creditorId, scheme, iban, dueDate }: DebitOrder): void => {
    heard.add(mandate).add(announced?.mandate ?? mandate);
    mandates.set(mandate, { creditorId, scheme, iban, usedOn: dueDate });
  };

  const takeTransfers = (order: Order): Answered => {
    const level = random.weighted({ none: 70, transaction: 25 * habits.rejects, file: 8 * habits.rejects });
    const rejected: Rejection[] = [];
    const debitOf = new Map(order.transfers.map(({ reference, of }) => [reference, of]));
    for (const one of order.transfers) {
      const refused = level === "file" || (level === "transaction" && random.chance(0.5));
      if (refused) rejected.push({ reference: one.reference, reason: "AC04" });
      if ((stops.get(one.reference) ?? Infinity) + aheadMs < order.createdAt)
        wrongs.push(
          `MONEY-2: ${one.reference} was written into ${order.messageId} after the merchant had stopped it`,
        );
      if (transfers.has(one.reference))
        wrongs.push(`MONEY-1: the refund ${one.reference} was sent to the bank twice`);
      checkTransfer(order, one, refused);
      transfers.set(one.reference, {
        ...one,
        account: order.account,
        mandate: "",
        blockId: one.reverses === null ? (order.blocks[0]?.id ?? "") : one.blockId,
        messageId: order.messageId,
        ...(one.reverses === null ? {} : { debit: one.of }),
        fate: refused
          ? "rejected"
          : random.weighted({
              pays: 80,
              rejected: 0,
              comes_back: one.reverses === null ? 12 * habits.odd : 0,
              twice: one.reverses === null ? 6 * habits.odd * more : 0,
              silent: silenceIn(order),
            }),
        state: refused ? "rejected" : "sent",
      });
    }
    const answered = { ...order, level: rejected.length === 0 ? "none" : level, rejected } as const;
    if (order.family !== "pain.007") return answered;
    return { ...answered, nameOf: (reference) => debitOf.get(reference) ?? reference };
  };

  const checkTransfer = (
    { createdAt }: Order,
    { reference, of, cents, iban, reverses }: TransferOrder,
    refused: boolean,
  ): void => {
    const debit = debits.get(of);
    if (debit === undefined)
      return void wrongs.push(`MONEY-5: ${reference} gives back ${of}, which the bank never collected`);
    if (!refused) debit.refunded += cents;
    if (reverses !== null) checkReversal(debit, reference, cents, reverses, createdAt);
    if (iban !== debit.iban)
      wrongs.push(`MONEY-6: ${reference} goes to another account than ${of} came from`);
    if (debit.refunded > debit.cents) wrongs.push(`MONEY-5: ${of} was given back more than once`);
    if (debit.backToldAt !== null && debit.backToldAt < createdAt)
      wrongs.push(
        `MONEY-7: ${reference} gives back ${of}, which was known to have gone back already since ${new Date(debit.backToldAt).toISOString()}; written ${new Date(createdAt).toISOString()}`,
      );
    // Where silence is settlement, the money counts as credited on the due date.
    const credited = assumeAfter === null ? debit.creditedOn[0] : debit.dueDate;
    const written = new Date(createdAt).toISOString().slice(0, 10);
    const isTransfer = reverses === null;
    if (
      isTransfer &&
      credited !== undefined &&
      debit.returnedOn.length === 0 &&
      credited > addTargetDays(written, -7)
    )
      wrongs.push(
        `MONEY-5: ${reference} gives back ${of} on ${written}, though it was booked on ${credited} and can come back by itself`,
      );
  };

  /** The bank has the debit and its money, and accepts a reversal of the full amount for five days. */
  const checkReversal = (
    debit: Debit,
    reference: string,
    cents: number,
    named: NonNullable<TransferOrder["reverses"]>,
    createdAt: number,
  ): void => {
    const { messageId, blockId, dueDate, mandate } = debit;
    const written = new Date(createdAt).toISOString().slice(0, 10);
    if (cents !== debit.cents) wrongs.push(`MONEY-5: ${reference} reverses a part of ${debit.reference}`);
    if (addTargetDays(dueDate, 5) < written)
      wrongs.push(`FILE-4: ${reference} reverses on ${written} what was due on ${dueDate}`);
    if (debit.creditedOn.length === 0)
      wrongs.push(`MONEY-5: ${reference} reverses ${debit.reference}, which was never credited`);
    const were = JSON.stringify([messageId, blockId, dueDate, mandate]);
    const are = JSON.stringify([named.messageId, named.blockId, named.dueDate, named.mandate]);
    if (are !== were)
      wrongs.push(`MONEY-6: ${reference} says ${are} of ${debit.reference}, and the bank has ${were}`);
  };

  /** A debit's next step on this day. */
  const step = (debit: Debit, day: string): readonly Booking[] => {
    const { fate, account, dueDate } = debit;
    const since = (days: readonly string[], targetDays: number) => {
      const last = days.at(-1);
      return last !== undefined && addTargetDays(last, targetDays) <= day;
    };
    const out = (kind: BookingKind): readonly Booking[] => {
      debit.returnedOn.push(day);
      const fee = random.chance(habits.fees * 0.4) ? random.pick([300, 475, 1_990]) : 0;
      if (random.chance(habits.fees * 0.4) && fee === 0)
        later.push({ on: random.pick([day, addTargetDays(day, 1)]), make: (on) => feeOf(debit, on) });
      const naming = random.chance(habits.vague * 0.5) ? random.pick(namings) : "id";
      const marked = !random.chance(habits.vague * 0.3);
      const reason = fate === "refunded" ? "MD06" : debit.reason;
      return [
        booking(day, kind, account, [debit], { fee, cents: debit.cents + fee, naming, marked, reason }),
      ];
    };
    const twice = (first: readonly Booking[], kind: BookingKind, more: Partial<Booking> = {}) => {
      if (first.length === 0 || !onOneDay()) return first;
      debit.steps = 1;
      return [...first, booking(day, kind, account, [debit], more)];
    };
    if (debit.creditedOn.length === 0) {
      if (debit.rejected && fate !== "paid_though_rejected") return [];
      const inSum = sums.some(({ of }) => of.includes(debit));
      if (inSum || dueDate > day || fate === "silent") return [];
      if (isLate && debit.rejected && random.chance(0.8)) return [];
      debit.creditedOn.push(day);
      // A payment makes the mandate of a rejected debit known to the bank as well.
      if (debit.rejected && dueDate >= (mandates.get(debit.mandate)?.usedOn ?? "")) learn(debit);
      const naming: Naming = random.chance(habits.vague * 0.2) ? "instruction" : "id";
      const credit = [booking(day, "credit", account, [debit], { naming })];
      return fate === "credited_twice" ? twice(credit, "credit_again") : credit;
    }
    const wait = random.chance(isMeanwhile && fate === "refunded" ? 0.7 : 0.5);
    switch (fate) {
      case "paid_though_rejected":
        if (!isLate || debit.returnedOn.length > 0 || !since(debit.creditedOn, 3) || wait) return [];
        return out("return");
      case "returned":
        if (debit.returnedOn.length > 0 || !since(debit.creditedOn, 1) || wait) return [];
        return out("return");
      case "refunded":
        if (debit.returnedOn.length > 0 || !since(debit.creditedOn, 7) || wait) return [];
        return out("return");
      case "rejected_though_paid":
        // The booking follows once the status report was written (`reports`).
        if (debit.steps !== 1 || wait) return [];
        debit.steps = 2;
        return out("return");
      case "recredited":
        if (debit.returnedOn.length === 0) return since(debit.creditedOn, 2) && !wait ? out("return") : [];
        if (debit.recreditedOn.length === 0) {
          if (!since(debit.returnedOn, 1) || wait) return [];
          debit.recreditedOn.push(day);
          return [booking(day, "recredit", account, [debit], { marked: random.chance(0.6) })];
        }
        return debit.returnedOn.length === 1 && debit.reason === "MS03" && since(debit.recreditedOn, 3)
          ? out("return")
          : [];
      case "returned_twice":
        if (debit.returnedOn.length === 0)
          return since(debit.creditedOn, 1) && !wait
            ? twice(out("return"), "return_again", { reason: debit.reason })
            : [];
        if (debit.steps > 0 || !since(debit.returnedOn, 2)) return [];
        debit.steps = 1;
        return [booking(day, "return_again", account, [debit], { reason: debit.reason })];
      case "corrected":
        if (debit.recreditedOn.length === 0) {
          if (!since(debit.creditedOn, 1) || wait) return [];
          debit.recreditedOn.push(day);
          return [booking(day, "credit_ahead", account, [debit])];
        }
        return debit.returnedOn.length === 0 && since(debit.recreditedOn, 1) && !wait ? out("return") : [];
      case "credited_twice":
        if (debit.steps > 0 || !since(debit.creditedOn, 1) || wait) return [];
        debit.steps = 1;
        return [booking(day, "credit_again", account, [debit])];
      case "returned_in_part":
        if (debit.steps > 0 || !since(debit.creditedOn, 2) || wait) return [];
        debit.steps = 1;
        // A bank books no return of 0.00, so of a trial for 1.00 a part is returned as well.
        return [
          booking(day, "return_part", account, [debit], {
            cents: Math.max(1, debit.cents - 100),
            reason: "AM09",
          }),
        ];
      case "foreign":
        if (debit.steps > 0 || !since(debit.creditedOn, 2) || wait) return [];
        debit.steps = 1;
        return [booking(day, "foreign_currency", account, [debit], { currency: "CHF", reason: "AM04" })];
      default:
        return [];
    }
  };

  const feeOf = (debit: Debit, day: string): Booking =>
    booking(day, "fee", debit.account, [debit], { cents: random.pick([300, debit.cents]) });

  const bookTransfer = (one: Transfer, day: string): readonly Booking[] => {
    switch (one.state) {
      case "sent":
        if (one.fate === "silent" || sums.some(({ of }) => of.includes(one))) return [];
        one.state = "booked";
        if (one.fate === "twice" && onOneDay()) {
          one.state = "twice";
          return [
            booking(day, "transfer", one.account, [one]),
            booking(day, "transfer_again", one.account, [one]),
          ];
        }
        if (one.reverses !== null)
          return [
            booking(day, "reversal", one.account, [one], { marked: !random.chance(habits.vague * 0.3) }),
          ];
        return [booking(day, "transfer", one.account, [one], { marked: !random.chance(habits.vague * 0.3) })];
      case "booked":
        if (one.fate === "comes_back" && random.chance(0.4)) {
          one.state = "back";
          return [booking(day, "transfer_back", one.account, [one])];
        }
        if (one.fate === "twice" && random.chance(0.4)) {
          one.state = "twice";
          return [booking(day, "transfer_again", one.account, [one])];
        }
        return [];
      default:
        return [];
    }
  };

  const bookSum = ({ kind, of, account }: (typeof sums)[number], day: string): readonly Booking[] => {
    if (of.length === 0) return [];
    const naming: Naming = random.chance(0.8) ? "block" : "file";
    const whole = of.every(({ messageId }) => messageId === of[0]?.messageId);
    const named = {
      naming:
        whole &&
        [...debits.values(), ...transfers.values()].filter(
          ({ messageId, blockId }) => messageId === of[0]?.messageId && blockId !== of[0]?.blockId,
        ).length === 0
          ? naming
          : "block",
    } as const;
    if (kind === "transfer") return [booking(day, "transfer_sum", account, of, named)];
    const cents = of.reduce((sum, one) => sum + one.cents, 0);
    if (random.chance(habits.splits * 0.8)) {
      if (random.chance(0.5))
        return [booking(day, "sum_less", account, of, { ...named, cents: cents - 25, fee: 25 })];
      const first = 1 + random.below(cents - 1);
      later.push({
        on: addTargetDays(day, 1),
        make: (on) => booking(on, "sum_part", account, of, { ...named, cents: cents - first }),
      });
      return [booking(day, "sum_part", account, of, { ...named, cents: first })];
    }
    return [booking(day, "sum", account, of, named)];
  };

  return {
    debits,
    transfers,
    wrongs,
    has: (messageId) => orders.has(messageId),
    take(xml, today) {
      const order = readOrder(xml);
      if (orders.has(order.messageId)) wrongs.push(`MONEY-1: ${order.messageId} was given to the bank twice`);
      orders.add(order.messageId);
      const answered = order.family === "pain.008" ? takeDebits(order, today) : takeTransfers(order);
      if (order.family === "pain.001" && order.batchBooking)
        sums.push({
          on: order.dueDate,
          kind: "transfer",
          of: order.transfers
            .flatMap(({ reference }) => transfers.get(reference) ?? [])
            .filter(({ fate }) => fate !== "rejected"),
          account: order.account,
        });
      const noisy = random.chance(habits.noise);
      if (answered.level === "none" && !noisy) return [];
      return [statusReport(random, messages.nextId(order.account), today, answered, noisy)];
    },
    reports(day) {
      const files: BankFile[] = [];
      for (const debit of debits.values()) {
        const credited = debit.creditedOn.at(-1);
        if (
          debit.fate !== "rejected_though_paid" ||
          debit.steps > 0 ||
          credited === undefined ||
          credited >= day
        )
          continue;
        debit.steps = 1;
        const { account, messageId, blockId: id, reference, reason } = debit;
        const blocks = [{ id, references: [reference] }];
        const answered: Answered = {
          account,
          messageId,
          family: "pain.008",
          blocks,
          level: "transaction",
          rejected: [{ reference, reason }],
        };
        files.push(statusReport(random, messages.nextId(account), day, answered, false));
      }
      return files;
    },
    book(day) {
      const booked: Booking[] = [];
      const due = sums.filter(({ on }) => on <= day);
      for (const sum of due) {
        sums.splice(sums.indexOf(sum), 1);
        for (const one of sum.of) {
          if ("creditedOn" in one) (one as Debit).creditedOn.push(day);
          else if ("state" in one) (one as Transfer).state = "booked";
        }
        booked.push(...bookSum(sum, day));
      }
      const ready = later.filter(({ on }) => on <= day);
      later = later.filter(({ on }) => on > day);
      for (const { make } of ready) {
        const one = make(day);
        booked.push(one);
        if (one.kind === "fee" && onOneDay())
          booked.push(booking(day, "fee_again", one.account, one.of, { cents: 300 }));
      }
      for (const debit of debits.values())
        if (!booked.some(({ of }) => of.includes(debit))) booked.push(...step(debit, day));
      for (const transfer of transfers.values())
        if (!booked.some(({ of }) => of.includes(transfer))) booked.push(...bookTransfer(transfer, day));
      return Map.groupBy(booked, ({ account }) => account);
    },
    toldBack({ number, of }, at) {
      if (told.has(number)) return;
      told.add(number);
      for (const { reference } of of) {
        const debit = debits.get(reference);
        if (debit === undefined) continue;
        debit.net += at === null ? -1 : 1;
        debit.backToldAt = debit.net > 0 ? (debit.backToldAt ?? at) : null;
      }
    },
    rootOf: (mandate) => roots.get(mandate) ?? mandate,
    stopped(reference, at) {
      stops.set(reference, at);
    },
    ended(mandate, kept, at) {
      if (!ends.has(mandate)) ends.set(mandate, { kept, at });
    },
    renamed(before, now) {
      formers.set(now, before);
    },
    mayComeBack(reference, day) {
      const debit = debits.get(reference);
      const [credited] = debit?.creditedOn ?? [];
      if (debit?.fate !== "refunded" || debit.returnedOn.length > 0 || credited === undefined) return false;
      return addTargetDays(credited, 7) <= day;
    },
    promised(reference, day) {
      promises.set(reference, day);
    },
    stranger: (account, day, kind, reference) =>
      booking(day, kind, account, [{ reference, mandate: "", blockId: "", messageId: "", cents: 4_711 }], {
        naming: "id",
      }),
  };
}
