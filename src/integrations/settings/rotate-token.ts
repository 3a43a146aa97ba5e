/** Replaces the address that a partner posts to. */
import type { IntegrationRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { changeRecord, type Target } from "../../management/resource-write.ts";
import { integrationKind, tokenColumns } from "./integration.ts";

/** The old address leads nowhere from now on. */
export function rotateToken(deps: Deps, target: Target): Promise<IntegrationRow> {
  return changeRecord(deps, integrationKind, target, "rotate_token", (write, before) =>
    integrationKind.store.update(write.tx, { ...before, ...tokenColumns(write) }, write.now),
  );
}
