/**
 * Updates payments in the background once a file or a resolution is in the books, so that no request waits for
 * thousands of them.
 */
import type { Deps } from "../../../deps.ts";

/** Tenants whose payments are being updated, and whether more news has arrived since. */
const running = new WeakMap<object, Map<number, { more: boolean }>>();

/** Starts the update and returns at once; after a crash the job does the rest. */
export function startApplyingNews(deps: Pick<Deps, "log" | "newsReady">, tenant: number): void {
  const tenants = running.get(deps) ?? new Map<number, { more: boolean }>();
  running.set(deps, tenants);
  const under = tenants.get(tenant);
  if (under !== undefined) {
    under.more = true;
    return;
  }
  const pass = { more: true };
  tenants.set(tenant, pass);
  void follow(deps, tenant, pass)
    .catch((error: unknown) =>
      deps.log.warn("payments will be updated by the next pass", { reason: String(error) }),
    )
    .finally(() => tenants.delete(tenant));
}

async function follow(deps: Pick<Deps, "newsReady">, tenant: number, pass: { more: boolean }): Promise<void> {
  while (pass.more) {
    pass.more = false;
    await deps.newsReady(tenant);
  }
}
