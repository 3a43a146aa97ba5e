/** Whether money is real. */
import type { Deps } from "../deps.ts";

/** Live money moves only in production at a gateway that is not in test mode (contract: Live mode). */
export function livemode(
  { environment }: Pick<Deps, "environment">,
  gateway: { readonly test_mode: boolean },
): boolean {
  return environment === "production" && !gateway.test_mode;
}
