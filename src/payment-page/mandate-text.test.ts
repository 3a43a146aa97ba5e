/** A form offers one text of one creditor for signature. */
import assert from "node:assert/strict";
import test from "node:test";
import { createKeyring, defaultKeys } from "../lib/keyring.ts";
import { offeredReference, offeredReferences } from "./mandate-text.ts";

const keys = createKeyring(defaultKeys(Buffer.alloc(32, 7)));
const offered = {
  session_id: "6f0c1d2e-0000-4000-8000-000000000001",
  transaction_id: null,
  mandate_texts: null,
  creditor: {
    name: "Northwind Coffee",
    identifier: "DE98ZZZ09999999999",
    address: null,
    postal_code: null,
    city: null,
    country: "DE",
    scheme: "CORE",
    pre_notification_days: 14,
  },
} as const;

test("a form that was shown before the scheme's text changed signs nothing: its reference is not one of those offered now", () => {
  const now = offeredReferences(keys, 1, offered);
  assert.deepEqual(now, [offeredReference(keys, 1, offered)]);
  const [before = ""] = offeredReferences(keys, 1, offered, "2026-11-2");
  assert.ok(!now.includes(before));
});
