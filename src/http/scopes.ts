/** The scopes of API keys, and which of them `management` includes. */

/** Each scope and what it allows, as in the API description. */
export const SCOPES = {
  payments: "create and cancel payment sessions, validate IBANs",
  reconciliation: "the lists of transactions, chargebacks and subscriptions as JSON, XML and CSV",
  management: "read, refunds, billing, settings, keys, bank and exports together",
  read: "everything that GET returns under management/, with IBANs masked",
  refunds: "refunds, chargebacks by hand, imports of payments",
  billing: "cancel and collect subscriptions; cancel, amend and import mandates",
  settings: "gateways, offers, campaigns, pages, webhooks, integrations, the tenant's own settings",
  keys: "API keys: create, change, rotate and revoke",
  bank: "files to and from the bank, and unmatched entries",
  exports: "exports of what lists show",
  people:
    "people: invite, change roles, remove, end sessions; granted only by the operator, an owner or a key that has it",
  whole_ibans: "exports with whole IBANs; granted only by the operator or by a key that has it",
} as const;

export type Scope = keyof typeof SCOPES;

/** The scopes in `management`. It excludes people and whole IBANs, which must be granted by name. */
export const IN_MANAGEMENT: readonly Scope[] = [
  "read",
  "refunds",
  "billing",
  "settings",
  "keys",
  "bank",
  "exports",
];

/** Whether a key with these scopes has the scope, directly or through `management`. */
export function hasScope(scopes: readonly Scope[], scope: Scope): boolean {
  if (scopes.includes(scope)) return true;
  if (scope === "management") return IN_MANAGEMENT.every((part) => scopes.includes(part));
  return IN_MANAGEMENT.includes(scope) && scopes.includes("management");
}
