/** The SQL of a gateway's creditor, in one place. */
import { sql, type Reader } from "../../db/database.ts";
import type { TenantRow } from "../../db/rows.ts";

const IDENTIFIER_OF_TENANT = sql(
  "gateways.identifier_of_tenant",
  "select creditor_identifier from tenants where tenant = :tenant",
).gives<Pick<TenantRow, "creditor_identifier">>();

/** The tenant's identifier, for gateways without their own. */
export async function identifierOfTenant(db: Reader, tenant: number): Promise<string | null> {
  return (await db.query(IDENTIFIER_OF_TENANT, { tenant }))[0]?.creditor_identifier ?? null;
}

const IDENTIFIER = "coalesce(g.settings ->> 'creditor_identifier', n.creditor_identifier)";

/** SQL of `identifierProblem`: whether gateway `g` of tenant `n` may collect real money under its creditor's name. */
export const IS_IDENTIFIED = `(g.test_mode or ${IDENTIFIER} is not null)`;

/**
 * SQL of `normaliseIban` for the account of gateway `g`. It was checked when it was saved, but settings that earlier
 * versions saved have it as it was typed.
 */
export const CREDITOR_IBAN =
  "regexp_replace(upper(regexp_replace(g.settings ->> 'creditor_iban', '[^A-Za-z0-9]', '', 'g')), '^IBAN', '')";

/**
 * A `Creditor` as JSON, from a gateway row `g` and its tenant's row `n`: the gateway's settings first, then the
 * tenant's. An address is taken from one of the two as a whole, from the one that has a city.
 */
export const CREDITOR = `jsonb_build_object(
  'name',        coalesce(g.settings ->> 'creditor_name', n.name),
  'identifier',  ${IDENTIFIER},
  'address',     case when g.settings ? 'creditor_city' then g.settings ->> 'creditor_address'
                      when n.city is not null then n.address end,
  'postal_code', case when g.settings ? 'creditor_city' then g.settings ->> 'creditor_postal_code'
                      when n.city is not null then n.postal_code end,
  'city',        coalesce(g.settings ->> 'creditor_city', n.city),
  'country',     case when g.settings ? 'creditor_city' then g.settings ->> 'creditor_country'
                      when n.city is not null then n.country end,
  'scheme',      coalesce(g.settings ->> 'scheme', 'CORE'),
  'pre_notification_days', coalesce((g.settings ->> 'pre_notification_days')::integer, n.pre_notification_days))`;
