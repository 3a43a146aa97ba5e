/**
 * Each lock of a statement, while another transaction holds the row: the statement waits for the row, or passes over
 * it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
// Importing the whole service registers all its statements.
import "../src/app.ts";
import "../src/backup/place.ts";
import "../src/books/check.ts";
import "../src/gateways/sepa-batch/commands.ts";
import { allStatements, type PlainStatement } from "../src/db/database.ts";
import { must } from "../src/lib/assert.ts";
import { sqlMutants } from "../scripts/mutate/sql.ts";
import { untilWaiting } from "./support/at-once.ts";
import { ID, oneRow, type OneRow, type Row } from "./support/one-row.ts";

type Lock = "update" | "no key update" | "share" | "key share";
/** The weakest lock that a statement has to wait for. A statement whose own lock is too weak does not wait for it. */
const HELD: Readonly<Record<Lock, string>> = {
  update: "key share",
  "no key update": "share",
  share: "no key update",
  "key share": "update",
};
/** PostgreSQL's lock_not_available: the statement has waited until its time limit. */
const WAITED = "55P03";
const OTHER = "00000000-0000-4000-8000-000000000002";
const PAST = "2026-01-01T00:00:00Z";
const LOCK = /\bfor\s+(?:update|no key update|share|key share)\b/;
const REFUND_AND_PAYMENT: readonly Row[] = [
  { id: ID, original_id: OTHER },
  {
    id: OTHER,
    original_id: null,
    merchant_transaction_id: "y",
    adapter_unique_id: "y",
    tenant_reference_id: null,
  },
];

/** A locked row, with the rows and values that the statement needs to find it where the defaults are not enough. */
interface Case {
  readonly table: string;
  readonly lock: Lock;
  /** Whether the statement passes over the row instead of waiting. */
  readonly skips: boolean;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly values: Row;
  /** The id of the locked row, if there are several. */
  readonly id: string | null;
}
type More = Partial<Pick<Case, "rows" | "values" | "id">>;

function waits(lock: Lock, table: string, more: More = {}): Case {
  return { lock, skips: false, table, rows: {}, values: {}, id: null, ...more };
}

function skips(table: string, row: Row = {}): Case {
  return { ...waits("update", table, { rows: { [table]: [row] } }), skips: true };
}

/**
 * The locks of each statement. A statement waits for a row before it decides, or leaves the row to the worker that
 * holds it.
 */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  "api_keys.hold": [waits("share", "api_keys")],
  "api_keys.lock": [waits("update", "api_keys")],
  "attempts.lock": [waits("update", "transactions")],
  "billing.claim_due": [skips("transactions", { type: "sdd_rebill", resolve_at: PAST })],
  "billing.lock": [waits("update", "subscriptions")],
  "billing.lock_if_free": [skips("subscriptions")],
  "billing.lock_subscription_of_transaction": [waits("no key update", "subscriptions")],
  "campaigns.lock": [waits("update", "campaigns")],
  "console_sessions.forget": [skips("console_sessions")],
  "console_sessions.lock": [waits("share", "console_sessions")],
  "ebics_users.lock": [waits("update", "ebics_users")],
  "erase.lock_lead": [waits("update", "leads")],
  "erase.lock_messages": [waits("update", "messages")],
  "erase.lock_payments": [waits("no key update", "transactions")],
  "gateways.lock": [waits("update", "gateways")],
  "hosted_pages.lock": [waits("update", "hosted_pages")],
  "idempotency.forget": [skips("idempotency_keys")],
  "imports.find_unlinked_chargebacks": [
    waits("update", "chargebacks", { rows: { chargebacks: [{ transaction_id: null }] } }),
  ],
  "imports.lock_original": [waits("update", "transactions")],
  "integrations.claim": [skips("integration_activities", { due_at: PAST })],
  "integrations.claim_reads": [skips("integrations", { active: true, provider_active: true })],
  "integrations.forget_keys": [skips("integration_postback_keys")],
  "integrations.forget_payloads": [skips("integration_activities")],
  "integrations.forget_skipped": [skips("integration_activities", { status: "skipped" })],
  "integrations.lock": [waits("update", "integrations")],
  "integrations.lock_activity": [waits("update", "integration_activities")],
  "integrations.record": [
    waits("key share", "leads", { rows: { integration_activities: [{ status: "received" }] } }),
  ],
  "mandate_texts.lock_page": [waits("no key update", "hosted_pages")],
  "mandates.expire": [skips("mandates", { status: "active", accepted_at: "2020-01-01" })],
  "mandates.lock": [waits("no key update", "mandates")],
  "mandates.lock_references": [waits("no key update", "tenants")],
  "mandates.lock_subscriptions": [waits("no key update", "subscriptions")],
  "messages.claim": [skips("messages", { state: "waiting" })],
  "offers.lock": [waits("update", "offers")],
  "payment_links.lock": [waits("update", "payment_links")],
  "payment_links.lock_for_use": [waits("no key update", "payment_links")],
  "payment_notes.lock_payment": [waits("share", "transactions")],
  "payments.close_repaying": [
    {
      ...skips("sessions"),
      lock: "no key update",
      rows: { sessions: [{ status: "PENDING", open_transaction_id: null }], session_moves: [] },
    },
  ],
  "payments.lock_for_news": [waits("update", "transactions")],
  "payments.lock_order": [waits("no key update", "orders")],
  "payments.lock_subscription": [waits("no key update", "subscriptions")],
  "payments.lock_transaction": [waits("update", "transactions")],
  "oidc_providers.lock": [waits("update", "oidc_providers")],
  "people.find_of_provider": [waits("update", "people")],
  "people.lock": [waits("update", "people")],
  "people.lock_all": [waits("update", "people")],
  "people.lock_with_owners": [waits("update", "people")],
  "refunds.claim": [
    // Nothing of it is left to refund, so the row is read and not written.
    waits("no key update", "transactions", {
      rows: { transactions: [{ status: "approved", amount: 1, refund_claimed: 1 }], chargebacks: [] },
    }),
    waits("key share", "leads", { rows: { transactions: [{ status: "approved" }], chargebacks: [] } }),
  ],
  "refunds.claim_due": [skips("transactions", { resolve_at: PAST })],
  "refunds.lock": [
    waits("update", "transactions", { rows: { transactions: REFUND_AND_PAYMENT }, id: ID }),
    waits("no key update", "transactions", { rows: { transactions: REFUND_AND_PAYMENT }, id: OTHER }),
  ],
  "refunds.lock_payment_of_held": [
    waits("no key update", "transactions", { rows: { transactions: [{ status: "approved" }] } }),
  ],
  "reports.lock_figure_day": [waits("update", "figure_days")],
  "requests.forget": [skips("requests")],
  "sandbox.open_refund": [
    waits("update", "sandbox_books", { rows: { sandbox_books: [{ refund_of: null }] } }),
  ],
  "saved_views.lock": [waits("update", "saved_views")],
  "sepa.lock_collected": [waits("update", "sepa_collections")],
  "sepa_files.assumable": [
    waits("update", "sepa_collections", {
      rows: {
        sepa_collections: [{ state: "batched", due_date: "2026-01-01" }],
        sepa_files: [{ status: "sent" }],
      },
    }),
  ],
  "sepa_files.block": [waits("update", "sepa_collections")],
  "sepa_files.by_mandate": [
    waits("update", "sepa_collections", {
      rows: { sepa_collections: [{ state: "batched", refund_of: null, due_date: "2026-01-20" }] },
    }),
  ],
  "sepa_files.claim_upload": [skips("sepa_files", { due_at: PAST })],
  "sepa_files.find_by_message": [
    waits("update", "sepa_files", { rows: { sepa_files: [{ direction: "out" }] } }),
  ],
  "sepa_files.lock": [waits("update", "sepa_files")],
  "sepa_files.lock_settings": [
    waits("share", "gateways", { rows: { gateways: [{ adapter: "sepa_batch" }] } }),
  ],
  "sepa_files.lock_unsent": [
    waits("update", "sepa_files", { rows: { sepa_files: [{ direction: "out", status: "ready" }] } }),
  ],
  "sepa_files.lock_collections": [waits("update", "sepa_collections")],
  "sepa_files.lock_outdated_mandates": [
    waits("update", "mandates", { rows: { gateways: [{ former_creditors: ["x x"] }] } }),
  ],
  "sepa_files.named_instructions": [waits("update", "sepa_collections")],
  "sepa_files.stop": [
    waits("update", "sepa_collections", {
      rows: {
        sepa_collections: [{ state: "accepted", refund_of: null, not_before: "2026-01-01" }],
        mandates: [{ status: "cancelled" }],
        sepa_news: [],
      },
    }),
  ],
  "sepa_files.waiting": [
    waits("update", "sepa_collections", {
      rows: { sepa_collections: [{ state: "accepted", refund_of: null, not_before: "2026-01-01" }] },
    }),
  ],
  "sepa_unmatched.lock": [waits("update", "sepa_unmatched")],
  "sepa_unmatched.lock_target": [
    waits("update", "sepa_collections", { rows: { sepa_collections: [{ refund_of: null }] } }),
  ],
  "sepa_unmatched.parts": [
    waits("update", "sepa_unmatched", {
      rows: { sepa_unmatched: [{ status: "part" }] },
      values: { but: OTHER },
    }),
  ],
  "sessions.claim": [
    // The session has expired, so the row is read and not written.
    waits("no key update", "sessions", {
      rows: { sessions: [{ status: "PENDING", open_transaction_id: null, attempts_max: 3 }] },
      values: { ibanFingerprints: ["{}"] },
    }),
    // The payment that it repeats was reinstated, so the row is read and nothing is written.
    waits("share", "transactions", {
      rows: {
        sessions: [
          {
            status: "PENDING",
            open_transaction_id: null,
            attempts_max: 3,
            expires_at: "2026-03-01",
            payment_link_id: null,
          },
        ],
        transactions: [{ status: "approved", tenant_reference_id: null }],
        campaigns: [],
      },
      values: { creditorShown: [null], isDocumentationIban: [false], ibanFingerprints: ["{}"] },
    }),
  ],
  "sessions.claim_due": [skips("transactions", { resolve_at: PAST })],
  "sessions.forget_counts": [skips("payment_counts")],
  "sessions.lock": [waits("no key update", "sessions")],
  "tenants.lock": [waits("update", "tenants")],
  "webhook_profiles.lock": [waits("update", "webhook_profiles")],
  "webhooks.fan_out": [waits("update", "events")],
  "webhooks.forget_answers": [skips("webhook_attempts")],
  "webhooks.forget_deliveries": [skips("webhook_deliveries")],
  "webhooks.lock_url": [waits("no key update", "webhook_profiles")],
};

/**
 * Statements that update the rows which they lock. They would wait without the lock as well, but then not check the
 * changed row.
 */
const LOOK_AGAIN: Readonly<Record<string, { table: string; row: Row; meanwhile: string; values: Row }>> = {
  "payment_links.release_idle_uses": {
    table: "sessions",
    row: { holds_link_use: true, open_transaction_id: null },
    meanwhile: `open_transaction_id = '${ID}'`,
    values: { sessionId: OTHER },
  },
  "webhooks.redeliver": {
    table: "webhook_deliveries",
    row: { status: "failing" },
    meanwhile: "status = 'delivered'",
    values: { id: null, status: null, event: null, from: null },
  },
};
/** Updates all rows that it locks. The lock only defines the order, which no result shows. */
const IN_ORDER = "webhooks.wake_receivers";

let database: OneRow;
let holder: pg.Client;
let caller: pg.Client;

before(async () => {
  database = await oneRow();
  holder = await database.connect();
  caller = await database.connect();
});
after(() => database.close());

/** The statement's result in a transaction that is rolled back: its rows, or the lock time-out. */
async function answer({ name, text, params = [] }: PlainStatement, values: Row): Promise<unknown> {
  const given = await database.valuesFor(text, params, values);
  await caller.query("begin");
  try {
    await caller.query("set local lock_timeout = 10");
    return (await caller.query({ name, text, values: given })).rows;
  } catch (error) {
    if ((error as { code?: string }).code !== WAITED) throw error;
    return WAITED;
  } finally {
    await caller.query("rollback");
  }
}

/** @returns null, or a description of the failure. */
async function wrongWith(statement: PlainStatement, one: Case): Promise<string | null> {
  const { table, rows, skips } = one;
  for (const [name, own] of Object.entries(rows)) await database.put(name, own);
  try {
    const held = await whileHeld(statement, one);
    if (!skips) return held === WAITED ? null : `it does not wait for a row of ${table}`;
    if (held === WAITED) return `it waits for a row of ${table}`;
    await database.put(table, []);
    const without = await answer(statement, one.values);
    return isDeepStrictEqual(held, without) ? null : `it takes a row of ${table} that is held`;
  } finally {
    for (const name of [table, ...Object.keys(rows)]) await database.put(name, [{}]);
  }
}

async function whileHeld(statement: PlainStatement, { table, lock, values, id }: Case): Promise<unknown> {
  const where = id === null ? "" : `where id = '${id}'`;
  await holder.query("begin");
  try {
    await holder.query(`select from ${table} ${where} for ${HELD[lock]}`);
    return await answer(statement, values);
  } finally {
    await holder.query("rollback");
  }
}

/** The statement without one of its locks, or waiting instead of passing over. */
function loosened({ name, text, params }: PlainStatement): readonly PlainStatement[] {
  return sqlMutants(text, [])
    .filter(({ operator }) => /^dropped (lock|skip locked)$/.test(operator))
    .map(({ start, end, to }, n) => ({
      name: `${name} ${n + 1}`,
      text: text.slice(0, start) + to + text.slice(end),
      ...(params === undefined ? {} : { params }),
    }));
}

function statementNamed(name: string): PlainStatement {
  return must(
    allStatements().find((one) => one.name === name),
    name,
  );
}

for (const [name, cases] of Object.entries(CASES)) {
  const does = cases.map(({ table, skips }) => (skips ? `passes over ${table}` : `waits for ${table}`));
  test(`${name} ${does.join(" and ")} that another transaction holds`, async () => {
    const statement = statementNamed(name);
    for (const one of cases) assert.equal(await wrongWith(statement, one), null);
    for (const loose of loosened(statement)) {
      const found: (string | null)[] = [];
      for (const one of cases) found.push(await wrongWith(loose, one));
      assert.ok(
        found.some((wrong) => wrong !== null),
        `not noticed without its lock: ${loose.text}`,
      );
    }
  });
}

for (const [name, { table, row, meanwhile, values }] of Object.entries(LOOK_AGAIN)) {
  test(`${name} does not write rows of ${table} that changed while it waited`, async () => {
    const statement = statementNamed(name);
    const changed = async ({ text, params = [] }: PlainStatement): Promise<number | null> => {
      await database.put(table, [row]);
      await holder.query("begin");
      await holder.query(`update ${table} set ${meanwhile}`);
      const waiting = caller.query(text, await database.valuesFor(text, params, values));
      await Promise.race([waiting, untilWaiting(database)]);
      await holder.query("commit");
      return (await waiting).rowCount;
    };
    assert.equal(await changed(statement), 0);
    for (const loose of loosened(statement)) assert.equal(await changed(loose), 1, loose.text);
    await database.put(table, [{}]);
  });
}

test("every statement with a lock is listed here, and none without", () => {
  const locking = allStatements().filter(({ text }) => LOCK.test(text));
  assert.deepEqual(
    [...Object.keys(CASES), ...Object.keys(LOOK_AGAIN), IN_ORDER].toSorted(),
    locking.map(({ name }) => name).toSorted(),
  );
});
