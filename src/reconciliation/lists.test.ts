/** The lists of fields match the specification's: all of its fields, in its order, and none that it forbids. */
import assert from "node:assert/strict";
import test from "node:test";
import { chargebackRecord, transactionRecord } from "../payments/records.ts";
import { STORED_FIELDS, recordOf, type StoredTransaction } from "../payments/transaction.ts";
import { CHARGEBACKS, SUBSCRIPTIONS, TRANSACTIONS } from "./lists.ts";

const CONTRACT = [
  [
    TRANSACTIONS,
    "id adapter_unique_id merchant_transaction_id transaction_id tenant_reference_id status type amount currency " +
      "date_processed iban bic customer_email_csv customer_name_csv mandate_reference_id mandate_date source order_id " +
      "subscription_id lead_id payment_gateway_id created_at updated_at",
    "raw_data import_error import_session origin_adapter_status origin_adapter_txn_type card_holder card_number " +
      "card_brand adapter adapter_id",
    [
      "adapter_unique_id",
      "merchant_transaction_id",
      "transaction_id",
      "tenant_reference_id",
      "bic",
      "customer_email_csv",
      "customer_name_csv",
      "mandate_reference_id",
    ],
  ],
  [
    CHARGEBACKS,
    "id adapter_unique_id merchant_transaction_id tenant_reference_id status type amount currency report_date " +
      "transaction_date reason_code reason_message report_type report_message report_info arn iban bic email country " +
      "source cb_bank_fee transaction_id lead_id payment_gateway_id created_at updated_at",
    "raw_data import_error import_session origin_adapter_cb_status origin_adapter_cb_type adapter adapter_id " +
      "card_holder card_number card_brand remote_ip reference_transaction_id reference_transaction_type order_id " +
      "transition merchant terminal",
    [
      "adapter_unique_id",
      "merchant_transaction_id",
      "tenant_reference_id",
      "reason_code",
      "reason_message",
      "report_type",
      "report_message",
      "report_info",
      "arn",
      "bic",
      "email",
      "country",
    ],
  ],
  [
    SUBSCRIPTIONS,
    "id status billing_amount currency billing_frequency start_date next_billing_date last_billing_date cancelled_at " +
      "trial_end_date billing_anchor_date successful_billing_count failed_billing_count total_revenue order_id lead_id " +
      "offer_id payment_gateway_id created_at updated_at",
    "payment_details_token edit_history metadata error_reason billing_frequency_days",
    [],
  ],
] as const;

for (const [type, fields, never, foreign] of CONTRACT) {
  test(`${type.plural}: the contract's fields in the contract's order`, () => {
    const names = type.fields.map(({ name }) => name);
    assert.deepEqual(names, fields.split(" "));
    assert.deepEqual(
      never.split(" ").filter((name) => names.includes(name)),
      [],
    );
    assert.equal(type.fields.find(({ name }) => name === type.orderedBy)?.kind, "time");
  });

  test(`${type.plural}: what customers, merchants and banks write is free text, and nothing else is`, () => {
    const free = type.fields.filter(({ kind }) => kind === "free_text").map(({ name }) => name);
    assert.deepEqual(free, foreign);
  });
}

const at = new Date("2026-03-01T12:00:00.123Z");
/** A transaction as read for a statement: each field of its record contains its own name. */
const row = Object.fromEntries(
  TRANSACTIONS.fields.map(({ name }) => [
    (STORED_FIELDS as Record<string, string>)[name] ?? `record_${name}`,
    name,
  ]),
) as unknown as StoredTransaction;

test("the records of events follow the same lists, and say what the outcome has changed", () => {
  const record = recordOf(
    { ...row, gateway_reference: "G-1", adapter_unique_id: null, processed_at: at },
    "approved",
    at,
  );
  const shown = transactionRecord(record);
  assert.deepEqual(
    Object.keys(shown),
    TRANSACTIONS.fields.map(({ name }) => name),
  );
  const changed = Object.entries(shown).filter(([name, value]) => value !== name);
  const time = "2026-03-01T12:00:00.123Z";
  // A gateway without a second reference is shown with its first.
  const references = { transaction_id: "G-1", adapter_unique_id: "G-1" };
  const outside = { ...references, status: "approved", date_processed: time, updated_at: time };
  assert.deepEqual(Object.fromEntries(changed), outside);

  const news = { id: "3", reportDate: at, reasonCode: "MD06", reasonMessage: null, source: "webhook" };
  const none = { amount: null, bankFee: null, reportType: null, email: null, country: null };
  const chargeback = chargebackRecord({ ...news, ...none, at }, record);
  assert.deepEqual(
    Object.keys(chargeback),
    CHARGEBACKS.fields.map(({ name }) => name),
  );
  assert.equal(chargeback["transaction_id"], "id");
});
