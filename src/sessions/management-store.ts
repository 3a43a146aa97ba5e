/** The SQL behind the management API's view of sessions. */
import { isOnDays, type Days } from "../db/days.ts";
import { sql, type Reader } from "../db/database.ts";
import { listed } from "../db/lists.ts";
import type { Window } from "../lib/window.ts";
import type { OrderStatus, SessionStatus, TransactionStatus } from "./session.ts";

export interface ListedSessionRow {
  readonly id: string;
  readonly session_status: SessionStatus;
  readonly open_transaction_id: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly billing_type: string;
  readonly attempts_used: number;
  readonly attempts_max: number;
  readonly order_number: string;
  readonly order_status: OrderStatus;
  readonly email: string;
  readonly campaign_id: string | null;
  readonly gateway_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly closed_at: Date | null;
  readonly opened_at: Date | null;
}

/** The data of the detail; attempts and timeline are JSON. */
export interface SessionDetailRow extends ListedSessionRow {
  readonly token_key_id: number;
  readonly tenant_reference_id: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly order_id: string;
  readonly lead_id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly address: string | null;
  readonly city: string | null;
  readonly postal_code: string | null;
  readonly phone: string | null;
  readonly attempts: readonly { readonly status: TransactionStatus }[];
  readonly timeline: readonly object[];
}

export interface SessionFilters extends Days {
  readonly now: Date;
  readonly status: string | null;
  readonly emailKey: string | null;
  readonly orderNumber: string | null;
  readonly tenantReferenceId: string | null;
  readonly paymentLinkId: string | null;
}

const LISTED_COLUMNS = `
  s.id, s.status as session_status, s.open_transaction_id, s.amount, s.currency, s.billing_type,
  s.attempts_used, s.attempts_max, o.order_number, o.status as order_status, l.email, s.campaign_id, s.gateway_id,
  s.created_at, s.expires_at, s.closed_at, s.opened_at`;

/** The shown status: an expired session is EXPIRED even before the sweeper has ended it. */
const SHOWN_STATUS = `
  case when s.expires_at <= :now and (s.status = 'AWAITING_VERIFICATION'
                                    or (s.status = 'PENDING' and s.open_transaction_id is null))
       then 'EXPIRED' else s.status end`;

const LISTED = `
  select ${LISTED_COLUMNS}
    from sessions s
    join orders o on o.tenant = :tenant and o.session_id = s.id
    join leads  l on l.tenant = :tenant and l.id = s.lead_id
   where s.tenant = :tenant
     and (:status::text is null or ${SHOWN_STATUS} = :status)
     -- Says so to the planner: few are open, and they have an index of their own.
     and (:status is null or :status not in ('PENDING', 'AWAITING_VERIFICATION') or s.closed_at is null)
     and (:emailKey::text is null or l.email_key = :emailKey)
     and (:orderNumber::text is null or o.order_number = :orderNumber)
     and (:tenantReferenceId::text is null or exists (
           select 1 from transactions t
            where t.tenant = :tenant and t.session_id = s.id and t.tenant_reference_id = :tenantReferenceId))
     and (:paymentLinkId::uuid is null or s.payment_link_id = :paymentLinkId)
     and ${isOnDays("s.created_at")}` as const;

const LIST = listed("sessions.list", LISTED, ["s.created_at", "s.id"], {
  plannedByValues: true,
}).gives<ListedSessionRow>();

/** One page of a tenant's sessions. */
export function listSessions(
  db: Reader,
  tenant: number,
  filters: SessionFilters,
  window: Window,
): Promise<readonly ListedSessionRow[]> {
  return db.query(LIST[window.towards], {
    tenant,
    at: window.at,
    id: window.id,
    limit: window.limit,
    now: filters.now,
    status: filters.status,
    emailKey: filters.emailKey,
    orderNumber: filters.orderNumber,
    tenantReferenceId: filters.tenantReferenceId,
    paymentLinkId: filters.paymentLinkId,
    from: filters.from,
    before: filters.before,
  });
}

/** A time in the API's format. */
const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const FIND_DETAIL = sql(
  "sessions.find_detail",
  `select ${LISTED_COLUMNS}, s.token_key_id, s.tenant_reference_id, s.metadata, o.id as order_id,
          l.id as lead_id, l.first_name, l.last_name, l.country, l.address, l.city, l.postal_code, l.phone,
          coalesce(a.attempts, '[]') as attempts, coalesce(h.timeline, '[]') as timeline
     from sessions s
     join orders o on o.tenant = :tenant and o.session_id = s.id
     join leads  l on l.tenant = :tenant and l.id = s.lead_id
     left join lateral (
       select jsonb_agg(jsonb_build_object(
                'id', t.id, 'merchant_transaction_id', t.merchant_transaction_id,
                'gateway_reference', t.gateway_reference, 'tenant_reference_id', t.tenant_reference_id,
                'status', t.status, 'type', t.type, 'amount', t.amount::text,
                'mandate_reference', m.reference, 'iban_last4', m.iban_last4,
                'error_code', t.error_code, 'error_message', t.error_message, 'gateway_code', t.gateway_code,
                'created_at', ${iso("t.created_at")}, 'processed_at', ${iso("t.processed_at")}
              ) order by t.created_at, t.id) as attempts
         from transactions t
         left join mandates m on m.tenant = :tenant and m.id = t.mandate_id
        where t.tenant = :tenant and t.session_id = s.id
     ) a on true
     left join lateral (
       select jsonb_agg(jsonb_build_object(
                'at', ${iso("v.at")}, 'from', v.from_status, 'to', v.to_status, 'cause', v.cause,
                'transaction_id', v.transaction_id
              ) order by v.number) as timeline
         from session_moves v
        where v.tenant = :tenant and v.session_id = s.id
     ) h on true
    where s.tenant = :tenant and s.id = :sessionId`,
).gives<SessionDetailRow>();

export async function findDetail(
  db: Reader,
  tenant: number,
  sessionId: string,
): Promise<SessionDetailRow | null> {
  const rows = await db.query(FIND_DETAIL, { tenant, sessionId });
  return rows[0] ?? null;
}
