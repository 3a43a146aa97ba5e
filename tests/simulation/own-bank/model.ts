/**
 * The merchant's bank as the simulation of bank files has it, and the customers' accounts behind it: the reference that
 * the service is held against. It knows nothing of the service but the files it is handed.
 */
import { readElements, textAt, textsAt } from "../../../src/sepa/bank/elements.ts";
import { readPain008 } from "../../../src/sepa/bank/read.ts";
import type { Random } from "../random.ts";
import { booking, type Booking } from "./messages.ts";

/** What the bank will do with a collection, drawn when it comes in. */
type Fate = "pays" | "rejected" | "returned" | "returned_late" | "withdrawn";

/** One collection that the bank was told to make. */
export interface Debit {
  readonly reference: string;
  readonly messageId: string;
  readonly blockId: string;
  readonly mandate: string;
  readonly creditorId: string;
  readonly iban: string;
  readonly cents: number;
  readonly dueDate: string;
  readonly fate: Fate;
  readonly reason: string;
  state: "waiting" | "rejected" | "settled" | "returned" | "withdrawn";
  /** Cents given back by transfers that have left the account. */
  refunded: number;
  /** When a statement or report about its coming back was handed over; null while the merchant cannot know. */
  backToldAt: number | null;
}

/** What the debtor's bank knows of a mandate, since it first took a collection under it. */
interface KnownMandate {
  readonly creditorId: string;
  readonly scheme: string;
  readonly iban: string;
}

export interface BankModel {
  readonly debits: ReadonlyMap<string, Debit>;
  /** What the service did that no bank would have let pass. */
  readonly wrongs: string[];
  /** Takes a file of the service. @param at the simulated moment, in milliseconds. @returns what is rejected at once. */
  take(xml: string, at: number): Rejection | null;
  /** What is booked on a day. */
  book(day: string): readonly Booking[];
  /** The merchant has been handed what says that these came back. */
  told(bookings: readonly Booking[], at: number): void;
  /** The merchant has ended a mandate. */
  cancelled(mandate: string, at: number): void;
  /** The merchant gives a file out, so it can no longer be changed. */
  handedOut(xml: string, at: number): void;
}

export interface Rejection {
  readonly messageId: string;
  readonly level: "file" | "block" | "transaction";
  readonly blockId: string;
  readonly references: readonly string[];
  readonly reason: string;
}

const REJECT_REASONS = ["AC01", "AC04", "MD01", "AG02", "FF01", "AM04", "MS03", "BE04"] as const;
const RETURN_REASONS = ["AM04", "MS03", "MD06", "MD01", "AC06", "SL01", "ZZ99"] as const;

export function createBankModel(random: Random, firstSequenceType: string): BankModel {
  const debits = new Map<string, Debit>();
  const refunds = new Map<string, { readonly of: string; readonly cents: number; state: string }>();
  const mandates = new Map<string, KnownMandate>();
  const cancelledAt = new Map<string, number>();
  const firsts = new Set<string>();
  const wrongs: string[] = [];
  /** When each file was written down by the merchant: what it could know by then, it had to know. */
  const writtenAt = new Map<string, number>();

  const takeCollections = (xml: string): Rejection | null => {
    const file = readPain008(xml);
    const level = random.weighted({ none: 60, transaction: 26, block: 8, file: 6 });
    const [first] = file.blocks;
    const rejectedBlock = level === "block" ? (first?.id ?? "") : null;
    const references: string[] = [];
    for (const block of file.blocks) {
      for (const one of block.collections) {
        const written = writtenAt.get(file.messageId) ?? 0;
        if ((cancelledAt.get(one.mandateReference) ?? Infinity) < written)
          wrongs.push(
            `MANDATE-1: ${one.mandateReference} was cancelled before ${one.endToEndId} was written`,
          );
        if (debits.has(one.endToEndId)) wrongs.push(`MONEY-1: ${one.endToEndId} was sent to the bank twice`);
        const rejected =
          level === "file" || block.id === rejectedBlock || (level === "transaction" && random.chance(0.4));
        if (rejected) references.push(one.endToEndId);
        debits.set(one.endToEndId, {
          reference: one.endToEndId,
          messageId: file.messageId,
          blockId: block.id,
          mandate: one.mandateReference,
          creditorId: block.creditorIdentifier,
          iban: one.debtorIban,
          cents: one.amount,
          dueDate: block.dueDate,
          fate: rejected
            ? "rejected"
            : random.weighted({ pays: 55, returned: 20, returned_late: 15, withdrawn: 10 }),
          reason: random.pick(RETURN_REASONS),
          state: rejected ? "rejected" : "waiting",
          refunded: 0,
          backToldAt: null,
        });
        if (!rejected) checkMandate(xml, one.mandateReference, one.debtorIban, block);
      }
    }
    if (references.length === 0) return null;
    return {
      messageId: file.messageId,
      level: level as Rejection["level"],
      blockId: rejectedBlock ?? debits.get(references[0] ?? "")?.blockId ?? "",
      references,
      reason: random.pick(REJECT_REASONS),
    };
  };

  /** Who debits under what: a change that was not announced is what banks send back with MD02 or MD01. */
  const checkMandate = (
    xml: string,
    mandate: string,
    iban: string,
    {
      creditorIdentifier: creditorId,
      scheme,
      sequenceType,
    }: Pick<
      ReturnType<typeof readPain008>["blocks"][number],
      "creditorIdentifier" | "scheme" | "sequenceType"
    >,
  ): void => {
    const amendment = amendmentsOf(xml).get(mandate);
    const known = mandates.get(amendment?.originalMandate ?? mandate);
    if (known !== undefined) {
      if (known.scheme !== scheme)
        wrongs.push(`MANDATE-2: ${mandate} was signed for ${known.scheme} and debited as ${scheme}`);
      if (known.creditorId !== creditorId && amendment?.originalCreditorId !== known.creditorId)
        wrongs.push(
          `MANDATE-5: ${mandate} was given to ${known.creditorId}, and ${creditorId} debits it unannounced`,
        );
      if (known.iban !== iban && amendment?.accountChanged !== true)
        wrongs.push(`MANDATE-5: ${mandate} is debited at another account than before, unannounced`);
    }
    if (firstSequenceType === "FRST" && sequenceType === "FRST" && firsts.has(mandate))
      wrongs.push(`MANDATE-4: ${mandate} is FRST a second time`);
    firsts.add(mandate);
    mandates.set(mandate, { creditorId, scheme, iban });
  };

  const takeTransfers = (xml: string): void => {
    readElements(xml, {
      CdtTrfTxInf: (element) => {
        const reference = textAt(element, "PmtId/EndToEndId");
        const amount = element.children.find(({ name }) => name === "Amt")?.children[0]?.text ?? "";
        const cents = Math.round(Number(amount) * 100);
        const of = /TXN-\d{8}-[A-Z0-9]{8}/.exec(textsAt(element, "RmtInf/Ustrd").join(" "))?.[0] ?? "";
        const debit = debits.get(of);
        if (refunds.has(reference))
          wrongs.push(`MONEY-1: the refund ${reference} was sent to the bank twice`);
        refunds.set(reference, { of, cents, state: "sent" });
        if (debit === undefined)
          return void wrongs.push(`MONEY-5: ${reference} gives back ${of}, which the bank never collected`);
        debit.refunded += cents;
        if (textAt(element, "CdtrAcct/Id/IBAN") !== debit.iban)
          wrongs.push(`MONEY-6: ${reference} goes to another account than ${of} came from`);
        if (debit.refunded > debit.cents) wrongs.push(`MONEY-5: ${of} was given back more than once`);
        const written = writtenAt.get(textAt(rootOf(xml), "GrpHdr/MsgId")) ?? Infinity;
        if (debit.backToldAt !== null && debit.backToldAt < written)
          wrongs.push(`MONEY-7: ${reference} gives back ${of}, which was known to have gone back already`);
      },
    });
  };

  return {
    debits,
    wrongs,
    take: (xml) => (xml.includes("pain.008") ? takeCollections(xml) : (takeTransfers(xml), null)),
    cancelled(mandate, at) {
      cancelledAt.set(mandate, at);
    },
    handedOut(xml, at) {
      writtenAt.set(textAt(rootOf(xml), "GrpHdr/MsgId"), at);
    },
    book(day) {
      const booked: Booking[] = [];
      for (const debit of debits.values()) {
        if (debit.state === "waiting" && debit.dueDate <= day) {
          debit.state = "settled";
          booked.push(booking("credit", debit, debit.reason));
        } else if (debit.state === "settled" && bouncesOn(debit, day)) {
          debit.state = "returned";
          booked.push(booking("return", debit, debit.reason));
        } else if (debit.state === "returned" && debit.fate === "withdrawn" && random.chance(0.3)) {
          debit.state = "withdrawn";
          booked.push(booking("withdrawal", debit, debit.reason));
        }
      }
      for (const [reference, refund] of refunds) {
        if (refund.state !== "sent") continue;
        refund.state = "booked";
        booked.push(booking("transfer", { reference, cents: refund.cents, mandate: "" }, ""));
      }
      return booked;
    },
    told(bookings, at) {
      for (const { kind, reference } of bookings) {
        const debit = debits.get(reference);
        if (kind === "return" && debit !== undefined) debit.backToldAt ??= at;
      }
    },
  };

  function bouncesOn({ fate, dueDate }: Debit, day: string): boolean {
    const days = (Date.parse(day) - Date.parse(dueDate)) / 86_400_000;
    if (fate === "returned" || fate === "withdrawn") return days >= 2 && random.chance(0.5);
    return fate === "returned_late" && days >= 9 && random.chance(0.4);
  }
}

interface Announced {
  readonly originalMandate: string | null;
  readonly originalCreditorId: string | null;
  readonly accountChanged: boolean;
}

function amendmentsOf(xml: string): ReadonlyMap<string, Announced> {
  const found = new Map<string, Announced>();
  readElements(xml, {
    MndtRltdInf: (element) => {
      const details = element.children.find(({ name }) => name === "AmdmntInfDtls");
      if (details === undefined) return;
      found.set(textAt(element, "MndtId"), {
        originalMandate: textsAt(details, "OrgnlMndtId")[0] ?? null,
        originalCreditorId: textsAt(details, "OrgnlCdtrSchmeId/Id/PrvtId/Othr/Id")[0] ?? null,
        accountChanged: details.children.some(
          ({ name }) => name === "OrgnlDbtrAcct" || name === "OrgnlDbtrAgt",
        ),
      });
    },
  });
  return found;
}

function rootOf(xml: string) {
  const root = readElements(xml, {});
  return root.children[0] ?? root;
}
