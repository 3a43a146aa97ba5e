/** The SQL that counts what waits for a person: each kind by an index, up to a limit. */
import { sql, type Reader } from "../../db/database.ts";
import { isNotApproved, isNotTaken } from "../../gateways/sepa-batch/files-store.ts";
import { isFileHeld } from "../../gateways/sepa-batch/outgoing/withdraw-store.ts";
import { REPAID_TWICE } from "../../sessions/repay/store.ts";
import { COLLECTED_TWICE } from "../../subscriptions/store.ts";
import { isHeld } from "../../payments/refunds/held-store.ts";
import { MAY_BE_SENT } from "../../payments/refunds/store.ts";
import { RESOLVABLE_IN_SQL } from "../../payments/transaction.ts";
import { isLapsing, lastUsed } from "../../mandates/store.ts";

/** The kinds, in order of urgency: money that may be lost first. */
export const ATTENTION_KINDS = [
  "held_after_restore",
  "unclear_files",
  "files_held",
  "files_not_taken",
  "files_not_approved",
  "stopped_bank_users",
  "cycles_collected_twice",
  "payments_collected_twice",
  "unresolved_payments",
  "held_refunds",
  "stopped_campaigns",
  "unmatched_entries",
  "news_set_aside",
  "statement_gaps",
  "files_to_approve",
  "files_to_download",
  "unlinked_chargebacks",
  "switched_off_receivers",
  "exhausted_deliveries",
  "past_due_subscriptions",
  "lapsing_mandates",
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Counting stops here: a page says "more than 100". */
export const COUNTED_MAX = 100;
/** How long a payment without an outcome is left to recovery before a person is asked. */
const UNANSWERED_HOURS = 1;

const WHERE: Readonly<Record<AttentionKind, string>> = {
  // For the whole service.
  held_after_restore: "database_places where released_at is null",
  unclear_files: "sepa_files where tenant = :tenant and status = 'unclear'",
  stopped_bank_users: "ebics_users where tenant = :tenant and state = 'stopped'",
  cycles_collected_twice: `${COLLECTED_TWICE} and r.tenant = :tenant`,
  payments_collected_twice: `${REPAID_TWICE} and r.tenant = :tenant`,
  files_held: `sepa_files f where f.tenant = :tenant and ${isFileHeld("f", ":tenant")}`,
  files_not_taken: `sepa_files f where f.tenant = :tenant and ${isNotTaken("f", ":tenant")}`,
  files_not_approved: `sepa_files f where f.tenant = :tenant and ${isNotApproved("f", ":tenant")}`,
  files_to_approve: "sepa_files where tenant = :tenant and status = 'to_approve'",
  files_to_download: "sepa_files where tenant = :tenant and status = 'ready'",
  unmatched_entries: "sepa_unmatched where tenant = :tenant and status in ('open', 'part')",
  statement_gaps: "sepa_statements where tenant = :tenant and gap is not null",
  unlinked_chargebacks: "chargebacks where tenant = :tenant and transaction_id is null",
  news_set_aside: "gateway_news_set_aside where tenant = :tenant",
  exhausted_deliveries: "webhook_deliveries where tenant = :tenant and status = 'exhausted'",
  switched_off_receivers:
    "webhook_profiles where tenant = :tenant and disabled_reason is not null and archived_at is null",
  past_due_subscriptions: "subscriptions where tenant = :tenant and status = 'PAST_DUE'",
  unresolved_payments: `transactions where tenant = :tenant and resolve_at is not null
          and status in ${RESOLVABLE_IN_SQL}
          and ${MAY_BE_SENT}
          and created_at < :now::timestamptz - interval '${UNANSWERED_HOURS} hour'`,
  stopped_campaigns: "campaigns where tenant = :tenant and stopped_at is not null and archived_at is null",
  held_refunds: `transactions t where t.tenant = :tenant and ${isHeld("t")}`,
  lapsing_mandates: `mandates m where m.tenant = :tenant and ${isLapsing("m")} order by ${lastUsed("m")}`,
};

const COUNT = sql(
  "reports.count_attention",
  `select ${ATTENTION_KINDS.map((kind) => `(select count(*)::integer from (select 1 from ${WHERE[kind]} limit :limit) waiting) as ${kind}`).join(",\n       ")}` as "select :tenant, :limit, :now",
).gives<Readonly<Record<AttentionKind, number>>>();

/** The number of waiting items of each kind, at most one more than `COUNTED_MAX`. */
export async function countAttention(
  db: Reader,
  tenant: number,
  now: Date,
): Promise<Readonly<Record<AttentionKind, number>>> {
  const [row] = await db.query(COUNT, { tenant, now, limit: COUNTED_MAX + 1 });
  return (
    row ?? (Object.fromEntries(ATTENTION_KINDS.map((kind) => [kind, 0])) as Record<AttentionKind, number>)
  );
}
