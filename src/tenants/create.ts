/** Creates a tenant together with its first API key. */
import type { TenantRow } from "../db/rows.ts";
import { must } from "../lib/assert.ts";
import { issueKeyIn } from "./api-keys/issue.ts";
import { checkRecord, createdEntry, writeOf, type Target } from "../management/resource-write.ts";
import type { RecordDeps } from "../management/resource.ts";
import type { Settable } from "../management/resource-store.ts";
import { tenantKind, type TenantFields } from "./tenant.ts";

interface CreatedTenant {
  readonly row: TenantRow;
  /** Its first key, to be shown this once. */
  readonly apiKey: string;
}

/** @throws FieldErrors. */
export function createTenant(deps: RecordDeps, target: Target, given: TenantFields): Promise<CreatedTenant> {
  return deps.db.transaction(async (tx) => {
    const write = writeOf(deps, tx, target);
    const { store } = tenantKind;
    const values = {
      ...tenantKind.defaults(write),
      ...tenantKind.change(write, given, null),
    } as Settable<TenantRow>;
    await checkRecord(tenantKind, write, given, values, null);
    const made = await store.insert(tx, 0, write.id, write.now, values);
    const row = made ?? must(await store.find(tx, 0, write.id), "the tenant that this operation made");
    if (made !== null) await createdEntry(write, tenantKind, target.operationId, made);
    // The key has the tenant's id, so that running the operation again finds it.
    const key = await issueKeyIn({ ...write, tenant: row.tenant }, deps.ids.uuid(), { name: "First key" });
    return { row, apiKey: key.text };
  });
}
