/** Begins a payment by a link: a session on the link's terms, with what its customer has typed. */
import type { Deps } from "../../deps.ts";
import { centsFromDatabase, formatAmount, parseAmount } from "../../lib/money.ts";
import { Refusal } from "../../refusals.ts";
import { create } from "../create.ts";
import type { CreateBody } from "../schemas.ts";
import { LINK_CURRENCY } from "./link.ts";
import type { LinkTerms } from "./store.ts";

interface OpenInput {
  readonly tenant: number;
  /** Of the session: drawn once per operation. */
  readonly id: string;
  readonly link: LinkTerms;
  readonly lead: Pick<CreateBody["lead"], "first_name" | "last_name" | "email" | "country">;
  /** What the customer has chosen, as `chosenAmount` gives it; null where there is no choice. */
  readonly amount: string | null;
}

/** The payment page of the new session. @throws Refusal payment_link_closed; FieldErrors when its campaign or gateway is gone. */
export async function openLink(deps: Deps, { tenant, id, link, lead, amount }: OpenInput): Promise<string> {
  if (!link.is_open || link.is_used_up) throw new Refusal("payment_link_closed");
  const price = link.amount_min === null ? link.amount : amount;
  const direct =
    link.campaign_id === null ? ({ currency: LINK_CURRENCY, billing_type: "ONE_OFF" } as const) : {};
  const { payment_url: url } = await create(deps, {
    tenant,
    id,
    paymentLinkId: link.id,
    body: {
      ...direct,
      lead,
      ...(price === null ? {} : { amount: price }),
      campaign_id: link.campaign_id,
      gateway_id: link.gateway_id,
      hosted_page_id: link.hosted_page_id,
      webhook_profile_id: link.webhook_profile_id,
      description: link.name,
      metadata: link.metadata,
    },
  });
  return url;
}

/** What was typed, with two decimals, when the link lets a customer choose it; else null. A comma is a decimal point. */
export function chosenAmount(
  { amount_min: min, amount_max: max }: Pick<LinkTerms, "amount_min" | "amount_max">,
  typed: string,
): string | null {
  const chosen = parseAmount(typed.trim().replace(",", "."));
  if (chosen === null || min === null) return null;
  const isWithin = chosen >= centsFromDatabase(min) && (max === null || chosen <= centsFromDatabase(max));
  return isWithin ? formatAmount(chosen) : null;
}
