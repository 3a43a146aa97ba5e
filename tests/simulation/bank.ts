/** The bank: a gateway that keeps the truth about money, behind a line on which anything can happen to a call. */
import Type from "typebox";
import type {
  Adapter,
  Collection,
  Gateway,
  News,
  StatusNews,
  Outcome,
  Refund,
  RefundOutcome,
} from "../../src/gateways/gateway.ts";
import { reasonOf } from "../../src/gateways/reasons.ts";
import type { Gate } from "./gate.ts";
import type { Random } from "./random.ts";

export type EntryState =
  | "fenced"
  | "refused"
  | "awaiting"
  | "charged"
  | "pending"
  | "settled"
  | "returned"
  | "charged_back"
  | "given";

/** What the bank has under a reference of ours. */
export interface Entry {
  readonly reference: string;
  readonly kind: "sale" | "refund" | "unknown";
  readonly gatewayId: string;
  readonly amount: number;
  readonly at: Date;
  /** Whom it debits: the session of a first payment (its page), the mandate of every one. */
  readonly returnUrl: string;
  readonly mandate: string;
  readonly recurring: boolean;
  readonly original: string | null;
  readonly reasonCode: string;
  readonly confirmedPays: boolean;
  state: EntryState;
  decision: "confirmed" | "rejected" | null;
  /** Given back of it. */
  refunded: number;
}

interface Told {
  readonly news: News;
  /** Which of the merchant's accounts is told; null: each. */
  readonly gatewayId: string | null;
  acknowledged: boolean;
}

export interface Bank {
  readonly adapter: Adapter;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Everything that a session's customer was debited with for good or for now. */
  chargesOf(sessionToken: string): readonly Entry[];
  /** A day at the bank: something that is open goes on. False when nothing is. */
  work(): boolean;
  /** Takes back what was paid; false when there is nothing to take back. @param told whether news of it follow. */
  chargeBack(reference: string, told: boolean): boolean;
  /** A customer at the bank's page decides. */
  decide(): boolean;
  /** A call that was given up long ago reaches the bank after all. */
  arriveLate(): boolean;
  /** Tells of a payment of somebody else, which nobody here can write down. */
  tellOfStranger(): void;
  /** Tells of every chargeback that only the merchant's papers have told of. */
  tellOfChargebacks(): void;
  /** How many notices of our payments nobody has acknowledged. */
  untold(): number;
  reset(random: Random): void;
}

export interface BankParts {
  readonly gate: Gate;
  readonly now: () => Date;
  /** How many of the calls fail, from 0 to 1. */
  readonly faults: () => number;
  readonly trace: (line: string) => void;
}

/** A reference that is not of this service. */
export const STRANGER = "TXN-20200101-STRANGER";
/** States in which money is with the merchant, or on its way there. */
export const TAKEN: ReadonlySet<EntryState> = new Set(["charged", "pending", "settled", "charged_back"]);
const RETURN_REASONS = ["AM04", "AC04", "MS03", "MD06", "AG02", "FF10"] as const;
const FAULTS = {
  not_reached: 6,
  lost_before: 6,
  lost_after: 7,
  late: 5,
  garbage: 3,
  twice: 3,
} as const;

export function createBank({ gate, now, faults, trace }: BankParts): Bank {
  const entries = new Map<string, Entry>();
  let told: Told[] = [];
  let late: (() => void)[] = [];
  let random: Random;

  const over = async <T>(what: string, effect: () => T): Promise<T> => {
    const fault = random.chance(faults()) ? random.weighted(FAULTS) : "none";
    if (fault === "not_reached") {
      await gate.pass(`${what} does not reach the bank`, () => {});
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    }
    if (fault === "lost_before" || fault === "late") {
      if (fault === "late") late.push(() => void effect());
      await gate.pass(`${what} is ${fault}`, () => {});
      throw new Error("The gateway did not answer in time.");
    }
    const result = await gate.pass(`${what} at the bank`, () => {
      if (fault === "twice") effect();
      return effect();
    });
    await gate.pass(`${what} answered${fault === "none" ? "" : `, ${fault}`}`, () => {});
    if (fault === "lost_after") throw new Error("socket hang up");
    if (fault === "garbage") throw new SyntaxError("Unexpected token '<'");
    return result;
  };
  const news = (entry: Entry, kind: StatusNews["kind"]): void => {
    const { reference } = entry;
    const notice: News =
      kind === "settled"
        ? { kind, reference, at: now() }
        : { kind, reference, at: now(), reasonCode: entry.reasonCode, reasonMessage: null };
    told.push({ news: notice, gatewayId: entry.gatewayId, acknowledged: false });
  };
  const open = (entry: Partial<Entry> & Pick<Entry, "reference" | "kind" | "state" | "amount">): Entry => {
    const made: Entry = {
      at: now(),
      gatewayId: "",
      returnUrl: "",
      mandate: "",
      recurring: false,
      original: null,
      reasonCode: random.pick(RETURN_REASONS),
      confirmedPays: random.chance(0.5),
      decision: null,
      refunded: 0,
      ...entry,
    };
    entries.set(made.reference, made);
    return made;
  };
  const move = (entry: Entry, state: EntryState): void => {
    trace(`bank: ${entry.reference} ${entry.state} → ${state}`);
    entry.state = state;
  };
  const capture = (entry: Entry): void => move(entry, random.chance(0.3) ? "pending" : "charged");

  const collect = (gatewayId: string, collection: Collection): Outcome => {
    const { reference, amount, sequenceType, returnUrl, mandate } = collection;
    const known = entries.get(reference);
    if (known !== undefined) return outcomeOf(known);
    const recurring = sequenceType === "RCUR";
    const state = random.weighted(
      recurring
        ? { charged: 55, pending: 20, refused: 20, awaiting: 5 }
        : { charged: 45, pending: 15, refused: 20, awaiting: 20 },
    );
    return outcomeOf(
      open({
        reference,
        kind: "sale",
        gatewayId,
        amount,
        state,
        returnUrl,
        mandate: mandate.reference,
        recurring,
      }),
    );
  };
  const refund = (gatewayId: string, { reference, original, amount }: Refund): RefundOutcome => {
    const known = entries.get(reference);
    if (known !== undefined) return refundOutcomeOf(known);
    const sale = entries.get(original.reference);
    const able =
      sale !== undefined &&
      (sale.state === "charged" || sale.state === "settled") &&
      sale.refunded + amount <= sale.amount;
    const state: EntryState = able ? random.weighted({ given: 60, pending: 25, refused: 15 }) : "refused";
    if (sale !== undefined && state !== "refused") sale.refunded += amount;
    const given = {
      reference,
      kind: "refund",
      gatewayId,
      amount,
      state,
      original: original.reference,
    } as const;
    return refundOutcomeOf(open(given));
  };
  const verify = (reference: string): Outcome => {
    const entry = entries.get(reference);
    if (entry === undefined) return DECLINED(now());
    if (entry.state === "awaiting" && entry.decision === "confirmed") capture(entry);
    if (entry.state === "awaiting" && entry.decision === "rejected") move(entry, "refused");
    return outcomeOf(entry);
  };
  const resolve = (reference: string): Outcome => {
    const entry = entries.get(reference) ?? open({ reference, kind: "unknown", state: "fenced", amount: 0 });
    if (entry.state === "awaiting" && entry.decision === "confirmed" && random.chance(0.5)) capture(entry);
    if (entry.state === "awaiting") move(entry, "fenced");
    return outcomeOf(entry);
  };

  const gatewayOf = (gatewayId: string): Gateway => ({
    collect: (collection) => over(`collect ${collection.reference}`, () => collect(gatewayId, collection)),
    refund: (given) => over(`refund ${given.reference}`, () => refund(gatewayId, given)),
    verify: (reference) => over(`verify ${reference}`, () => verify(reference)),
    resolve: (reference) => over(`resolve ${reference}`, () => resolve(reference)),
    news: (limit, skip) =>
      over("news", () =>
        told
          .filter((one) => one.gatewayId === null || one.gatewayId === gatewayId)
          // What was acknowledged is told again now and then.
          .filter(({ acknowledged }) => !acknowledged || (faults() > 0 && random.chance(0.2)))
          .slice(skip, skip + limit)
          .map(({ news: notice }) => notice),
      ),
    acknowledge: (notice) =>
      over(`acknowledge ${notice.kind} ${notice.reference}`, () => {
        for (const one of told) if (one.news === notice) one.acknowledged = true;
      }),
  });

  return {
    entries,
    adapter: {
      name: "model",
      displayName: "Model",
      capabilities: {
        currencies: ["EUR"],
        verification: true,
        asynchronous: true,
        refunds: true,
        testModeOnly: true,
      },
      settingsSchema: Type.Object({}),
      credentialsSchema: Type.Object({}),
      connect: ({ gatewayId }) => gatewayOf(gatewayId),
    },
    chargesOf: (token) =>
      [...entries.values()].filter(
        ({ state, kind, recurring, returnUrl }) =>
          kind === "sale" && !recurring && TAKEN.has(state) && returnUrl.includes(token),
      ),
    work() {
      const pending = [...entries.values()].filter(({ state }) => state === "pending");
      if (pending.length === 0) return false;
      const entry = random.pick(pending);
      if (random.chance(0.7)) {
        move(entry, "settled");
        news(entry, "settled");
      } else {
        const sale = entry.original === null ? undefined : entries.get(entry.original);
        if (sale !== undefined) sale.refunded -= entry.amount;
        move(entry, "returned");
        news(entry, "returned");
      }
      return true;
    },
    chargeBack(reference, isTold) {
      const entry = entries.get(reference);
      if (entry === undefined || entry.kind !== "sale" || entry.amount === 0) return false;
      if (entry.state !== "charged" && entry.state !== "settled") return false;
      move(entry, "charged_back");
      if (isTold) news(entry, random.chance(0.3) ? "returned" : "charged_back");
      return true;
    },
    decide() {
      const undecided = [...entries.values()].filter(
        ({ state, decision }) => state === "awaiting" && decision === null,
      );
      if (undecided.length === 0) return false;
      const entry = random.pick(undecided);
      entry.decision = random.chance(0.75) ? "confirmed" : "rejected";
      trace(`bank: the customer of ${entry.reference} has ${entry.decision}`);
      if (entry.decision === "confirmed" && entry.confirmedPays) capture(entry);
      return true;
    },
    arriveLate() {
      const effect = late.splice(random.below(Math.max(late.length, 1)), 1)[0];
      if (effect === undefined) return false;
      trace("bank: a late call arrives");
      effect();
      return true;
    },
    tellOfChargebacks() {
      for (const entry of entries.values()) {
        const isTold = told.some(
          ({ news: { kind, reference } }) => kind !== "settled" && reference === entry.reference,
        );
        if (entry.state === "charged_back" && !isTold) news(entry, "charged_back");
      }
    },
    tellOfStranger() {
      told.push({
        news: { kind: "settled", reference: STRANGER, at: now() },
        gatewayId: null,
        acknowledged: false,
      });
    },
    untold: () =>
      told.filter(({ news: { reference }, acknowledged }) => !acknowledged && reference !== STRANGER).length,
    reset(next) {
      entries.clear();
      told = [];
      late = [];
      random = next;
    },
  };
}

/** What was never received, and never will be. */
const DECLINED = (processedAt: Date) =>
  ({
    kind: "declined",
    code: "gateway_unavailable",
    gatewayCode: null,
    gatewayMessage: null,
    gatewayReference: null,
    processedAt,
  }) as const;

function outcomeOf(entry: Entry): Outcome {
  if (entry.state !== "awaiting") return refundOutcomeOf(entry);
  return {
    kind: "verification_required",
    gatewayReference: `B-${entry.reference}`,
    verificationId: `V-${entry.reference}`,
    url: "https://bank.example.test/confirm",
  };
}

function refundOutcomeOf({ reference, state, at: processedAt, reasonCode }: Entry): RefundOutcome {
  const gatewayReference = `B-${reference}`;
  switch (state) {
    case "charged":
    case "settled":
    case "charged_back":
    case "given":
      return { kind: "approved", gatewayReference, processedAt };
    case "pending":
      return { kind: "pending", gatewayReference, processedAt };
    case "refused":
    case "returned": {
      const { code, message: gatewayMessage } = reasonOf(reasonCode);
      return {
        kind: "declined",
        code,
        gatewayCode: reasonCode,
        gatewayMessage,
        gatewayReference,
        processedAt,
      };
    }
    case "fenced":
    case "awaiting":
      return DECLINED(processedAt);
  }
}
