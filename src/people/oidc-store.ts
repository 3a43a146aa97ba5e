/** The SQL of identity providers. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { OidcProviderRow } from "../db/rows.ts";

export type ProviderSettings = Omit<OidcProviderRow, "created_at" | "updated_at">;
export type ProviderRow = ProviderSettings & Pick<OidcProviderRow, "updated_at">;

const COLUMNS =
  "tenant, id, issuer, client_id, client_secret, email_domain, role_for_new, required, updated_at";

const FIND = sql(
  "oidc_providers.find",
  `select ${COLUMNS} from oidc_providers where tenant = :tenant and issuer <> ''`,
).gives<ProviderRow>();

/** The tenant's identity provider; null without one. */
export async function findProvider(reader: Reader, tenant: number): Promise<ProviderRow | null> {
  return (await reader.query(FIND, { tenant }))[0] ?? null;
}

const LOCK = sql(
  "oidc_providers.lock",
  `select ${COLUMNS} from oidc_providers where tenant = :tenant and issuer <> '' for update`,
).gives<ProviderRow>();

/** The same, locked before any person: sign-ins at a provider and a change of it run one after the other. */
export async function lockProvider(tx: Tx, tenant: number): Promise<ProviderRow | null> {
  return (await tx.query(LOCK, { tenant }))[0] ?? null;
}

const SAVE = sql(
  "oidc_providers.save",
  `insert into oidc_providers (tenant, id, issuer, client_id, client_secret, email_domain, role_for_new, required,
                               created_at, updated_at)
   values (:tenant, :id, :issuer, :clientId, :clientSecret, :emailDomain, :roleForNew, :required, :now, :now)
       on conflict (tenant) do update
      set id = :id, issuer = :issuer, client_id = :clientId, client_secret = :clientSecret, email_domain = :emailDomain,
          role_for_new = :roleForNew, required = :required, updated_at = :now`,
);

/**
 * Saves the provider. An empty issuer means that there is none any more. The id is the row's: the secret is sealed to
 * it.
 */
export async function saveProvider(tx: Tx, row: ProviderSettings, now: Date): Promise<void> {
  await tx.write(SAVE, {
    tenant: row.tenant,
    id: row.id,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: row.client_secret,
    emailDomain: row.email_domain,
    roleForNew: row.role_for_new,
    required: row.required,
    now,
  });
}
