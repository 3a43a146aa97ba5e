/** A person as the API and the audit log show it: without secrets. Pure. */
import type { PersonRow } from "./store.ts";

export function personRecord(row: PersonRow): object {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    locale: row.locale,
    time_zone: row.time_zone,
    status: row.removed_at !== null ? "removed" : row.joined_at === null ? "invited" : "active",
    has_password: row.password_hash !== null,
    has_authenticator: row.totp_secret !== null,
    signs_in_elsewhere: row.oidc_subject !== null,
    last_sign_in_at: row.last_sign_in_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
