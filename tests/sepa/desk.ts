/** Steps that tests of bank files share: sends payments to the bank, reads the bank's files, looks up their effect. */
import assert from "node:assert/strict";
import { bankMerchant, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import type { Json, Service } from "../support/service.ts";
import { moveTo, read } from "../support/treasury.ts";

/** Payments of one merchant in one file, due on 2026-11-25. */
export interface Sent {
  readonly merchant: BankMerchant;
  readonly payments: readonly Json[];
  readonly ids: readonly string[];
  readonly references: readonly string[];
  readonly mandates: readonly string[];
  readonly messageId: string;
  readonly blockId: string;
}

/** @param service its clock is at 2026-11-23, before the cut-off. */
export async function sendPayments(
  service: Service,
  count = 1,
  {
    settings = {},
    beforeFile,
  }: { readonly settings?: object; readonly beforeFile?: (made: Sent) => Promise<void> } = {},
): Promise<Sent> {
  const merchant = await bankMerchant(service, settings);
  const payments: Json[] = [];
  for (let n = 0; n < count; n += 1) payments.push(await payAt(merchant));
  const ids = payments.map((payment) => payment["transaction"]["id"] as string);
  const references = payments.map((payment) => payment["transaction"]["merchant_transaction_id"] as string);
  const rows = await service.rows(
    "select mandate_reference from sepa_collections where gateway_id = $1 order by array_position($2::text[], reference)",
    [merchant.accountId, references],
  );
  const mandates = rows.map((row) => row["mandate_reference"] as string);
  const made = { merchant, payments, ids, references, mandates, messageId: "", blockId: "" };
  await beforeFile?.(made);
  await moveTo(service, merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.ok(file !== undefined, "a file was written");
  const messageId = file["message_id"] as string;
  return { ...made, messageId, blockId: `${messageId}-1` };
}

/** Reads a file. @returns its report. */
export async function readFile(service: Service, merchant: BankMerchant, xml: string): Promise<Json> {
  const file = await read(service, merchant, xml);
  assert.equal(file["status"], "applied", file["error"] as string);
  return file["report"] as Json;
}

/** The results of the last file's entries. */
export async function lastResults(service: Service, merchant: BankMerchant): Promise<readonly string[]> {
  const rows = await service.rows(
    `select e.result from sepa_entries e
      where e.file_id = (select id from sepa_files where gateway_id = $1 and direction = 'in' order by created_at desc, id desc limit 1)
      order by e.number`,
    [merchant.accountId],
  );
  return rows.map((row) => row["result"] as string);
}

/** The open unmatched entries, sorted by kind and amount, because a stopped clock gives them no order. */
export async function openUnmatched(service: Service, merchant: BankMerchant): Promise<readonly Json[]> {
  const { body, text } = await service.get("management/unmatched/?status=open", { key: merchant.key });
  assert.ok(Array.isArray(body["results"]), text);
  const place = (row: Json) => `${row["kind"]} ${row["amount"]}`;
  return (body["results"] as Json[]).toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}
