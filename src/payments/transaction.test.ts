/** The open statuses: one list, the same as in the schema. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { randomIds } from "../lib/ids.ts";
import {
  RESOLVABLE_STATUSES,
  attemptAsWork,
  isOpen,
  knownStatus,
  livemode,
  mandateReference,
  mandateReferenceFrom,
  merchantTransactionId,
  moveOf,
  OPEN_STATUSES,
  orderNumber,
  receiptOf,
  recordAfter,
  SHOWN_STATUSES,
  shownStatus,
  TRANSACTION_TYPES,
} from "./transaction.ts";

const schema = await readFile(new URL("../db/schema.sql", import.meta.url), "utf8");

test("the checks and the index of open transactions know the same open statuses", () => {
  const lists = [...schema.matchAll(/array\[([^\]]*)\]/g)]
    .map(([, list = ""]) => [...list.matchAll(/'([a-z_]+)'/g)].map((match) => match[1]))
    .filter((list) => list.includes("verifying") && !list.includes("approved"));
  assert.ok(lists.length >= 3);
  // The list of the newest open payments also includes those pending at the bank.
  for (const list of lists)
    assert.deepEqual(
      list.filter((status) => status !== "pending"),
      [...OPEN_STATUSES],
    );
});

test("an open status is shown as pending, every other one as it is", () => {
  assert.deepEqual(OPEN_STATUSES.map(shownStatus), ["pending", "pending", "pending", "pending"]);
  for (const status of ["pending", "approved", "declined", "refunded", "charged_back"]) {
    assert.equal(isOpen(status), false);
    assert.equal(shownStatus(status), status);
  }
});

test("recovery covers every open status except the one in which the customer is at the bank", () => {
  assert.deepEqual(
    OPEN_STATUSES.filter((status) => !(RESOLVABLE_STATUSES as readonly string[]).includes(status)),
    ["awaiting_verification"],
  );
});

/** The effect of a gateway's news on a transaction, by its status, as in the tables of docs/states.md. */
const KNOWN = ["pending", "approved", "declined", "refunded", "charged_back"] as const;
const MOVES = {
  sdd_sale: {
    settled: "settle, stay, contradiction, stay, stay",
    returned: "fail, charge_back, stay, charge_back, stay",
    charged_back: "charge_back, charge_back, contradiction, charge_back, stay",
    reinstated: "settle, stay, reinstate, stay, reinstate",
  },
  sdd_refund: {
    settled: "settle, stay, contradiction, contradiction, contradiction",
    returned: "fail, contradiction, stay, contradiction, contradiction",
    charged_back: "contradiction, contradiction, contradiction, contradiction, contradiction",
    reinstated: "contradiction, contradiction, contradiction, contradiction, contradiction",
  },
} as const;

for (const notice of ["settled", "returned", "charged_back", "reinstated"] as const) {
  test(`news that a payment or refund was ${notice} moves it by its status, or is a contradiction`, () => {
    const moves = (type: string) => KNOWN.map((status) => moveOf(type, status, notice)).join(", ");
    for (const type of ["sdd_sale", "sdd_rebill", "other_type"])
      assert.equal(moves(type), MOVES.sdd_sale[notice], type);
    assert.equal(moves("sdd_refund"), MOVES.sdd_refund[notice]);
  });
}

test("news waits for the end of what is open", () => {
  assert.deepEqual(OPEN_STATUSES.map(knownStatus), [null, null, null, null]);
  assert.deepEqual(KNOWN.map(knownStatus), [...KNOWN]);
});

test("a receipt is sent for money that has arrived, not for a pending or declined payment or a mandate alone", () => {
  assert.deepEqual(receiptOf("approved", "0.01"), ["receipt"]);
  assert.deepEqual(
    [receiptOf("approved", "0.00"), receiptOf("pending", "1.00"), receiptOf("declined", "1.00")],
    [[], [], []],
  );
});

test("live money moves in production at a gateway that is not in test mode", () => {
  const live = (environment: "production" | "staging", test_mode: boolean) =>
    livemode({ environment }, { test_mode });
  assert.deepEqual(
    [live("production", false), live("production", true), live("staging", false), live("staging", true)],
    [true, false, false, false],
  );
});

test("an attempt that is recovered continues its trace, under its session if it has one", () => {
  const row = { merchant_transaction_id: "TXN-1", session_id: null, traceparent: "00-1" };
  assert.deepEqual(attemptAsWork("recover", 7, row), {
    name: "recover",
    parent: "00-1",
    subject: { tenant: 7, merchant_transaction_id: "TXN-1" },
  });
  assert.deepEqual(attemptAsWork("recover", 7, { ...row, session_id: "s" }).subject, {
    tenant: 7,
    merchant_transaction_id: "TXN-1",
    session_id: "s",
  });
});

test("the API shows every type and status of the schema except the open ones, and no other", () => {
  const [, body = ""] = /^create table transactions \((.*?)^\);/ms.exec(schema) ?? [];
  const known = (name: string) => {
    const [, list = ""] = new RegExp(`constraint ${name} check .*array\\[([^\\]]*)\\]`).exec(body) ?? [];
    return [...list.matchAll(/'(\w+)'/g)].map(([, word = ""]) => word);
  };
  assert.deepEqual(known("type_known"), [...TRANSACTION_TYPES]);
  assert.deepEqual(known("status_known"), [...OPEN_STATUSES, ...SHOWN_STATUSES]);
});

test("references have a form that banks accept: a day and 8 characters, or 16 for a mandate, without letters that are misread", () => {
  const one = "[2-9A-HJ-NP-Z]";
  assert.match(
    merchantTransactionId(randomIds, new Date("2026-12-31T23:59:59.999Z")),
    new RegExp(`^TXN-20261231-${one}{8}$`),
  );
  assert.match(orderNumber(randomIds), new RegExp(`^ORD-${one}{8}$`));
  assert.match(mandateReference(randomIds), new RegExp(`^MND-${one}{16}$`));
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, n) => n));
  assert.equal(mandateReferenceFrom(bytes), "MND-23456789ABCDEFGH");
});

test("a record after an outcome has the gateway's references, and is found by the second one if there is one", () => {
  const at = new Date("2026-03-01T12:00:00Z");
  const after = (adapter_unique_id: string | null) =>
    recordAfter(
      { id: "1" } as unknown as Parameters<typeof recordAfter>[0],
      { gateway_reference: "g", adapter_unique_id, processed_at: at },
      "approved",
      at,
    );
  assert.deepEqual(after("a"), {
    id: "1",
    transaction_id: "g",
    adapter_unique_id: "a",
    date_processed: at,
    status: "approved",
    updated_at: at,
  });
  assert.equal(after(null).adapter_unique_id, "g");
});
