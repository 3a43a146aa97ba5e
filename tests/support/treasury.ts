/** The work of a treasurer: send payments to the bank, read statements, resolve entries, look up records. */
import assert from "node:assert/strict";
import type { Merchant } from "./merchant.ts";
import {
  bankMerchant,
  camt,
  followed,
  outgoing,
  payAt,
  uploadFile,
  type BankMerchant,
  type Booked,
  type Movement,
} from "./sepa-bank.ts";
import type { Json, Response, Service } from "./service.ts";

/** Payments of one merchant in one file. */
export interface Sent {
  readonly merchant: BankMerchant;
  /** The ids of the transactions, oldest first. */
  readonly ids: readonly string[];
  /** Their end-to-end ids. */
  readonly references: readonly string[];
  readonly file: Json;
  /** The id of the file's first block. */
  readonly block: string;
}

export type Entries = readonly (readonly [Movement, Booked])[];

/** The day on which `sent` writes its file, and the file's due date. */
export const FILE_DAY = "2026-11-23";
export const DUE_DAY = "2026-11-25";

export async function moveTo(service: Service, merchant: Pick<Merchant, "key">, time: string): Promise<void> {
  const { status, text } = await service.post("management/clock/", { date: time }, { key: merchant.key });
  assert.equal(status, 200, text);
}

/** A merchant whose payments were sent. The service's clock is on FILE_DAY before the cut-off. */
export async function sent(service: Service, count = 1, settings: object = {}): Promise<Sent> {
  const merchant = await bankMerchant(service, settings);
  return sentBy(service, merchant, count);
}

export async function sentBy(
  service: Service,
  merchant: BankMerchant,
  count: number,
  day: string = FILE_DAY,
): Promise<Sent> {
  const payments: Json[] = [];
  for (let n = 0; n < count; n += 1) payments.push(await payAt(merchant));
  await moveTo(service, merchant, `${day}T12:00:00Z`);
  const file = (await outgoing(service, merchant)).findLast(
    (one) => one["gateway_id"] === merchant.accountId,
  );
  assert.ok(file !== undefined, "a file was written");
  return {
    merchant,
    ids: payments.map((payment) => payment["transaction"].id as string),
    references: payments.map((payment) => payment["transaction"].merchant_transaction_id as string),
    file,
    block: `${file["message_id"]}-1`,
  };
}

/** Reads a file. @returns its record. */
export async function read(service: Service, merchant: BankMerchant, xml: string): Promise<Json> {
  const { status, body } = await uploadFile(service, merchant, xml);
  assert.equal(status, 201, JSON.stringify(body));
  return body["files"][0];
}

/** Reads a statement with these entries. */
export function booked(
  service: Service,
  merchant: BankMerchant,
  entries: Entries,
  date = DUE_DAY,
): Promise<Json> {
  return read(service, merchant, camt("camt.053", date, entries));
}

/** The entries that wait for a person, in the order of the file. */
export async function unmatched(
  service: Service,
  merchant: BankMerchant,
  status = "open",
): Promise<readonly Json[]> {
  const { body, text } = await service.get(`management/unmatched/?status=${status}`, { key: merchant.key });
  assert.ok(Array.isArray(body["results"]), text);
  return (body["results"] as Json[]).toSorted(
    (a, b) => String(a["created_at"]).localeCompare(b["created_at"]) || a["entry"] - b["entry"],
  );
}

export async function resolve(
  service: Service,
  merchant: BankMerchant,
  id: string,
  body: object,
): Promise<Response> {
  const answer = await service.post(`management/unmatched/${id}/resolve/`, body, { key: merchant.key });
  await followed(service);
  return answer;
}

/** The statuses of the transactions, in the order of `ids`. */
export async function statuses(service: Service, { ids }: Pick<Sent, "ids">): Promise<readonly string[]> {
  const rows = await service.rows(
    "select t.status from unnest($1::uuid[]) with ordinality g (id, n) join transactions t using (id) order by n",
    [ids],
  );
  return rows.map((row) => row["status"] as string);
}

/** The statuses of the transactions' orders. */
export async function orderStatuses(
  service: Service,
  { ids }: Pick<Sent, "ids">,
): Promise<readonly string[]> {
  const rows = await service.rows(
    `select o.status from unnest($1::uuid[]) with ordinality g (id, n) join transactions t using (id)
       join orders o on o.tenant = t.tenant and o.id = t.order_id order by n`,
    [ids],
  );
  return rows.map((row) => row["status"] as string);
}

/** The chargebacks of a merchant, newest first. */
export async function chargebacks(
  service: Service,
  merchant: Pick<Merchant, "key">,
): Promise<readonly Json[]> {
  const { body, text } = await service.get("reconciliation/chargebacks/?start_date=2026-11-20", {
    key: merchant.key,
  });
  assert.ok(Array.isArray(body["results"]), text);
  return body["results"];
}
