/**
 * Statements of `src/sessions/limit-store.ts`: their effect, and the rows that they must leave alone
 * (tests/conditions.test.ts).
 */
import { added, type Entries } from "../support/conditions.ts";
import { ID } from "../support/one-row.ts";
import { BYTES, OTHER } from "./rows.ts";
import { counted, JUST_NOW, LIMITS, NO_LIMITS, reached } from "./sessions-counts.ts";

// Each case stays on one line or a few.
// prettier-ignore
export const SESSIONS_LIMITS: Entries = {
  "sessions.count_invalid_iban": {
    given: {
      payment_counts: {
        kind: "invalid_iban", key: ID, count: 2, started_at: "2026-01-31T12:00:00Z",
        counted_at: "2026-01-31T12:00:00Z", accounts: null,
      },
      tenants: { invalid_ibans_max: 5 },
    },
    gives: [{ key: ID, kind: "invalid_iban" }],
    does: { payment_counts: { kind: "invalid_iban", key: ID, most: 5, count: 3, counted_at: "2026-02-01" } },
    not: {
      "as many as a session may have": { payment_counts: { count: 5 } },
    },
    also: {
      "the first one": {
        given: { payment_counts: [] },
        does: { payment_counts: added({ count: 1, started_at: "2026-02-01" }) },
      },
      "the first one of a tenant without a limit": {
        given: { payment_counts: [], tenants: { invalid_ibans_max: null } },
        does: { payment_counts: added({ most: 30, count: 1, started_at: "2026-02-01" }) },
      },
      "the last that a session may have": {
        given: { payment_counts: { count: 4 } },
        does: { payment_counts: { count: 5 } },
      },
      "a day later": {
        given: { payment_counts: { count: 5, started_at: "2026-01-31" } },
        does: { payment_counts: { count: 1, started_at: "2026-02-01" } },
      },
      "another session's": {
        given: { payment_counts: { key: "y" } },
        does: { payment_counts: added({ count: 1, started_at: "2026-02-01" }) },
      },
    },
    same: { "never: … account": "A count of invalid IBANs has no accounts.", "dropped assignment: case … account": "A count of invalid IBANs has no accounts.", "dropped condition: … account": "A count of invalid IBANs has no accounts.", "boundary: >= … account": "A count of invalid IBANs has no accounts.", "dropped alternative: … account": "A count of invalid IBANs has no accounts.", "negated condition: … account": "A count of invalid IBANs has no accounts.", "off by one: 2 … account": "A count of invalid IBANs has no accounts.", "boundary: < … account": "A count of invalid IBANs has no accounts." },
  },
  "sessions.count_account_of_lead": {
    given: {
      tenants: LIMITS,
      gateways: { test_mode: false }, payment_counts: [], with: { clientIp: "192.0.2.8" },
    },
    gives: [{ may: true }],
    does: {
      payment_counts: [
        added({ key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
        added({
          key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
          counted_at: "2026-02-01", started_at: "2026-02-01",
        }),
        added({
          key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
          started_at: "2026-02-01",
        }),
        added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
        added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
        added({
          key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
          started_at: "2026-02-01",
        }),
      ],
    },
    also: {
      "two of five accounts, within a minute": {
        given: reached("lead_accounts", ID, 2, JUST_NOW),
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 3, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the payments, within a minute": {
        given: reached("address", "192.0.2.8", 30, JUST_NOW),
        does: { payment_counts: [{ count: 31, started_at: undefined, added: undefined }, {}, {}, {}, {}, {}] },
      },
      "a known account, a day later": {
        given: reached("lead_accounts", ID, 5, { started_at: "2026-01-31", accounts: ["\\x61", BYTES] }),
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "a known account of a count that began yesterday": {
        given: reached("lead_accounts", ID, 5, { started_at: "2026-01-30", accounts: ["\\x61", BYTES] }),
        does: { payment_counts: [{}, {}, {}, {}, {}, { added: undefined }] },
      },
      "a customer who is unknown": { given: { leads: { id: OTHER } }, does: { payment_counts: [] } },
      "counts of today": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 2, most: 9, accounts: null,
            },
            {
              kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 9, most: 9, accounts: null,
            },
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 2, most: 9, accounts: ["\\x61"],
            },
            {
              kind: "device_accounts", key: "x", started_at: "2026-01-31T12:00:00Z",
              counted_at: "2026-01-31T12:00:00Z", count: 2, most: 9, accounts: [BYTES],
            },
          ],
        },
        does: {
          payment_counts: [
            { count: 3, started_at: undefined, added: undefined }, {},
            {
              key: undefined, count: undefined, accounts: undefined, counted_at: undefined, started_at: undefined,
              added: undefined,
            },
            { count: 10, started_at: undefined, added: undefined }, {},
            { count: 3, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "counts of yesterday": {
        given: {
          payment_counts: [
            {
              kind: "address", key: "192.0.2.8", started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z",
              count: 50, most: 9, accounts: null,
            },
            {
              kind: "lead_accounts", key: ID, started_at: "2026-01-31", counted_at: "2026-01-31T12:00:00Z", count: 5,
              most: 9, accounts: ["\\x61"],
            },
          ],
        },
        does: { payment_counts: [{ added: undefined }, {}, {}, {}, {}, { added: undefined }] },
      },
      "a known account of a customer with many": {
        given: reached("lead_accounts", ID, 5, { accounts: ["\\x61", BYTES] }),
        does: {
          payment_counts: [
            {}, {}, {}, {}, {},
            { count: undefined, accounts: undefined, counted_at: undefined, started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the accounts, after a minute": {
        given: reached("lead_accounts", ID, 3, { counted_at: "2026-01-31T23:59:00Z" }),
        does: {
          payment_counts: [
            {}, {}, {}, {}, {}, { count: 4, accounts: ["\\x61", BYTES], started_at: undefined, added: undefined },
          ],
        },
      },
      "more than half of the accounts, within a minute": {
        given: reached("lead_accounts", ID, 3, JUST_NOW),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
        },
      },
      "half of six accounts, within a minute": {
        given: reached("address_accounts", "192.0.2.8", 3, JUST_NOW),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "an address that has paid too often": {
        given: reached("address", "192.0.2.8", 50),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "an address with too many bank accounts": {
        given: reached("address_accounts", "192.0.2.8", 6),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a device with too many bank accounts": {
        given: reached("device_accounts", "x", 7),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a bank account that has paid too often": {
        given: reached("iban", "78", 10),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a customer who has paid too often": {
        given: reached("lead", ID, 20),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
      "a customer with too many bank accounts": {
        given: reached("lead_accounts", ID, 5),
        gives: [{ may: false }],
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({
              key: "192.0.2.8", kind: "address_accounts", most: 6, count: 1, accounts: [BYTES],
              counted_at: "2026-02-01", started_at: "2026-02-01",
            }),
            added({
              key: "x", kind: "device_accounts", most: 7, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
        },
      },
      "the usual limits of a live account": {
        given: {
          tenants: NO_LIMITS,
        },
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
        },
      },
      "a test account of a tenant without limits": {
        given: {
          tenants: NO_LIMITS,
          gateways: { test_mode: true },
        },
        does: { payment_counts: [] },
      },
      "a customer without a session, as on a test account": {
        given: {
          tenants: NO_LIMITS,
          sessions: [],
        },
        does: { payment_counts: [] },
      },
      "another customer's session": {
        given: {
          tenants: NO_LIMITS,
          sessions: { lead_id: OTHER },
        },
        does: { payment_counts: [] },
      },
      "the account of the newest session": {
        given: {
          tenants: NO_LIMITS,
          sessions: [
            { created_at: "2026-01-03", closed_at: "2026-01-03", gateway_id: ID },
            {
              id: OTHER, tenant_reference_id: "y", gateway_id: OTHER, created_at: "2026-01-02",
              closed_at: "2026-01-03",
            },
          ],
          gateways: [{ test_mode: false }, { id: OTHER, test_mode: true }],
        },
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
        },
      },
      "the account of the last of two sessions": {
        given: {
          tenants: NO_LIMITS,
          sessions: [
            { closed_at: "2026-01-03", gateway_id: OTHER },
            { id: OTHER, tenant_reference_id: "y", gateway_id: ID, closed_at: "2026-01-03" },
          ],
          gateways: [{ test_mode: false }, { id: OTHER, test_mode: true }],
        },
        does: {
          payment_counts: [
            added({
              key: "192.0.2.8", kind: "address", most: 50, count: 1, counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
          ],
        },
      },
      "an address of IPv6": {
        given: { with: { clientIp: "2001:db8::1" } },
        does: { payment_counts: [{ key: "2001:db8::/64" }, { key: "2001:db8::/64" }, {}, {}, {}, {}] },
      },
      "an address of IPv6 with a zone": {
        given: { with: { clientIp: "fe80::1%eth0" } },
        does: { payment_counts: [{ key: "fe80::/64" }, { key: "fe80::/64" }, {}, {}, {}, {}] },
      },
      "no address and no device": {
        given: { with: { clientIp: null, device: null } },
        does: {
          payment_counts: [
            added({ key: "78", kind: "iban", most: 10, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({ key: ID, kind: "lead", most: 20, count: 1, counted_at: "2026-02-01", started_at: "2026-02-01" }),
            added({
              key: ID, kind: "lead_accounts", most: 5, count: 1, accounts: [BYTES], counted_at: "2026-02-01",
              started_at: "2026-02-01",
            }),
          ],
        },
      },
    },
    same: { "dropped condition: v.source = 'hosted_page'": "It is always that here." },
  },
  "sessions.find_reached_limit": {
    given: {
      tenants: LIMITS,
      gateways: { test_mode: false }, sessions: { customer_ip: null }, session_moves: { cause: "y" },
      payment_counts: {
        kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z", count: 10,
        most: 9, accounts: null,
      },
      with: { clientIp: "192.0.2.8", source: "hosted_page" },
    },
    gives: [{ kind: "iban", cause: "limit_reached_iban", free_at: "2026-02-01T12:00Z", is_noted: false }],
    does: {
      session_moves: added({ at: "2026-02-01", cause: "limit_reached_iban", to_status: "PENDING", session_id: ID, from_status: "PENDING" }),
    },
    not: {
      "an address of a caller with too many bank accounts does not count": {
        with: { source: "api_submission" },
        ...reached("address_accounts", "192.0.2.8", 6),
      },
      "the usual limit of a customer of a test account": {
        tenants: NO_LIMITS,
        gateways: { test_mode: true },
        ...reached("lead", ID, 20),
      },
      "the usual limit of an address of a test account": {
        tenants: NO_LIMITS,
        gateways: { test_mode: true },
        ...reached("address", "192.0.2.8", 50),
      },
      "half of the payments, within a minute": reached("iban", "78", 5, JUST_NOW),
      "half of the bank accounts, of a day that is over": reached("address_accounts", "192.0.2.8", 3, { ...JUST_NOW, started_at: "2026-01-31" }),
      "nothing is reached": { payment_counts: [] },
      "one payment less than too many": reached("iban", "78", 9),
      "what was reached yesterday": reached("iban", "78", 10, { started_at: "2026-01-31" }),
      "another bank account": reached("iban", "79", 10),
      "another session": { sessions: { id: OTHER } },
      "a bank account that the customer has used before": reached("lead_accounts", ID, 5, { accounts: ["\\x61", BYTES] }),
      "fewer than half of the bank accounts": reached("lead_accounts", ID, 2, { counted_at: "2026-01-31T23:59:59Z" }),
      "half of the bank accounts, a minute ago": reached("lead_accounts", ID, 3, { counted_at: "2026-01-31T23:59:00Z" }),
      "a tenant without limits for accounts": {
        tenants: NO_LIMITS,
        ...reached("lead_accounts", ID, 5),
      },
      "a caller's own request: its address does not count": {
        with: { source: "api_submission" },
        ...reached("address", "192.0.2.8", 50),
      },
      "the usual limit of a test account": {
        tenants: NO_LIMITS,
        gateways: { test_mode: true },
      },
    },
    also: {
      "an address of IPv6 with too many bank accounts": {
        given: {
          with: { clientIp: "2001:db8::1" },
          ...reached("address_accounts", "2001:db8::/64", 6),
        },
        gives: [{ kind: "address_accounts", cause: "limit_reached_address_accounts" }],
        does: { session_moves: { cause: "limit_reached_address_accounts" } },
      },
      "noted at the very time when it began": {
        given: { session_moves: { cause: "limit_reached_iban", at: "2026-01-31T12:00:00Z" } },
      },
      "something else was noted": { given: { session_moves: { cause: "y", at: "2026-01-31T13:00:00Z" } } },
      "noted before": {
        given: { session_moves: { cause: "limit_reached_iban", at: "2026-01-31T13:00:00Z" } },
        gives: [{ is_noted: true }],
        does: { session_moves: [] },
      },
      "noted of another time": {
        given: { session_moves: { cause: "limit_reached_iban", at: "2026-01-31T11:00:00Z" } },
      },
      "noted of another session": {
        given: { session_moves: { session_id: OTHER, cause: "limit_reached_iban", at: "2026-01-31T13:00:00Z" } },
      },
      "an address": {
        given: reached("address", "192.0.2.8", 50),
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "an address with too many bank accounts": {
        given: reached("address_accounts", "192.0.2.8", 6),
        gives: [{ kind: "address_accounts", cause: "limit_reached_address_accounts" }],
        does: { session_moves: { cause: "limit_reached_address_accounts" } },
      },
      "a device with too many bank accounts": {
        given: reached("device_accounts", "x", 7),
        gives: [{ kind: "device_accounts", cause: "limit_reached_device_accounts" }],
        does: { session_moves: { cause: "limit_reached_device_accounts" } },
      },
      "a customer who has paid too often": {
        given: reached("lead", ID, 20),
        gives: [{ kind: "lead", cause: "limit_reached_lead" }],
        does: { session_moves: { cause: "limit_reached_lead" } },
      },
      "a customer with too many bank accounts": {
        given: reached("lead_accounts", ID, 5),
        gives: [{ kind: "lead_accounts", cause: "limit_reached_lead_accounts" }],
        does: { session_moves: { cause: "limit_reached_lead_accounts" } },
      },
      "a session with too many invalid IBANs": {
        given: reached("invalid_iban", ID, 30),
        gives: [{ kind: "invalid_iban", cause: "limit_reached_invalid_iban" }],
        does: { session_moves: { cause: "limit_reached_invalid_iban" } },
      },
      "half of the bank accounts, within a minute": {
        given: reached("address_accounts", "192.0.2.8", 3, JUST_NOW),
        gives: [{ kind: "address_accounts", cause: "slowed_down_address_accounts", free_at: "2026-02-01T00:00:30Z" }],
        does: { session_moves: { cause: "slowed_down_address_accounts" } },
      },
      "the one that lasts longest": {
        given: {
          payment_counts: [
            {
              kind: "iban", key: "78", started_at: "2026-01-31T12:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 10, most: 9, accounts: null,
            },
            {
              kind: "lead", key: ID, started_at: "2026-01-31T13:00:00Z", counted_at: "2026-01-31T12:00:00Z",
              count: 20, most: 9, accounts: null,
            },
          ],
        },
        gives: [{ kind: "lead", cause: "limit_reached_lead", free_at: "2026-02-01T13:00Z" }],
        does: { session_moves: { cause: "limit_reached_lead" } },
      },
      "an address that the merchant has sent": {
        given: {
          sessions: { customer_ip: "192.0.2.9" },
          ...reached("address", "192.0.2.9", 50),
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "an address of IPv6": {
        given: {
          with: { clientIp: "2001:db8::1" },
          ...reached("address", "2001:db8::/64", 50),
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "an address of IPv6 with a zone": {
        given: {
          with: { clientIp: "fe80::1%eth0" },
          ...reached("address", "fe80::/64", 50),
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "the usual limit of a bank account": {
        given: {
          tenants: NO_LIMITS,
        },
      },
      "the usual limit of an address": {
        given: {
          tenants: NO_LIMITS,
          ...reached("address", "192.0.2.8", 50),
        },
        gives: [{ kind: "address", cause: "limit_reached_address" }],
        does: { session_moves: { cause: "limit_reached_address" } },
      },
      "the usual limit of a customer": {
        given: {
          tenants: NO_LIMITS,
          ...reached("lead", ID, 20),
        },
        gives: [{ kind: "lead", cause: "limit_reached_lead" }],
        does: { session_moves: { cause: "limit_reached_lead" } },
      },
      "the usual limit of invalid IBANs": {
        given: {
          tenants: NO_LIMITS,
          ...reached("invalid_iban", ID, 30),
        },
        gives: [{ kind: "invalid_iban", cause: "limit_reached_invalid_iban" }],
        does: { session_moves: { cause: "limit_reached_invalid_iban" } },
      },
    },
    same: { "dropped condition: v.n = c.n": "There is one of each.", "dropped condition: w.key is not null": "Nothing is joined by no key.", "dropped condition: w.most is not null": "Nothing is at least an unknown number." },
  },
  "sessions.forget_counts": {
    gives: [{ "?column?": 1 }],
    does: { payment_counts: "gone" },
    not: {
      "a count of today": { payment_counts: { started_at: "2026-02-01" } },
    },
    also: {
      "a count that began a day ago, to the second": { given: { with: { now: "2026-01-02" } } },
    },
  },
  "sessions.tenants_with_old_counts": {
    given: { payment_counts: { started_at: "2026-01-31" } },
    gives: [{ tenant: 1 }],
    not: {
      "a count of the last day": { payment_counts: { started_at: "2026-01-31T00:00:01Z" } },
    },
    also: {
      "a tenant with two such counts": { given: { "+payment_counts": { key: "y", started_at: "2026-01-02" } } },
    },
  },
  "sessions.find_reached_limit_of_lead": {
    given: { tenants: LIMITS, gateways: { test_mode: false }, ...reached("iban", "78", 10), with: { clientIp: "192.0.2.8" } },
    gives: [{ free_at: "2026-02-01T12:00Z" }],
    not: {
      "another customer": { leads: { id: OTHER } },
      "nothing is reached": { payment_counts: [] },
      "one payment less than too many": reached("iban", "78", 9),
      "half of the payments, within a minute": reached("iban", "78", 5, JUST_NOW),
      "what was reached yesterday": reached("iban", "78", 10, { started_at: "2026-01-31" }),
      "another bank account": reached("iban", "79", 10),
      "another customer's payments": reached("lead", OTHER, 20),
      "another address": reached("address", "192.0.2.9", 50),
      "another device": reached("device_accounts", "y", 7),
      "no address": { with: { clientIp: null }, ...reached("address", "192.0.2.8", 50) },
      "no device": { with: { device: null }, ...reached("device_accounts", "x", 7) },
      "the usual limit of a test account": { tenants: NO_LIMITS, gateways: { test_mode: true } },
      "the usual limit of a customer of a test account": { tenants: NO_LIMITS, gateways: { test_mode: true }, ...reached("lead", ID, 20) },
      "the usual limit of an address of a test account": { tenants: NO_LIMITS, gateways: { test_mode: true }, ...reached("address", "192.0.2.8", 50) },
      "the usual limit, where the customer has no session": { tenants: NO_LIMITS, sessions: [] },
      "the usual limit, where another customer has a session": { tenants: NO_LIMITS, sessions: { lead_id: OTHER } },
      "the usual limit, where the newest session is a test session": { tenants: NO_LIMITS, "+gateways": { id: OTHER, test_mode: true }, "+sessions": { id: OTHER, tenant_reference_id: "y", closed_at: "2026-01-02", gateway_id: OTHER, created_at: "2026-01-02" } },
      "the usual limit, where the newer of two sessions with the same time is a test session": { tenants: NO_LIMITS, "+gateways": { id: OTHER, test_mode: true }, "+sessions": { id: OTHER, tenant_reference_id: "y", closed_at: "2026-01-02", gateway_id: OTHER } },
      "a tenant without limits for accounts": { tenants: NO_LIMITS, ...reached("lead_accounts", ID, 5) },
      "a bank account that the customer has used before": reached("lead_accounts", ID, 5, { accounts: ["\\x61", BYTES] }),
      "fewer than half of the bank accounts": reached("lead_accounts", ID, 2, JUST_NOW),
      "half of the bank accounts, a minute ago": reached("lead_accounts", ID, 3, { counted_at: "2026-01-31T23:59:00Z" }),
      "half of the bank accounts, of a day that is over": reached("address_accounts", "192.0.2.8", 3, { started_at: "2026-01-31", ...JUST_NOW }),
      "one undebitable IBAN less than too many": reached("invalid_iban", ID, 29),
    },
    also: {
      "too many payments of a customer": { given: reached("lead", ID, 20) },
      "too many payments from an address": { given: reached("address", "192.0.2.8", 50) },
      "too many payments from a network of IPv6": { given: { ...reached("address", "2001:db8:1:2::/64", 50), with: { clientIp: "2001:db8:1:2:3::4" } } },
      "too many bank accounts from an address": { given: reached("address_accounts", "192.0.2.8", 6) },
      "too many bank accounts from a network of IPv6": { given: { ...reached("address_accounts", "2001:db8:1:2::/64", 6), with: { clientIp: "2001:db8:1:2:3::4" } } },
      "too many bank accounts from an address with a zone": { given: { ...reached("address_accounts", "192.0.2.8", 6), with: { clientIp: "192.0.2.8%1" } } },
      "too many payments from an address with a zone": { given: { ...reached("address", "192.0.2.8", 50), with: { clientIp: "192.0.2.8%1" } } },
      "too many bank accounts on a device": { given: reached("device_accounts", "x", 7) },
      "too many bank accounts of a customer": { given: reached("lead_accounts", ID, 5) },
      "too many IBANs that cannot be debited": { given: reached("invalid_iban", ID, 30) },
      "half of the bank accounts, within a minute": { given: reached("lead_accounts", ID, 3, JUST_NOW), gives: [{ free_at: "2026-02-01T00:00:30Z" }] },
      "exactly half of the bank accounts, within a minute": { given: reached("address_accounts", "192.0.2.8", 3, JUST_NOW), gives: [{ free_at: "2026-02-01T00:00:30Z" }] },
      "the usual limit": { given: { tenants: NO_LIMITS } },
      "the usual limit of a customer": { given: { tenants: NO_LIMITS, ...reached("lead", ID, 20) } },
      "the usual limit of an address": { given: { tenants: NO_LIMITS, ...reached("address", "192.0.2.8", 50) } },
      "the usual limit of IBANs that cannot be debited": { given: { tenants: NO_LIMITS, ...reached("invalid_iban", ID, 30) } },
      "a tenant's limit for test accounts": { given: { gateways: { test_mode: true } } },
      "the limit that ends last": { given: { payment_counts: [counted("iban", "78", 10), counted("lead", ID, 20, { started_at: "2026-01-31T13:00:00Z" })] }, gives: [{ free_at: "2026-02-01T13:00Z" }] },
      "the newest session is live": { given: { tenants: NO_LIMITS, gateways: { test_mode: true }, "+gateways": { id: OTHER, test_mode: false }, "+sessions": { id: OTHER, tenant_reference_id: "y", closed_at: "2026-01-02", gateway_id: OTHER, created_at: "2026-01-02" } } },
    },
    same: {
      "dropped condition: v.n = c.n": "There is one of each.",
      "dropped condition: w.key is not null": "Nothing is joined by no key.",
      "dropped condition: w.most is not null": "Nothing is at least an unknown number.",
      "dropped condition: v.source = 'hosted_page'": "It is always that here.",
      "dropped condition: k.count >= w.most then 'limit_reached_'": "The cause is not returned here.",
      "never: k.count >= w.most then 'limit_reached_'": "The cause is not returned here.",
      "boundary: >= w.most then 'limit_reached_'": "The cause is not returned here.",
    },
  },
};
