/** Planted bugs: small defects of the kind that the simulation has to find. Each is put into a copy of the service. */
import { guarded } from "../planted/guarded.ts";
import { PLANTED_MORE } from "./planted-more.ts";
import { PLANTED_TOGETHER } from "./planted-together.ts";
import { PLANTED_IN_NOTICES } from "../planted/notices.ts";
import { PLANTED_IN_WEBHOOKS } from "./planted-webhooks.ts";

export interface PlantedBug {
  readonly name: string;
  /** Textual replacements below src/; each `from` occurs there once. */
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** Removes constraints of the database that would refuse the bug's effect. */
  readonly sql: string;
  /** The script that looks for it, if not the simulation of the whole service. */
  readonly script?: string;
  /** The seed that is played first; 1 by default. */
  readonly seed?: number;
  /** The tests that were written with the fix, for bugs that were found in the service. Each fails with the bug. */
  readonly tests?: readonly Guard[];
}

export interface Guard {
  readonly file: string;
  /** The test's name, or the beginning of it. */
  readonly test: string;
}

const bug = (name: string, file: string, from: string, to: string, sql = ""): PlantedBug => ({
  name,
  changes: [{ file, from, to }],
  sql,
});

const NO_OPEN_INDEX = "drop index transactions_one_open_per_session";

export const PLANTED: readonly PlantedBug[] = [
  bug(
    "a payment is claimed while another one is running",
    "sessions/attempt-store.ts",
    "and status = 'PENDING' and open_transaction_id is null\n        and attempts_used < attempts_max\n      order",
    "and status = 'PENDING'\n        and attempts_used < attempts_max\n      order",
    NO_OPEN_INDEX,
  ),
  bug(
    "a payment is claimed whatever the session's status",
    "sessions/attempt-store.ts",
    "and status = 'PENDING' and open_transaction_id is null\n        and attempts_used < attempts_max",
    "and open_transaction_id is null\n        and attempts_used < attempts_max",
    "drop index transactions_one_success_per_session; alter table session_moves drop constraint moves_are_legal; alter table sessions drop constraint verification_is_of_open_transaction; alter table sessions drop constraint ended_has_no_open_transaction",
  ),
  bug(
    "a session can be paid after it has expired",
    "sessions/attempt-store.ts",
    "where sessions.expires_at > v.now",
    "where v.now is not null",
  ),
  bug(
    "attempts are not counted",
    "sessions/attempt-store.ts",
    "set attempts_used = attempts_used + 1, open_transaction_id = v.transactionId",
    "set open_transaction_id = v.transactionId",
  ),
  bug(
    "an outcome is recorded without compare and set",
    "payments/attempt/store.ts",
    "and ${by}fromStatuses::jsonb ? status\n        and (${by}leaseNo::bigint is null or lease_no = ${by}leaseNo)",
    "and ${by}fromStatuses::jsonb is not null\n        and (${by}leaseNo::bigint is null or ${by}leaseNo::bigint is not null)",
  ),
  bug(
    "an unknown outcome counts as declined",
    "gateways/calling.ts",
    '? "unreachable" : "unresolved"',
    '? "unreachable" : "unreachable"',
  ),
  bug(
    "a query that never reached the gateway counts as answered",
    "gateways/calling.ts",
    'return outcome.kind === "unreachable"\n    ?',
    'return outcome.kind === "approved" && outcome.processedAt.getTime() === 0\n    ?',
  ),
  bug(
    "an unreachable gateway costs no attempt even if it was reached",
    "sessions/session.ts",
    "session.attemptsUsed - (outcome.attemptUsed === false ? 1 : 0),",
    "session.attemptsUsed - 1,",
  ),
  bug(
    "recovery closes the attempt without asking the gateway",
    "sessions/close.ts",
    "const outcome = await finalOutcome(deps, tenant, attempt);",
    'const outcome = { kind: "declined", code: "unknown", gatewayCode: null, gatewayMessage: null, gatewayReference: null, processedAt: deps.time.now(tenant) } as const;',
  ),
  bug(
    "cancelling does not ask the bank about a verification",
    "sessions/close.ts",
    "const outcome = await finalOutcome(deps, tenant, attempt);",
    'const outcome = ending === "cancelled" ? { kind: "declined", code: "unknown", gatewayCode: null, gatewayMessage: null, gatewayReference: null, processedAt: deps.time.now(tenant) } as const : await finalOutcome(deps, tenant, attempt);',
  ),
  guarded(
    bug(
      "an answer is recorded without checking the number of its claim",
      "payments/attempt/store.ts",
      "(${by}leaseNo::bigint is null or lease_no = ${by}leaseNo)",
      "(${by}leaseNo::bigint is null or ${by}leaseNo::bigint is not null)",
    ),
    [
      "tests/claims.test.ts",
      "a renewal's older response (unresolved or declined) does not overwrite the newer one",
    ],
    [
      "tests/claims.test.ts",
      "a refund's older response (unresolved or declined) does not overwrite the newer one",
    ],
  ),
  guarded(
    {
      name: "an approval that finds its verification waiting again is not recorded",
      changes: [
        {
          file: "payments/attempt/store.ts",
          from: "(${by}leaseNo::bigint is null or lease_no = ${by}leaseNo)",
          to: "(${by}leaseNo::bigint is null or ${by}leaseNo::bigint is not null)",
        },
        {
          file: "sessions/record-outcome.ts",
          from: 'if (outcome.kind !== "approved" && outcome.kind !== "pending") return null;',
          to: 'if (outcome.kind !== "approved" || attempt.transaction_status !== "submitted") return null;',
        },
      ],
      sql: "",
    },
    [
      "tests/claims.test.ts",
      "an approval is recorded even if an older 'not yet' arrives while the bank is being asked",
    ],
  ),
  guarded(
    bug(
      "a lease ends by a clock that is half a minute ahead of the database's clock",
      "db/lease.ts",
      "${lockedUntil} <= statement_timestamp())",
      "${lockedUntil} <= statement_timestamp() + interval '31 seconds')",
    ),
    [
      "tests/claims.test.ts",
      "instances whose clocks differ by a minute neither stop nor repeat a slow payment",
    ],
  ),
  bug(
    "the completed event is not written with the outcome",
    "sessions/outcome-store.ts",
    '), new_events as materialized (${insertEvents({\n     from: "(select t.id, t.session_id, v.events, v.now from t join v on v.n = t.n)",',
    '), new_events as materialized (${insertEvents({\n     from: "(select t.id, t.session_id, v.events, v.now from t join v on v.n = t.n where false)",',
  ),
  bug(
    "events are written for declines",
    "sessions/record-outcome.ts",
    'if (next.session !== "COMPLETED") return [];',
    'if (next.transaction === "unresolved" || next.transaction === "awaiting_verification") return [];',
    "drop index events_one_completed_per_session",
  ),
  bug(
    "the order does not follow the payment",
    "sessions/outcome-store.ts",
    'status: "s.orderStatus"',
    "status: \"case when s.orderStatus = 'FAILED' then orders.status else s.orderStatus end\"",
  ),
  bug(
    "the order does not follow the settlement",
    "payments/store.ts",
    "update orders set status = 'COMPLETED', updated_at = :now",
    "update orders set updated_at = :now",
  ),
  bug(
    "news is acknowledged before it is recorded",
    "payments/news/fetch.ts",
    "const applied = await applyNews(deps, account.tenant, account.id, news);",
    "await gateway.acknowledge(news, signal);\n    const applied = await applyNews(deps, account.tenant, account.id, news);",
  ),
  bug(
    "news about an open attempt is dropped",
    "payments/news/apply.ts",
    'if (status === null) return "open";',
    'if (status === null) return "taken";',
  ),
  guarded(
    bug(
      "a notice that cannot be recorded ends the pass",
      "payments/news/fetch.ts",
      "await setAside(deps, pass, news, error);",
      "throw error;",
    ),
    [
      "tests/money/gateway-news.test.ts",
      "news that cannot be recorded delays neither other news of its gateway nor other gateways",
    ],
    [
      "tests/sepa/news.test.ts",
      "a payment that cannot be settled delays no other payment of the same or a later file",
    ],
  ),
  guarded(
    bug(
      "whether a settlement emits the completed event depends on the gateway's setting at that time",
      "payments/store.ts",
      "coalesce(t.completed_event_at, g.completed_event_at) as completed_event_at",
      "g.completed_event_at",
    ),
    ["tests/money/gateway-news.test.ts", "a payment accepted while its gateway completed at settlement"],
  ),
  bug(
    "a refund does not check the remaining amount",
    "payments/refunds/store.ts",
    "and original.wanted > 0 and transactions.refund_claimed + original.wanted <= transactions.amount",
    "and original.wanted > 0",
    "alter table transactions drop constraint refunds_within_amount",
  ),
  bug(
    "a declined refund keeps its claim",
    "payments/refunds/store.ts",
    "transactions.refund_claimed - case when :toStatus = 'declined' then r.amount else 0 end",
    "transactions.refund_claimed - case when :toStatus = 'declined' then 0 else 0 end",
  ),
  bug(
    "a refund's outcome is recorded without compare and set",
    "payments/refunds/record-refund-outcome.ts",
    "end: { ...end, error: end.error ?? noticeOf(outcome) },",
    "end: { ...end, from: ['submitted', 'unresolved', 'pending', 'approved', 'declined'], error: end.error ?? noticeOf(outcome) },",
    "alter table transactions drop constraint refunds_within_amount",
  ),
  bug(
    "an unknown refund counts as declined",
    "payments/refunds/record-refund-outcome.ts",
    "const end = unattendedEnd(outcome, refund, now, UNRESOLVED_MESSAGE);",
    'outcome = outcome.kind === "unresolved" ? { kind: "unreachable", gatewayMessage: null } : outcome;\n  const end = unattendedEnd(outcome, refund, now, UNRESOLVED_MESSAGE);',
  ),
  bug(
    "a creation draws a new id each time it runs",
    "sessions/routes.ts",
    "create(deps, { tenant: tenantOf(call), id: call.operationId, body: call.body })",
    "create(deps, { tenant: tenantOf(call), id: deps.ids.uuid(), body: call.body })",
    "drop index sessions_one_active_per_lead",
  ),
  bug(
    "a creation is refused when another process ends its lead's expired session",
    "sessions/create.ts",
    'if (active.status === "PENDING") await expireIdle(deps, tenant, active.id);\n  else',
    'if (active.status === "PENDING") return expireIdle(deps, tenant, active.id);\n ',
  ),
  {
    name: "a cycle is claimed again while its own attempt is running",
    changes: [
      {
        file: "subscriptions/due-store.ts",
        from: "c.subscription_id = u.id and c.status = 'retry'\n          and (:now::timestamptz is null or c.next_attempt_at <= :now)",
        to: "c.subscription_id = u.id and c.status in ('retry', 'collecting')\n          and (:now::timestamptz is null or c.next_attempt_at is null or c.next_attempt_at <= :now)",
      },
      {
        file: "subscriptions/due-store.ts",
        from: "where billing_cycles.status in ('retry', 'failed')",
        to: "where billing_cycles.status in ('retry', 'failed', 'collecting')",
      },
    ],
    sql: "",
  },
  guarded(
    {
      seed: 105,
      name: "a collection that is repeated under its key charges again",
      changes: [
        {
          file: "subscriptions/manage.ts",
          from: "if (await hasRun(tx, author, operation)) return null;",
          to: "void hasRun;\n      const transactionId = deps.ids.uuid();",
        },
        {
          file: "subscriptions/manage.ts",
          from: "await openAttempt(deps, tx, { tenant, row, now, today, transactionId: operationId });",
          to: "await openAttempt(deps, tx, { tenant, row, now, today, transactionId });",
        },
        { file: "subscriptions/manage.ts", from: "return operationId;", to: "return transactionId;" },
      ],
      sql: "",
    },
    ["tests/crash.test.ts", "killed at renewal.collected of a collection by hand"],
  ),
  guarded(
    bug(
      "a rejected renewal is retried without being counted",
      "subscriptions/cycle.ts",
      'if (failure.kind === "not_received") {',
      'if (failure.kind === "not_received" || failure.code === "gateway_unavailable") {',
    ),
    ["tests/billing/bank-account.test.ts", "a renewal that the bank rejects with AG02 each time"],
  ),
  guarded(
    {
      name: "a renewal that was charged back counts as paid",
      changes: [
        {
          file: "subscriptions/writes.ts",
          from: "billing_cycles.status in ('pending', 'paid')",
          to: "billing_cycles.status = 'skipped'",
        },
        {
          file: "subscriptions/record-renewal-outcome.ts",
          from: 'case "refunded":',
          to: 'case "refunded":\n    case "charged_back":',
        },
      ],
      sql: "",
    },
    ["tests/billing/order-of-news.test.ts", "with past_due after a chargeback"],
  ),
  bug(
    "the next billing date is not moved on",
    "subscriptions/due-store.ts",
    "set next_billing_date = case when :isNew then :nextBillingDate::date else next_billing_date end, updated_at = :now",
    "set next_billing_date = case when :isNew and :nextBillingDate::date is null then null else next_billing_date end, updated_at = :now",
  ),
  bug(
    "a renewal with an unknown outcome is retried as a new charge",
    "subscriptions/record-renewal-outcome.ts",
    "const end = unattendedEnd(outcome, row, now);",
    'outcome = outcome.kind === "unresolved" ? { kind: "unreachable", gatewayMessage: null } : outcome;\n  const end = unattendedEnd(outcome, row, now);',
  ),
  bug(
    "a renewal's outcome is recorded without compare and set",
    "subscriptions/record-renewal-outcome.ts",
    "const end = unattendedEnd(outcome, row, now);",
    'const end = { ...unattendedEnd(outcome, row, now), leaseNo: null, from: ["submitted", "unresolved", "pending", "approved", "declined"] };',
  ),
  bug(
    "a subscription that has ended keeps a cycle that waits for a retry",
    "subscriptions/renew.ts",
    "done += await endRetries(deps.db, tenant, deps.time.now(tenant));",
    "",
  ),
  bug(
    "a webhook counts as delivered when it fails",
    "webhooks/delivery/attempt.ts",
    "if (code !== null && code >= 200 && code < 300)",
    "if (code === null || (code >= 200 && code < 300))",
  ),
  bug(
    "a failed webhook lets later events of its session pass",
    "webhooks/delivery/store.ts",
    "and earlier.status in ('pending', 'failing') and earlier.event_number < d.event_number",
    "and earlier.status = 'pending' and earlier.event_number < d.event_number",
  ),
  bug(
    "an event is marked as fanned out before its deliveries are made",
    "webhooks/delivery/dispatch.ts",
    "events += await fanOut(deps.db, tenant, deps.clock.now(), EVENTS_PER_STATEMENT);",
    'await deps.db.commit({ name: "planted", params: ["now", "tenant"], text: "update events set fanned_out_at = $1 where tenant = $2 and fanned_out_at is null and type = \'payment_session.expired\'" }, { tenant, now: deps.clock.now() });\n    events += await fanOut(deps.db, tenant, deps.clock.now(), EVENTS_PER_STATEMENT);',
  ),
  bug(
    "a chargeback by hand does not hold its transaction",
    "payments/store.ts",
    "where t.tenant = :tenant and t.id = :id\n      for update of t",
    "where t.tenant = :tenant and t.id = :id",
  ),
  {
    name: "a settlement notice is applied again",
    changes: [
      {
        file: "payments/transaction.ts",
        from: '  settled: {\n    pending: "settle",\n    approved: "stay",\n    declined: "contradiction",\n    refunded: "stay",',
        to: '  settled: {\n    pending: "settle",\n    approved: "settle",\n    declined: "contradiction",\n    refunded: "stay",',
      },
      {
        file: "payments/store.ts",
        from: "adapter_unique_id = :adapterUniqueId, updated_at = :now\n      where tenant = :tenant and id = :id and status = 'pending'",
        to: "adapter_unique_id = :adapterUniqueId, updated_at = :now\n      where tenant = :tenant and id = :id",
      },
    ],
    sql: "",
  },
  {
    name: "a chargeback is recorded twice",
    changes: [
      {
        file: "payments/transaction.ts",
        from: '    refunded: "charge_back",\n    charged_back: "stay",\n  },\n  reinstated: {\n    pending: "settle"',
        to: '    refunded: "charge_back",\n    charged_back: "charge_back",\n  },\n  reinstated: {\n    pending: "settle"',
      },
      {
        file: "payments/chargebacks/store.ts",
        from: "and status in ('pending', 'approved', 'refunded') and type",
        to: "and type",
      },
      {
        file: "payments/chargebacks/store.ts",
        from: "on conflict (tenant, merchant_transaction_id) where withdrawn_on is null do nothing",
        to: "",
      },
    ],
    sql: "drop index chargebacks_one_standing_per_transaction",
  },
  ...PLANTED_IN_NOTICES,
  ...PLANTED_IN_WEBHOOKS,
  ...PLANTED_MORE,
  ...PLANTED_TOGETHER,
];
