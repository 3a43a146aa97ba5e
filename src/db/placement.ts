/**
 * The placement of each table once the database is distributed over several machines with Citus. The rows of a tenant
 * are together on one worker, so that a statement that names its tenant runs there, with its joins and foreign keys.
 */

/**
 * - `by tenant`: split by the column `tenant`.
 * - `everywhere`: a copy on every node, written on all of them at once; for small tables that others refer to.
 * - `coordinator`: an ordinary table of the coordinator.
 */
export type Placement = "by tenant" | "everywhere" | "coordinator";

/** Every table of the schema (tests/placement.test.ts); add new tables here. */
export const PLACEMENTS: Readonly<Record<string, Placement>> = {
  schema_migrations: "coordinator",
  database_places: "coordinator",
  tenants: "everywhere",
  banks: "everywhere",
  master_keys: "everywhere",
  api_keys: "by tenant",
  audit_chain: "by tenant",
  audit_log: "by tenant",
  audit_pending: "by tenant",
  billing_cycles: "by tenant",
  campaigns: "by tenant",
  chargebacks: "by tenant",
  daily_figures: "by tenant",
  ebics_events: "by tenant",
  ebics_orders: "by tenant",
  ebics_users: "by tenant",
  events: "by tenant",
  expected_counts: "by tenant",
  expected_figures: "by tenant",
  figure_days: "by tenant",
  gateway_news_set_aside: "by tenant",
  gateways: "by tenant",
  hosted_pages: "by tenant",
  idempotency_keys: "by tenant",
  imports: "by tenant",
  integration_activities: "by tenant",
  integration_postback_keys: "by tenant",
  integrations: "by tenant",
  leads: "by tenant",
  mandate_amendments: "by tenant",
  mandate_texts: "by tenant",
  mandates: "by tenant",
  messages: "by tenant",
  notices: "by tenant",
  offers: "by tenant",
  orders: "by tenant",
  payment_counts: "by tenant",
  payment_links: "by tenant",
  payment_notes: "by tenant",
  people: "by tenant",
  person_links: "by tenant",
  person_passkeys: "by tenant",
  person_recovery_codes: "by tenant",
  console_sessions: "by tenant",
  oidc_providers: "by tenant",
  requests: "by tenant",
  sandbox_books: "by tenant",
  saved_views: "by tenant",
  sepa_accounts: "by tenant",
  sepa_bookings: "by tenant",
  sepa_withdrawn: "by tenant",
  sepa_collections: "by tenant",
  sepa_creditor_accounts: "by tenant",
  sepa_entries: "by tenant",
  sepa_file_approvals: "by tenant",
  sepa_file_pieces: "by tenant",
  sepa_files: "by tenant",
  sepa_later_fees: "by tenant",
  sepa_news: "by tenant",
  sepa_page_entries: "by tenant",
  sepa_statements: "by tenant",
  sepa_unmatched: "by tenant",
  session_moves: "by tenant",
  sessions: "by tenant",
  subscriptions: "by tenant",
  tenant_clocks: "by tenant",
  transactions: "by tenant",
  webhook_attempts: "by tenant",
  webhook_deliveries: "by tenant",
  webhook_profiles: "by tenant",
  webhook_receivers: "by tenant",
};

/**
 * Functions that change a tenant's rows and run on its worker, with a table that each of them changes. Their first
 * argument is the tenant's number. Statements call them with values, not with columns.
 */
export const FUNCTIONS_WITH: Readonly<Record<string, string>> = {
  "erase_audit_entry(integer,uuid,jsonb,jsonb)": "audit_log",
  "erase_event(integer,uuid,jsonb)": "events",
};
