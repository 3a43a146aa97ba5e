/** Replaces the address for a partner's postbacks. */
import type { IntegrationRow } from "../../db/rows.ts";
import { changeRecord, type Target } from "../../management/resource-write.ts";
import type { RecordDeps } from "../../management/resource.ts";
import { integrationKind, tokenColumns } from "./integration.ts";

/**
 * Replaces the token; the former URL becomes invalid at once. A repeated operation changes nothing: the URL that it has
 * given may be in use.
 */
export function rotateToken(deps: RecordDeps, target: Target): Promise<IntegrationRow> {
  return changeRecord(deps, integrationKind, target, "rotate_token", async (write, before) =>
    write.repeated
      ? before
      : integrationKind.store.update(write.tx, { ...before, ...tokenColumns(write) }, write.now),
  );
}
