/** The SQL of uploads that a bank has begun to accept, and of the protocol's entries about them. */
import { sql, type Database, type Reader, type Tx } from "../../../../db/database.ts";
import type { EbicsEventRow, EbicsOrderRow, SepaFileRow } from "../../../../db/rows.ts";
import { SENT_AT } from "../../files-store.ts";
import { DAY_MS, later } from "../../../../lib/clock.ts";
import type { OrderEvent } from "./hac.ts";
import type { Started } from "./upload.ts";

const BEGIN = sql(
  "ebics_orders.begin",
  `insert into ebics_orders (tenant, file_id, number, gateway_id, transaction_id, order_id, order_type, started_at)
   select f.tenant, f.id,
          (select count(*)::integer + 1 from ebics_orders o where o.tenant = :tenant and o.file_id = f.id),
          :gatewayId, :transactionId, :orderId, :orderType, :now
     from sepa_files f
    where f.tenant = :tenant and f.id = :fileId`,
);

/** Records the order number, one of its order type, under which the bank accepts a file. */
export async function beginOrder(
  db: Database,
  { tenant, id, gateway_id: gatewayId }: Pick<SepaFileRow, "tenant" | "id" | "gateway_id">,
  { transactionId, orderId }: Started,
  orderType: string,
  now: Date,
): Promise<void> {
  await db.commit(BEGIN, { tenant, fileId: id, gatewayId, transactionId, orderId, orderType, now });
}

const LATEST = sql(
  "ebics_orders.latest",
  `select * from ebics_orders where tenant = :tenant and file_id = :fileId order by number desc limit 1`,
).gives<EbicsOrderRow>();

/** The last upload of a file; null if the bank has accepted none. */
export async function findLatestOrder(
  db: Reader,
  tenant: number,
  fileId: string,
): Promise<EbicsOrderRow | null> {
  return (await db.query(LATEST, { tenant, fileId }))[0] ?? null;
}

/** Banks reuse order numbers after some months. */
const ORDER_MS_MAX = 60 * DAY_MS;

const ORDERS = sql(
  "ebics_events.orders",
  `select order_id, order_type, file_id, started_at from ebics_orders
    where tenant = :tenant and gateway_id = :gatewayId and order_id = any(:orderIds::text[])
    order by started_at desc`,
).gives<Pick<EbicsOrderRow, "order_id" | "order_type" | "file_id" | "started_at">>();

const RECORD = sql(
  "ebics_events.record",
  `insert into ebics_events (tenant, gateway_id, order_id, action, reason, at, text, file_id, read_at)
   select :tenant, :gatewayId, e.order_id, e.action, e.reason, e.at, e.text, e.file_id, :now
     from jsonb_to_recordset(:events::jsonb) as e
       (order_id text, action text, reason text, at timestamptz, text text, file_id uuid)
       on conflict (tenant, gateway_id, order_id, action, reason, at) do nothing
   returning *`,
).gives<EbicsEventRow>();

/**
 * Inserts new steps and returns them with the file of each; null where the number may be that of several files.
 * @param options.ofOursOnly skips steps of orders that are no file of ours.
 */
export async function recordEvents(
  tx: Tx,
  tenant: number,
  gatewayId: string,
  events: readonly OrderEvent[],
  now: Date,
  { ofOursOnly = false }: { readonly ofOursOnly?: boolean } = {},
): Promise<readonly EbicsEventRow[]> {
  const orderIds = events.flatMap(({ orderId }) => orderId ?? []);
  const orders = await tx.query(ORDERS, { tenant, gatewayId, orderIds });
  const fileOf = (orderId: string | null, orderType: string | null, at: Date): string | null => {
    const its = orders.filter(
      ({ order_id, order_type, started_at }) =>
        order_id === orderId &&
        (order_type === null || orderType === null || order_type === orderType) &&
        started_at >= later(at, -ORDER_MS_MAX) &&
        started_at <= later(at, DAY_MS),
    );
    const [fileId = null, ...others] = new Set(its.map(({ file_id }) => file_id));
    return others.length === 0 ? fileId : null;
  };
  const written = events.map(({ orderId, orderType, action, reason, at, text }) => ({
    order_id: orderId ?? "",
    action,
    reason: reason ?? "",
    at: at ?? now,
    text,
    file_id: fileOf(orderId, orderType, at ?? now),
  }));
  const kept = ofOursOnly ? written.filter(({ file_id: fileId }) => fileId !== null) : written;
  return tx.write(RECORD, { tenant, gatewayId, events: JSON.stringify(kept), now });
}

const HISTORY = sql(
  "ebics_events.of_file",
  "select * from ebics_events where tenant = :tenant and file_id = :fileId order by at, number limit 1000",
).gives<EbicsEventRow>();

/** The protocol's entries about a file, in the order of the bank's clock. */
export function historyOf(db: Reader, tenant: number, fileId: string): Promise<readonly EbicsEventRow[]> {
  return db.query(HISTORY, { tenant, fileId });
}

const CONCLUDE = sql(
  "ebics_orders.conclude",
  `update sepa_files f
      set status = case when :arrived then 'sent' else 'stored' end, sent_at = case when :arrived then ${SENT_AT} end,
          due_at = case when :arrived then null else :now::timestamptz end, error = null, locked_until = null,
          lease_no = lease_no + 1, updated_at = :now
    where f.tenant = :tenant and f.id = :fileId
      and (f.status in ('renaming', 'unclear') or (:arrived and f.status in ('stored', 'uploading')))
      and (:arrived or :orderId = (select o.order_id from ebics_orders o
                                    where o.tenant = :tenant and o.file_id = :fileId order by o.number desc limit 1))
   returning 1`,
);

/**
 * Records what the protocol shows about an upload without an answer. A file has arrived if any upload of it did; it has
 * not if the last one did not. Returns false when nothing was open.
 */
export async function concludeUpload(
  tx: Tx,
  tenant: number,
  {
    fileId,
    orderId,
    arrived,
  }: { readonly fileId: string; readonly orderId: string; readonly arrived: boolean },
  now: Date,
): Promise<boolean> {
  return (await tx.write(CONCLUDE, { tenant, fileId, orderId, arrived, now })).length === 1;
}

const DECIDED = sql(
  "ebics_orders.decided",
  `select id, message_id, status from sepa_files
    where tenant = :tenant and id = any (:fileIds::uuid[]) and status in ('sent', 'withdrawn')`,
).gives<Pick<SepaFileRow, "id" | "message_id" | "status">>();

/** Those of the files that the bank has, or is not to have. */
export async function findDecidedFiles(
  tx: Tx,
  tenant: number,
  fileIds: readonly string[],
): Promise<readonly Pick<SepaFileRow, "id" | "message_id" | "status">[]> {
  return fileIds.length === 0 ? [] : tx.query(DECIDED, { tenant, fileIds });
}

const REJECTED = sql(
  "ebics_orders.rejected",
  "update sepa_files set error = :error, updated_at = :now where tenant = :tenant and id = :fileId and status = 'sent'",
);

/** Records the error on a file that the bank accepted and will not execute. */
export async function noteRejected(
  tx: Tx,
  tenant: number,
  fileId: string,
  error: string,
  now: Date,
): Promise<void> {
  await tx.write(REJECTED, { tenant, fileId, error, now });
}

const REFUSE = sql(
  "ebics_orders.refuse",
  `update sepa_files set status = 'stored', error = :error, due_at = :dueAt, locked_until = null, updated_at = :now
    where tenant = :tenant and id = :id and lease_no = :leaseNo and status in ('stored', 'uploading', 'renaming')`,
);

/**
 * Records that the bank has refused a file. It waits for a person, who has it sent again or withdraws it.
 * @param dueAt when its date has certainly passed, so that it is withdrawn.
 */
export async function refuseUpload(
  db: Database,
  { tenant, id, lease_no: leaseNo }: Pick<SepaFileRow, "tenant" | "id" | "lease_no">,
  error: string,
  dueAt: Date,
  now: Date,
): Promise<void> {
  await db.commit(REFUSE, { tenant, id, leaseNo, error, dueAt, now });
}

const SEND_REFUSED = sql(
  "ebics_orders.send_refused",
  `update sepa_files set due_at = :now, updated_at = :now
    where tenant = :tenant and gateway_id = :gatewayId and direction = 'out' and status in ('stored', 'uploading')
      and due_at > :now`,
);

/** Makes the refused and waiting files of an account due now. */
export async function sendAgain(tx: Tx, tenant: number, gatewayId: string, now: Date): Promise<void> {
  await tx.write(SEND_REFUSED, { tenant, gatewayId, now });
}

const AWAITED = sql(
  "ebics_orders.awaited",
  `select 1 as one from sepa_files where tenant = :tenant and gateway_id = :gatewayId and status = 'renaming' limit 1`,
).gives<{ one: number }>();

/**
 * Whether the protocol is awaited for a file of the account. Once a person has been asked, the regular visits are
 * enough.
 */
export async function isProtocolAwaited(db: Reader, tenant: number, gatewayId: string): Promise<boolean> {
  return (await db.query(AWAITED, { tenant, gatewayId })).length > 0;
}
