/** Begins a payment through a link: a session on the link's terms, with the customer's data. */
import type { Deps } from "../../deps.ts";
import { centsFromDatabase, formatAmount, parseAmount } from "../../lib/money.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { creatable, create, type CreateParts } from "../create.ts";
import type { CreateBody } from "../schemas.ts";
import type { CreatableBody } from "../terms.ts";
import { LINK_CURRENCY } from "./link.ts";
import type { LinkTerms } from "./store.ts";

interface OpenInput {
  readonly tenant: number;
  /** The session's id, drawn once per operation. */
  readonly id: string;
  readonly link: LinkTerms;
  readonly lead: Pick<CreateBody["lead"], "first_name" | "last_name" | "email" | "country">;
  /** The customer's amount, from `chosenAmount`; null where the link fixes it. */
  readonly amount: string | null;
}

/** Returns the payment page of the new session; null while the link accepts no payments. */
export function openLink(
  deps: CreateParts,
  { tenant, id, link, lead, amount }: OpenInput,
): Promise<string | null> {
  return unlessClosed(link, async () => {
    const body = { ...bodyOf(link, amount), lead };
    return (await create(deps, { tenant, id, paymentLinkId: link.id, body })).payment_url;
  });
}

/** Whether a payment can be begun through the link now. */
export async function takesPayments(
  deps: Pick<Deps, "adapters" | "allowPrivateTargets" | "db">,
  tenant: number,
  link: LinkTerms,
): Promise<boolean> {
  return (await unlessClosed(link, () => creatable(deps, tenant, bodyOf(link, link.amount_min)))) !== null;
}

/** Null when the link has ended, its campaign was stopped, or a record that it names was archived or deactivated. */
async function unlessClosed<Result>(link: LinkTerms, run: () => Promise<Result>): Promise<Result | null> {
  if (!link.is_open || link.is_used_up) return null;
  try {
    return await run();
  } catch (error) {
    if (error instanceof FieldErrors) return null;
    if (error instanceof Refusal && error.kind === "campaign_stopped") return null;
    throw error;
  }
}

/** @param chosen the amount of a link whose customers choose it. */
function bodyOf(link: LinkTerms, chosen: string | null): CreatableBody {
  const price = link.amount_min === null ? link.amount : chosen;
  return {
    ...(link.campaign_id === null ? { currency: LINK_CURRENCY, billing_type: "ONE_OFF" } : {}),
    ...(price === null ? {} : { amount: price }),
    campaign_id: link.campaign_id,
    gateway_id: link.gateway_id,
    hosted_page_id: link.hosted_page_id,
    webhook_profile_id: link.webhook_profile_id,
    description: link.name,
    metadata: link.metadata,
  };
}

/** The amount with two decimals if the link lets the customer choose it; otherwise null. */
export function chosenAmount(
  { amount_min: min, amount_max: max }: Pick<LinkTerms, "amount_min" | "amount_max">,
  amount: string,
): string | null {
  const chosen = parseAmount(amount);
  if (chosen === null || min === null) return null;
  const isWithin = chosen >= centsFromDatabase(min) && (max === null || chosen <= centsFromDatabase(max));
  return isWithin ? formatAmount(chosen) : null;
}
