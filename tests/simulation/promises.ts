/** What the service has told its callers: whatever it called done has to be in its records from then on. */
import type { Json } from "../support/service.ts";

export interface LeadTaken {
  readonly email: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Promises {
  /** The last status seen of each session. */
  readonly statuses: Map<string, string>;
  /** Marks of requests whose key may have been forgotten while they were under way. */
  readonly forgotten: Set<unknown>;
  /** A session of this id was called by this status. */
  session(id: string, status: "COMPLETED" | "EXPIRED" | "there"): void;
  transaction(id: string, statuses: readonly string[]): void;
  /** A collection of this subscription was asked for, under a key or by a request of its own. */
  collectionAsked(subscriptionId: string, mark: string): void;
  /** How many collections were asked for at most; a key that may have been forgotten counts twice. */
  collectionsAsked(subscriptionId: string): number;
  chargeback(id: string): void;
  /** A creation, sent and answered at these times, was refused because its lead had an active session. */
  leadTaken(refusal: LeadTaken): void;
  readonly leadsTaken: readonly LeadTaken[];
  /** The same key has to give the same session. */
  created(key: string, token: string): string | null;
  broken(records: {
    readonly sessions: readonly Json[];
    readonly transactions: readonly Json[];
    readonly chargebacks: readonly Json[];
  }): readonly string[];
}

export function createPromises(): Promises {
  const sessions = new Map<string, string>();
  const transactions = new Map<string, readonly string[]>();
  const chargebacks = new Set<string>();
  const keys = new Map<string, string>();
  const leadsTaken: LeadTaken[] = [];
  const collections = new Map<string, Set<string>>();
  const forgotten = new Set<unknown>();
  return {
    leadsTaken,
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
    session(id, status) {
      if (status !== "there" || !sessions.has(id)) sessions.set(id, status);
    },
    transaction: (id, statuses) => void transactions.set(id, statuses),
    chargeback: (id) => void chargebacks.add(id),
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
        ...[...transactions].flatMap(([id, told]) => {
          const status = statusOf(records.transactions, id);
          return status !== undefined && told.includes(status)
            ? []
            : [`CALL-1: transaction ${id} was called ${told[0]} and is ${status ?? "not there"}`];
        }),
        ...[...chargebacks].flatMap((id) =>
          records.chargebacks.some((row) => row["id"] === id)
            ? []
            : [`CALL-1: chargeback ${id} was recorded and is not there`],
        ),
      ];
    },
  };
}
