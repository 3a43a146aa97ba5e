/** The SQL that records the outcome of an attempt or session with its history and event, atomically. */
import { orderStatusSet } from "../payments/orders-store.ts";
import { subscriptionStarts } from "../subscriptions/writes.ts";
import { mandateAfterFirstPayment } from "../mandates/writes.ts";
import { sql, type Database, type Tx } from "../db/database.ts";
import { valuesOfRun, writesTogether } from "../db/together.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { END_COLUMNS, endValues, type AttemptEnd } from "../payments/attempt/end.ts";
import { attemptEnds } from "../payments/attempt/store.ts";
import { insertEvents } from "../webhooks/outbox.ts";
import type { Effect } from "./session.ts";
import type { OpenAttempt } from "./attempt-store.ts";

/** The values written with an outcome. */
export interface OutcomeWrite {
  readonly tenant: number;
  readonly attempt: OpenAttempt;
  readonly effect: Effect;
  readonly now: Date;
  readonly end: AttemptEnd;
  readonly verification: { readonly id: string; readonly url: string } | null;
  readonly subscription: NewSubscription | null;
  readonly events: readonly NewEvent[];
}

export interface NewSubscription {
  readonly id: string;
  readonly trial_end_date: string | null;
  readonly billing_anchor_date: string;
  readonly next_billing_date: string | null;
  readonly last_billing_date: string | null;
  readonly total_revenue: string;
}

const RECORD = writesTogether(
  "sessions.record_outcome",
  {
    ...END_COLUMNS,
    sessionId: "uuid",
    verificationId: "text",
    verificationUrl: "text",
    sessionStatus: "text",
    attemptsUsed: "integer",
    expiresAt: "timestamptz",
    held: "boolean",
    orderStatus: "text",
    subscription: "jsonb",
    mandateStatus: "text",
    fromStatus: "text",
    cause: "text",
    events: "jsonb",
  },
  `with t as (${attemptEnds(
    "v.",
    `,
            verification_id = coalesce(v.verificationId, verification_id), verification_url = coalesce(v.verificationUrl, verification_url),
            subscription_id = (v.subscription ->> 'id')::uuid`,
  )}
   ), s as (
     update sessions
        set status = v.sessionStatus, attempts_used = v.attemptsUsed, expires_at = v.expiresAt,
            open_transaction_id = case when v.held then sessions.open_transaction_id end,
            holds_link_use = sessions.holds_link_use and (v.held or v.sessionStatus = 'COMPLETED'),
            closed_at = case when v.sessionStatus in ('COMPLETED', 'EXPIRED') then v.now end
       from t join v on v.n = t.n
      where sessions.tenant = :tenant and sessions.id = t.session_id
     returning sessions.*, v.n, v.now, v.orderStatus
   ), o as (${orderStatusSet({ session: "s", status: "s.orderStatus", now: "s.now" })}
   ), m as (${mandateAfterFirstPayment({ from: "t" })}
   ), u as (${subscriptionStarts({ session: "s", payment: "t" })}
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause, transaction_id)
     select :tenant, t.session_id, v.now, v.fromStatus, v.sessionStatus, v.cause, t.id from t join v on v.n = t.n
   ), new_events as materialized (${insertEvents({
     from: "(select t.id, t.session_id, v.events, v.now from t join v on v.n = t.n)",
     events: "t.events",
     now: "t.now",
   })}
   )
   select t.n, t.id from t join s on s.n = t.n join o on o.session_id = s.id join m on m.id = t.mandate_id`,
  ({ sessionId }) => [String(sessionId)],
).gives<{ id: string }>();

/** Records an attempt's outcome atomically. Returns false when its claim is no longer the current one. */
export async function writeOutcome(db: Database, input: OutcomeWrite): Promise<boolean> {
  return (await db.together(RECORD, input.tenant, valuesOf(input))).length === 1;
}

/** The same in a transaction that holds the attempt. */
export async function writeOutcomeIn(tx: Tx, input: OutcomeWrite): Promise<boolean> {
  const { tenant } = input;
  return (await tx.write(RECORD.statement, valuesOfRun(RECORD, tenant, [valuesOf(input)]))).length === 1;
}

function valuesOf(input: OutcomeWrite) {
  const { attempt, effect, verification } = input;
  return {
    id: attempt.transaction_id,
    sessionId: attempt.session_id,
    now: input.now,
    ...endValues(input.end),
    verificationId: verification?.id ?? null,
    verificationUrl: verification?.url ?? null,
    sessionStatus: effect.session,
    attemptsUsed: effect.attemptsUsed,
    expiresAt: effect.expiresAt,
    held: effect.held,
    orderStatus: effect.order,
    subscription: input.subscription === null ? "{}" : JSON.stringify(input.subscription),
    mandateStatus: effect.mandate,
    fromStatus: attempt.session_status,
    cause: effect.cause,
    events: JSON.stringify(input.events),
  };
}

const CLOSE_IDLE = sql(
  "sessions.close_idle",
  `with s as (
     update sessions
        set status = 'EXPIRED', closed_at = :now
      where tenant = :tenant and id = :sessionId
        and status = 'PENDING' and open_transaction_id is null
        and (not :expired or expires_at <= :now)
     returning id
   ), o as (${orderStatusSet({ session: "s", status: "'FAILED'", now: ":now" })}
   ), moved as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select :tenant, s.id, :now, 'PENDING', 'EXPIRED', case when :expired then 'lapsed' else 'cancelled' end from s
   ), t as (
     select null::uuid as id, s.id as session_id from s
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select id from s`,
);

/** Cancels a session without an attempt in progress; returns false when it is unknown, closed or busy. */
export async function closeIdle(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.commit(CLOSE_IDLE, { tenant, sessionId, now, expired: false, events: "[]" });
  return rows.length === 1;
}

/** Ends an expired session with its event; returns false when it was not to be ended. */
export async function writeExpiry(
  db: Database,
  tenant: number,
  sessionId: string,
  now: Date,
  event: NewEvent,
): Promise<boolean> {
  const rows = await db.commit(CLOSE_IDLE, {
    tenant,
    sessionId,
    now,
    expired: true,
    events: JSON.stringify([event]),
  });
  return rows.length === 1;
}
