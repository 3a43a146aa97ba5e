/** Idempotency-Key: the first response to a POST is stored and replayed byte for byte (contract: Idempotency keys). */
import { createHash } from "node:crypto";
import { answerContext, type AnswerStore, type IdempotencyKeyUse } from "../lib/answer-store.ts";
import { HOUR_MS, SECOND_MS, type Clock } from "../lib/clock.ts";
import type { Keyring } from "../lib/keyring.ts";
import { FieldErrors, Refusal } from "../refusals.ts";

interface StoredAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface IdempotentRequest {
  readonly tenant: number;
  readonly caller: string;
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly body: Buffer;
  readonly operationId: string;
}

interface Parts {
  readonly answers: AnswerStore;
  readonly keys: Keyring;
  readonly clock: Clock;
}

/**
 * A session has at most ten attempts; the holder of its token, who needs no account, must not be able to fill the
 * table.
 */
const KEYS_OF_SESSION_MAX = 100;
const TOO_MANY = "This session has received too many Idempotency-Keys and accepts no more.";
/** 1 to 255 printable ASCII characters. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Claims the key for a request, or finds the response to the first one with it.
 * @throws FieldErrors on an invalid key; Refusal idempotency_mismatch, idempotency_in_progress, throttled.
 */
export async function begin(
  parts: Parts,
  key: string,
  request: IdempotentRequest,
): Promise<IdempotencyKeyUse | StoredAnswer> {
  if (!KEY.test(key))
    throw new FieldErrors({ "Idempotency-Key": ["Must be 1 to 255 printable ASCII characters."] });
  const { tenant, caller, operationId } = request;
  const begun = await parts.answers.begin({
    tenant,
    caller,
    key,
    operationId,
    now: parts.clock.now(),
    requestHash: hashOf(request),
    keysMax: caller.startsWith("session:") ? KEYS_OF_SESSION_MAX : null,
  });
  switch (begun.kind) {
    case "new":
      return { tenant, caller, key, operationId: begun.operationId };
    case "answered":
      return opened(parts.keys, { tenant, caller, key }, begun);
    case "mismatch":
      throw new Refusal("idempotency_mismatch");
    case "running":
      throw new Refusal("idempotency_in_progress", { retryAfter: 1 });
    case "too_many":
      throw new Refusal("throttled", { detail: TOO_MANY, retryAfter: HOUR_MS / SECOND_MS });
  }
}

function hashOf({ method, url, body }: IdempotentRequest): Buffer {
  return createHash("sha256").update(`${method} ${url}\n`).update(body).digest();
}

/** Stores the response. Server errors and throttled requests are not stored and may be repeated. */
export async function finish(parts: Parts, entry: IdempotencyKeyUse, answer: StoredAnswer): Promise<void> {
  if (answer.status >= 500 || answer.status === 429) {
    await parts.answers.abandon(entry);
    return;
  }
  const { contentType, body } = answer;
  // A stored response may contain a session token or an API key.
  const sealed = parts.keys.seal(entry.tenant, answerContext(entry), JSON.stringify({ contentType, body }));
  await parts.answers.finish({ ...entry, status: answer.status, answer: sealed });
}

function opened(
  keys: Keyring,
  entry: Pick<IdempotencyKeyUse, "tenant" | "caller" | "key">,
  { status, answer }: { readonly status: number; readonly answer: Buffer },
): StoredAnswer {
  const plain = keys.open(entry.tenant, answerContext(entry), answer).toString();
  const { contentType, body } = JSON.parse(plain) as Pick<StoredAnswer, "contentType" | "body">;
  return { status, contentType, body };
}
