/** Issues an API key: the only moment at which its secret is known. */
import type { ApiKeyRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import { checkRecord, createdEntry, writeOf, type Target } from "../../management/resource-write.ts";
import type { RecordDeps, Write } from "../../management/resource.ts";
import type { Settable } from "../../management/resource-store.ts";
import { apiKeyKind, type ApiKeyFields } from "./api-key.ts";
import { keyOfOperation, secretGivenBefore } from "./secret.ts";

export interface IssuedKey {
  readonly row: ApiKeyRow;
  /** The key, to be shown this once. */
  readonly text: string;
}

/** @throws FieldErrors. */
export function issueKey(deps: RecordDeps, target: Target, given: ApiKeyFields): Promise<IssuedKey> {
  return deps.db.transaction((tx) => issueKeyIn(writeOf(deps, tx, target), target.operationId, given));
}

/** The same inside a transaction that is open. @param operationId the audit entry's id. */
export async function issueKeyIn(write: Write, operationId: string, given: ApiKeyFields): Promise<IssuedKey> {
  const { deps, tx, tenant, id, now } = write;
  const { store } = apiKeyKind;
  const { text, hash, prefix } = keyOfOperation(deps.keys, tenant, id);
  const values = {
    ...apiKeyKind.defaults(write),
    ...apiKeyKind.change(write, given, null),
    hash,
    prefix,
  } as Settable<ApiKeyRow>;
  await checkRecord(apiKeyKind, write, given, values, null);
  const made = await store.insert(tx, tenant, id, now, values);
  if (made !== null) {
    await createdEntry(write, apiKeyKind, operationId, made);
    return { row: made, text };
  }
  // The same operation has run before: its key is this one.
  const row = must(await store.find(tx, tenant, id), "the key that this operation made");
  return { row, text: secretGivenBefore(deps.keys, tenant, id, row) };
}
