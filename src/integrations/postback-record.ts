/** Postbacks as shown in the API and the console. */
import type { Deps } from "../deps.ts";
import type { ActivityDetailRow, ListedActivityRow } from "./management-store.ts";
import { readPostback, type Postback } from "./postback.ts";
import { openPayload } from "./receive.ts";

export function activityRecord(row: ListedActivityRow): object {
  const { id, status, reason, recovered, request_uuid, lead_id, order_id, session_id, has_payload } = row;
  const created_at = row.created_at.toISOString();
  const processed_at = row.processed_at?.toISOString() ?? null;
  const outcome = { status, reason, recovered, request_uuid, lead_id, order_id, session_id };
  return { id, ...outcome, has_payload, created_at, processed_at };
}

interface Content {
  /** As read with the integration's current keys. */
  readonly values: Postback["values"] | null;
  /** As received. */
  readonly payload: unknown;
}

/** The content of a postback; null if its body is no longer stored. */
export function activityContent(deps: Pick<Deps, "keys">, tenant: number, row: ActivityDetailRow): Content {
  const body = openPayload(deps, tenant, row);
  if (body === null) return { values: null, payload: null };
  return { values: readPostback(body, row).values, payload: JSON.parse(body.toString()) as unknown };
}
