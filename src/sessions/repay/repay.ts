/** Repeats a first payment that came back, in a session on the same terms, at its customer's request. */
import type { Deps } from "../../deps.ts";
import { utcDate } from "../../lib/dates.ts";
import { uuidOf } from "../../lib/ids.ts";
import { sha256 } from "../../lib/keyring.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { paymentUrl } from "../../tenants/signed-address.ts";
import { findAttempt } from "../attempt-store.ts";
import { create, type CreateParts } from "../create.ts";
import type { CreateBody } from "../schemas.ts";
import { lifetimeOver } from "../session.ts";
import { findRepayable, type RepayableRow } from "./store.ts";

interface Failed {
  readonly tenant: number;
  /** Of the payment that came back. */
  readonly id: string;
}

/** The most sessions for one failed payment: a customer who lets these expire does not want to pay. */
const SESSIONS_MAX = 5;

/**
 * The possible sessions of a failed payment, in order. Their ids are derived from its id: however often the link is
 * used, even on several devices at once, there is one session, and another only once that has expired unpaid.
 */
function sessionIds({ id }: Failed): readonly string[] {
  return Array.from({ length: SESSIONS_MAX }, (_, round) => uuidOf(sha256(`repay ${id} ${round}`)));
}

/** The page of the session that repeats it; null if none has begun. */
export async function repaymentUrl(
  deps: Pick<Deps, "db" | "keys" | "publicUrl" | "time">,
  failed: Failed,
): Promise<string | null> {
  return (await newestOf(deps, failed)).url;
}

/**
 * Begins it, unless there is one. Returns null if it is too late, the terms are no longer offered, or the customer has
 * another payment in progress.
 */
export async function repay(deps: CreateParts, failed: Failed): Promise<string | null> {
  const { tenant, id } = failed;
  const row = await findRepayable(deps.db, tenant, id, utcDate(deps.time.now(tenant)));
  if (row === null || !row.may_be_repaid) return null;
  const { url, free } = await newestOf(deps, failed);
  if (url !== null || free === null) return url;
  try {
    return (await create(deps, { tenant, id: free, body: bodyOf(row), repaysTransactionId: id })).payment_url;
  } catch (error) {
    if (error instanceof FieldErrors || error instanceof Refusal) return null;
    throw error;
  }
}

async function newestOf(
  deps: Pick<Deps, "db" | "keys" | "publicUrl" | "time">,
  failed: Failed,
): Promise<{ readonly url: string | null; readonly free: string | null }> {
  const { tenant } = failed;
  const now = deps.time.now(tenant);
  for (const id of sessionIds(failed)) {
    const session = await findAttempt(deps.db, tenant, id);
    if (session === null) return { url: null, free: id };
    const { session_status: status, token_key_id, open_transaction_id, expires_at } = session;
    const isOver = status === "EXPIRED" || lifetimeOver({ status, open_transaction_id, expires_at }, now);
    if (!isOver) return { url: paymentUrl(deps, token_key_id, tenant, id), free: null };
  }
  return { url: null, free: null };
}

/** The same terms, without the reference, which the failed payment has used. */
function bodyOf(row: RepayableRow): CreateBody {
  const { first_name, last_name, email, country, address, postal_code, city, phone } = row;
  return {
    campaign_id: row.campaign_id,
    gateway_id: row.gateway_id,
    hosted_page_id: row.hosted_page_id,
    webhook_profile_id: row.webhook_profile_id,
    amount: row.amount,
    currency: row.currency,
    billing_type: row.billing_type,
    billing_frequency: row.billing_frequency,
    billing_day: row.billing_day,
    trial_interval_unit: row.trial_interval_unit,
    trial_period: row.trial_period,
    trial_price: row.trial_price,
    max_payment_attempts: row.attempts_max,
    metadata: row.metadata,
    description: row.product_name,
    locale: row.locale,
    success_redirect_url: row.success_redirect_url,
    failure_redirect_url: row.failure_redirect_url,
    cancel_redirect_url: row.cancel_redirect_url,
    lead: { first_name, last_name, email, country, address, postal_code, city, phone },
  };
}
