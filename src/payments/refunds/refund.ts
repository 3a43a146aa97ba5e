/** Refund: claim the amount, ask the gateway, record the outcome. Never refunds more than was collected. */
import { brokenConstraint, withFreshReference } from "../../db/constraints.ts";
import type { Deps } from "../../deps.ts";
import { type CallParts, CLAIM_MS, instruct } from "../../gateways/calling.ts";
import type { Adapter, RefundOutcome } from "../../gateways/gateway.ts";
import { must } from "../../lib/assert.ts";
import { later } from "../../lib/clock.ts";
import { addSubject, traced } from "../../lib/trace.ts";
import { isUuid } from "../../lib/ids.ts";
import { centsFromDatabase, formatAmount, type Cents } from "../../lib/money.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { recordEvent } from "../../webhooks/record-event-store.ts";
import { merchantTransactionId } from "../transaction.ts";
import { refundRecord } from "./refund-record.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { whyNotRefundable } from "./refuse.ts";
import { heldEvent, recordRefundOutcome } from "./record-refund-outcome.ts";
import { claimRefund, findRefund, findRefundable, type RefundClaim, type RefundRow } from "./store.ts";

interface RefundInput {
  readonly tenant: number;
  /** The transaction to refund, as given in the path. */
  readonly transactionId: string;
  /** The refund's id: repeating the operation finds the refund that it made. */
  readonly id: string;
  /** Null for the remaining amount. */
  readonly amount: Cents | null;
  readonly reason: string | null;
  /** Null: the gateway's usual way. */
  readonly way: "reversal" | null;
  readonly author: Author;
}

/**
 * Refunds a collected payment, in full or in part (contract: Refunds).
 * Claims the amount in one statement, so that concurrent refunds never exceed what was collected, asks the gateway with
 * no transaction open, and records its outcome. With `refund_hold_days` the refund is held instead and sent later
 * (docs/guards.md). Repeating an operation returns its refund and sends nothing. The amount is in cents.
 * @returns the refund: approved, pending, declined, or unresolved until recovery learns the outcome.
 * @throws Refusal not_found, not_refundable, transaction_charged_back, refunds_not_supported; idempotency_mismatch when
 * the operation has refunded another amount or in another way; already_exists when its id belongs to something else.
 * @throws FieldErrors on amount and way.
 */
export async function refund(
  deps: Parameters<typeof open>[0] & Parameters<typeof sendRefund>[0] & Pick<Deps, "announce" | "reached">,
  input: RefundInput,
): Promise<RefundRow> {
  deps.reached("refund.before_claim");
  const claimed = await traced("refund claim", "internal", {}, () => open(deps, input));
  // The same operation ran before: that run or recovery completes it.
  if (claimed === null) return repeated(input, await findRefund(deps.db, input.tenant, input.id));
  addSubject({ merchant_transaction_id: claimed.merchant_transaction_id });
  deps.reached("refund.claimed");
  if (claimed.held_until === null) await sendRefund(deps, input.tenant, claimed);
  else deps.announce();
  return found(deps, input);
}

/** Sends a claimed or released refund and records the gateway's answer. */
export async function sendRefund(
  deps: Parameters<typeof refundAtGateway>[0] &
    Parameters<typeof recordRefundOutcome>[0] &
    Pick<Deps, "reached">,
  tenant: number,
  claimed: RefundRow,
): Promise<void> {
  const outcome = await refundAtGateway(deps, tenant, claimed);
  deps.reached("refund.asked");
  await recordRefundOutcome(deps, tenant, claimed, outcome);
  deps.reached("refund.recorded");
}

/**
 * Returns the refund of a repeated operation. Refuses another amount or another payment, which must not look like a
 * second refund.
 */
function repeated({ transactionId, amount, way }: RefundInput, row: RefundRow | null): RefundRow {
  if (row?.original_id !== transactionId.toLowerCase())
    throw new Refusal("already_exists", { detail: "This id was already used for something else." });
  const same = amount === null || amount === centsFromDatabase(row.amount);
  if (same && way === row.refund_way) return row;
  throw new Refusal("idempotency_mismatch", {
    detail: `This form was sent before, for ${row.amount}, which has been refunded or is being refunded. Look at the payment before you refund more.`,
  });
}

async function found(
  deps: Pick<Deps, "db">,
  { tenant, id }: Pick<RefundInput, "tenant" | "id">,
): Promise<RefundRow> {
  return must(await findRefund(deps.db, tenant, id), "the refund of this operation");
}

/** Claims the refund; null when this operation has made one before. */
async function open(
  deps: Pick<Deps, "adapters" | "db" | "environment" | "ids" | "time">,
  input: RefundInput,
): Promise<RefundRow | null> {
  try {
    const claimed = await withFreshReference(["transactions_one_per_merchant_transaction_id"], () =>
      claim(deps, input),
    );
    return claimed ?? (await refuseUnlessRepeated(deps, input));
  } catch (error) {
    if (brokenConstraint(error) === "transactions_pkey") return null;
    throw error;
  }
}

/** Writes the claim, the audit entry and the event of a held refund, all or nothing. */
async function claim(
  deps: Pick<Deps, "adapters" | "db" | "environment" | "ids" | "time">,
  input: RefundInput,
): Promise<RefundRow | null> {
  const { tenant, id, author } = input;
  if (!isUuid(input.transactionId)) return null;
  const claimInput = claimInputOf(deps, input);
  return deps.db.transaction(async (tx) => {
    const row = await claimRefund(tx, claimInput);
    if (row === null) return null;
    const made = { resource: "refunds", resourceId: id, before: null, after: refundRecord(row) };
    await writeEntry(tx, author, { tenant, id, at: claimInput.now, action: "create", ...made });
    if (row.held_until !== null) {
      const about = { transactionId: row.id, sessionId: null };
      await recordEvent(tx, tenant, claimInput.now, about, heldEvent(deps, "refund_held", row));
    }
    return row;
  });
}

function claimInputOf(
  deps: Pick<Deps, "adapters" | "ids" | "time">,
  { tenant, transactionId, id, amount, reason, way }: RefundInput,
): RefundClaim {
  const now = deps.time.now(tenant);
  const adapters = [...deps.adapters.values()].filter((adapter) => isAble(adapter, way));
  return {
    tenant,
    originalId: transactionId,
    now,
    refundId: id,
    amount: amount === null ? null : formatAmount(amount),
    reason,
    way,
    merchantTransactionId: merchantTransactionId(deps.ids, now),
    resolveAt: later(now, CLAIM_MS),
    adapters: adapters.map(({ name }) => name),
  };
}

/** Throws the reason why the claim failed, unless this operation has made it before. */
async function refuseUnlessRepeated(deps: Pick<Deps, "adapters" | "db">, input: RefundInput): Promise<null> {
  const { tenant, id, transactionId, amount, way } = input;
  if ((await findRefund(deps.db, tenant, id)) !== null) return null;
  const row = isUuid(transactionId) ? await findRefundable(deps.db, tenant, transactionId) : null;
  const adapter = row === null ? undefined : deps.adapters.get(row.adapter);
  const able = adapter !== undefined && isAble(adapter, null);
  if (able && way !== null && !isAble(adapter, way))
    throw new FieldErrors({ way: ["This payment's gateway has no reversals."] });
  throw whyNotRefundable(row, able, amount);
}

function isAble({ capabilities }: Pick<Adapter, "capabilities">, way: RefundInput["way"]): boolean {
  return capabilities.refunds && (way === null || capabilities.reversals);
}

/** Sends a claimed refund. */
function refundAtGateway(
  deps: CallParts & Pick<Deps, "log">,
  tenant: number,
  refund: RefundRow,
): Promise<RefundOutcome> {
  const instruction = {
    reference: refund.merchant_transaction_id,
    original: {
      reference: refund.original_merchant_transaction_id,
      gatewayReference: refund.original_transaction_id,
    },
    amount: centsFromDatabase(refund.amount),
    currency: refund.currency,
    reason: refund.reason,
    way: refund.refund_way,
  };
  return instruct(
    deps,
    tenant,
    refund,
    "refund",
    (gateway) => (signal) => gateway.refund(instruction, signal),
  );
}
