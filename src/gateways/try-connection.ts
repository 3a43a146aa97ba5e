/** Tests a gateway account: whether it can be opened and the bank's folders can be read. Sends and stores nothing. */
import type { Deps } from "../deps.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { redacted } from "../lib/log.ts";
import { readRecord } from "../management/resource-write.ts";
import { connect } from "./calling.ts";
import { gatewayKind } from "./records/gateway-record.ts";
import { SEPA_ADAPTER } from "./sepa-batch/adapter.ts";
import { openMailbox } from "./sepa-batch/transports/mailbox.ts";

const TRY_MS = 20 * SECOND_MS;

interface Tried {
  /** `nothing`: the account has no connection to test. */
  readonly outcome: "reached" | "nothing" | "failed";
  /** How many files lie in the bank's folders. */
  readonly files: { readonly outgoing: number; readonly incoming: number } | null;
  readonly error: string | null;
}

/** @throws Refusal not_found. */
export async function tryConnection(
  deps: Pick<Deps, "adapters" | "allowPrivateTargets" | "db" | "keys" | "sepaDirectory">,
  tenant: number,
  gatewayId: string,
): Promise<Tried> {
  const row = await readRecord(deps, gatewayKind, tenant, gatewayId);
  const settings = row.settings as Readonly<Record<string, unknown>>;
  const account = { ...row, settings };
  try {
    connect(deps.adapters, deps.keys, account);
    if (row.adapter !== SEPA_ADAPTER) return { outcome: "nothing", files: null, error: null };
    const mailbox = await openMailbox(deps, account, AbortSignal.timeout(TRY_MS));
    if (mailbox === null) return { outcome: "nothing", files: null, error: null };
    try {
      const files = {
        outgoing: (await mailbox.outgoing()).length,
        incoming: (await mailbox.incoming()).length,
      };
      return { outcome: "reached", files, error: null };
    } finally {
      await mailbox.close();
    }
  } catch (error) {
    return { outcome: "failed", files: null, error: redacted((error as Error).message) };
  }
}
