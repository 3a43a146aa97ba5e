/** The SQL of mandates as records: lists, reads, ends and expires them. */
import { isOnDays, type Days } from "../db/days.ts";
import { IS_PROVEN_BY_USE } from "./amendments.ts";
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import { listed, listedTogether } from "../db/lists.ts";
import type { LeadRow, MandateAmendmentRow, MandateRow } from "../db/rows.ts";
import type { Window } from "../lib/window.ts";
import { MANDATE_UNUSED_MONTHS_MAX } from "../sepa/windows.ts";
import { retriesEnd, subscriptionsAfterMandate } from "../subscriptions/writes.ts";
import { LAPSING_DAYS, UNUSED } from "./mandate.ts";

/** What is shown of a mandate: of its account only the last digits. */
export interface ListedMandateRow
  extends
    Omit<
      MandateRow,
      "tenant" | "iban_sealed" | "iban_fingerprint" | "iban_length" | "used_elsewhere" | "wallet_presentation"
    >,
    Pick<LeadRow, "email" | "first_name" | "last_name" | "country"> {}

export type ShownAmendment = Omit<
  MandateAmendmentRow,
  "tenant" | "mandate_id" | "at" | "sent_at" | "original_iban_sealed"
> & { readonly at: string; readonly sent_at: string | null };

export interface MandateDetailRow extends ListedMandateRow {
  /** Newest first, as JSON. */
  readonly amendments: readonly ShownAmendment[];
  readonly subscriptions: readonly { readonly id: string; readonly status: string }[];
}

const COLUMNS = `
  m.id, m.reference, m.lead_id, m.session_id, m.status, m.acceptance_mode, m.accepted_at, m.accepted_ip, m.accepted_user_agent,
  m.text_version, m.creditor_name, m.creditor_identifier, m.creditor_address, m.creditor_postal_code,
  m.creditor_city, m.creditor_country, m.holder_name, m.iban_last4, m.iban_country, m.bic,
  m.bank_name, m.last_used_at, m.created_at, m.updated_at, m.scheme, m.type, m.source, m.language,
  m.pre_notification_days, m.bank_confirmed_on, m.account_blocked_at, m.cancelled_at, m.cancelled_by, m.status_reason,
  m.wallet_presentation_format, m.wallet_presentation_sha256, m.wallet_presentation_at,
  l.email, l.first_name, l.last_name, l.country`;

export interface MandateFilters extends Days {
  readonly status: string | null;
  readonly referenceKey: string | null;
  readonly emailKey: string | null;
  readonly leadId: string | null;
  readonly scheme: string | null;
  /** True: only mandates with a blocked account; false: only the others. */
  readonly isBlocked: boolean | null;
  /** True: only mandates about to expire; false: only the others. */
  readonly lapsing: boolean | null;
  readonly now: Date;
}

/** SQL: whether a mandate is about to expire. */
export function isLapsing<Mandate extends string>(mandate: Mandate) {
  return `${mandate}.status = 'active'
         and ${lastUsed(mandate)}
           < :now::timestamptz - interval '${MANDATE_UNUSED_MONTHS_MAX} months' + interval '${LAPSING_DAYS} days'` as const;
}

/**
 * SQL: when a mandate was last used. Active mandates have an index on it, in whose order those about to expire are
 * read.
 */
export function lastUsed<Mandate extends string>(mandate: Mandate) {
  return `coalesce(${mandate}.last_used_at, ${mandate}.accepted_at)` as const;
}

/** SQL: whether a mandate was unused for too long before this day, in whole days as in `isMandateExpired`. */
export function isUnusedFor36Months<Mandate extends string, Day extends string>(mandate: Mandate, day: Day) {
  return `(coalesce(${mandate}.last_used_at, ${mandate}.accepted_at) at time zone 'UTC')::date
           + interval '${MANDATE_UNUSED_MONTHS_MAX} months' < ${day}` as const;
}

const MATCHES = `m.tenant = :tenant
        and (:status::text is null or m.status = :status)
        and (:referenceKey::text is null or upper(m.reference collate "C") = :referenceKey)
        and (:emailKey::text is null
             or m.lead_id = (select e.id from leads e where e.tenant = :tenant and e.email_key = :emailKey))
        and (:leadId::uuid is null or m.lead_id = :leadId)
        and (:scheme::text is null or m.scheme = :scheme)
        and (:isBlocked::boolean is null or :isBlocked = (m.account_blocked_at is not null))
        and ${isOnDays("m.created_at")}` as const;
const WITH_LEAD = "join leads l on l.tenant = :tenant and l.id = m.lead_id";

const LIST = listed(
  "mandates.list",
  `select ${COLUMNS} from mandates m ${WITH_LEAD}
      where ${MATCHES} and (:lapsing::boolean is null or not (${isLapsing("m")}))`,
  ["m.created_at", "m.id"],
  { plannedByValues: true },
).gives<ListedMandateRow>();

/**
 * Mandates about to expire are found by their last use, in an index that also contains the columns that sort the newest
 * first. The query allows no other plan, because the planner does not know how few they are.
 */
const LIST_LAPSING = listedTogether(
  "mandates.list_lapsing",
  [
    `select n.id, n.created_at
       from (select m.id, m.created_at from mandates m where ${MATCHES} and ${isLapsing("m")}
              order by ${lastUsed("m")} offset 0) n
      where true`,
  ],
  ["n.created_at", "n.id"],
  {
    plannedByValues: true,
    shown: (found) =>
      `select ${COLUMNS} from ${found} join mandates m on m.tenant = :tenant and m.id = x.id ${WITH_LEAD}`,
  },
).gives<ListedMandateRow>();

export function listMandates(
  db: Reader,
  tenant: number,
  { lapsing, ...filters }: MandateFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ListedMandateRow[]> {
  const values = { ...filters, tenant, at, id, limit };
  return lapsing === true
    ? db.query(LIST_LAPSING[towards], values)
    : db.query(LIST[towards], { ...values, lapsing });
}

const DETAIL = sql(
  "mandates.detail",
  `select ${COLUMNS},
          coalesce((
            select jsonb_agg(jsonb_build_object(
                     'number', a.number, 'at', a.at, 'kind', a.kind, 'original_reference', a.original_reference,
                     'original_creditor_identifier', a.original_creditor_identifier,
                     'original_creditor_name', a.original_creditor_name,
                     'original_holder_name', a.original_holder_name,
                     'original_iban_country', a.original_iban_country, 'original_iban_last4', a.original_iban_last4,
                     'same_bank', a.same_bank, 'sent_at', a.sent_at, 'accepted_ip', a.accepted_ip, 'text_version', a.text_version
                   ) order by a.number desc)
              from mandate_amendments a where a.tenant = :tenant and a.mandate_id = m.id
          ), '[]') as amendments,
          coalesce((
            select jsonb_agg(jsonb_build_object('id', u.id, 'status', u.status) order by u.created_at desc, u.id desc)
              from subscriptions u where u.tenant = :tenant and u.mandate_id = m.id
          ), '[]') as subscriptions
     from mandates m ${WITH_LEAD}
    where m.tenant = :tenant and m.id = :id`,
).gives<MandateDetailRow>();

export async function findMandate(db: Reader, tenant: number, id: string): Promise<MandateDetailRow | null> {
  return (await db.query(DETAIL, { tenant, id }))[0] ?? null;
}

const LOCK_SUBSCRIPTIONS = sql(
  "mandates.lock_subscriptions",
  "select id from subscriptions where tenant = :tenant and mandate_id = :id order by id for no key update",
);
const LOCK = sql(
  "mandates.lock",
  "select * from mandates where tenant = :tenant and id = :id for no key update",
).gives<MandateRow>();

/**
 * Locks the mandate, after its subscriptions as renewals do; null if unknown. Payments that name the subscriptions in
 * the meantime do not wait, which could deadlock.
 */
export async function lockMandate(tx: Tx, tenant: number, id: string): Promise<MandateRow | null> {
  await tx.query(LOCK_SUBSCRIPTIONS, { tenant, id });
  return (await tx.query(LOCK, { tenant, id }))[0] ?? null;
}

/** Its subscriptions end with it, and their retries are dropped. */
const CANCEL = sql(
  "mandates.cancel",
  `with m as (
     update mandates
        set status = 'cancelled', cancelled_at = :now, cancelled_by = :by, status_reason = :reason, updated_at = :now
      where tenant = :tenant and id = :id and status = 'active'
     returning id
   ), u as (${subscriptionsAfterMandate({ mandate: "m" })}
   ), c as (${retriesEnd({ from: "u" })}
   )
   select id from u order by id`,
).gives<{ id: string }>();

export interface CancelWrite {
  readonly by: "creditor" | "debtor" | "bank";
  readonly reason: string | null;
}

/**
 * Ends a locked active mandate.
 * @returns the ids of the subscriptions that ended with it.
 */
export async function writeMandateCancel(
  tx: Tx,
  tenant: number,
  id: string,
  now: Date,
  { by, reason }: CancelWrite,
): Promise<readonly string[]> {
  const rows = await tx.write(CANCEL, { tenant, id, now, by, reason });
  return rows.map((row) => row.id);
}

const PROVEN_BY_USE = sql(
  "mandates.proven_by_use",
  `select from mandates m where m.tenant = :tenant and m.id = :id and ${IS_PROVEN_BY_USE}`,
);

/** Whether it counts as confirmed by its bank because of its use elsewhere. */
export async function isProvenByUse(tx: Tx, tenant: number, id: string): Promise<boolean> {
  return (await tx.query(PROVEN_BY_USE, { tenant, id })).length === 1;
}

const CONFIRM = sql(
  "mandates.confirm",
  "update mandates set bank_confirmed_on = :on::date, updated_at = :now where tenant = :tenant and id = :id",
);

/**
 * Writes the confirmation.
 * @param on null: the debtor's bank has not confirmed it.
 */
export async function writeConfirmed(
  tx: Tx,
  tenant: number,
  id: string,
  on: string | null,
  now: Date,
): Promise<void> {
  await tx.write(CONFIRM, { tenant, id, on, now });
}

const TENANTS_WITH_UNUSED = sql(
  "mandates.tenants_with_unused",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from mandates
    where status = 'active' and coalesce(last_used_at, accepted_at) < :now::timestamptz - interval '${MANDATE_UNUSED_MONTHS_MAX} months'
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithUnused(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_WITH_UNUSED, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

/** The first condition uses the index, the second is the rule itself. */
const EXPIRE = sql(
  "mandates.expire",
  `with due as (
     select id from mandates
      where tenant = :tenant and status = 'active'
        and coalesce(last_used_at, accepted_at) < :now::timestamptz - interval '${MANDATE_UNUSED_MONTHS_MAX} months'
        and ${isUnusedFor36Months("mandates", "(:now::timestamptz at time zone 'UTC')::date")}
      order by coalesce(last_used_at, accepted_at)
      limit :limit
        for update skip locked
   )
   update mandates set status = 'expired', status_reason = :reason, updated_at = :now
     from due
    where mandates.tenant = :tenant and mandates.id = due.id
   returning mandates.id`,
);

/** Expires a tenant's mandates that were unused for too long; returns how many. */
export async function expireUnused(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return (await db.commit(EXPIRE, { tenant, now, limit, reason: UNUSED })).length;
}
