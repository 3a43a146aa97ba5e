/** The SQL of work that waits, queue by queue, over all tenants. */
import { sql, type Reader } from "../db/database.ts";
import { MAY_BE_SENT } from "../payments/refunds/store.ts";
import { RESOLVABLE_IN_SQL } from "../payments/transaction.ts";

/** Counting stops here: beyond it the exact number does not matter. */
export const QUEUE_COUNTED_MAX = 10_000;

/** What waits in each queue, found by an index of only these rows. */
const WAITING = {
  events: "events where fanned_out_at is null",
  deliveries_pending: "webhook_deliveries where status = 'pending'",
  deliveries_failing: "webhook_deliveries where status = 'failing'",
  deliveries_exhausted: "webhook_deliveries where status = 'exhausted'",
  messages: "messages where state = 'waiting'",
  attempts: `transactions where resolve_at is not null and status in ${RESOLVABLE_IN_SQL}
               and ${MAY_BE_SENT}`,
  postbacks: "integration_activities where due_at is not null",
  files_to_send: "sepa_files where due_at is not null",
  files_unclear: "sepa_files where status = 'unclear'",
} as const;

export type Queue = keyof typeof WAITING;

/** The other queues wait for the service and are soon empty; these wait for a person. */
export const FOR_PEOPLE: ReadonlySet<Queue> = new Set(["deliveries_exhausted", "files_unclear"]);

const QUEUES = Object.keys(WAITING) as readonly Queue[];

const COUNT = sql(
  "operator.queues",
  `-- every tenant: what waits, as figures
   ${QUEUES.map(
     (queue) => `select '${queue}' as queue, count(*)::integer as count, min(created_at) as oldest
       from (select created_at from ${WAITING[queue]} limit ${QUEUE_COUNTED_MAX + 1}) ${queue}`,
   ).join("\n    union all\n   ")}` as "",
).gives<QueueRow>();

interface QueueRow {
  readonly queue: string;
  /** At most one more than `QUEUE_COUNTED_MAX`. */
  readonly count: number;
  /** When the oldest of those counted was made. */
  readonly oldest: Date | null;
}

export type QueueState = Omit<QueueRow, "queue"> & { readonly queue: Queue };

export async function readQueues(db: Reader): Promise<readonly QueueState[]> {
  const rows = new Map((await db.query(COUNT, {})).map((row) => [row.queue, row]));
  return QUEUES.map((queue) => {
    const { count = 0, oldest = null } = rows.get(queue) ?? {};
    return { queue, count, oldest };
  });
}
