/** The SQL of the search: each kind is looked up by an index of its own. */
import { sql, type Reader } from "../../db/database.ts";

/** A result. */
export interface FoundRow {
  readonly kind: "transaction" | "customer" | "mandate" | "subscription" | "session";
  readonly id: string;
  /** Its reference or name. */
  readonly title: string;
  /** The customer's name or e-mail address. */
  readonly about: string | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly at: Date;
}

const CUSTOMER =
  "'customer'::text as kind, l.id, l.first_name || ' ' || l.last_name as title, l.email as about, null::text as status, null::text as amount, null::text as currency, l.created_at as at";
const MANDATE =
  "'mandate'::text as kind, m.id, m.reference as title, m.holder_name as about, m.status, null::text as amount, null::text as currency, m.created_at as at";
/** `t` is the transaction, `l` its customer. */
const TRANSACTION =
  "'transaction'::text as kind, t.id, t.merchant_transaction_id as title, coalesce(l.first_name || ' ' || l.last_name, t.customer_name_csv) as about, t.status, t.amount::text, t.currency, t.created_at as at";
const OF_LEAD = "left join leads l on l.tenant = :tenant and l.id = t.lead_id";

/** By exactly this reference. Ours and the mandates' are case-insensitive. */
const BY_REFERENCE = sql(
  "reports.search_reference",
  `with found as (
     select t.id from transactions t
      where t.tenant = :tenant and t.merchant_transaction_id in (:reference, upper(:reference))
     union
     select t.id from transactions t where t.tenant = :tenant and t.tenant_reference_id = :reference
     union
     select t.id from orders o join transactions t on t.tenant = :tenant and t.order_id = o.id
      where o.tenant = :tenant and o.order_number = upper(:reference)
     union
     select t.id from gateways g
       join transactions t on t.tenant = :tenant and t.gateway_id = g.id and t.gateway_reference = :reference
      where g.tenant = :tenant
   ), transactions_found as (
     select ${TRANSACTION} from found f
       join transactions t on t.tenant = :tenant and t.id = f.id ${OF_LEAD}
      order by t.created_at desc, t.id desc
      limit :limit
   ), sessions_found as (
     select 'session'::text, s.id, o.order_number, l.email, s.status, o.amount::text, o.currency, s.created_at
       from orders o
       join sessions s on s.tenant = :tenant and s.id = o.session_id
       join leads l on l.tenant = :tenant and l.id = s.lead_id
      where o.tenant = :tenant and o.order_number = upper(:reference)
   ), mandates_found as (
     select ${MANDATE} from mandates m
      where m.tenant = :tenant and upper((m.reference collate "C")) = upper((:reference collate "C"))
   )
   select * from transactions_found union all select * from sessions_found union all select * from mandates_found`,
).gives<FoundRow>();

/** Any record with this id. */
const BY_ID = sql(
  "reports.search_id",
  `select ${TRANSACTION} from transactions t ${OF_LEAD} where t.tenant = :tenant and t.id = :id::uuid
   union all
   select 'session', s.id, o.order_number, l.email, s.status, o.amount::text, o.currency, s.created_at
     from sessions s
     join orders o on o.tenant = :tenant and o.session_id = s.id
     join leads l on l.tenant = :tenant and l.id = s.lead_id
    where s.tenant = :tenant and s.id = :id::uuid
   union all
   select ${CUSTOMER} from leads l where l.tenant = :tenant and l.id = :id::uuid
   union all
   select ${MANDATE} from mandates m where m.tenant = :tenant and m.id = :id::uuid
   union all
   select 'subscription', u.id, l.first_name || ' ' || l.last_name, l.email, u.status, u.billing_amount::text, u.currency, u.created_at
     from subscriptions u join leads l on l.tenant = :tenant and l.id = u.lead_id
    where u.tenant = :tenant and u.id = :id::uuid`,
).gives<FoundRow>();

/** The operators compare byte by byte, as the index does, whatever the database's collation. */
const BY_EMAIL = sql(
  "reports.search_email",
  `select ${CUSTOMER} from leads l
    where l.tenant = :tenant and l.email_key ~>=~ :start::text and l.email_key ~<~ (:start::text || chr(1114109))
    order by l.email_key using ~<~
    limit :limit`,
).gives<FoundRow>();

const BY_NAME = sql(
  "reports.search_name",
  `select * from (
     (select ${CUSTOMER} from leads l
       where l.tenant = :tenant
         and lower(l.last_name) ~>=~ lower(:name::text) and lower(l.last_name) ~<~ (lower(:name::text) || chr(1114109))
       order by lower(l.last_name) using ~<~ limit :limit)
     union
     (select ${CUSTOMER} from leads l
       where l.tenant = :tenant
         and lower(l.first_name) ~>=~ lower(:name::text) and lower(l.first_name) ~<~ (lower(:name::text) || chr(1114109))
       order by lower(l.first_name) using ~<~ limit :limit)
   ) found
   order by at desc, id desc
   limit :limit`,
).gives<FoundRow>();

/** A last name matches few customers, a first name many. */
const BY_NAMES = sql(
  "reports.search_names",
  `select * from (
     (select ${CUSTOMER} from leads l
       where l.tenant = :tenant
         and lower(l.last_name) ~>=~ lower(:second::text) and lower(l.last_name) ~<~ (lower(:second::text) || chr(1114109))
         and lower(l.first_name) ~>=~ lower(:first::text) and lower(l.first_name) ~<~ (lower(:first::text) || chr(1114109))
       limit :limit)
     union
     (select ${CUSTOMER} from leads l
       where l.tenant = :tenant
         and lower(l.last_name) ~>=~ lower(:first::text) and lower(l.last_name) ~<~ (lower(:first::text) || chr(1114109))
         and lower(l.first_name) ~>=~ lower(:second::text) and lower(l.first_name) ~<~ (lower(:second::text) || chr(1114109))
       limit :limit)
   ) found
   order by at desc, id desc
   limit :limit`,
).gives<FoundRow>();

/** The newest mandates of an account, by its whole number or by its end. */
const BY_ACCOUNT = sql(
  "reports.search_account",
  `with m as materialized (
     select * from mandates where tenant = :tenant and iban_fingerprint = any (:fingerprints::bytea[])
   )
   select ${MANDATE} from m
    order by m.created_at desc, m.id desc
    limit :limit`,
).gives<FoundRow>();

const BY_LAST4 = sql(
  "reports.search_last4",
  `select ${MANDATE} from mandates m
    where m.tenant = :tenant and m.iban_last4 = :last4
    order by m.created_at desc
    limit :limit`,
).gives<FoundRow>();

/** A name is either the customer's, in either order, or the account holder's. */
const BY_PAYER = sql(
  "reports.search_payer",
  `with m as materialized (
     select id, lead_id, holder_name from mandates
      where tenant = :tenant and iban_last4 = :last4
      order by created_at desc
      limit :read
   )
   select ${TRANSACTION} from m
     cross join lateral (select * from leads where tenant = :tenant and id = m.lead_id limit 1) l
     join transactions t on t.tenant = :tenant and t.lead_id = l.id and t.mandate_id = m.id
    where starts_with(lower(l.first_name || ' ' || l.last_name), lower(:name))
       or starts_with(lower(l.last_name || ' ' || l.first_name), lower(:name))
       or starts_with(lower(m.holder_name), lower(:name))
    order by t.created_at desc, t.id desc
    limit :limit`,
).gives<FoundRow>();

const BY_AMOUNT = sql(
  "reports.search_amount",
  `select ${TRANSACTION} from (
     select * from transactions where tenant = :tenant and amount = :amount::numeric
      order by created_at desc, id desc limit :limit
   ) t ${OF_LEAD}
   order by t.created_at desc, t.id desc`,
).gives<FoundRow>();

/** At most this many are shown of each kind. */
export const FOUND_MAX = 10;

type Found = Promise<readonly FoundRow[]>;

export function byReference(db: Reader, tenant: number, reference: string): Found {
  return db.query(BY_REFERENCE, { tenant, reference, limit: FOUND_MAX });
}

export function byId(db: Reader, tenant: number, id: string): Found {
  return db.query(BY_ID, { tenant, id });
}

/** @param start in lower case. */
export function byEmail(db: Reader, tenant: number, start: string): Found {
  return db.query(BY_EMAIL, { tenant, start, limit: FOUND_MAX });
}

export function byName(db: Reader, tenant: number, name: string): Found {
  return db.query(BY_NAME, { tenant, name, limit: FOUND_MAX });
}

/** First and last name, in either order. */
export function byNames(db: Reader, tenant: number, first: string, second: string): Found {
  return db.query(BY_NAMES, { tenant, first, second, limit: FOUND_MAX });
}

/**
 * By account.
 * @param fingerprints of the IBAN, under each master key.
 */
export function byAccount(db: Reader, tenant: number, fingerprints: readonly Buffer[]): Found {
  return db.query(BY_ACCOUNT, { tenant, fingerprints, limit: FOUND_MAX });
}

export function byLast4(db: Reader, tenant: number, last4: string): Found {
  return db.query(BY_LAST4, { tenant, last4, limit: FOUND_MAX });
}

/** Limited to the newest accounts with this end. */
const PAYERS_READ_MAX = 1_000;

/** The newest payments of customers with a name that begins so, from an account that ends so. */
export function byPayer(
  db: Reader,
  tenant: number,
  { name, last4 }: { readonly name: string; readonly last4: string },
): Found {
  return db.query(BY_PAYER, { tenant, name, last4, read: PAYERS_READ_MAX, limit: FOUND_MAX });
}

/** @param amount with two decimals. */
export function byAmount(db: Reader, tenant: number, amount: string): Found {
  return db.query(BY_AMOUNT, { tenant, amount, limit: FOUND_MAX });
}

const REFUNDS_AMONG = sql(
  "reports.refunds_among",
  `select id from transactions
    where tenant = :tenant and id = any (:ids::uuid[]) and type = 'sdd_refund'`,
).gives<{ readonly id: string }>();

/** The refunds among the results. */
export async function refundsAmong(
  db: Reader,
  tenant: number,
  found: readonly FoundRow[],
): Promise<ReadonlySet<string>> {
  const ids = found.filter(({ kind }) => kind === "transaction").map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await db.query(REFUNDS_AMONG, { tenant, ids });
  return new Set(rows.map(({ id }) => id));
}
