/** One request of a claimed delivery, and what follows from its response. */
import type { Deps } from "../../deps.ts";
import { later, SECOND_MS } from "../../lib/clock.ts";
import { runWork } from "../../lib/trace.ts";
import { sessionToken } from "../../tenants/signed-address.ts";
import { signingSecretContext } from "../profiles/profile.ts";
import { inFlightMax, isSlow, shrunk, type Pace } from "./pace.ts";
import { renderBody } from "./payload.ts";
import { nextTryAt, pausedUntil, readRetryAfter, type DeliveryOutcome } from "./schedule.ts";
import type { Sender, Sent } from "./send.ts";
import { signedHeaders, type Secrets } from "./signature.ts";
import {
  disableProfile,
  lockUrl,
  recordAttempt,
  recordSuccess,
  type AttemptRecord,
  type ClaimedRow,
  type Health,
  type ReceiverRow,
  type Recorded,
} from "./store.ts";

/** Where the crash tests kill a worker, in this order. */
export type WebhookStep =
  | "webhook.claimed"
  | "webhook.sending"
  | "webhook.answered"
  | "webhook.recording"
  | "webhook.postponing"
  | "webhook.recorded";

/** Called with every recorded request, for the metrics. */
export interface AttemptReport {
  readonly tenant: number;
  readonly profileId: string;
  readonly event: string;
  readonly outcome: "delivered" | "failing" | "exhausted";
  readonly durationMs: number;
  /** From the time it was due to the response. */
  readonly lagMs: number;
}

export interface AttemptParts {
  readonly deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "tracer">;
  readonly sender: Sender;
  /** The limit for a request. */
  readonly totalMs: number;
  readonly reached: (step: WebhookStep) => void;
  readonly onAttempt: (report: AttemptReport) => void;
}

/** The receiver as it was when deliveries were claimed. */
export interface ClaimedReceiver {
  readonly tenant: number;
  readonly receiver: ReceiverRow;
  readonly secrets: Secrets;
  readonly pace: Pace;
  /** When the claim's lease ends, by the monotonic clock. */
  readonly endsMs: number;
}

/** The result of a request for its receiver. */
interface Attempted {
  /** A success that was not slow. */
  readonly inTime: boolean;
  /** Whether something else may be sent now that this request has ended. */
  readonly more: boolean;
}

const LOST: Attempted = { inTime: false, more: true };
/** When an event that waits for another instance's request is looked for again. */
export const BLOCKED_RETRY_MS = 2 * SECOND_MS;

/** Sends a delivery and records the result, in the trace of its payment. */
export function attempt(parts: AttemptParts, course: ClaimedReceiver, row: ClaimedRow): Promise<Attempted> {
  const { session_id, merchant_transaction_id, traceparent: parent } = row;
  const { tracer } = parts.deps;
  return runWork(
    tracer,
    {
      name: "webhook attempt",
      kind: "client",
      parent,
      subject: {
        tenant: course.tenant,
        ...(session_id === null ? {} : { session_id }),
        ...(merchant_transaction_id === null ? {} : { merchant_transaction_id }),
      },
      fields: {
        "payments.event": row.event_type,
        "payments.delivery_id": row.id,
        "payments.attempt": row.attempts + 1,
      },
    },
    () => sendAndRecord(parts, course, row),
  );
}

async function sendAndRecord(
  parts: AttemptParts,
  course: ClaimedReceiver,
  row: ClaimedRow,
): Promise<Attempted> {
  const { deps, totalMs } = parts;
  // A third more than a request may take, to record it: nothing is begun that the lease may not cover.
  if (deps.clock.monotonicMs() > course.endsMs - (totalMs * 4) / 3) return LOST;
  const at = deps.clock.now();
  const sent = await send(parts, course, row, at);
  parts.reached("webhook.answered");
  const record = recordOf(parts, course, row, at, sent);
  parts.reached(record.status === "delivered" ? "webhook.recording" : "webhook.postponing");
  const written = await recorded(deps, course, record, outcomeOf(sent, at).kind === "gone");
  if (!written) {
    deps.log.warn("a webhook lease was lost", { profile_id: record.profileId });
    return LOST;
  }
  parts.reached("webhook.recorded");
  report(parts, course, row, record, written.status);
  deps.log.info("webhook", {
    event: row.event_type,
    delivery_id: row.id,
    attempt: record.number,
    outcome: written.status,
    status: record.responseCode,
    ms: record.durationMs,
  });
  const delivered = written.status === "delivered";
  // A person may have requested a failed one again in the meantime.
  return {
    inTime: delivered && !isSlow(record.durationMs, totalMs),
    more: !delivered || written.more,
  };
}

async function send(parts: AttemptParts, course: ClaimedReceiver, row: ClaimedRow, at: Date): Promise<Sent> {
  const { deps, sender } = parts;
  let body: string;
  try {
    body = bodyOf(deps, course.tenant, row);
  } catch (error) {
    deps.log.error("a webhook body could not be built", error, { delivery_id: row.id });
    return { ...NOT_SENT, error: "The event could not be rendered." };
  }
  const headers = signedHeaders(course.secrets, {
    event: row.event_type,
    eventId: row.event_id,
    deliveryId: row.id,
    attempt: row.attempts + 1,
    at,
    body,
  });
  parts.reached("webhook.sending");
  return sender.post(course.receiver.url, headers, body);
}

const NOT_SENT = { responseCode: null, retryAfter: undefined, responseBody: null, durationMs: 0 };

/** The same bytes on every attempt: the event, the fields as they were, and the same token, derived from its key. */
function bodyOf({ keys }: Pick<Deps, "keys">, tenant: number, row: ClaimedRow): string {
  const { session_id: sessionId, token_key_id: keyId } = row;
  const token =
    sessionId === null || keyId === null ? null : sessionToken(keys, keyId, { tenant, sessionId });
  return renderBody(
    {
      id: row.event_id,
      type: row.event_type,
      createdAt: row.event_created_at,
      payload: row.payload,
      sessionToken: token,
    },
    { payloadFields: row.payload_fields, asciiEscape: row.ascii_escape },
  );
}

function outcomeOf(sent: Sent, now: Date): DeliveryOutcome {
  const code = sent.responseCode;
  if (code !== null && code >= 200 && code < 300) return { kind: "delivered" };
  if (code === 410) return { kind: "gone" };
  const retryAfterMs = code === 429 || code === 503 ? readRetryAfter(sent.retryAfter, now) : null;
  return { kind: "failed", retryAfterMs };
}

/** An attempt; `health` is null after a success of a healthy receiver. */
type Ended = Omit<AttemptRecord, "health"> & { readonly health: Health | null };

function recordOf(
  { deps, totalMs }: AttemptParts,
  course: ClaimedReceiver,
  row: ClaimedRow,
  at: Date,
  sent: Sent,
): Ended {
  const endedAt = deps.clock.now();
  const { responseCode, error, responseBody, durationMs } = sent;
  const tries = row.tries + 1;
  const outcome = outcomeOf(sent, endedAt);
  const consequence =
    outcome.kind === "delivered"
      ? afterSuccess(course.pace, isSlow(durationMs, totalMs))
      : afterFailure(deps, course.pace, outcome, tries, endedAt);
  return {
    profileId: course.receiver.profile_id,
    leaseNo: row.lease_no,
    deliveryId: row.id,
    number: row.attempts + 1,
    tries,
    wasDueAt: row.due_at,
    lookAgainAt: later(endedAt, BLOCKED_RETRY_MS),
    at,
    endedAt,
    durationMs,
    responseCode,
    error,
    responseBody,
    ...consequence,
  };
}

type Consequence = Pick<Ended, "status" | "dueAt" | "health">;

/** A healthy receiver's row is not changed, so that several results can be recorded at the same time. */
function afterSuccess(pace: Pace, slow: boolean): Consequence {
  const wasWell = pace.failuresInARow === 0;
  const health: Health = {
    failuresSeen: pace.failuresInARow,
    failuresInARow: 0,
    pausedUntil: null,
    inFlightLimit: slow ? shrunk(inFlightMax(pace)) : null,
  };
  return { status: "delivered", dueAt: null, health: wasWell && !slow ? null : health };
}

function afterFailure(
  { ids }: Pick<Deps, "ids">,
  pace: Pace,
  outcome: Exclude<DeliveryOutcome, { kind: "delivered" }>,
  tries: number,
  now: Date,
): Consequence {
  const failuresInARow = pace.failuresInARow + 1;
  const retryAfterMs = outcome.kind === "failed" ? outcome.retryAfterMs : null;
  const next = outcome.kind === "gone" ? EXHAUSTED : nextTry({ ids }, tries, retryAfterMs, now);
  const pause = pausedUntil(now, failuresInARow, retryAfterMs, ids.fraction());
  const health: Health = {
    failuresSeen: pace.failuresInARow,
    failuresInARow,
    pausedUntil: pause,
    inFlightLimit: shrunk(inFlightMax(pace)),
  };
  return { ...next, health };
}

const EXHAUSTED = { status: "exhausted", dueAt: null } as const;

function nextTry(
  { ids }: Pick<Deps, "ids">,
  tries: number,
  retryAfterMs: number | null,
  now: Date,
): Pick<Ended, "status" | "dueAt"> {
  const dueAt = nextTryAt(now, tries, retryAfterMs, ids.fraction());
  return dueAt === null ? EXHAUSTED : { status: "failing", dueAt };
}

type Written = Recorded & Pick<Ended, "status">;

/** Null when the lease was lost. */
async function recorded(
  deps: Pick<Deps, "db" | "ids" | "log">,
  course: ClaimedReceiver,
  { health, ...ended }: Ended,
  isGone: boolean,
): Promise<Written | null> {
  if (health !== null && isGone) return recordGone(deps, course, { ...ended, health });
  const written =
    health === null
      ? await recordSuccess(deps.db, course.tenant, ended)
      : await recordAttempt((...statement) => deps.db.commit(...statement), course.tenant, {
          ...ended,
          health,
        });
  return written === null ? null : { ...written, status: ended.status };
}

/** Deactivates the profile of a receiver that answered 410. If its URL has changed meanwhile, that one is tried. */
function recordGone(
  deps: Pick<Deps, "db" | "ids" | "log">,
  { tenant, receiver }: ClaimedReceiver,
  record: AttemptRecord,
): Promise<Written | null> {
  const { profile_id: profileId } = receiver;
  const { tries, endedAt } = record;
  return deps.db.transaction(async (tx) => {
    const isGone = (await lockUrl(tx, tenant, profileId)) === receiver.url;
    const ended = isGone ? record : { ...record, ...nextTry(deps, tries, null, endedAt) };
    const written = await recordAttempt((...statement) => tx.write(...statement), tenant, ended);
    if (written === null) return null;
    if (isGone) {
      await disableProfile(tx, tenant, profileId, "The receiver answered 410 Gone.", endedAt);
      deps.log.warn("a webhook profile was deactivated: 410", { profile_id: profileId });
    }
    return { ...written, status: ended.status };
  });
}

function report(
  parts: AttemptParts,
  course: ClaimedReceiver,
  row: ClaimedRow,
  record: Ended,
  outcome: Ended["status"],
): void {
  parts.onAttempt({
    tenant: course.tenant,
    profileId: record.profileId,
    event: row.event_type,
    outcome,
    durationMs: record.durationMs,
    lagMs: Math.max(0, record.endedAt.getTime() - row.due_at.getTime()),
  });
}

/** The secrets that sign now (contract: Rotation of signing secrets). */
export function secretsOf(
  { keys, clock }: Pick<Deps, "keys" | "clock">,
  tenant: number,
  profile: Pick<
    ReceiverRow,
    "profile_id" | "signing_secret" | "previous_signing_secret" | "previous_signing_secret_until"
  >,
): Secrets {
  const open = (sealed: Buffer) =>
    keys.open(tenant, signingSecretContext(profile.profile_id), sealed).toString();
  const until = profile.previous_signing_secret_until;
  const overlaps = until !== null && until > clock.now();
  return {
    current: open(profile.signing_secret),
    previous:
      overlaps && profile.previous_signing_secret !== null ? open(profile.previous_signing_secret) : null,
  };
}
