/** The bank: a gateway with the true record of all money, reached over a connection on which any fault can happen. */
import { Type } from "../../src/lib/schema.ts";
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
import { ISO_CODES } from "../../src/sepa/reasons.ts";
import { formatAmount, type Cents } from "../../src/lib/money.ts";
import { DECLINED, outcomeOf, refundOutcomeOf } from "./bank-answers.ts";
import type { Gate } from "./gate.ts";
import type { Random } from "../../tools/random.ts";

export type EntryState =
  | "fenced"
  | "refused"
  | "awaiting"
  | "charged"
  | "pending"
  | "settled"
  | "returned"
  | "charged_back"
  | "withdrawn"
  | "given";

/** The bank's record of a reference. */
export interface Entry {
  readonly reference: string;
  readonly kind: "sale" | "refund" | "unknown";
  readonly tenant: number;
  readonly gatewayId: string;
  readonly amount: number;
  readonly at: Date;
  /** The debtor: a first payment has the URL of its session's page, every payment has a mandate. */
  readonly returnUrl: string;
  readonly mandate: string;
  readonly recurring: boolean;
  readonly original: string | null;
  readonly reasonCode: string;
  readonly confirmedPays: boolean;
  state: EntryState;
  decision: "confirmed" | "rejected" | null;
  /** The cents that refunds have taken from it. */
  refunded: number;
  /** The cents of the last chargeback, which may be a part of the amount. */
  backed: number;
  /** The cents of each chargeback, in order. */
  readonly backs: number[];
  /** How often the payment was reinstated. */
  round: number;
  /** The bank can no longer withdraw it: it was sent to the customer's bank. */
  readonly hasLeft: boolean;
}

/** How the bank and its customers behave in a run. The numbers are probabilities or weights. */
export interface BankHabits {
  readonly firsts: Readonly<Record<"charged" | "pending" | "refused" | "awaiting", number>>;
  readonly renewals: Readonly<Record<"charged" | "pending" | "refused" | "awaiting", number>>;
  readonly refunds: Readonly<Record<"given" | "pending" | "refused", number>>;
  /** Share of verified payments that are pending first and settle later. */
  readonly laterPending: number;
  /** Share of accepted payments that settle; the others are returned. */
  readonly settles: number;
  /** Share of the customers at the bank's page who confirm. */
  readonly confirms: number;
  readonly reasons: keyof typeof REASONS;
  /** Share of chargebacks that are of a part of the amount. */
  readonly parts: number;
}

interface Told {
  readonly tenant: number;
  readonly news: News;
  /** The merchant's account that receives the notice; null: each of them. */
  readonly gatewayId: string | null;
  acknowledged: boolean;
}

export interface Bank {
  readonly adapter: Adapter;
  /** All entries of a merchant. */
  of(tenant: number): readonly Entry[];
  entry(tenant: number, reference: string): Entry | undefined;
  /** All debits of a session's customer that the bank has taken or will take, including those charged back later. */
  chargesOf(sessionToken: string): readonly Entry[];
  /** One day at the bank: one open entry moves on. False when none is open. */
  work(): boolean;
  /** Charges back a payment; false if there is none that can be. @param told whether the bank reports it. */
  chargeBack(tenant: number, reference: string, told: boolean): boolean;
  /** Reinstates a returned or charged back payment; false if there is none. */
  reinstate(): boolean;
  /** A customer at the bank's page confirms or rejects. */
  decide(): boolean;
  /** The customer of this session confirms or rejects. */
  decideOn(sessionToken: string): void;
  /** A request that its caller gave up on reaches the bank after all; false if there is none. */
  arriveLate(): boolean;
  /** Reports a payment of another party, which cannot be recorded. */
  reportStranger(tenant: number): void;
  /** Reports every chargeback that the merchant knows only on paper. */
  reportPaperChargebacks(): void;
  /**
   * A merchant records a chargeback that it has on paper. Returns a function to call with each final response. The
   * service cannot know whether the payment was reinstated before the merchant recorded the chargeback.
   */
  onPaper(tenant: number, reference: string): () => void;
  /** Reports a reinstatement again if the merchant recorded an older chargeback from paper after it. */
  repeatReinstatements(): void;
  /** The number of unacknowledged notices. */
  unacknowledged(): number;
  reset(random: Random, habits: BankHabits): void;
  /** From now on each renewal is charged at once. */
  chargeRenewals(): void;
}

export interface BankParts {
  readonly gate: Gate;
  readonly now: () => Date;
  /** Share of the calls that fail, from 0 to 1. */
  readonly faults: () => number;
  /** Share of the acknowledged notices that are reported again. */
  readonly repeats: () => number;
  readonly trace: (line: string) => void;
  /** Called with a description of each change of state. */
  readonly moved: (line: string) => void;
  /** Called when the service does what it must never do: use another merchant's credentials. */
  readonly broken: (what: string) => void;
}

/** A reference that is not of this service. */
export const STRANGER = "TXN-20200101-STRANGER";
/** States of a payment that the bank has debited or is about to debit. */
export const TAKEN: ReadonlySet<EntryState> = new Set(["charged", "pending", "settled", "charged_back"]);
/**
 * Every known reason code and one unknown code. The codes after which a renewal is retried are as frequent as all
 * others together.
 */
const RETRIED = ["AM04", "MS03", "AG07", "FF10", "TM01"] as const;
const REASONS = {
  all: [...ISO_CODES, "XX99", ...RETRIED, ...RETRIED, ...RETRIED],
  funds: ["AM04", "MS03", "AG07"],
  technology: ["FF10", "DT01", "TM01", "ED05"],
  ends: ["MD01", "AC04", "AC01", "MD07"],
} as const;
const DAY_MS = 86_400_000;
/** Credentials of an account name its merchant. */
const TOKEN = /^(\w+):\d+$/;
const FAULTS = {
  not_reached: 6,
  lost_before: 6,
  lost_after: 7,
  late: 5,
  garbage: 3,
  twice: 3,
} as const;

export function createBank({ gate, now, faults, repeats, trace, moved, broken }: BankParts): Bank {
  const entries = new Map<string, Entry>();
  const owners = new Map<string, string>();
  let told: Told[] = [];
  let late: (() => void)[] = [];
  /** Payments with a chargeback on paper, and how often the payment had been reinstated when the paper was sent. */
  const papers = new Set<{ readonly entry: Entry; readonly round: number }>();
  let random: Random;
  let habits: BankHabits;

  const keyOf = (tenant: number, reference: string): string => `${tenant} ${reference}`;
  const find = (tenant: number, reference: string) => entries.get(keyOf(tenant, reference));

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
    const { reference, tenant, gatewayId, round } = entry;
    // `round` ties a notice to the time before or after a reinstatement, also when it is repeated.
    const common = { reference, at: now(), round };
    const notice: News =
      kind === "settled" || kind === "reinstated"
        ? { kind, ...common }
        : {
            kind,
            ...common,
            reasonCode: entry.reasonCode,
            reasonMessage: null,
            ...(kind === "charged_back" && entry.backed < entry.amount
              ? { amount: formatAmount(entry.backed as Cents) }
              : {}),
          };
    told.push({ tenant, news: notice, gatewayId, acknowledged: false });
  };
  type New = Partial<Entry> & Pick<Entry, "tenant" | "reference" | "kind" | "state" | "amount">;
  const open = (entry: New): Entry => {
    const made: Entry = {
      at: now(),
      gatewayId: "",
      returnUrl: "",
      mandate: "",
      recurring: false,
      original: null,
      reasonCode: random.pick<string>(REASONS[habits.reasons]),
      confirmedPays: random.chance(0.5),
      decision: null,
      refunded: 0,
      backed: entry.amount,
      backs: [],
      round: 0,
      hasLeft: random.chance(0.5),
      ...entry,
    };
    entries.set(keyOf(made.tenant, made.reference), made);
    return made;
  };
  const move = (entry: Entry, state: EntryState): void => {
    moved(`bank: ${entry.reference} ${entry.state} → ${state}`);
    entry.state = state;
  };
  const capture = (entry: Entry): void =>
    move(entry, random.chance(habits.laterPending) ? "pending" : "charged");

  const collect = (tenant: number, gatewayId: string, collection: Collection): Outcome => {
    const { reference, amount, sequenceType, returnUrl, mandate } = collection;
    const known = find(tenant, reference);
    if (known !== undefined) return outcomeOf(known);
    const recurring = sequenceType === "RCUR";
    const state = random.weighted(recurring ? habits.renewals : habits.firsts);
    return outcomeOf(
      open({
        tenant,
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
  const refund = (
    tenant: number,
    gatewayId: string,
    { reference, original, amount }: Refund,
  ): RefundOutcome => {
    const known = find(tenant, reference);
    if (known !== undefined) return refundOutcomeOf(known);
    const sale = find(tenant, original.reference);
    const able =
      sale !== undefined &&
      (sale.state === "charged" || sale.state === "settled") &&
      sale.refunded + amount <= sale.amount;
    const state: EntryState = able ? random.weighted(habits.refunds) : "refused";
    if (sale !== undefined && state !== "refused") sale.refunded += amount;
    const given = {
      tenant,
      reference,
      kind: "refund",
      gatewayId,
      amount,
      state,
      original: original.reference,
    } as const;
    return refundOutcomeOf(open(given));
  };
  const verify = (tenant: number, reference: string): Outcome => {
    const entry = find(tenant, reference);
    if (entry === undefined) return DECLINED(now());
    if (entry.state === "awaiting" && entry.decision === "confirmed") capture(entry);
    if (entry.state === "awaiting" && entry.decision === "rejected") move(entry, "refused");
    return outcomeOf(entry);
  };
  const resolve = (tenant: number, reference: string): Outcome => {
    const entry =
      find(tenant, reference) ?? open({ tenant, reference, kind: "unknown", state: "fenced", amount: 0 });
    if (entry.state === "awaiting" && entry.decision === "confirmed" && random.chance(0.5)) capture(entry);
    if (entry.state === "awaiting") move(entry, "fenced");
    return outcomeOf(entry);
  };

  /** True when the bank will never send it. A repeated call returns the same. */
  const withdraw = (tenant: number, reference: string): boolean => {
    const entry = find(tenant, reference);
    if (entry?.state === "pending" && !entry.hasLeft) move(entry, "withdrawn");
    return entry?.state === "withdrawn";
  };

  const isUndecided = ({ state, decision }: Entry) => state === "awaiting" && decision === null;
  const decided = (entry: Entry): void => {
    entry.decision = random.chance(habits.confirms) ? "confirmed" : "rejected";
    trace(`bank: the customer of ${entry.reference} has ${entry.decision}`);
    if (entry.decision === "confirmed" && entry.confirmedPays) capture(entry);
  };

  const gatewayOf = (tenant: number, gatewayId: string): Gateway => ({
    collect: (collection) =>
      over(`collect ${collection.reference}`, () => collect(tenant, gatewayId, collection)),
    refund: (given) => over(`refund ${given.reference}`, () => refund(tenant, gatewayId, given)),
    verify: (reference) => over(`verify ${reference}`, () => verify(tenant, reference)),
    resolve: (reference) => over(`resolve ${reference}`, () => resolve(tenant, reference)),
    withdraw: (reference) => over(`withdraw ${reference}`, () => withdraw(tenant, reference)),
    debitDay: (at, days) => new Date(at.getTime() + (days ?? 1) * DAY_MS).toISOString().slice(0, 10),
    news: (limit, skip) =>
      over("news", () =>
        told
          .filter((one) => one.tenant === tenant && (one.gatewayId === null || one.gatewayId === gatewayId))
          .filter(({ acknowledged }) => !acknowledged || random.chance(repeats()))
          .slice(skip, skip + limit)
          .map(({ news: notice }) => notice),
      ),
    acknowledge: (notice) =>
      over(`acknowledge ${notice.kind} ${notice.reference}`, () => {
        for (const one of told) if (one.news === notice) one.acknowledged = true;
      }),
  });

  return {
    of: (tenant) => [...entries.values()].filter((entry) => entry.tenant === tenant),
    entry: find,
    adapter: {
      name: "model",
      displayName: "Model",
      capabilities: {
        currencies: ["EUR"],
        verification: true,
        asynchronous: true,
        refunds: true,
        reversals: false,
        testModeOnly: true,
      },
      settingsSchema: Type.Object({ note: Type.String() }),
      credentialsSchema: Type.Object({ token: Type.String() }),
      connect({ tenant, gatewayId, settings, credentials }) {
        const owner = TOKEN.exec(String(credentials["token"]))?.[1] ?? "nobody";
        const known = owners.get(`${tenant} ${gatewayId}`) ?? owner;
        owners.set(`${tenant} ${gatewayId}`, known);
        if (owner !== known || settings["note"] !== owner)
          broken(`gateway ${gatewayId} of ${known} was opened with the account of ${owner}`);
        return gatewayOf(tenant, gatewayId);
      },
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
      if (random.chance(habits.settles)) {
        move(entry, "settled");
        news(entry, "settled");
      } else {
        const sale = entry.original === null ? undefined : find(entry.tenant, entry.original);
        if (sale !== undefined) sale.refunded -= entry.amount;
        move(entry, "returned");
        news(entry, "returned");
      }
      return true;
    },
    chargeBack(tenant, reference, isTold) {
      const entry = find(tenant, reference);
      if (entry === undefined || entry.kind !== "sale" || entry.amount === 0) return false;
      // A chargeback may come before the bank has reported the settlement.
      const isEarly = entry.state === "pending" && isTold && random.chance(0.5);
      if (entry.state !== "charged" && entry.state !== "settled" && !isEarly) return false;
      move(entry, "charged_back");
      const isPart = entry.amount > 1 && random.chance(habits.parts);
      entry.backed = isPart ? 1 + random.below(entry.amount - 1) : entry.amount;
      entry.backs.push(entry.backed);
      if (isTold) news(entry, !isPart && !isEarly && random.chance(0.3) ? "returned" : "charged_back");
      return true;
    },
    reinstate() {
      const gone = [...entries.values()].filter(
        ({ kind, state, recurring, amount }) =>
          kind === "sale" && amount > 0 && (state === "charged_back" || (state === "returned" && !recurring)),
      );
      if (gone.length === 0) return false;
      const entry = random.pick(gone);
      entry.round += 1;
      move(entry, "settled");
      news(entry, "reinstated");
      return true;
    },
    decide() {
      const undecided = [...entries.values()].filter(isUndecided);
      if (undecided.length === 0) return false;
      decided(random.pick(undecided));
      return true;
    },
    decideOn(token) {
      for (const entry of entries.values())
        if (isUndecided(entry) && entry.returnUrl.includes(token)) decided(entry);
    },
    arriveLate() {
      const effect = late.splice(random.below(Math.max(late.length, 1)), 1)[0];
      if (effect === undefined) return false;
      trace("bank: a late call arrives");
      effect();
      return true;
    },
    reportPaperChargebacks() {
      for (const entry of entries.values()) {
        const isTold = told.some(
          ({ tenant, news: { kind, reference, round = 0 } }) =>
            (kind === "returned" || kind === "charged_back") &&
            tenant === entry.tenant &&
            reference === entry.reference &&
            round === entry.round,
        );
        if (entry.state === "charged_back" && !isTold) news(entry, "charged_back");
      }
    },
    onPaper(tenant, reference) {
      const entry = find(tenant, reference);
      if (entry === undefined) return () => {};
      const paper = { entry, round: entry.round };
      papers.add(paper);
      return () => {
        if (entry.round === paper.round) papers.delete(paper);
        else papers.add(paper);
      };
    },
    repeatReinstatements() {
      const old = [...papers].filter(({ entry, round }) => entry.state === "settled" && entry.round > round);
      for (const entry of new Set(old.map((paper) => paper.entry))) {
        trace(`bank: the paper of ${entry.reference} is of before`);
        entry.round += 1;
        news(entry, "reinstated");
      }
    },
    reportStranger(tenant) {
      told.push({
        tenant,
        news: { kind: "settled", reference: STRANGER, at: now() },
        gatewayId: null,
        acknowledged: false,
      });
    },
    unacknowledged: () =>
      told.filter(({ news: { reference }, acknowledged }) => !acknowledged && reference !== STRANGER).length,
    chargeRenewals() {
      habits = { ...habits, renewals: { charged: 1, pending: 0, refused: 0, awaiting: 0 } };
    },
    reset(next, chosen) {
      entries.clear();
      owners.clear();
      told = [];
      late = [];
      papers.clear();
      random = next;
      habits = chosen;
    },
  };
}
