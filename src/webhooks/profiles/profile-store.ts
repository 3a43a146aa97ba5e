/** The SQL of webhook profiles, each with the state of its receiver. */
import { sql, type Reader } from "../../db/database.ts";
import type { WebhookProfileRow, WebhookReceiverRow } from "../../db/rows.ts";
import { recordStore, type RecordStore, type Settable } from "../../management/resource-store.ts";

/** A profile, with the time since which its receiver has been failing; null if it is not. */
export type ListedProfileRow = WebhookProfileRow & Pick<WebhookReceiverRow, "failing_since">;

const FAILING = sql(
  "webhook_profiles.failing",
  `select profile_id, failing_since from webhook_receivers
    where tenant = :tenant and profile_id = any (:ids::uuid[]) and failing_since is not null`,
).gives<Pick<WebhookReceiverRow, "profile_id" | "failing_since">>();

/** A separate statement: Citus allows no subquery in an insert's RETURNING. */
async function withHealth(
  reader: Reader,
  tenant: number,
  rows: readonly WebhookProfileRow[],
): Promise<readonly ListedProfileRow[]> {
  if (rows.length === 0) return [];
  const failing = await reader.query(FAILING, { tenant, ids: rows.map(({ id }) => id) });
  const since = new Map(failing.map((row) => [row.profile_id, row.failing_since]));
  return rows.map((row) => ({ ...row, failing_since: since.get(row.id) ?? null }));
}

/**
 * The store of webhook profiles.
 * @param shown the columns that requests set and see.
 */
export function profileStore(
  shown: readonly (keyof Settable<WebhookProfileRow>)[],
): RecordStore<ListedProfileRow> {
  const plain = recordStore<WebhookProfileRow>("webhook_profiles", [
    ...shown,
    "signing_secret",
    "previous_signing_secret",
    "previous_signing_secret_until",
  ]);
  const one = async (reader: Reader, row: WebhookProfileRow | null) =>
    row === null ? null : ((await withHealth(reader, row.tenant, [row]))[0] ?? null);
  return {
    async insert(tx, tenant, id, at, values) {
      const row = await plain.insert(tx, tenant, id, at, values);
      return row === null ? null : { ...row, failing_since: null };
    },
    find: async (reader, tenant, id) => one(reader, await plain.find(reader, tenant, id)),
    lock: async (tx, tenant, id) => one(tx, await plain.lock(tx, tenant, id)),
    async update(tx, row, at) {
      return { ...(await plain.update(tx, row, at)), failing_since: row.failing_since };
    },
    async archive(tx, row, at) {
      return { ...(await plain.archive(tx, row, at)), failing_since: row.failing_since };
    },
    async list(reader, tenant, withArchived, window, narrowed) {
      return withHealth(reader, tenant, await plain.list(reader, tenant, withArchived, window, narrowed));
    },
  };
}
