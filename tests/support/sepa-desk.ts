/** The daily work of a merchant with a bank account: wait for the cut-off, read statements, refund, look up records. */
import assert from "node:assert/strict";
import { bankMerchant, markSent, outgoing, payAt, type BankMerchant } from "./sepa-bank.ts";
import type { Json, Service } from "./service.ts";
import * as treasury from "./treasury.ts";

/** The merchant transaction id in the response to a payment or refund. */
export function referenceOf(answer: Json): string {
  return answer["transaction"]?.merchant_transaction_id ?? answer["merchant_transaction_id"];
}

/** @param service its clock is on Monday, 2026-11-23, before the cut-off. */
export function deskOf(service: Service) {
  const moveTo = (merchant: BankMerchant, date: string) => treasury.moveTo(service, merchant, date);
  const read = (merchant: BankMerchant, xml: string) => treasury.read(service, merchant, xml);
  /** Uploads a statement of the day with these entries. */
  const booked = (merchant: BankMerchant, entries: treasury.Entries, date?: string) =>
    treasury.booked(service, merchant, entries, date);

  /** A merchant with payments of one day in a file. @returns the payments and the file, too. */
  async function batched(count = 1, settings: object = {}) {
    const merchant = await bankMerchant(service, settings);
    const payments: Json[] = [];
    for (let n = 0; n < count; n += 1) payments.push(await payAt(merchant));
    await moveTo(merchant, "2026-11-23T12:00:00Z");
    const [file] = await outgoing(service, merchant);
    assert.ok(file !== undefined, "a file was written");
    return { merchant, payments, references: payments.map(referenceOf), file };
  }

  /** A merchant with payments that settled long enough ago to be refunded. The time is 8:00 on the eighth day. */
  async function refundable(count = 1, settings: object = {}) {
    const made = await batched(count, settings);
    const { merchant, references, file } = made;
    await markSent(service, merchant, file["id"]);
    await booked(
      merchant,
      references.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
    );
    await moveTo(merchant, "2026-12-04T08:00:00Z");
    return made;
  }

  function refund(merchant: BankMerchant, payment: Json | undefined, body: object = {}) {
    const path = `management/transactions/${payment?.["transaction"].id}/refunds/`;
    return service.post(path, body, { key: merchant.key });
  }

  /** The refunds of a payment, newest first. */
  async function refunds(merchant: BankMerchant, payment: Json | undefined): Promise<readonly Json[]> {
    const path = `management/transactions/${payment?.["transaction"].id}/refunds/`;
    return (await service.get(path, { key: merchant.key })).body["results"];
  }

  async function transaction(payment: Json | undefined): Promise<Json> {
    const [row] = await service.rows("select * from transactions where id = $1", [
      payment?.["transaction"]?.id ?? payment?.["id"],
    ]);
    assert.ok(row !== undefined);
    return row;
  }

  async function instruction(answer: Json | undefined): Promise<Json> {
    const [row] = await service.rows("select * from sepa_collections where reference = $1", [
      referenceOf(answer ?? {}),
    ]);
    assert.ok(row !== undefined);
    return row;
  }

  return { moveTo, read, booked, batched, refundable, refund, refunds, transaction, instruction };
}
