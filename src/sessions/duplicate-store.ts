/** The SQL that finds the same customer paying the same amount within a day. */
import { sql, type Tx } from "../db/database.ts";
import { inList } from "../db/in-list.ts";
import { OPEN_STATUSES } from "../payments/transaction.ts";
import { hasEmailOf } from "./leads.ts";
import { lockSession } from "./store.ts";

const IS_WITHIN = "interval '1 day'";
/** Statuses of payments that may bring money, or have done so. */
const COUNTS = inList([...OPEN_STATUSES, "pending", "approved"]);

/**
 * SQL: the ids of leads that are the customer of a session: its own lead, and leads with the same e-mail address and
 * account, as each session of a payment link has its own lead. The address alone is not enough: it is typed and not
 * proven.
 */
const sameCustomer = <Session extends string, Accounts extends string>(s: Session, accounts: Accounts) =>
  `select ${s}.lead_id
      union all
     select l.id
       from leads given
       join leads l on l.tenant = :tenant and ${hasEmailOf("l", "given")}
      where given.tenant = :tenant and given.id = ${s}.lead_id
        and exists (select from mandates m
                     where m.tenant = :tenant and m.lead_id = l.id and m.iban_fingerprint = any (${accounts}))` as const;

/**
 * SQL for a FROM and a WHERE: payments `p` that a payment of a session would repeat. A customer has one active session,
 * except those of links, so of two payments of one customer the first is recorded before the second can be made.
 * @param accounts an array of the account's fingerprints.
 */
export const repeats = <Session extends string, Accounts extends string, Now extends string>(
  s: Session,
  accounts: Accounts,
  now: Now,
) =>
  `transactions p
    where p.tenant = :tenant and p.lead_id in (${sameCustomer(s, accounts)}) and p.session_id <> ${s}.id and p.type = 'sdd_sale'
      and p.currency = ${s}.currency
      and p.amount = case when ${s}.billing_type = 'TRIAL_RECURRING' then coalesce(${s}.trial_price, 0) else ${s}.amount end
      and p.status in ${COUNTS} and p.created_at > ${now} - ${IS_WITHIN}` as const;

const FIND = sql(
  "sessions.find_duplicate",
  `with found as (
     select r.merchant_transaction_id,
            exists (select from session_moves v
                     where v.tenant = :tenant and v.session_id = :sessionId and v.cause = 'asked_about_duplicate') as is_noted
       from sessions s
       join tenants n on n.tenant = :tenant and n.ask_about_duplicates
      cross join lateral (
        select p.merchant_transaction_id from ${repeats("s", ":ibanFingerprints::bytea[]", ":now::timestamptz")} order by p.created_at desc limit 1
      ) r
      where s.tenant = :tenant and s.id = :sessionId
   ), noted as (
     insert into session_moves (tenant, session_id, at, from_status, to_status, cause)
     select :tenant, :sessionId, :now, 'PENDING', 'PENDING', 'asked_about_duplicate'
       from found where not found.is_noted
   )
   select merchant_transaction_id, is_noted from found`,
).gives<Duplicate>();

interface Duplicate {
  readonly merchant_transaction_id: string;
  /** Whether the customer was already asked, with the event. */
  readonly is_noted: boolean;
}

/**
 * The newest payment that one of this session would repeat, recorded once in its history; null if there is none, or the
 * tenant does not ask.
 */
export async function findDuplicate(
  tx: Tx,
  tenant: number,
  sessionId: string,
  ibanFingerprints: readonly Buffer[],
  now: Date,
): Promise<Duplicate | null> {
  await lockSession(tx, tenant, sessionId);
  return (await tx.write(FIND, { tenant, sessionId, ibanFingerprints, now }))[0] ?? null;
}
