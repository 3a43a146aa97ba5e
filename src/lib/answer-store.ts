/**
 * The store of responses that repeated requests get again, as used by http/ and the jobs; implemented by
 * db/idempotency.ts.
 */
import { DAY_MS, MINUTE_MS } from "./clock.ts";

/** Responses are replayed for this long; older ones count as absent (contract: Idempotency keys). */
export const ANSWERS_KEPT_MS = DAY_MS;
/** A request whose process died holds its key for this long; no request runs longer. */
export const RUN_LOCK_MS = MINUTE_MS;

/** One use of a key: `caller` keeps two callers with the same key apart. */
export interface IdempotencyKeyUse {
  readonly tenant: number;
  readonly caller: string;
  readonly key: string;
  readonly operationId: string;
}

/** The context with which a response is sealed. */
export function answerContext({ caller, key }: Pick<IdempotencyKeyUse, "caller" | "key">): string {
  return `idempotency_keys.answer:${caller}:${key}`;
}

export interface BeginEntry extends IdempotencyKeyUse {
  /** SHA-256 of method, path and body. */
  readonly requestHash: Buffer;
  readonly now: Date;
  /** The most keys that the caller may have at once; null for any number. */
  readonly keysMax: number | null;
}

export type Begun =
  /** This request runs; after a crash under the operation id of the first run, whose records it then finds. */
  | { readonly kind: "new"; readonly operationId: string }
  | { readonly kind: "running" }
  /** The caller has reached its limit of keys, so this one is refused. */
  | { readonly kind: "too_many" }
  | { readonly kind: "mismatch" }
  | { readonly kind: "answered"; readonly status: number; readonly answer: Buffer };

export interface AnswerStore {
  /** Claims the key for this request: of any number of concurrent requests exactly one is `new`. */
  begin(entry: BeginEntry): Promise<Begun>;
  /** Stores the first response; a later one of the same operation changes nothing. */
  finish(entry: IdempotencyKeyUse & { readonly status: number; readonly answer: Buffer }): Promise<void>;
  /** Ends a run whose response is not stored; the same request may run again at once, under the same operation id. */
  abandon(entry: IdempotencyKeyUse): Promise<void>;
}

/** The part of the store used by the clean-up. */
export interface OldAnswers {
  /** Deletes at most `limit` entries of a tenant from before `before`; returns how many. */
  forget(tenant: number, before: Date, limit: number): Promise<number>;
  tenantsWithOld(before: Date, limit: number): Promise<readonly number[]>;
}
