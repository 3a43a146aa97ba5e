/** The SQL of customers and the sums of their payments. */
import { sql, type Reader } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { LeadRow } from "../../db/rows.ts";
import type { Window } from "../../lib/window.ts";

/** A customer in the list. */
export type ListedCustomer = Pick<
  LeadRow,
  "id" | "email" | "first_name" | "last_name" | "country" | "created_at" | "updated_at"
>;

interface CustomerFilters {
  readonly emailKey: string | null;
  readonly nameStart: string | null;
  readonly country: string | null;
}

const COLUMNS = "l.id, l.email, l.first_name, l.last_name, l.country, l.created_at, l.updated_at";

/** The operators compare byte by byte, as the indexes of names do, whatever the database's collation. */
const LISTED = `
  select ${COLUMNS}
    from leads l
   where l.tenant = :tenant
     and (:emailKey::text is null or l.email_key = :emailKey)
     and (:country::text is null or l.country = :country)
     and (:nameStart::text is null
          or lower(l.last_name) ~>=~ lower(:nameStart) and lower(l.last_name) ~<~ (lower(:nameStart) || chr(1114109))
          or lower(l.first_name) ~>=~ lower(:nameStart) and lower(l.first_name) ~<~ (lower(:nameStart) || chr(1114109)))` as const;

const LIST = listed("reports.list_customers", LISTED, ["l.created_at", "l.id"], {
  plannedByValues: true,
}).gives<ListedCustomer>();

/** One page of a tenant's customers. */
export function listCustomers(
  db: Reader,
  tenant: number,
  filters: CustomerFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ListedCustomer[]> {
  return db.query(LIST[towards], { ...filters, tenant, at, id, limit });
}

const NAMED = sql(
  "reports.customers_of_rows",
  `select ${COLUMNS} from leads l where l.tenant = :tenant and l.id = any (:ids::uuid[])`,
).gives<ListedCustomer>();

/** Customers of the records on a page, by id. */
export async function findCustomers(
  db: Reader,
  tenant: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ListedCustomer>> {
  const rows = ids.length === 0 ? [] : await db.query(NAMED, { tenant, ids });
  return new Map(rows.map((row) => [row.id, row]));
}

/** The net sum of a customer's payments, in one currency. */
interface CustomerTotal {
  readonly currency: string;
  readonly payments: number;
  /** Payments less refunds and chargebacks. */
  readonly collected: string;
  readonly pending: string;
  readonly refunded: string;
  readonly charged_back: string;
}

interface CustomerMandate {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly iban_country: string;
  readonly iban_last4: string;
}

interface CustomerSubscription {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  readonly billing_frequency: string | null;
  readonly next_billing_date: string | null;
}

export interface CustomerDetail extends ListedCustomer {
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly phone: string | null;
  /** When the person's data was erased; null if it was not. */
  readonly erased_at: Date | null;
  /** These as JSON. */
  readonly totals: readonly CustomerTotal[];
  readonly mandates: readonly CustomerMandate[];
  readonly subscriptions: readonly CustomerSubscription[];
}

const FIND = sql(
  "reports.find_customer",
  `select ${COLUMNS}, l.address, l.postal_code, l.city, l.phone, l.erased_at,
          coalesce(t.totals, '[]') as totals, coalesce(m.mandates, '[]') as mandates,
          coalesce(u.subscriptions, '[]') as subscriptions
     from leads l
     left join lateral (
       select jsonb_agg(to_jsonb(s) order by s.currency) as totals from (
         select t.currency,
                (count(*) filter (where t.type <> 'sdd_refund'))::integer as payments,
                coalesce(sum(greatest(t.amount - t.refunded - b.back, 0.00)) filter (where t.type <> 'sdd_refund' and t.status in ('approved', 'refunded', 'charged_back')), 0)::text as collected,
                coalesce(sum(t.amount) filter (where t.type <> 'sdd_refund' and t.status not in ('approved', 'refunded', 'declined', 'charged_back')), 0)::text as pending,
                coalesce(sum(t.refunded) filter (where t.type <> 'sdd_refund'), 0)::text as refunded,
                coalesce(sum(b.back) filter (where t.type <> 'sdd_refund' and t.status = 'charged_back'), 0)::text as charged_back
           from transactions t
          cross join lateral (
            select case when t.status = 'charged_back' then coalesce((
                     select sum(c.amount) from chargebacks c
                      where c.tenant = :tenant and c.transaction_id = t.id and c.withdrawn_on is null), t.amount) else 0.00 end as back
          ) b
          where t.tenant = :tenant and t.lead_id = :id
          group by t.currency
       ) s
     ) t on true
     left join lateral (
       select jsonb_agg(jsonb_build_object('id', m.id, 'reference', m.reference, 'status', m.status,
                'iban_country', m.iban_country, 'iban_last4', m.iban_last4) order by m.created_at desc, m.id desc) as mandates
         from mandates m where m.tenant = :tenant and m.lead_id = :id
     ) m on true
     left join lateral (
       select jsonb_agg(jsonb_build_object('id', u.id, 'status', u.status, 'amount', u.billing_amount::text,
                'currency', u.currency, 'billing_frequency', u.billing_frequency, 'next_billing_date', u.next_billing_date)
                order by u.created_at desc, u.id desc) as subscriptions
         from subscriptions u where u.tenant = :tenant and u.lead_id = :id
     ) u on true
    where l.tenant = :tenant and l.id = :id`,
).gives<CustomerDetail>();

export async function findCustomer(db: Reader, tenant: number, id: string): Promise<CustomerDetail | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}
