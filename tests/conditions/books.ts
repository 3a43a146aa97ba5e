/** Statements of `src/books`: their effect, and the rows that they must leave alone (tests/conditions.test.ts). */
import { type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { OTHER, OTHER_PAYMENT, THIRD, THIRD_PAYMENT } from "./rows.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const BOOKS: Entries = {
  "books.chargeback_facts": {
    given: {
      chargebacks: { source: "webhook", amount: 30, cb_bank_fee: 3, withdrawn_on: null, created_at: "2026-01-05" },
      with: { afterTenant: 1, afterId: "00000000-0000-0000-0000-000000000000", lastTenant: 1, lastId: ID },
    },
    gives: [
      {
        at: "2026-01-05", of: ID, amount: 30, source: "webhook", tenant: 1, bank_fee: 3, currency: "x",
        withdrawn: false,
      },
    ],
    not: {
      "an earlier one": { with: { afterId: ID } },
      "a tenant before": { with: { afterTenant: 2 } },
      "a later one": { with: { lastId: "00000000-0000-0000-0000-000000000000" } },
      "a tenant after the last": { with: { lastTenant: 0 } },
      "a chargeback whose payment is not known": { chargebacks: { transaction_id: null } },
      "one of a tenant in between": { chargebacks: { transaction_id: null }, with: { afterTenant: 0, lastTenant: 2 } },
    },
    also: {
      "a chargeback that was withdrawn": {
        given: { chargebacks: { withdrawn_on: "2026-01-08" } },
        gives: [{ withdrawn: true }],
      },
      "a second chargeback after the first was withdrawn, by another clock": {
        given: {
          chargebacks: [
            { id: THIRD, source: "webhook", created_at: "2026-01-04" },
            { id: OTHER, source: "manual", withdrawn_on: "2026-01-08", created_at: "2026-01-06" },
            { id: ID, source: "csv_import", withdrawn_on: "2026-01-08", created_at: "2026-01-05" },
          ],
        },
        gives: [
          {
            at: "2026-01-05", of: ID, amount: 1, source: "csv_import", tenant: 1, bank_fee: 1, currency: "x",
            withdrawn: true,
          },
          {
            at: "2026-01-06", of: ID, amount: 1, source: "manual", tenant: 1, bank_fee: 1, currency: "x",
            withdrawn: true,
          },
          {
            at: "2026-01-06", of: ID, amount: 1, source: "webhook", tenant: 1, bank_fee: 1, currency: "x",
            withdrawn: false,
          },
        ],
      },
      "a chargeback of another payment": {
        given: {
          "+chargebacks": {
            id: OTHER, merchant_transaction_id: "y", transaction_id: "00000000-0000-0000-0000-000000000009",
            source: "manual", created_at: "2026-01-07",
          },
        },
        gives: [
          {
            at: "2026-01-05", of: ID, amount: 30, source: "webhook", tenant: 1, bank_fee: 3, currency: "x",
            withdrawn: false,
          },
          {
            at: "2026-01-07", of: "00000000-0000-0000-0000-000000000009", amount: 1, source: "manual", tenant: 1,
            bank_fee: 1, currency: "x", withdrawn: false,
          },
        ],
      },
      "two with the same time": {
        given: {
          chargebacks: [{ id: OTHER, merchant_transaction_id: "y", source: "manual" }, { id: ID, source: "webhook" }],
        },
        gives: [
          {
            at: "2026-01-01", of: ID, amount: 1, source: "webhook", tenant: 1, bank_fee: 1, currency: "x",
            withdrawn: false,
          },
          {
            at: "2026-01-01", of: ID, amount: 1, source: "manual", tenant: 1, bank_fee: 1, currency: "x",
            withdrawn: false,
          },
        ],
      },
    },
  },
  "books.collections": {
    given: {
      transactions: { type: "sdd_sale", status: "approved", source: "hosted_page" },
      gateways: { adapter: "sepa_batch" }, sepa_collections: { state: "settled" },
      sepa_news: { acknowledged_at: null }, with: { tenant: 0, id: ID, limit: 9 },
    },
    gives: [{ id: ID, status: "approved", bank_state: "settled", is_at_bank: true, is_on_its_way: true }],
    not: {
      "a refund": { transactions: { type: "sdd_refund" } },
      "an earlier one": { with: { tenant: 1 } },
    },
    also: {
      "the next of a tenant": { given: { with: { tenant: 1, id: "00000000-0000-0000-0000-000000000000" } } },
      "a payment of the sandbox": { given: { gateways: { adapter: "sandbox" } }, gives: [{ is_at_bank: false }] },
      "an imported payment": { given: { transactions: { source: "csv_import" } }, gives: [{ is_at_bank: false }] },
      "a payment that is not in the bank's books": {
        given: { sepa_collections: [] },
        gives: [{ bank_state: null, is_on_its_way: false }],
      },
      "an instruction at another account": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ bank_state: null, is_on_its_way: false }],
      },
      "an instruction of another payment": {
        given: { sepa_collections: { reference: "y" } },
        gives: [{ bank_state: null, is_on_its_way: false }],
      },
      "no news": { given: { sepa_news: [] }, gives: [{ is_on_its_way: false }] },
      "news that has been taken": {
        given: { sepa_news: { acknowledged_at: "2026-01-02" } },
        gives: [{ is_on_its_way: false }],
      },
      "news of another account": { given: { sepa_news: { gateway_id: OTHER } }, gives: [{ is_on_its_way: false }] },
      "news of another payment": { given: { sepa_news: { reference: "y" } }, gives: [{ is_on_its_way: false }] },
      "several, in order, no more than requested": {
        given: {
          transactions: [
            { ...THIRD_PAYMENT, type: "sdd_sale" }, { ...OTHER_PAYMENT, type: "sdd_sale", status: "pending" },
            { type: "sdd_sale", status: "approved" },
          ],
          with: { limit: 2 },
        },
        gives: [
          { id: ID, status: "approved", bank_state: "settled", is_at_bank: true, is_on_its_way: true },
          { id: OTHER, status: "pending", bank_state: null, is_at_bank: true, is_on_its_way: false },
        ],
      },
    },
  },
  "books.news_facts": {
    given: {
      transactions: { type: "sdd_sale" }, sepa_news: { kind: "settled", amount: 30, acknowledged_at: "2026-01-02" },
      with: { afterTenant: 1, afterId: "00000000-0000-0000-0000-000000000000", lastTenant: 1, lastId: ID },
    },
    gives: [{ at: "2026-01-02", of: ID, kind: "settled", amount: 30, tenant: 1, bank_fee: 1 }],
    not: {
      "an earlier one": { with: { afterId: ID } },
      "a tenant before": { with: { afterTenant: 2 } },
      "a later one": { with: { lastId: "00000000-0000-0000-0000-000000000000" } },
      "a tenant after the last": { with: { lastTenant: 0 } },
      "a refund": { transactions: { type: "sdd_refund" } },
      "news that has not been taken": { sepa_news: { acknowledged_at: null } },
      "news of another account": { sepa_news: { gateway_id: OTHER } },
      "news of another payment": { sepa_news: { reference: "y" } },
    },
    also: {
      "two, in the order in which they were reported": {
        given: {
          sepa_news: [
            { number: 2, kind: "returned", amount: 30, acknowledged_at: "2026-01-02" },
            { number: 1, kind: "settled", amount: 30, acknowledged_at: "2026-01-02" },
          ],
        },
        gives: [
          { at: "2026-01-02", of: ID, kind: "settled", amount: 30, tenant: 1, bank_fee: 1 },
          { at: "2026-01-02", of: ID, kind: "returned", amount: 30, tenant: 1, bank_fee: 1 },
        ],
      },
    },
  },
  "books.refund_facts": {
    given: {
      transactions: { type: "sdd_refund", status: "pending", original_id: ID },
      sepa_collections: { state: "batched" }, sepa_files: { status: "sent", created_at: "2026-01-03" },
      sepa_news: { acknowledged_at: null }, audit_log: [],
      with: { afterTenant: 1, afterId: "00000000-0000-0000-0000-000000000000", lastTenant: 1, lastId: ID },
    },
    gives: [
      {
        of: ID, status: "pending", sent_at: "2026-01-03", reference: "x", bank_state: "batched", is_carried: false,
        is_on_its_way: true,
      },
    ],
    not: {
      "an earlier one": { with: { afterId: ID } },
      "a tenant before": { with: { afterTenant: 2 } },
      "a later one": { with: { lastId: "00000000-0000-0000-0000-000000000000" } },
      "a tenant after the last": { with: { lastTenant: 0 } },
      "a payment": { transactions: { original_id: null } },
      "a payment of a tenant in between": { transactions: { original_id: null }, with: { afterTenant: 0, lastTenant: 2 } },
    },
    also: {
      "a file that is to be sent": { given: { sepa_files: { status: "stored" } }, gives: [{ sent_at: null }] },
      "a file whose name is awaited": { given: { sepa_files: { status: "renaming" } } },
      "a file whose arrival is uncertain": { given: { sepa_files: { status: "unclear" } } },
      "a refund that has settled": {
        given: { sepa_files: { status: "ready" }, sepa_collections: { state: "settled" } },
        gives: [{ bank_state: "settled" }],
      },
      "a file that a person has to deliver": {
        given: { sepa_files: { status: "ready" } },
        gives: [{ sent_at: null }],
      },
      "a file that a person has downloaded": {
        given: {
          sepa_files: { status: "ready" }, audit_log: { resource: "sepa-files", resource_id: ID, action: "export" },
        },
        gives: [{ sent_at: null, is_carried: true }],
      },
      "a file that was downloaded and marked as sent": {
        given: { audit_log: { resource: "sepa-files", resource_id: ID, action: "export" } },
      },
      "a file that a person has looked at": {
        given: {
          sepa_files: { status: "ready" }, audit_log: { resource: "sepa-files", resource_id: ID, action: "update" },
        },
        gives: [{ sent_at: null }],
      },
      "another file that was downloaded": {
        given: {
          sepa_files: { status: "ready" },
          audit_log: { resource: "sepa-files", resource_id: OTHER, action: "export" },
        },
        gives: [{ sent_at: null }],
      },
      "something else that was downloaded": {
        given: {
          sepa_files: { status: "ready" },
          audit_log: { resource: "sepa-statements", resource_id: ID, action: "export" },
        },
        gives: [{ sent_at: null }],
      },
      "a refund that is in no file": { given: { sepa_collections: { file_id: null } }, gives: [{ sent_at: null }] },
      "a refund that is not in the bank's books": {
        given: { sepa_collections: [] },
        gives: [{ sent_at: null, bank_state: null, is_on_its_way: false }],
      },
      "an instruction at another account": {
        given: { sepa_collections: { gateway_id: OTHER } },
        gives: [{ sent_at: null, bank_state: null, is_on_its_way: false }],
      },
      "news that has been taken": {
        given: { sepa_news: { acknowledged_at: "2026-01-02" } },
        gives: [{ is_on_its_way: false }],
      },
      "news of another account": { given: { sepa_news: { gateway_id: OTHER } }, gives: [{ is_on_its_way: false }] },
      "news of another refund": { given: { sepa_news: { reference: "y" } }, gives: [{ is_on_its_way: false }] },
      "two refunds of a payment": {
        given: {
          transactions: [
            { ...OTHER_PAYMENT, original_id: ID, created_at: "2026-01-02" },
            { type: "sdd_refund", status: "pending", original_id: ID, created_at: "2026-01-03" },
            { ...THIRD_PAYMENT, original_id: ID, created_at: "2026-01-02" },
          ],
        },
        gives: [
          {
            of: ID, status: "x", sent_at: null, reference: "y", bank_state: null, is_carried: false,
            is_on_its_way: false,
          },
          {
            of: ID, status: "x", sent_at: null, reference: "z", bank_state: null, is_carried: false,
            is_on_its_way: false,
          },
          {
            of: ID, status: "pending", sent_at: "2026-01-03", reference: "x", bank_state: "batched",
            is_carried: false, is_on_its_way: true,
          },
        ],
      },
    },
  },
  "books.days": {
    given: {
      transactions: {
        type: "sdd_sale", status: "approved", source: "hosted_page", amount: 30, processed_at: "2026-01-04T12:00:00Z",
      },
      sandbox_books: { state: "settled", refund_of: null, amount: 31, charged_at: "2026-01-03T12:00:00Z" },
      chargebacks: [], gateways: { adapter: "sandbox" },
    },
    gives: [
      {
        day: "2026-01-04", sales: 30, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 1,
        chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
      },
    ],
    also: {
      "a payment that was refunded": { given: { transactions: { status: "refunded" } } },
      "a payment that was charged back": { given: { transactions: { status: "charged_back" } } },
      "a payment that is pending": {
        given: { transactions: { status: "pending" } },
        gives: [{ sales: 0, sale_count: 0 }],
      },
      "a payment that was declined": {
        given: { transactions: { status: "declined" } },
        gives: [{ sales: 0, sale_count: 0 }],
      },
      "a payment that is being sent": { given: { transactions: { status: "submitted" } }, gives: [] },
      "a payment with an unknown outcome": { given: { transactions: { status: "unresolved" } }, gives: [] },
      "a payment whose customer is at the bank": {
        given: { transactions: { status: "awaiting_verification" } },
        gives: [],
      },
      "a payment whose confirmation is being fetched": {
        given: { transactions: { status: "verifying" } },
        gives: [],
      },
      "a payment without a time of its own": {
        given: { transactions: { processed_at: null, created_at: "2026-01-02T23:59:59Z" } },
        gives: [
          {
            day: "2026-01-02", sales: 30, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a renewal": { given: { transactions: { type: "sdd_rebill" } } },
      "an imported payment": { given: { transactions: { source: "csv_import" } }, gives: [{ bank_sales: 61 }] },
      "an imported payment that was refunded": {
        given: { transactions: { source: "csv_import", status: "refunded" } },
        gives: [{ bank_sales: 61 }],
      },
      "an imported payment that was charged back": {
        given: { transactions: { source: "csv_import", status: "charged_back" } },
        gives: [{ bank_sales: 61 }],
      },
      "an imported payment that is pending": {
        given: { transactions: { source: "csv_import", status: "pending" } },
        gives: [{ sales: 0, sale_count: 0 }],
      },
      "an imported payment that was declined": {
        given: { transactions: { source: "csv_import", status: "declined" } },
        gives: [{ sales: 0, sale_count: 0 }],
      },
      "an imported refund": {
        given: { transactions: { source: "csv_import", type: "sdd_refund" } },
        gives: [{ sales: 0, refunds: 30, sale_count: 0, bank_refunds: 30, refund_count: 1 }],
      },
      "an imported refund that was declined": {
        given: { transactions: { source: "csv_import", type: "sdd_refund", status: "declined" } },
        gives: [{ sales: 0, sale_count: 0 }],
      },
      "an imported refund that was charged back": {
        given: { transactions: { source: "csv_import", type: "sdd_refund", status: "charged_back" } },
        gives: [{ sales: 0, sale_count: 0 }],
      },
      "a debit that the bank lists as charged": {
        given: { sandbox_books: { state: "charged" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 30, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a debit that the bank lists as pending": { given: { sandbox_books: { state: "pending" } } },
      "a debit that the bank lists as returned": { given: { sandbox_books: { state: "returned" } } },
      "a debit that the bank lists as charged back": {
        given: { sandbox_books: { state: "charged_back" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 30, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a debit that the bank lists as refused": {
        given: { sandbox_books: { state: "refused" } },
        gives: [{ bank_sales: 0 }],
      },
      "a debit that the bank lists as refunded": {
        given: { sandbox_books: { state: "refunded" } },
        gives: [{ bank_sales: 0 }],
      },
      "a debit that the bank lists as pending, of a payment that we list as declined": {
        given: { sandbox_books: { state: "pending" }, transactions: { status: "declined" } },
        gives: [],
      },
      "a debit that the bank lists as pending, of a payment that we list as refunded": {
        given: { sandbox_books: { state: "pending" }, transactions: { status: "refunded" } },
      },
      "a debit that the bank lists as pending, of a payment that we list as charged back": {
        given: { sandbox_books: { state: "pending" }, transactions: { status: "charged_back" } },
      },
      "a debit that the bank lists as pending, of a payment that we list as pending": {
        given: { sandbox_books: { state: "pending" }, transactions: { status: "pending" } },
        gives: [],
      },
      "a debit that the bank lists as returned, of a payment that we list as declined": {
        given: { sandbox_books: { state: "returned" }, transactions: { status: "declined" } },
        gives: [],
      },
      "a debit that the bank lists as returned, of a payment that we list as refunded": {
        given: { sandbox_books: { state: "returned" }, transactions: { status: "refunded" } },
      },
      "a debit that the bank lists as returned, of a payment that we list as charged back": {
        given: { sandbox_books: { state: "returned" }, transactions: { status: "charged_back" } },
      },
      "a debit that the bank lists as returned, of a payment that we list as pending": {
        given: { sandbox_books: { state: "returned" }, transactions: { status: "pending" } },
        gives: [],
      },
      "a debit that the bank lists as pending, of a payment without a time": {
        given: { sandbox_books: { state: "pending" }, transactions: { processed_at: null } },
        gives: [
          {
            day: "2026-01-01", sales: 30, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a debit that we do not know": {
        given: { transactions: [] },
        gives: [{ day: "2026-01-03", sales: 0, sale_count: 0 }],
      },
      "a debit that is pending, that we do not know": {
        given: { transactions: [], sandbox_books: { state: "pending" } },
        gives: [],
      },
      "a debit of another account": {
        given: { transactions: { gateway_id: OTHER }, "+gateways": { id: OTHER, adapter: "sepa_batch" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 30, refunds: 0, currency: "x", bank_sales: 0, gateway_id: OTHER, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a debit with another reference": {
        given: { sandbox_books: { reference: "y" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 30, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a refund": {
        given: { transactions: { type: "sdd_refund" }, sandbox_books: { refund_of: "y" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 31, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 0, refunds: 30, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 1, chargeback_count: 0,
          },
        ],
      },
      "a refund without a time of its own": {
        given: {
          transactions: { type: "sdd_refund", processed_at: null, created_at: "2026-01-02T23:59:59Z" },
          sandbox_books: { refund_of: "y" },
        },
        gives: [
          {
            day: "2026-01-02", sales: 0, refunds: 30, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 1, chargeback_count: 0,
          },
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 31, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
      "a refund that was declined": {
        given: { transactions: { type: "sdd_refund", status: "declined" }, sandbox_books: { refund_of: "y" } },
        gives: [{ day: "2026-01-03", sales: 0, bank_sales: 0, sale_count: 0, bank_refunds: 31 }],
      },
      "a refund with the status refunded": {
        given: { transactions: { type: "sdd_refund", status: "refunded" }, sandbox_books: { refund_of: "y" } },
        gives: [{ day: "2026-01-03", sales: 0, bank_sales: 0, sale_count: 0, bank_refunds: 31 }],
      },
      "a refund that the bank lists as refunded": {
        given: { transactions: { type: "sdd_refund" }, sandbox_books: { refund_of: "y", state: "refunded" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 31, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 0, refunds: 30, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 1, chargeback_count: 0,
          },
        ],
      },
      "a refund that the bank lists as pending": {
        given: { transactions: { type: "sdd_refund" }, sandbox_books: { refund_of: "y", state: "pending" } },
        gives: [
          {
            day: "2026-01-03", sales: 0, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 31, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 0, refunds: 30, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 1, chargeback_count: 0,
          },
        ],
      },
      "a refund that the bank lists as charged": {
        given: { transactions: { type: "sdd_refund" }, sandbox_books: { refund_of: "y", state: "charged" } },
        gives: [{ sales: 0, refunds: 30, bank_sales: 0, sale_count: 0, refund_count: 1 }],
      },
      "a refund that the bank lists as refused": {
        given: { transactions: { type: "sdd_refund" }, sandbox_books: { refund_of: "y", state: "refused" } },
        gives: [{ sales: 0, refunds: 30, bank_sales: 0, sale_count: 0, refund_count: 1 }],
      },
      "a refund that the bank lists as returned": {
        given: { transactions: { type: "sdd_refund" }, sandbox_books: { refund_of: "y", state: "returned" } },
        gives: [{ sales: 0, refunds: 30, bank_sales: 0, sale_count: 0, refund_count: 1 }],
      },
      "a refund that the bank lists as pending, and we as pending": {
        given: {
          transactions: { type: "sdd_refund", status: "pending" },
          sandbox_books: { refund_of: "y", state: "pending" },
        },
        gives: [],
      },
      "a chargeback": {
        given: { chargebacks: { amount: 5, report_date: "2026-01-04T23:59:59Z" } },
        gives: [{ chargebacks: 5, chargeback_count: 1 }],
      },
      "a chargeback of another day": {
        given: { chargebacks: { amount: 5, report_date: "2026-01-05T12:00:00Z" } },
        gives: [
          {
            day: "2026-01-04", sales: 30, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-05", sales: 0, refunds: 0, currency: "x", bank_sales: 0, gateway_id: ID, sale_count: 0,
            chargebacks: 5, bank_refunds: 0, refund_count: 0, chargeback_count: 1,
          },
        ],
      },
      "a chargeback that was withdrawn": {
        given: { chargebacks: { amount: 5, report_date: "2026-01-04", withdrawn_on: "2026-01-08" } },
      },
      "several of a day": {
        given: {
          "+transactions": {
            ...OTHER_PAYMENT, type: "sdd_sale", status: "approved", source: "hosted_page", amount: 7,
            processed_at: "2026-01-04T13:00:00Z",
          },
        },
        gives: [{ sales: 37, sale_count: 2 }],
      },
      "another currency": {
        given: { transactions: { currency: "CHF" } },
        gives: [
          {
            day: "2026-01-04", sales: 30, refunds: 0, currency: "CHF", bank_sales: 0, gateway_id: ID, sale_count: 1,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
          {
            day: "2026-01-04", sales: 0, refunds: 0, currency: "x", bank_sales: 31, gateway_id: ID, sale_count: 0,
            chargebacks: 0, bank_refunds: 0, refund_count: 0, chargeback_count: 0,
          },
        ],
      },
    },
    same: {
      "shortened list: 'approved', 'refunded', 'charged_back') and type <> 'sdd_refund' or": "The other part finds approved ones.",
    },
  },
};
