/** Deliveries as the API shows them. */
import type { DeliveryRow } from "./store.ts";

export function deliveryRecord(row: DeliveryRow): object {
  return {
    id: row.id,
    event: row.event_type,
    event_id: row.event_id,
    profile: row.profile_id,
    session_id: row.session_id,
    status: row.status,
    attempt_count: row.attempts,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    last_attempt_at: row.last_at?.toISOString() ?? null,
    response_code: row.response_code,
    error: row.error,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
