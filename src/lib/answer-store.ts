/** The store of answers that a repeated request gets again, as the edge and the jobs ask for it; db/idempotency.ts is it. */
import { DAY_MS, MINUTE_MS } from "./clock.ts";

/** Answers are replayed for this long; what is older counts as absent (contract: Idempotency keys). */
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

/** The context that an answer is sealed with. */
export function answerContext({ caller, key }: Pick<IdempotencyKeyUse, "caller" | "key">): string {
  return `idempotency_keys.answer:${caller}:${key}`;
}

export interface BeginEntry extends IdempotencyKeyUse {
  /** SHA-256 of what the request asks for: method, path and body. */
  readonly requestHash: Buffer;
  readonly now: Date;
  /** How many keys the caller may have at once; null for any number. */
  readonly keysMax: number | null;
}

export type Begun =
  /** This request runs; after a crash under the operation id of the first run, whose records it then finds. */
  | { readonly kind: "new"; readonly operationId: string }
  | { readonly kind: "running" }
  /** The caller has as many keys as it may: this one is not taken. */
  | { readonly kind: "too_many" }
  | { readonly kind: "mismatch" }
  | { readonly kind: "answered"; readonly status: number; readonly answer: Buffer };

export interface AnswerStore {
  /** Takes the key for this request: of any number of requests at once, exactly one is `new`. */
  begin(entry: BeginEntry): Promise<Begun>;
  /** Keeps the first answer; a later one of the same operation changes nothing. */
  finish(entry: IdempotencyKeyUse & { readonly status: number; readonly answer: Buffer }): Promise<void>;
  /** Ends a run whose answer is not kept; the same request may run again at once, under the same operation id. */
  abandon(entry: IdempotencyKeyUse): Promise<void>;
}

/** The part of the store that the clean-up uses. */
export interface OldAnswers {
  /** Deletes at most `limit` entries of a tenant from before `before`; returns how many. */
  forget(tenant: number, before: Date, limit: number): Promise<number>;
  tenantsWithOld(before: Date, limit: number): Promise<readonly number[]>;
}
