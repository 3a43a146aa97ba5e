/**
 * A merchant whose rows are inserted directly into the tables of the reconciliation lists, so that a test can choose
 * every column.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createMerchant, createRecord, type Merchant } from "./merchant.ts";
import type { Json, Response, Service } from "./service.ts";

export type Listed = "transactions" | "chargebacks" | "subscriptions";
export const LISTS: readonly Listed[] = ["transactions", "chargebacks", "subscriptions"];

/** The first day of the rows. */
export const START = "2026-03-01";

type Columns = Readonly<Record<string, unknown>>;
/** Undefined omits a default value. */
type Parameters = Readonly<Record<string, string | number | undefined>>;

export interface Ledger {
  readonly merchant: Merchant;
  /** The tenant's number. */
  readonly tenant: number;
  /** A lead with a session, an order and a mandate, for the rows that refer to them. */
  readonly customer: Customer;
  /**
   * Inserts a row with these columns changed. @param at the time by which the list is ordered. @returns the row's id.
   */
  add(list: Listed, at: string | Date, changes?: Columns): Promise<string>;
  /** Requests a page, by default from `START` on. */
  list(list: Listed, parameters?: Parameters): Promise<Response>;
  /** Follows a link of a page. */
  follow(link: string): Promise<Response>;
  /** The ids on all pages, from the first on. */
  walk(list: Listed, parameters: Parameters): Promise<readonly string[]>;
}

interface Customer {
  readonly leadId: string;
  readonly sessionId: string;
  readonly orderId: string;
  readonly mandateId: string;
}

/** Uses several keys in turn, because the limit is 50 per second and key. */
const KEYS = 20;
let references = 0;

export async function createLedger(service: Service): Promise<Ledger> {
  const merchant = await createMerchant(service);
  const keys = [merchant.key];
  while (keys.length < KEYS) {
    const { api_key: key } = await createRecord(service, merchant.key, "api-keys", { name: "Accountant" });
    keys.push(key);
  }
  const [found] = await service.rows("select tenant from tenants where id = $1", [merchant.tenantId]);
  const tenant: number = found?.["tenant"];
  const customer = await insertCustomer(service, tenant, merchant);
  let turn = 0;
  const get = (path: string) => {
    turn += 1;
    return service.get(path, { key: keys[turn % KEYS] ?? merchant.key });
  };
  const ledger: Ledger = {
    merchant,
    tenant,
    customer,
    async add(list, at, changes = {}) {
      const row = { ...(await ROWS[list](service, ledger, at)), ...changes };
      await insert(service, list, row);
      return row.id;
    },
    list(list, parameters: Parameters = {}) {
      const query = new URLSearchParams();
      const all: Parameters = { start_date: START, ...parameters };
      for (const [name, value] of Object.entries(all))
        if (value !== undefined) query.set(name, String(value));
      return get(`reconciliation/${list}/?${query.toString()}`);
    },
    follow(link) {
      const { origin, pathname, search } = new URL(link);
      assert.equal(origin, "http://pay.example.test");
      return get(pathname + search);
    },
    async walk(list, parameters) {
      const ids: string[] = [];
      let page = (await ledger.list(list, parameters)).body;
      for (;;) {
        ids.push(...idsOf(page));
        if (page["next"] === null) return ids;
        page = (await ledger.follow(page["next"])).body;
      }
    },
  };
  return ledger;
}

/** The ids of a page, in order. */
export function idsOf(page: Json): readonly string[] {
  return page["results"].map((record: Json): string => record["id"]);
}

/** Inserts a row with these columns. */
export async function insert(service: Service, table: string, row: Columns): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, index) => `$${index + 1}`);
  await service.rows(
    `insert into ${table} (${names.join(", ")}) values (${places.join(", ")})`,
    Object.values(row),
  );
}

const LONG_AGO = "2026-01-01T00:00:00.000Z";
const stamps = { created_at: LONG_AGO, updated_at: LONG_AGO };

/** The smallest row of each list. */
const ROWS: Readonly<
  Record<Listed, (service: Service, ledger: Ledger, at: string | Date) => Promise<Columns & { id: string }>>
> = {
  transactions: async (_service, { tenant, merchant, customer }, at) => ({
    tenant,
    id: randomUUID(),
    gateway_id: merchant.gatewayId,
    mandate_id: customer.mandateId,
    merchant_transaction_id: reference("TXN-20260101"),
    status: "approved",
    type: "sdd_rebill",
    source: "api_submission",
    sequence_type: "RCUR",
    amount: "19.90",
    currency: "EUR",
    processed_at: at,
    ...stamps,
  }),
  chargebacks: async (_service, { tenant, merchant }, at) => ({
    tenant,
    id: randomUUID(),
    gateway_id: merchant.gatewayId,
    merchant_transaction_id: reference("TXN-20260101"),
    amount: "19.90",
    currency: "EUR",
    report_date: at,
    source: "manual",
    ...stamps,
  }),
  async subscriptions(service, { tenant, merchant }, at) {
    const customer = await insertCustomer(service, tenant, merchant);
    return {
      tenant,
      id: randomUUID(),
      status: "ACTIVE",
      billing_amount: "19.90",
      currency: "EUR",
      start_date: at,
      order_id: customer.orderId,
      lead_id: customer.leadId,
      mandate_id: customer.mandateId,
      gateway_id: merchant.gatewayId,
      ...stamps,
      created_at: at,
    };
  },
};

async function insertCustomer(service: Service, tenant: number, merchant: Merchant): Promise<Customer> {
  const [leadId, sessionId, orderId, mandateId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await insert(service, "leads", {
    tenant,
    id: leadId,
    email_key: `${leadId}@example.com`,
    email: `${leadId}@example.com`,
    first_name: "Ada",
    last_name: "Example",
    country: "DE",
    ...stamps,
  });
  await insert(service, "sessions", {
    tenant,
    id: sessionId,
    token_key_id: 0,
    status: "COMPLETED",
    lead_id: leadId,
    gateway_id: merchant.gatewayId,
    campaign_name: "Shop",
    offer_name: "Plan",
    amount: "19.90",
    currency: "EUR",
    billing_type: "RECURRING",
    attempts_max: 3,
    created_at: LONG_AGO,
    expires_at: LONG_AGO,
    closed_at: LONG_AGO,
  });
  await insert(service, "orders", {
    tenant,
    id: orderId,
    session_id: sessionId,
    lead_id: leadId,
    order_number: reference("ORD"),
    status: "COMPLETED",
    amount: "19.90",
    currency: "EUR",
    ...stamps,
  });
  await insert(service, "mandates", {
    tenant,
    id: mandateId,
    reference: reference("MND"),
    lead_id: leadId,
    session_id: sessionId,
    status: "active",
    acceptance_mode: "checkbox",
    accepted_at: LONG_AGO,
    text_version: "1",
    creditor_name: "Shop",
    holder_name: "Ada Example",
    iban_sealed: Buffer.from("sealed"),
    iban_fingerprint: Buffer.from("fingerprint"),
    iban_last4: "3000",
    iban_length: 22,
    iban_country: "DE",
    ...stamps,
  });
  return { leadId, sessionId, orderId, mandateId };
}

function reference(prefix: string): string {
  references += 1;
  return `${prefix}-${String(references).padStart(8, "0")}`;
}
