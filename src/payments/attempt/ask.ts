/** The middle step of every attempt: the gateway call, with no transaction open. */
import type { Deps, GatewayCall } from "../../deps.ts";
import { askGateway, connect } from "../../gateways/calling.ts";
import { traced } from "../../lib/trace.ts";
import type { Gateway, Outcome } from "../../gateways/gateway.ts";

/** What it takes to ask a gateway. */
export type AskParts = Pick<Deps, "adapters" | "asked" | "clock" | "keys">;

/** A row that names the account at a gateway, with its sealed credentials. */
interface AccountRow {
  readonly gateway_id: string;
  readonly adapter: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
}

/** An attempt as its gateway knows it. */
interface AskedRow extends AccountRow {
  readonly merchant_transaction_id: string;
}

/** Outcomes of a renewal or a refund: without the customer nothing can be verified. */
export type UnattendedOutcome = Exclude<Outcome, { readonly kind: "verification_required" }>;

/** @throws Error when the account cannot be opened. */
export function gatewayOf(
  deps: Pick<Deps, "adapters" | "keys">,
  tenant: number,
  { gateway_id: id, adapter, settings, credentials }: AccountRow,
): Gateway {
  return connect(deps.adapters, deps.keys, { tenant, id, adapter, settings, credentials });
}

/**
 * Calls a gateway with a deadline, as a step of the payment that metrics and traces see.
 * @param what is asked of the gateway.
 */
export function asked<Answer extends Outcome>(
  deps: Pick<Deps, "asked" | "clock">,
  { adapter }: Pick<AccountRow, "adapter">,
  what: GatewayCall["what"],
  ask: (signal: AbortSignal) => Promise<Answer>,
): ReturnType<typeof askGateway<Answer>> {
  return traced(`gateway ${what}`, "client", { "payments.adapter": adapter }, async (span) => {
    const startedMs = deps.clock.monotonicMs();
    const outcome = await askGateway(ask);
    span?.set({ "payments.outcome": outcome.kind });
    deps.asked({ adapter, what, outcome: outcome.kind, ms: deps.clock.monotonicMs() - startedMs });
    return outcome;
  });
}

/**
 * Sends the instruction of a claimed attempt. An account that cannot even be opened has certainly moved no money.
 * @param prepare makes the instruction for the gateway, and gives what sends it.
 */
export async function instruct<Answer extends Outcome>(
  deps: AskParts & Pick<Deps, "log">,
  tenant: number,
  row: AccountRow,
  what: "collect" | "refund",
  prepare: (gateway: Gateway) => (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | Extract<Outcome, { readonly kind: "unreachable" | "unresolved" }>> {
  let gateway: Gateway;
  try {
    gateway = gatewayOf(deps, tenant, row);
  } catch (error) {
    deps.log.error("a gateway account cannot be opened", error, { gateway_id: row.gateway_id });
    return { kind: "unreachable", gatewayMessage: null };
  }
  return asked(deps, row, what, prepare(gateway));
}

/** Asks for the last word on an attempt; what has moved no money by now never will under its reference. */
export async function lastWord(deps: AskParts, tenant: number, row: AskedRow): Promise<Outcome> {
  const outcome = await asked(deps, row, "resolve", async (signal) =>
    gatewayOf(deps, tenant, row).resolve(row.merchant_transaction_id, signal),
  );
  return certain(outcome);
}

/** The last word on an attempt without a customer to verify it. */
export async function lastWordUnattended(
  deps: AskParts,
  tenant: number,
  row: AskedRow,
): Promise<UnattendedOutcome> {
  const outcome = await lastWord(deps, tenant, row);
  return outcome.kind === "verification_required"
    ? {
        kind: "unresolved",
        gatewayMessage: "The gateway requested a verification that is not possible here.",
      }
    : outcome;
}

/** Not reaching the gateway with a question says nothing about the attempt that it is about. */
export function certain(outcome: Outcome): Outcome {
  return outcome.kind === "unreachable"
    ? { kind: "unresolved", gatewayMessage: outcome.gatewayMessage }
    : outcome;
}
