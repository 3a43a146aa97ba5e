/** The service's responses. What the service has acknowledged has to stay in its records. */
import type { Json } from "../support/service.ts";

export interface LeadTaken {
  readonly tenant: number;
  readonly email: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A payment that was started by a request without a key. */
export interface Begun {
  readonly sessionId: string;
  readonly transactionId: string;
  /** When it was requested. */
  readonly startedMs: number;
  /** When the session expires, according to the response to its creation. */
  readonly endsMs: number;
}

/** A requested price of a subscription. */
export interface Price {
  readonly cents: number;
  /** The prices that were acknowledged before this one was requested. */
  readonly after: ReadonlySet<Price>;
  /** The first day of this price; null until it is acknowledged. */
  from: string | null;
  /** Its key was forgotten while the request was repeated, so it may take effect after any other price. */
  isLate: boolean;
}

/** A successful response to a request with an Idempotency-Key. */
export interface Keyed {
  /** The key, with its owner. */
  readonly key: string;
  /** Identifies the content of the request. */
  readonly signature: string;
  /** The id of the created record, if the response names it. */
  readonly id: string | null;
  readonly sentMs: number;
  readonly nowMs: number;
}

/** A key is kept for a day. Half a day is certain in spite of clock differences and retries. */
const KEYS_KEPT_MS = 12 * 3_600_000;

export interface Promises {
  /** The last known status of each session. */
  readonly statuses: Map<string, string>;
  /** Marks of requests whose key may have been forgotten while they were running. */
  readonly forgotten: Set<unknown>;
  /** The response has named this order number for the session. */
  order(sessionId: string, orderNumber: string): void;
  /** The response has named this status for the session. */
  session(id: string, status: "COMPLETED" | "EXPIRED" | "there"): void;
  transaction(id: string, statuses: readonly string[]): void;
  /** A collection of this subscription was requested, under a key or by a request of its own. */
  collectionAsked(subscriptionId: string, mark: string): void;
  /** The greatest number of collections that were requested; a key that may have been forgotten counts twice. */
  collectionsAsked(subscriptionId: string): number;
  /** The response has named this chargeback for the payment. */
  chargeback(id: string, transactionId: string): void;
  mandateEnded(id: string): void;
  /**
   * This price was requested for a subscription, from its next cycle on. Call `heard` with the next cycle's day when
   * the request was acknowledged, and `forgotten` when its key was forgotten while it was running.
   */
  priceAsked(
    id: string,
    cents: number,
  ): { readonly heard: (next: string | null) => void; readonly forgotten: () => void };
  readonly prices: ReadonlyMap<string, readonly Price[]>;
  /** A line of a processor's file was accepted. */
  imported(tenant: number, kind: "payment" | "chargeback", reference: string): void;
  /** References of which both the payment and a chargeback were imported. */
  importedBack(tenant: number): readonly string[];
  /** Checks that a key with other data is refused, and that the same request under it creates one record. */
  answered(success: Keyed): string | null;
  /** A creation, sent and answered at these times, was refused because its lead had an active session. */
  leadTaken(refusal: LeadTaken): void;
  readonly leadsTaken: readonly LeadTaken[];
  paymentBegan(payment: Begun): void;
  readonly begun: readonly Begun[];
  /** Whether these collections were the last to be compared with the model. Remembers them. */
  isModelled(collections: string): boolean;
  /** Checks that the same key gives the same session. */
  created(key: string, token: string): string | null;
  broken(records: {
    readonly sessions: readonly Json[];
    readonly transactions: readonly Json[];
    readonly chargebacks: readonly Json[];
    readonly mandates: readonly Json[];
  }): readonly string[];
}

export function createPromises(): Promises {
  const sessions = new Map<string, string>();
  const orders = new Map<string, string>();
  const transactions = new Map<string, readonly string[]>();
  const chargebacks = new Map<string, string>();
  const keys = new Map<string, string>();
  const leadsTaken: LeadTaken[] = [];
  const begun: Begun[] = [];
  const collections = new Map<string, Set<string>>();
  const forgotten = new Set<unknown>();
  const mandates = new Set<string>();
  const prices = new Map<string, Price[]>();
  const imported = new Set<string>();
  const first = new Map<string, Keyed>();
  let modelled = "";
  return {
    leadsTaken,
    begun,
    paymentBegan: (payment) => void begun.push(payment),
    collectionAsked(id, mark) {
      collections.set(id, (collections.get(id) ?? new Set()).add(mark));
    },
    collectionsAsked(id) {
      const marks = [...(collections.get(id) ?? [])];
      return marks.length + marks.filter((mark) => forgotten.has(mark)).length;
    },
    leadTaken: (refusal) => void leadsTaken.push(refusal),
    statuses: new Map(),
    forgotten,
    order: (sessionId, orderNumber) => void orders.set(sessionId, orderNumber),
    session(id, status) {
      if (status !== "there" || !sessions.has(id)) sessions.set(id, status);
    },
    transaction: (id, statuses) => void transactions.set(id, statuses),
    chargeback: (id, transactionId) => void chargebacks.set(id, transactionId),
    mandateEnded: (id) => void mandates.add(id),
    prices,
    priceAsked(id, cents) {
      const own = prices.get(id) ?? [];
      prices.set(id, own);
      const after = new Set(own.filter(({ from }) => from !== null));
      const price: Price = { cents, after, from: null, isLate: false };
      own.push(price);
      return {
        heard(next) {
          price.from ??= next;
        },
        forgotten() {
          price.isLate = true;
        },
      };
    },
    imported: (tenant, kind, reference) => void imported.add(`${tenant} ${kind} ${reference}`),
    importedBack: (tenant) =>
      [...imported]
        .filter((one) => one.startsWith(`${tenant} payment `))
        .map((one) => one.replace(/^.* /, ""))
        .filter((reference) => imported.has(`${tenant} chargeback ${reference}`)),
    answered(success) {
      const before = first.get(success.key);
      // Of two requests at once, one may have been running for so long that its key was forgotten.
      const sentMs = Math.min(before?.sentMs ?? success.sentMs, success.sentMs);
      if (before === undefined || success.nowMs - sentMs >= KEYS_KEPT_MS) {
        first.set(success.key, success);
        return null;
      }
      if (before.signature !== success.signature)
        return `CALL-2: one Idempotency-Key was taken for two requests`;
      return before.id === success.id
        ? null
        : `CALL-2: one Idempotency-Key made ${before.id} and ${success.id}`;
    },
    isModelled(collections) {
      const before = modelled;
      modelled = collections;
      return before === collections;
    },
    created(key, token) {
      const before = keys.get(key) ?? token;
      keys.set(key, before);
      return before === token ? null : `CALL-2: one Idempotency-Key made two sessions`;
    },
    broken(records) {
      const statusOf = (list: readonly Json[], id: string): string | undefined =>
        list.find((row) => row["id"] === id)?.["status"];
      return [
        ...[...sessions].flatMap(([id, told]) => {
          const status = statusOf(records.sessions, id);
          const holds = told === "there" ? status !== undefined : status === told;
          return holds ? [] : [`CALL-1: session ${id} was called ${told} and is ${status ?? "not there"}`];
        }),
        ...[...orders].flatMap(([id, told]) => {
          const own = records.sessions.find((row) => row["id"] === id)?.["order_number"];
          return own === undefined || own === told
            ? []
            : [`CALL-1: session ${id} was told of order ${told} and has ${own}`];
        }),
        ...[...transactions].flatMap(([id, told]) => {
          const status = statusOf(records.transactions, id);
          return status !== undefined && told.includes(status)
            ? []
            : [`CALL-1: transaction ${id} was called ${told[0]} and is ${status ?? "not there"}`];
        }),
        ...[...chargebacks].flatMap(([id, of]) =>
          records.chargebacks.some((row) => row["id"] === id && row["transaction_id"] === of)
            ? []
            : [`CALL-1: chargeback ${id} was recorded of transaction ${of} and is not there`],
        ),
        ...[...mandates].flatMap((id) =>
          statusOf(records.mandates, id) === "active"
            ? [`CALL-1: mandate ${id} was ended and is active`]
            : [],
        ),
      ];
    },
  };
}
