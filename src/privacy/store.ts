/** The records of a customer, and whether something of them is still in progress. */
import { sql, type Tx } from "../db/database.ts";
import { OPEN_IN_SQL } from "../payments/transaction.ts";

/**
 * SQL: whether `x` is a refund of an imported payment with the customer's address. If the import came before the
 * customer, neither belongs to the customer.
 */
const IS_REFUND_OF_IMPORT = `x.original_id = any (array(
        select o.id from transactions o where o.tenant = :tenant and lower(trim(o.customer_email_csv)) = :emailKey))` as const;

const HELD = sql(
  "erase.held",
  `with t as (
     select x.id, x.status, x.mandate_id, x.processed_at, x.created_at, x.merchant_transaction_id
       from transactions x where x.tenant = :tenant and (x.lead_id = :id or ${IS_REFUND_OF_IMPORT})
   )
   select exists (select from sessions s where s.tenant = :tenant and s.lead_id = :id and s.closed_at is null) as session,
          exists (select from t where t.status in ${OPEN_IN_SQL} or t.status = 'pending') as payment,
          exists (select from subscriptions u where u.tenant = :tenant and u.lead_id = :id and u.status <> 'CANCELLED') as subscription,
          exists (select from mandates m where m.tenant = :tenant and m.lead_id = :id and m.status = 'pending') as mandate,
          exists (select from t join sepa_collections c on c.tenant = :tenant and c.reference = t.merchant_transaction_id
                   where c.state in ('accepted', 'batched')
                      or exists (select from sepa_news n where n.tenant = :tenant and n.reference = c.reference
                                    and n.acknowledged_at is null)) as bank,
          (select greatest(max(m.last_used_at), max(t.processed_at))
             from mandates m left join t on t.mandate_id = m.id and t.status <> 'declined'
            where m.tenant = :tenant and m.lead_id = :id) as collected_at`,
).gives<ErasureHolds>();

/** What prevents the erasure of a customer, and when a mandate was last used. */
export interface ErasureHolds {
  readonly session: boolean;
  readonly payment: boolean;
  readonly subscription: boolean;
  readonly mandate: boolean;
  readonly bank: boolean;
  readonly collected_at: Date | null;
}

export async function findHolds(tx: Tx, tenant: number, id: string, emailKey: string): Promise<ErasureHolds> {
  const [held] = await tx.query(HELD, { tenant, id, emailKey });
  if (held === undefined) throw new Error("The statement returns a row");
  return held;
}

const RECORDS = sql(
  "erase.records",
  `with t as (
     select x.id, x.merchant_transaction_id, x.customer_ip as ip
       from transactions x
      where x.tenant = :tenant
        and (x.lead_id = :id or lower(trim(x.customer_email_csv)) = :emailKey or ${IS_REFUND_OF_IMPORT})
   ), s as (
     select y.id, y.customer_ip as ip from sessions y where y.tenant = :tenant and y.lead_id = :id
   ), c as (
     select k.id, k.merchant_transaction_id
       from chargebacks k
      where k.tenant = :tenant
        and (k.lead_id = :id or lower(trim(k.email)) = :emailKey or k.transaction_id = any (array(select t.id from t)))
   )
   select array(select s.id::text from s) as sessions,
          array(select t.id::text from t) as transactions,
          array(select c.id::text from c) as chargebacks,
          array(select t.merchant_transaction_id from t) as references,
          array(select t.ip from t where t.ip is not null union select s.ip from s where s.ip is not null
                union select m.accepted_ip from mandates m where m.tenant = :tenant and m.lead_id = :id and m.accepted_ip is not null) as addresses,
          array(select u.id::text from subscriptions u where u.tenant = :tenant and u.lead_id = :id) as subscriptions,
          array(select o.id::text from orders o where o.tenant = :tenant and o.session_id in (select s.id from s)) as orders`,
).gives<Records>();

/** The ids of everything that is a customer's. */
interface Records {
  readonly sessions: readonly string[];
  readonly transactions: readonly string[];
  readonly chargebacks: readonly string[];
  /** At gateways. */
  readonly references: readonly string[];
  /** On the network. */
  readonly addresses: readonly string[];
  readonly subscriptions: readonly string[];
  readonly orders: readonly string[];
}

export async function recordsOf(tx: Tx, tenant: number, id: string, emailKey: string): Promise<Records> {
  const [records] = await tx.query(RECORDS, { tenant, id, emailKey });
  if (records === undefined) throw new Error("The statement returns a row");
  return records;
}

const MANDATES = sql(
  "erase.mandates",
  `select m.id, m.holder_name, m.iban_sealed, m.iban_fingerprint from mandates m where m.tenant = :tenant and m.lead_id = :id`,
).gives<{ id: string; holder_name: string; iban_sealed: Buffer; iban_fingerprint: Buffer }>();

export function mandatesOf(tx: Tx, tenant: number, id: string) {
  return tx.query(MANDATES, { tenant, id });
}

const AMENDMENTS = sql(
  "erase.amendments_of",
  `select mandate_id, number, original_holder_name, original_iban_sealed
     from mandate_amendments where tenant = :tenant and mandate_id = any (:ids::uuid[])`,
).gives<{
  mandate_id: string;
  number: number;
  original_holder_name: string | null;
  original_iban_sealed: Buffer | null;
}>();

export function amendmentsOf(tx: Tx, tenant: number, ids: readonly string[]) {
  return tx.query(AMENDMENTS, { tenant, ids });
}

const NAMES = sql(
  "erase.names",
  `select customer_name_csv as name, null::bytea as debtor, null as reference
     from transactions where tenant = :tenant and id = any (:ids::uuid[]) and customer_name_csv is not null
    union all
   select debtor_name, debtor, coalesce(refund_of, reference)
     from sepa_collections where tenant = :tenant and reference = any (:references::text[])`,
).gives<{ name: string | null; debtor: Buffer | null; reference: string | null }>();

/** The names with which the person paid, and the accounts and addresses, each sealed to the reference of a debit. */
export function namesOf(tx: Tx, tenant: number, ids: readonly string[], references: readonly string[]) {
  return tx.query(NAMES, { tenant, ids, references });
}

const NAMESAKES = sql(
  "erase.namesakes",
  `select lower(first_name || ' ' || last_name) as name
     from leads
    where tenant = :tenant and id <> :id and lower(last_name) = any (:endings::text[])
      and lower(first_name || ' ' || last_name) = any (:names::text[])
    union
   select lower(m.holder_name)
     from mandates m
    where m.tenant = :tenant and m.lead_id <> :id and lower(m.holder_name) = any (:names::text[])`,
).gives<{ name: string }>();

const SHARED_ACCOUNTS = sql(
  "erase.shared_accounts",
  `select distinct m.iban_fingerprint
     from mandates m
    where m.tenant = :tenant and m.lead_id <> :id and m.iban_fingerprint = any (:fingerprints::bytea[])`,
).gives<{ iban_fingerprint: Buffer }>();

/** Names and accounts that other customers have as well: these do not identify the person. */
export async function sharedWithOthers(
  tx: Tx,
  tenant: number,
  id: string,
  given: { readonly names: readonly string[]; readonly fingerprints: readonly Buffer[] },
): Promise<{ readonly names: readonly string[]; readonly fingerprints: readonly Buffer[] }> {
  const endings = given.names.flatMap(endingsOf);
  const names = await tx.query(NAMESAKES, { tenant, id, names: given.names, endings });
  const accounts = await tx.query(SHARED_ACCOUNTS, { tenant, id, fingerprints: given.fingerprints });
  return {
    names: names.map(({ name }) => name),
    fingerprints: accounts.map((row) => row.iban_fingerprint),
  };
}

/** The possible last names in a whole name: everything after a blank. They have an index. */
function endingsOf(name: string): readonly string[] {
  return [...name.matchAll(/ /g)].map(({ index }) => name.slice(index + 1));
}

const LOCK_PAYMENTS = sql(
  "erase.lock_payments",
  `select x.id
     from transactions x
    where x.tenant = :tenant
      and (x.lead_id = :id or lower(trim(x.customer_email_csv)) = :emailKey or ${IS_REFUND_OF_IMPORT})
    order by x.id
      for no key update`,
).gives<{ id: string }>();

/** Payments being written are waited for, or seen. */
export async function lockPayments(tx: Tx, tenant: number, id: string, emailKey: string): Promise<void> {
  await tx.query(LOCK_PAYMENTS, { tenant, id, emailKey });
}

const EVENTS = sql(
  "erase.events",
  `select id, payload from events
    where tenant = :tenant
      and (session_id = any (:sessions::uuid[]) or transaction_id = any (:transactions::uuid[])
           or chargeback_id = any (:chargebacks::uuid[]))`,
).gives<{ id: string; payload: unknown }>();

export function eventsOf(
  tx: Tx,
  tenant: number,
  ids: Pick<Records, "sessions" | "transactions" | "chargebacks">,
) {
  const { sessions, transactions, chargebacks } = ids;
  return tx.query(EVENTS, { tenant, sessions, transactions, chargebacks });
}

const AUDITED_NEXT = sql(
  "erase.audited_next",
  "select id from audit_log where tenant = :tenant and id >= :from::uuid order by id offset :count limit 1",
).gives<{ id: string }>();

const AUDITED = sql(
  "erase.audited",
  `select id, before, after, resource_id = any (:ids::uuid[]) as own
     from audit_log
    where tenant = :tenant and id >= :from::uuid and (:next::uuid is null or id < :next::uuid)
      and (resource_id = any (:ids::uuid[]) or concat_ws(' ', before, after) ~* :pattern)
    order by id`,
).gives<{ id: string; before: unknown; after: unknown; own: boolean | null }>();

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** Entries searched by one statement: well within its time limit, whatever they contain. */
const SEARCHED_AT_ONCE = 20_000;

/** The entries that are about the person's records, or may say something of the person: the whole log is searched, in parts. */
export async function* auditedOf(
  tx: Tx,
  tenant: number,
  ids: readonly string[],
  pattern: string,
  atOnce = SEARCHED_AT_ONCE,
) {
  for (let from: string | null = FIRST_ID; from !== null;) {
    const [following]: readonly { readonly id: string }[] = await tx.query(AUDITED_NEXT, {
      tenant,
      from,
      count: atOnce,
    });
    const next: string | null = following?.id ?? null;
    yield* await tx.query(AUDITED, { tenant, ids, pattern, from, next });
    from = next;
  }
}

const UNMATCHED = sql(
  "erase.unmatched",
  `select id, facts, why, resolution, status, coalesce(reference = any (:references::text[]), false) as own
     from sepa_unmatched
    where tenant = :tenant
      and (reference = any (:references::text[]) or concat_ws(' ', facts, why, resolution) ~* :pattern
           or exists (select from unnest(:references::text[]) r where strpos(facts::text, r) > 0))
    order by id`,
).gives<{
  id: string;
  facts: unknown;
  why: string;
  resolution: string | null;
  status: string;
  own: boolean | null;
}>();

export function unmatchedOf(tx: Tx, tenant: number, references: readonly string[], pattern: string) {
  return tx.query(UNMATCHED, { tenant, references, pattern });
}

const IMPORTS = sql(
  "erase.imports",
  `select id, file_name, error, rejections from imports
    where tenant = :tenant and concat_ws(' ', rejections, file_name, error) ~* :pattern`,
).gives<{ id: string; file_name: string; error: string | null; rejections: unknown }>();

export function importsOf(tx: Tx, tenant: number, pattern: string) {
  return tx.query(IMPORTS, { tenant, pattern });
}

const FILES = sql(
  "erase.files",
  `select f.id, f.content
     from sepa_files f
    where f.tenant = :tenant and f.kind <> 'zip'
      and (f.status in ('refused', 'withdrawn')
           or f.id in (select c.file_id from sepa_collections c where c.tenant = :tenant and c.reference = any (:references::text[]))
           or f.id in (select e.file_id from sepa_entries e where e.tenant = :tenant and e.reference = any (:references::text[]))
           or f.id in (select n.file_id from sepa_news n where n.tenant = :tenant and n.reference = any (:references::text[]))
           or f.id in (select b.file_id from sepa_bookings b where b.tenant = :tenant and b.reference = any (:references::text[]))
           or f.id in (select x.file_id from sepa_unmatched x where x.tenant = :tenant and x.id = any (:unmatched::uuid[])))
    order by f.id`,
).gives<{ id: string; content: Buffer }>();

/**
 * The bank files in which the person may be named: of one that was refused or withdrawn no record tells whom it names. A line
 * of a report does not name the instructions of a whole block: news and bookings do, and not each has both.
 */
export function filesOf(tx: Tx, tenant: number, references: readonly string[], unmatched: readonly string[]) {
  return tx.query(FILES, { tenant, references, unmatched });
}
