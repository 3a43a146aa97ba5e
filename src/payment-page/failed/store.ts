/** The SQL of a failed payment's page: its product and its merchant. */
import { sql, type Reader } from "../../db/database.ts";
import { PAGE_SETTINGS, type PageSettings } from "../store.ts";

/** The data of a failed payment's page. */
export interface FailedPageRow {
  readonly merchant_name: string;
  /** The customer's country. */
  readonly country: string | null;
  readonly default_locale: string | null;
  readonly test_mode: boolean;
  readonly page: PageSettings | null;
  readonly amount: string;
  readonly currency: string;
  readonly order_number: string;
  readonly offer_name: string | null;
  readonly failed_at: Date;
  readonly error_code: string | null;
  readonly mandate_reference: string;
  readonly holder_name: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly iban_country: string;
  readonly iban_last4: string;
}

const FIND = sql(
  "failed_payments.find_for_page",
  `select n.name as merchant_name, l.country, n.default_locale, g.test_mode,
          case when p.id is not null then ${PAGE_SETTINGS} end as page,
          t.amount, t.currency, o.order_number, s.offer_name, t.updated_at as failed_at, t.error_code,
          m.reference as mandate_reference, m.holder_name, m.creditor_name, m.creditor_identifier, m.iban_country, m.iban_last4
     from transactions t
     join tenants  n on n.tenant = :tenant
     join orders   o on o.tenant = :tenant and o.id = t.order_id
     join sessions s on s.tenant = :tenant and s.id = o.session_id
     join leads    l on l.tenant = :tenant and l.id = t.lead_id
     join gateways g on g.tenant = :tenant and g.id = t.gateway_id
     join mandates m on m.tenant = :tenant and m.id = t.mandate_id
     left join hosted_pages p on p.tenant = :tenant and p.id = s.hosted_page_id
    where t.tenant = :tenant and t.id = :id and l.erased_at is null`,
).gives<FailedPageRow>();

/** The data of the page; null for a payment without a session, and once its customer is erased. */
export async function findFailedPage(db: Reader, tenant: number, id: string): Promise<FailedPageRow | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}
