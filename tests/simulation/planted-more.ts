/**
 * More planted bugs for the simulation to find: settings, several merchants, files, mandates, partial amounts and late
 * writes.
 */
import { guarded } from "../planted/guarded.ts";
import type { PlantedBug } from "./planted.ts";

const bug = (name: string, file: string, from: string, to: string, sql = ""): PlantedBug => ({
  name,
  changes: [{ file, from, to }],
  sql,
});

export const PLANTED_MORE: readonly PlantedBug[] = [
  guarded(
    bug(
      "a chargeback in another currency counts as one in the payment's",
      "payments/imports/chargebacks.ts",
      "if (currency !== original.currency) {",
      "if (currency !== original.currency && original.id.length === 0) {",
    ),
    ["tests/money/imports.test.ts", "a chargeback in another currency than the payment's is refused"],
  ),
  {
    ...bug(
      "whether acceptance emits the completed event depends on the gateway's setting at that time",
      "sessions/attempt-store.ts",
      "coalesce(t.completed_event_at, g.completed_event_at) as completed_event_at,",
      "g.completed_event_at,",
    ),
    seed: 24,
  },
  {
    ...guarded(
      bug(
        "a chargeback that was imported before its payment is never linked",
        "payments/imports/chargebacks.ts",
        "of await findUnlinked(tx, tenant, gatewayId, idsOf(ids))) {",
        "of (await findUnlinked(tx, tenant, gatewayId, idsOf(ids))).slice(0, 0)) {",
      ),
      [
        "tests/money/imports.test.ts",
        "a chargeback imported before its sale waits, and is linked by the processor's id",
      ],
      [
        "tests/money/imports.test.ts",
        "a chargeback imported before its sale waits, and is linked by the merchant's id",
      ],
      [
        "tests/money/imports.test.ts",
        "a chargeback imported before its sale waits, and is linked by the end-to-end id",
      ],
    ),
    seed: 400_000,
  },
  guarded(
    bug(
      "a cancellation at the period's end of a subscription without a schedule ends nothing",
      "subscriptions/store.ts",
      "set status = case when :atPeriodEnd and next_billing_date is not null then status else 'CANCELLED' end,\n            cancelled_at = case when :atPeriodEnd and next_billing_date is not null then null else :now::timestamptz end,",
      "set status = case when :atPeriodEnd then status else 'CANCELLED' end,\n            cancelled_at = case when :atPeriodEnd then null else :now::timestamptz end,",
    ),
    [
      "tests/billing/bank-account.test.ts",
      "without a schedule, cancelling at the period's end cancels at once",
    ],
  ),
  guarded(
    bug(
      "a payment that has not settled can be charged back by hand",
      "payments/chargebacks/charge-back.ts",
      'return known === "pending" && source !== "csv_import"',
      'return known === "pending" && source === "csv_import"',
    ),
    ["tests/sepa/news.test.ts", "a debit that has not settled is not charged back by hand"],
  ),
  bug(
    "a verification that expires emits no event",
    "sessions/record-outcome.ts",
    'if (next.session === "EXPIRED" && next.cause === "lapsed") {',
    'if (next.session === "EXPIRED" && next.cause === "cancelled") {',
  ),
  bug(
    "a chargeback makes an ended subscription past due",
    "subscriptions/writes.ts",
    "when ${s}.status = 'ACTIVE' and ${choice} = 'past_due' then 'PAST_DUE'",
    "when ${choice} = 'past_due' then 'PAST_DUE'",
  ),
  bug(
    "a chargeback ends the subscription whatever the tenant has chosen",
    "subscriptions/writes.ts",
    "const ends = `${s}.status <> 'CANCELLED' and ${choice} = 'cancel'`;",
    "const ends = `${s}.status <> 'CANCELLED' and (${choice} = 'cancel' or '${reason}' = 'chargeback')`;",
  ),
  bug(
    "a chargeback deducts a refunded amount from the revenue again",
    "subscriptions/writes.ts",
    "else greatest(s.total_revenue - least(coalesce(:amount::numeric, t.amount), t.amount - t.refunded), 0) end,",
    "else greatest(s.total_revenue - coalesce(:amount::numeric, t.amount), 0) end,",
  ),
  bug(
    "a refund after a partial chargeback deducts nothing from the revenue",
    "subscriptions/writes.ts",
    "where s.tenant = :tenant and s.id = p.subscription_id and :toStatus = 'approved'",
    "where s.tenant = :tenant and s.id = p.subscription_id and :toStatus = 'approved' and p.status <> 'charged_back'",
  ),
  bug(
    "a partial chargeback is recorded as a full one",
    "payments/news/apply.ts",
    "amount: news.amount ?? null,",
    "amount: null,",
  ),
  guarded(
    bug(
      "a payment that was charged back before it settled and is then paid emits no completed event",
      "payments/news/apply.ts",
      "row.session_id === null || row.is_completed_emitted)",
      'row.session_id === null || row.status === "charged_back")',
    ),
    ["tests/money/notices.test.ts", "completed at settlement: accepted, then charged_back, then reinstated"],
  ),
  bug(
    "a notice from before a reinstatement is applied",
    "payments/news/apply.ts",
    'return kind === "reinstated" ? round <= reinstatements : round < reinstatements;',
    "return round < reinstatements && kind.length === 0;",
  ),
  bug(
    "a renewal is debited under a mandate that the bank has ended",
    "subscriptions/renew.ts",
    'return row.mandate_status === "active" ? null : "mandate_inactive";',
    'return row.mandate_status === "rejected" ? "mandate_inactive" : null;',
  ),
  bug(
    "a renewal counts as withdrawn although it has been sent",
    "subscriptions/withdraw.ts",
    "if (withdrawn && (await recordWithdrawn(deps, tenant, row))) return true;",
    'if ((withdrawn || row.merchant_transaction_id !== "") && (await recordWithdrawn(deps, tenant, row))) return true;',
  ),
  bug(
    "a renewal is announced again by each instance",
    "subscriptions/announce-store.ts",
    "and id = :id and updated_at = :updatedAt and announced_date is distinct from :nextBillingDate\n     returning id",
    "and id = :id and :updatedAt::timestamptz is not null\n     returning id",
  ),
  bug(
    "a cycle is presented four times",
    "subscriptions/cycle.ts",
    "when_funded: whenFunded,",
    "when_funded: [...whenFunded, 7],",
  ),
  bug(
    "whether a chargeback is recorded is looked up over all tenants",
    "payments/chargebacks/store.ts",
    "`select id from chargebacks\n    where tenant = :tenant and merchant_transaction_id = :merchantTransactionId",
    "`select id from chargebacks\n    where :tenant::integer is not null and merchant_transaction_id = :merchantTransactionId",
  ),
  bug(
    "the chargeback of a payment is looked up over all tenants",
    "payments/store.ts",
    "where c.tenant = :tenant and c.merchant_transaction_id = t.merchant_transaction_id",
    "where :tenant::integer is not null and c.merchant_transaction_id = t.merchant_transaction_id",
  ),
  bug(
    "the same key with other data is taken for the same request",
    "http/idempotency.ts",
    'return createHash("sha256").update(`${method} ${url}\\n`).update(body).digest();',
    'return createHash("sha256").update(`${method} ${url}\\n`).update(body.subarray(0, 0)).digest();',
  ),
  bug(
    "a rotation ends the old key at once",
    "tenants/api-keys/rotate.ts",
    "if (overlapSeconds === 0) return {",
    "if (overlapSeconds >= 0) return {",
  ),
  {
    name: "a rotation that is run again draws another key",
    changes: [
      {
        file: "tenants/api-keys/rotate.ts",
        from: "keyOfOperation(deps.keys, target.tenant, target.operationId)",
        to: "keyOfOperation(deps.keys, target.tenant, deps.ids.uuid())",
      },
      {
        file: "tenants/api-keys/rotate.ts",
        from: "if (repeated) return before;\n    const previous = previousKey(before, overlapSeconds, now);",
        to: "const previous = repeated ? {} : previousKey(before, overlapSeconds, now);",
      },
    ],
    sql: "",
  },
  bug(
    "a delivery is given up after a few tries",
    "webhooks/delivery/schedule.ts",
    "const pause = RETRY_AFTER_MS[tries - 1];",
    "const pause = RETRY_AFTER_MS[tries + 5];",
  ),
  bug(
    "a refused creation names its lead's session even after the session is over",
    "sessions/create.ts",
    'if (active.status === "PENDING") await expireIdle(deps, tenant, active.id);',
    'if (active.status === "EXPIRED") await expireIdle(deps, tenant, active.id);',
  ),
];
