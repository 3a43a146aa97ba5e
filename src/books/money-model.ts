/**
 * The reference model of the money: the required result for one collection. Facts go in, in the order in which they arrived;
 * out comes what the customer's account, the merchant's account, the gateway, our records and the receivers of events must
 * show. It knows nothing of the service: `books check` and the simulations hold the service against it (docs/money.md). Pure.
 */
import { cents, type Cents } from "../lib/money.ts";

/** The facts about a collection. A repeated fact changes nothing. */
export type Fact =
  /** The gateway has accepted the instruction and reports the outcome later. */
  | { readonly kind: "accepted" }
  /** The gateway has collected at once. */
  | { readonly kind: "paid" }
  /** The gateway has not accepted it, and never will. */
  | { readonly kind: "refused" }
  /** It was withdrawn before it was sent. */
  | { readonly kind: "withdrawn" }
  /** The money has arrived. */
  | { readonly kind: "settled" }
  /** It was returned, or never collected: the gateway does not say which. */
  | { readonly kind: "returned" }
  /** Collected money was charged back, fully or in part. @see cents null for all of it. */
  | { readonly kind: "charged_back"; readonly cents: Cents | null }
  /** The money has arrived after all. */
  | { readonly kind: "reinstated" }
  /** The bank's fees for a return, in total. */
  | { readonly kind: "fee"; readonly cents: Cents }
  | RefundFact;

/** The facts about a refund, which has a name of its own. */
type RefundFact = { readonly refund: string } & (
  | { readonly kind: "refund_asked"; readonly cents: Cents }
  /** The gateway will make it later. */
  | { readonly kind: "refund_accepted" }
  /** It was sent, and cannot be stopped. */
  | { readonly kind: "refund_sent" }
  /** It was made. */
  | { readonly kind: "refund_made" }
  /** It was not made, and will not be. */
  | { readonly kind: "refund_refused" }
);

/** What was requested, and when the merchant wants its event. */
export interface ModelCollection {
  readonly cents: Cents;
  /** When the session's completed event is emitted; null without a session: renewals and imports. */
  readonly completedAt: "acceptance" | "settlement" | null;
}

type Status = "open" | "pending" | "approved" | "declined" | "refunded" | "charged_back";
type RefundStatus = "open" | "pending" | "approved" | "declined";

/** An event about the collection, or about one of its refunds. */
export interface EmittedEvent {
  readonly type:
    | "payment_session.completed"
    | "transaction.created"
    | "transaction.status_changed"
    | "chargeback.created";
  /** The refund whose status it reports; null: the collection itself. */
  readonly refund: string | null;
  readonly status: Status;
  /** For a change. */
  readonly before: Status | null;
}

interface Chargeback {
  readonly cents: Cents;
  readonly fee: Cents | null;
  /** Whether the bank has withdrawn it. */
  readonly withdrawn: boolean;
}

export interface Expected {
  readonly status: Status;
  /** The amount whose refund is certain. */
  readonly refunded: Cents;
  /** Refunded, or being refunded. */
  readonly claimed: Cents;
  /** The amount that may still be refunded. */
  readonly refundable: Cents;
  readonly refunds: Readonly<Record<string, RefundStatus>>;
  readonly chargebacks: readonly Chargeback[];
  /** What was collected and kept: the revenue of its subscription. */
  readonly earned: Cents;
  /** The emitted events in order. */
  readonly emitted: readonly EmittedEvent[];
  /**
   * What the customer has paid in total, once all transfers have arrived. Negative: more went back than was collected.
   */
  readonly customerPaid: number;
  /** Its effect on the merchant's account, less fees. Negative is a loss. */
  readonly merchantHas: number;
  /** What the gateway must report: the debit is pending, collected, not collected, or returned. */
  readonly debit: Debit;
  /** Facts that contradict earlier ones: they change nothing, and a person has to decide. */
  readonly strange: readonly Fact[];
  /** What must never happen, by its number in invariants.ts. */
  readonly wrong: readonly ("MONEY-5" | "MONEY-7")[];
}

type Debit = "open" | "waiting" | "in" | "never" | "back";

/** The debit's next state, by its current one and the fact. A missing entry is a contradiction. */
const DEBIT: Readonly<Record<Exclude<Fact, RefundFact>["kind"], Partial<Readonly<Record<Debit, Debit>>>>> = {
  accepted: { open: "waiting", waiting: "waiting", in: "in", never: "never", back: "back" },
  paid: { open: "in", in: "in", back: "back" },
  refused: { open: "never", never: "never" },
  withdrawn: { waiting: "never", never: "never" },
  settled: { waiting: "in", in: "in", back: "back" },
  returned: { waiting: "never", never: "never", in: "back", back: "back" },
  charged_back: { waiting: "back", in: "back", back: "back" },
  reinstated: { waiting: "in", never: "in", back: "in", in: "in" },
  fee: { back: "back" },
};

interface Refund {
  readonly cents: Cents;
  status: RefundStatus;
  sent: boolean;
}

/** The required result of a collection, from the facts in order of arrival. */
export function expected(collection: ModelCollection, facts: readonly Fact[]): Expected {
  const ledger = new Ledger(collection);
  for (const fact of facts) {
    if ("refund" in fact) ledger.refund(fact);
    else ledger.debit(fact);
  }
  return ledger.shown();
}

class Ledger {
  readonly #collection: ModelCollection;
  #debit: Debit = "open";
  readonly #refunds = new Map<string, Refund>();
  #chargebacks: readonly Chargeback[] = [];
  readonly #emitted: EmittedEvent[] = [];
  readonly #strange: Fact[] = [];
  readonly #wrong = new Set<"MONEY-5" | "MONEY-7">();

  constructor(collection: ModelCollection) {
    this.#collection = collection;
  }

  debit(fact: Exclude<Fact, RefundFact>): void {
    const before = this.#status();
    const next = DEBIT[fact.kind][this.#debit];
    // A mandate signed without a payment has no money to return.
    if (next === undefined || (next === "back" && this.#collection.cents === 0)) {
      this.#strange.push(fact);
      return;
    }
    if (fact.kind === "fee") {
      this.#chargebacks = this.#chargebacks.map((one) => (one.withdrawn ? one : { ...one, fee: fact.cents }));
    }
    if (next === this.#debit) return;
    this.#debit = next;
    if (next === "back") this.#chargeBack(fact);
    else this.#chargebacks = this.#chargebacks.map((one) => ({ ...one, withdrawn: true }));
    this.#tellCompleted();
    this.#tellChange(before);
  }

  refund(fact: RefundFact): void {
    const before = this.#status();
    const refund = this.#refunds.get(fact.refund);
    if (fact.kind === "refund_asked") {
      if (refund !== undefined) return;
      if (before !== "approved" || fact.cents > this.#left()) this.#wrong.add("MONEY-5");
      this.#refunds.set(fact.refund, { cents: fact.cents, status: "open", sent: false });
      return;
    }
    if (refund === undefined) return void this.#strange.push(fact);
    if (fact.kind === "refund_sent") {
      if (this.#debit === "back" && !refund.sent) this.#wrong.add("MONEY-7");
      refund.sent = true;
      return;
    }
    const from = refund.status;
    if (from === "approved" || from === "declined") {
      const same = fact.kind === "refund_made" ? from === "approved" : from === "declined";
      if (!same && fact.kind !== "refund_accepted") this.#strange.push(fact);
      return;
    }
    refund.status = STATUS_OF[fact.kind];
    if (refund.status === from) return;
    this.#tellRefund(fact.refund, from, refund.status);
    this.#tellChange(before);
  }

  shown(): Expected {
    const { cents: amount } = this.#collection;
    const back = this.#back();
    const given = this.#sum(({ status }) => status === "approved");
    const left = this.#sum(({ status, sent }) => status === "approved" || (sent && status !== "declined"));
    const came = this.#debit === "in" || this.#debit === "back" ? amount : 0;
    return {
      status: this.#status(),
      refunded: given,
      claimed: this.#sum(({ status }) => status !== "declined"),
      refundable: this.#status() === "approved" ? this.#left() : cents(0),
      refunds: Object.fromEntries([...this.#refunds].map(([name, { status }]) => [name, status])),
      chargebacks: this.#chargebacks,
      earned: cents(Math.max(came - given - back, 0)),
      emitted: this.#emitted,
      customerPaid: came - left - back,
      merchantHas: came - left - back - this.#chargebacks.reduce((sum, { fee }) => sum + (fee ?? 0), 0),
      debit: this.#debit,
      strange: this.#strange,
      wrong: [...this.#wrong],
    };
  }

  /** The status depends on where the money is, not on the order of the facts. */
  #status(): Status {
    switch (this.#debit) {
      case "open":
        return "open";
      case "waiting":
        return "pending";
      case "never":
        return "declined";
      case "back":
        return "charged_back";
      case "in": {
        const given = this.#sum(({ status }) => status === "approved");
        return given > 0 && given === this.#collection.cents ? "refunded" : "approved";
      }
    }
  }

  #chargeBack(fact: Exclude<Fact, RefundFact>): void {
    const { cents: amount } = this.#collection;
    const part = fact.kind === "charged_back" ? fact.cents : null;
    this.#chargebacks = [...this.#chargebacks, { cents: part ?? amount, fee: null, withdrawn: false }];
    this.#emit({ type: "chargeback.created", refund: null, status: "charged_back", before: null });
  }

  /** What the bank has returned to the customer. */
  #back(): Cents {
    return this.#debit === "back" ? (this.#chargebacks.at(-1)?.cents ?? cents(0)) : cents(0);
  }

  #left(): Cents {
    return cents(Math.max(this.#collection.cents - this.#sum(({ status }) => status !== "declined"), 0));
  }

  #sum(which: (refund: Refund) => boolean): Cents {
    return cents([...this.#refunds.values()].filter(which).reduce((sum, refund) => sum + refund.cents, 0));
  }

  /** Emitted once: when the payment is accepted, or when its money has arrived. */
  #tellCompleted(): void {
    const { completedAt } = this.#collection;
    const isDue = this.#debit === "in" || (completedAt === "acceptance" && this.#debit === "waiting");
    if (
      completedAt === null ||
      !isDue ||
      this.#emitted.some(({ type }) => type === "payment_session.completed")
    )
      return;
    this.#emit({ type: "payment_session.completed", refund: null, status: this.#status(), before: null });
  }

  /** An immediate decline emits no event; every later change does. */
  #tellChange(before: Status): void {
    const status = this.#status();
    if (status === before || (before === "open" && status === "declined")) return;
    const isFirst = !this.#emitted.some(
      ({ type, refund }) => type === "transaction.created" && refund === null,
    );
    this.#emit(
      isFirst
        ? { type: "transaction.created", refund: null, status, before: null }
        : { type: "transaction.status_changed", refund: null, status, before },
    );
  }

  #tellRefund(refund: string, before: RefundStatus, status: RefundStatus): void {
    if (before === "open" && status === "declined") return;
    this.#emit(
      before === "open"
        ? { type: "transaction.created", refund, status, before: null }
        : { type: "transaction.status_changed", refund, status, before },
    );
  }

  #emit(emitted: EmittedEvent): void {
    this.#emitted.push(emitted);
  }
}

const STATUS_OF: Readonly<Record<Exclude<RefundFact["kind"], "refund_asked" | "refund_sent">, RefundStatus>> =
  {
    refund_accepted: "pending",
    refund_made: "approved",
    refund_refused: "declined",
  };
