/** Rows of processors' files: which columns are found, which words are recognised, and why a row is refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { importColumns, readChargeback, readTransaction, type ImportKind } from "./rows.ts";
import { listInWords, problemsOfValues, STATUS_OF, TYPE_OF } from "./words.ts";
import type { Places } from "../../files/cells.ts";

function placesOf(kind: ImportKind, header: readonly string[], mapping = {}): Places {
  const places = importColumns(kind, header, mapping);
  assert.ok(places instanceof Map, String(places));
  return places;
}

const SALE = {
  adapter_unique_id: "u-1",
  merchant_transaction_id: "m-1",
  transaction_id: "t-1",
  status: "approved",
  type: "sale",
  amount: "19.90",
  currency: "chf",
  date_processed: "2026-01-02",
  iban: "DE89370400440532013000",
  bic: "COBADEFF",
  customer_email: "anna@example.com",
  customer_name: "Anna Muster",
  mandate_reference: "MND-1",
  mandate_date: "2025-12-31",
};

const CHARGEBACK = {
  adapter_unique_id: "u-1",
  merchant_transaction_id: "m-1",
  transaction_id: "t-1",
  end_to_end_id: "e-1",
  amount: "-19.90",
  currency: "EUR",
  report_date: "2026-02-03",
  transaction_date: "2026-01-02",
  reason_code: "MD06",
  reason_message: "Refund",
  report_type: "refund",
  report_message: "message",
  report_info: "info",
  arn: "arn-1",
  iban: "DE89370400440532013000",
  bic: "COBADEFF",
  email: "anna@example.com",
  country: "DE",
  cb_bank_fee: "3.5",
};

/** The row under its own column names, with the changes; an undefined column is omitted. */
function transaction(changes: Readonly<Record<string, string | undefined>> = {}, values = {}) {
  const cells = Object.entries({ ...SALE, ...changes }).filter(([, cell]) => cell !== undefined);
  const places = placesOf(
    "transactions",
    cells.map(([name]) => name),
  );
  return readTransaction(
    places,
    cells.map(([, cell]) => cell ?? ""),
    null,
    values,
  );
}

function chargeback(changes: Readonly<Record<string, string | undefined>> = {}) {
  const cells = Object.entries({ ...CHARGEBACK, ...changes }).filter(([, cell]) => cell !== undefined);
  const places = placesOf(
    "chargebacks",
    cells.map(([name]) => name),
  );
  return readChargeback(
    places,
    cells.map(([, cell]) => cell ?? ""),
    null,
  );
}

test("every field of a transaction is read from its own column, of the account only the end", () => {
  const { iban: _iban, ...texts } = SALE;
  assert.deepEqual(transaction(), {
    ...texts,
    type: "sdd_sale",
    currency: "CHF",
    date_processed: "2026-01-02T00:00:00.000Z",
    mandate_date: "2025-12-31T00:00:00.000Z",
    iban_last4: "3000",
    iban_length: 22,
  });
});

test("of a transaction only id, status, amount and time are needed", () => {
  const { adapter_unique_id, status, amount, date_processed } = SALE;
  const given = { adapter_unique_id, status, amount, date_processed };
  const places = placesOf("transactions", Object.keys(given));
  assert.deepEqual(readTransaction(places, Object.values(given), null, {}), {
    adapter_unique_id: "u-1",
    merchant_transaction_id: "u-1",
    transaction_id: "u-1",
    status: "approved",
    type: "sdd_sale",
    amount: "19.90",
    currency: "EUR",
    date_processed: "2026-01-02T00:00:00.000Z",
    iban_last4: null,
    iban_length: null,
    bic: null,
    customer_email: null,
    customer_name: null,
    mandate_reference: null,
    mandate_date: null,
  });
});

test("every field of a chargeback is read from its own column, without the amount's sign", () => {
  const { iban: _iban, ...texts } = CHARGEBACK;
  assert.deepEqual(chargeback(), {
    ...texts,
    amount: "19.90",
    report_date: "2026-02-03T00:00:00.000Z",
    transaction_date: "2026-01-02T00:00:00.000Z",
    iban_last4: "3000",
    iban_length: 22,
    cb_bank_fee: "3.50",
  });
});

test("any one id is enough to find what was charged back; without all of them the row is refused", () => {
  const none = {
    adapter_unique_id: undefined,
    merchant_transaction_id: undefined,
    transaction_id: undefined,
    end_to_end_id: undefined,
  };
  for (const id of Object.keys(none)) {
    const read = Object.fromEntries(Object.entries(chargeback({ ...none, [id]: "x" })));
    assert.deepEqual(
      Object.keys(none).map((name) => read[name]),
      Object.keys(none).map((name) => (name === id ? "x" : null)),
    );
  }
  assert.deepEqual(chargeback(none), ["merchant_transaction_id is missing, as are all other ids."]);
});

test("all missing and invalid values of a row are named at once", () => {
  const wrong = { adapter_unique_id: "", status: "", amount: "", date_processed: "", currency: "E1R" };
  assert.deepEqual(transaction(wrong), [
    "adapter_unique_id is missing.",
    "status is missing.",
    "amount is missing.",
    "currency is not an ISO 4217 code.",
    "date_processed is missing.",
  ]);
  assert.deepEqual(transaction({ amount: "0", currency: "EURO" }), [
    "amount is zero.",
    "currency is not an ISO 4217 code.",
  ]);
  assert.deepEqual(transaction({ amount: "-0.01", currency: "" }), {
    ...(transaction() as object),
    amount: "0.01",
    currency: "EUR",
  });
  assert.deepEqual(chargeback({ amount: "0.00", report_date: "", cb_bank_fee: "x" }), [
    "amount is zero.",
    "report_date is missing.",
    "cb_bank_fee is not an amount: write it as 1234.50.",
  ]);
});

const STATUS_WORDS = {
  approved: "approved settled success successful succeeded completed paid captured",
  pending: "pending submitted processing accepted in_progress",
  declined: "declined failed rejected refused error returned",
};
const TYPE_WORDS = {
  sdd_sale: "sdd_sale sale debit direct_debit payment sepa_debit",
  sdd_rebill: "sdd_rebill rebill recurring sdd_recurring_sale",
  sdd_refund: "sdd_refund refund credit",
};

test("processors' words for statuses and types are understood in any spelling; another type is no debit", () => {
  for (const [status, words] of Object.entries(STATUS_WORDS))
    for (const word of words.split(" ")) {
      assert.equal(STATUS_OF.get(word), status);
      const read = transaction({ status: word.replace("_", " ").toUpperCase() });
      assert.equal((read as { status?: string }).status, status, word);
    }
  for (const [type, words] of Object.entries(TYPE_WORDS))
    for (const word of words.split(" ")) {
      assert.equal(TYPE_OF.get(word), type);
      assert.equal((transaction({ type: word }) as { type?: string }).type, type, word);
    }
  assert.equal((transaction({ type: "chargeback fee" }) as { type?: string }).type, "other_type");
  assert.equal((transaction({ type: "" }) as { type?: string }).type, "sdd_sale");
});

test("refunded is not a status of a sale, and the refusal says how to import one", () => {
  for (const status of ["refunded", "charged_back", "chargeback"])
    assert.deepEqual(transaction({ status }), [
      `status is ${status}: import the sale as approved, its refund as a row of type sdd_refund, its chargeback from a file of chargebacks.`,
    ]);
  assert.deepEqual(transaction({ status: "Genehmigt" }), [
    'status must be approved, pending or declined; map other words with value_mapping, such as {"status": {"Genehmigt": "approved"}}.',
  ]);
  const mapped = transaction({ status: "Genehmigt" }, { status: { genehmigt: "approved" } });
  assert.equal((mapped as { status?: string }).status, "approved");
});

const OTHER_NAMES: Readonly<Record<ImportKind, readonly (readonly [field: string, names: string])[]>> = {
  transactions: [
    ["adapter_unique_id", "unique_id id"],
    ["merchant_transaction_id", "merchant_reference reference"],
    ["transaction_id", "processor_transaction_id"],
    ["status", "state"],
    ["type", "transaction_type"],
    ["date_processed", "processed_at date created_at"],
    ["iban", "account"],
    ["customer_email", "email"],
    ["customer_name", "name holder_name"],
    ["mandate_reference", "mandate_id mandate_reference_id"],
  ],
  chargebacks: [
    ["adapter_unique_id", "unique_id id"],
    ["merchant_transaction_id", "merchant_reference reference"],
    ["transaction_id", "original_transaction_id original_transaction_unique_id"],
    ["end_to_end_id", "end_to_end_reference"],
    ["report_date", "chargeback_date date"],
    ["transaction_date", "original_transaction_date"],
    ["reason_message", "reason reason_description"],
    ["iban", "account"],
    ["email", "customer_email"],
    ["cb_bank_fee", "bank_fee fee"],
  ],
};

for (const kind of ["transactions", "chargebacks"] as const) {
  const own = Object.keys(kind === "transactions" ? SALE : CHARGEBACK);
  test(`columns of ${kind} are found by our names first, and by those that processors use`, () => {
    for (const [field, names] of OTHER_NAMES[kind])
      for (const name of names.split(" ")) {
        const header = own.map((one) => (one === field ? name.replaceAll("_", " ") : one));
        assert.equal(placesOf(kind, header).get(field), own.indexOf(field), `${field} as ${name}`);
        assert.equal(placesOf(kind, [...own, name]).get(field), own.indexOf(field), `${field}, and ${name}`);
      }
  });
}

test("a mapping names a column by its name or its number from 1; an unknown column is refused", () => {
  const header = ["A", "Status", "Amount", "Date", "B"];
  const mapped = (mapping: object) => importColumns("transactions", header, { ...mapping });
  for (const mapping of [{ adapter_unique_id: "b" }, { adapter_unique_id: 5 }])
    assert.equal((mapped(mapping) as Places).get("adapter_unique_id"), 4);
  assert.equal((mapped({ adapter_unique_id: 1 }) as Places).get("adapter_unique_id"), 0);
  assert.deepEqual(mapped({}), ["No column for adapter_unique_id: name it in the mapping."]);
  assert.deepEqual(mapped({ adapter_unique_id: 6 }), ["Column 6 for adapter_unique_id is missing."]);
  assert.deepEqual(mapped({ adapter_unique_id: 0 }), ["Column 0 for adapter_unique_id is missing."]);
  assert.deepEqual(mapped({ adapter_unique_id: 1, bic: "C", shoe_size: "B" }), [
    "shoe_size is not a field of transactions.",
    "Column C for bic is missing.",
  ]);
  assert.deepEqual(importColumns("transactions", [], {}), [
    "No column for adapter_unique_id: name it in the mapping.",
    "No column for status: name it in the mapping.",
    "No column for amount: name it in the mapping.",
    "No column for date_processed: name it in the mapping.",
  ]);
  assert.deepEqual(importColumns("chargebacks", [], {}), [
    "No column for amount: name it in the mapping.",
    "No column for report_date: name it in the mapping.",
  ]);
});

test("a mapping of values leads to our words only, and is for statuses and types only", () => {
  assert.deepEqual(
    problemsOfValues("transactions", {
      status: { Ok: "approved", Offen: "pending", Nein: "declined" },
      type: { A: "sdd_sale", B: "sdd_rebill", C: "sdd_refund", D: "other_type" },
    }),
    [],
  );
  assert.deepEqual(problemsOfValues("transactions", { status: { Ok: "paid" }, currency: { Euro: "EUR" } }), [
    "status Ok: paid must be approved, pending or declined.",
    "currency of transactions does not accept a mapping of values.",
  ]);
  assert.deepEqual(problemsOfValues("transactions", { type: { A: "sale" } }), [
    "type A: sale must be sdd_sale, sdd_rebill, sdd_refund or other_type.",
  ]);
  assert.deepEqual(problemsOfValues("chargebacks", { status: { Ok: "approved" } }), [
    "status of chargebacks does not accept a mapping of values.",
  ]);
  assert.equal(listInWords(["a", "b", "c"]), "a, b or c");
});
