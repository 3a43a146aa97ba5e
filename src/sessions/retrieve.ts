/** Retrieve: a session as seen by the holder of its token. */
import type { Deps } from "../deps.ts";
import { sessionToken } from "../tenants/signed-address.ts";
import { debitOf } from "../gateways/debits.ts";
import { shownStatus } from "../payments/transaction.ts";
import { Refusal } from "../refusals.ts";
import { detailsOver, endedByTime } from "./session.ts";
import { findSessionWithPage, type DisplayRow } from "./store.ts";

interface RetrieveInput {
  readonly tenant: number;
  readonly sessionId: string;
}

/**
 * Reads a session. One that was cancelled or has no attempts left is shown as EXPIRED.
 * @throws Refusal not_found for an unknown and for an expired session (contract: Session lifetime).
 */
export async function retrieve(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log" | "time">,
  { tenant, sessionId }: RetrieveInput,
): Promise<object> {
  const row = await findSessionWithPage(deps.db, tenant, sessionId);
  const now = deps.time.now(tenant);
  if (row === null || endedByTime(row, now)) throw new Refusal("not_found");
  const state = {
    session_token: sessionToken(deps.keys, row.token_key_id, { tenant, sessionId }),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
  };
  if (detailsOver(row.closed_at, row.token_detail_days, now)) return state;
  return {
    ...state,
    attempts_remaining: row.attempts_max - row.attempts_used,
    campaign: campaignDisplay(row),
    offer: offerDisplay(row),
    mandate: { acceptance_mode: row.mandate_acceptance_mode ?? "IMPLICIT" },
    lead: { first_name: row.first_name, last_name: row.last_name, email: row.email },
    ...(await paymentDisplay(deps, tenant, row)),
  };
}

/** The outcome of the latest attempt, even after the session's end: a debit can fail or be returned. */
async function paymentDisplay(
  deps: Pick<Deps, "adapters" | "keys" | "log">,
  tenant: number,
  row: DisplayRow,
): Promise<object> {
  const { order_status, transaction_status: status, amount_refunded, merchant_transaction_id } = row;
  if (status === null || merchant_transaction_id === null) return {};
  const debit = row.status === "COMPLETED" ? await debitOf(deps, tenant, row, merchant_transaction_id) : null;
  return {
    payment: {
      order_status,
      transaction_status: shownStatus(status),
      amount_refunded,
      ...(debit === null ? {} : { debit_date: debit.day, pending_until: debit.pendingUntil }),
    },
  };
}

/** Only the name if there is no hosted page (contract: What the customer is shown). */
function campaignDisplay(row: DisplayRow): object {
  if (row.hosted_page_id === null) return { name: row.campaign_name };
  return {
    name: row.campaign_name,
    branding: row.branding,
    content: row.content,
    show_product_name: row.show_product_name,
    show_product_price: row.show_product_price,
    show_product_description: row.show_product_description,
    offer_overrides: row.offer_overrides,
    success_redirect_url: row.success_redirect_url ?? "",
    failure_redirect_url: row.failure_redirect_url ?? "",
  };
}

function offerDisplay(row: DisplayRow): object {
  return {
    name: row.offer_name,
    price: row.amount,
    currency: row.currency,
    billing_type: row.billing_type,
    ...(row.product_name === null ? {} : { product_name: row.product_name }),
    ...(row.product_description === null ? {} : { product_description: row.product_description }),
  };
}
