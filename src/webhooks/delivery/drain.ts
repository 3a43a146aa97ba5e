/** Sends a receiver its due deliveries while this worker holds its lease: few requests at a time, events of a session in order. */
import type { Deps } from "../../deps.ts";
import { sessionToken } from "../../tenants/session-token.ts";
import { signingSecretContext } from "../profiles/profile.ts";
import { renderBody } from "./payload.ts";
import { FAILURES_TO_OPEN, nextTryAt, pausedUntil, readRetryAfter, type Outcome } from "./schedule.ts";
import type { Sender, Sent } from "./send.ts";
import { signedHeaders, type Secrets } from "./signature.ts";
import {
  disableProfile,
  listDue,
  recordAttempt,
  releaseReceiver,
  type AttemptRecord,
  type DueRow,
  type ReceiverRow,
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
  /** From the time it was due to the answer. */
  readonly lagMs: number;
}

export interface DrainParts {
  readonly deps: Deps;
  readonly sender: Sender;
  /** A request and writing it down take at most this long: nothing is started that the lease may not cover. */
  readonly requestMsMax: number;
  readonly reached: (step: WebhookStep) => void;
  readonly onAttempt: (report: AttemptReport) => void;
}

/** A claimed receiver. `endsMs` is measured by the clock that runs on while a process is stopped. */
export interface Held {
  readonly tenant: number;
  readonly receiver: ReceiverRow;
  readonly endsMs: number;
}

interface Course extends Held {
  readonly secrets: Secrets;
  failuresInARow: number;
  /** Set by a failure and by a lost lease: nothing more is started. */
  over: boolean;
}

const PAGE = 50;

/** Goes on until nothing is due, something fails or the lease nears its end. Returns whether more is due at once. */
export async function drain(parts: DrainParts, held: Held): Promise<boolean> {
  const { deps } = parts;
  const { tenant, receiver } = held;
  const course: Course = {
    ...held,
    secrets: secretsOf(deps, tenant, receiver),
    failuresInARow: receiver.failures_in_a_row,
    over: false,
  };
  parts.reached("webhook.claimed");
  // With the circuit open one delivery goes out and shows whether the receiver is back.
  const probing = receiver.failures_in_a_row >= FAILURES_TO_OPEN;
  const page = probing ? 1 : PAGE;
  while (!isOver(parts, course)) {
    const rows = await listDue(deps.db, tenant, receiver.profile_id, deps.clock.now(), page);
    if (rows.length === 0) break;
    await sendAll(parts, course, rows);
    if (probing) break;
  }
  return releaseReceiver(deps.db, tenant, receiver, deps.clock.now());
}

function isOver({ deps, requestMsMax }: DrainParts, course: Course): boolean {
  return course.over || deps.clock.monotonicMs() > course.endsMs - requestMsMax;
}

/** One after the other: a crash leaves at most one request without a recorded response. */
async function sendAll(parts: DrainParts, course: Course, rows: readonly DueRow[]): Promise<void> {
  for (const row of rows) {
    if (isOver(parts, course)) return;
    await attempt(parts, course, row);
  }
}

async function attempt(parts: DrainParts, course: Course, row: DueRow): Promise<void> {
  const { deps } = parts;
  const at = deps.clock.now();
  const sent = await send(parts, course, row, at);
  parts.reached("webhook.answered");
  const record = recordOf(parts, course, row, at, sent);
  parts.reached(record.status === "delivered" ? "webhook.recording" : "webhook.postponing");
  const gone = outcomeOf(sent, at).kind === "gone";
  const written = gone
    ? await recordGone(deps, course, record)
    : await recordAttempt((...call) => deps.db.commit(...call), course.tenant, record);
  if (!written) {
    course.over = true;
    deps.log.warn("a webhook lease was lost", { profile_id: record.profileId });
    return;
  }
  parts.reached("webhook.recorded");
  report(parts, course, row, record);
}

async function send(parts: DrainParts, course: Course, row: DueRow, at: Date): Promise<Sent> {
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

/** The same bytes on every attempt: the event, the fields as they were, the token that its key gives again. */
function bodyOf({ keys }: Pick<Deps, "keys">, tenant: number, row: DueRow): string {
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

function outcomeOf(sent: Sent, now: Date): Outcome {
  const code = sent.responseCode;
  if (code !== null && code >= 200 && code < 300) return { kind: "delivered" };
  if (code === 410) return { kind: "gone" };
  const retryAfterMs = code === 429 || code === 503 ? readRetryAfter(sent.retryAfter, now) : null;
  return { kind: "failed", retryAfterMs };
}

function recordOf(parts: DrainParts, course: Course, row: DueRow, at: Date, sent: Sent): AttemptRecord {
  const { deps } = parts;
  const endedAt = deps.clock.now();
  const { responseCode, error, responseBody, durationMs } = sent;
  const tries = row.tries + 1;
  return {
    profileId: course.receiver.profile_id,
    leaseNo: course.receiver.lease_no,
    deliveryId: row.id,
    number: row.attempts + 1,
    tries,
    at,
    endedAt,
    durationMs,
    responseCode,
    error,
    responseBody,
    ...consequence(deps, course, outcomeOf(sent, endedAt), tries, endedAt),
  };
}

function consequence(
  deps: Pick<Deps, "ids">,
  course: Course,
  outcome: Outcome,
  tries: number,
  now: Date,
): Pick<AttemptRecord, "status" | "dueAt" | "health"> {
  if (outcome.kind === "delivered") {
    const wasWell = course.failuresInARow === 0;
    course.failuresInARow = 0;
    return {
      status: "delivered",
      dueAt: null,
      health: wasWell ? null : { failuresInARow: 0, pausedUntil: null },
    };
  }
  course.failuresInARow += 1;
  course.over = true;
  const retryAfterMs = outcome.kind === "failed" ? outcome.retryAfterMs : null;
  const dueAt = outcome.kind === "gone" ? null : nextTryAt(now, tries, retryAfterMs, deps.ids.fraction());
  const pause = pausedUntil(now, course.failuresInARow, retryAfterMs, deps.ids.fraction());
  const health = { failuresInARow: course.failuresInARow, pausedUntil: pause };
  return { status: dueAt === null ? "exhausted" : "failing", dueAt, health };
}

/** A receiver that is gone gets nothing more until its profile is activated again. */
function recordGone(deps: Pick<Deps, "db" | "log">, course: Course, record: AttemptRecord): Promise<boolean> {
  const { tenant, receiver } = course;
  deps.log.warn("a webhook profile was deactivated: 410", { profile_id: receiver.profile_id });
  return deps.db.transaction(async (tx) => {
    const written = await recordAttempt((...call) => tx.write(...call), tenant, record);
    const reason = "The receiver answered 410 Gone.";
    if (written) await disableProfile(tx, tenant, receiver, reason, record.endedAt);
    return written;
  });
}

function report(parts: DrainParts, course: Course, row: DueRow, record: AttemptRecord): void {
  parts.onAttempt({
    tenant: course.tenant,
    profileId: record.profileId,
    event: row.event_type,
    outcome: record.status,
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
