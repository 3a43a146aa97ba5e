/** The SQL of receivers of webhooks over all tenants, without what is in their addresses besides the host. */
import { sql, type Reader } from "../db/database.ts";

const RECEIVERS = sql(
  "operator.receivers",
  `-- every tenant: the operator looks at all receivers that something waits for
   select r.tenant, r.profile_id, p.url, p.active, p.disabled_reason is not null as switched_off,
          r.failures_in_a_row, r.failing_since, r.paused_until, r.in_flight_limit
     from webhook_receivers r
     join webhook_profiles p on p.tenant = r.tenant and p.id = r.profile_id and p.archived_at is null
    where r.next_at is not null or r.failures_in_a_row > 0 or p.disabled_reason is not null
    order by r.failures_in_a_row desc, r.next_at, r.profile_id
    limit :limit`,
).gives<ReceiverRow>();

interface ReceiverRow {
  readonly tenant: number;
  readonly profile_id: string;
  readonly url: string;
  readonly active: boolean;
  readonly switched_off: boolean;
  readonly failures_in_a_row: number;
  /** Of the first failure since the last success. */
  readonly failing_since: Date | null;
  readonly paused_until: Date | null;
  readonly in_flight_limit: number;
}

const BACKLOG = sql(
  "operator.receivers_backlog",
  `-- every tenant: the operator looks at all receivers that something waits for
   select tenant, profile_id, count(*)::integer as waiting, min(created_at) as oldest,
          (count(*) filter (where locked_until > statement_timestamp()))::integer as in_flight
     from webhook_deliveries
    where status in ('pending', 'failing')
    group by tenant, profile_id`,
).gives<{ tenant: number; profile_id: string; waiting: number; oldest: Date | null; in_flight: number }>();

export interface ReceiverState extends Omit<ReceiverRow, "url"> {
  readonly host: string;
  readonly waiting: number;
  readonly in_flight: number;
  /** When the oldest event that waits for it was made. */
  readonly oldest: Date | null;
}

/** Receivers that are in trouble or that something waits for, those with the most failures first. */
export async function readReceivers(db: Reader, limit: number): Promise<readonly ReceiverState[]> {
  const [receivers, backlog] = await Promise.all([db.query(RECEIVERS, { limit }), db.query(BACKLOG, {})]);
  const waiting = new Map(backlog.map((row) => [row.profile_id, row]));
  return receivers.map(({ url, ...receiver }) => {
    const { waiting: count = 0, in_flight = 0, oldest = null } = waiting.get(receiver.profile_id) ?? {};
    return { ...receiver, host: new URL(url).host, waiting: count, in_flight, oldest };
  });
}
