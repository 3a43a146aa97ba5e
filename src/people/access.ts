/** What people may do: one table of actions and roles. The console, its guards and docs/people.md read it. Pure. */
import { IN_MANAGEMENT, type Scope } from "../http/scopes.ts";

/** The roles of a tenant's people, and the operator's, who belongs to no tenant. */
export const ROLES = {
  owner: "everything, people included",
  developer: "keys, webhooks and settings; sees payments, moves no money",
  finance: "refunds, exports, the bank's files; no keys",
  support: "finds payments, stops and resends; no refunds, no exports",
  viewer: "sees payments and figures, changes nothing",
  operator: "runs the installation: tenants, health, keys and versions; no customer data",
} as const;

export type Role = keyof typeof ROLES;
export type TenantRole = Exclude<Role, "operator">;
export const TENANT_ROLES: readonly TenantRole[] = ["owner", "developer", "finance", "support", "viewer"];

interface Entry {
  /** In English, as the console and the docs show it. */
  readonly label: string;
  readonly roles: readonly Role[];
  /** Requires the second factor again: always, or above the tenant's limit. */
  readonly stepUp?: "always" | "above_limit";
}

const EVERYONE = TENANT_ROLES;

const TABLE = {
  "payments.read": { label: "See payments, customers, subscriptions, mandates and figures", roles: EVERYONE },
  "payments.create": {
    label: "Create payments by hand, and payment links",
    roles: ["owner", "developer", "finance", "support"],
  },
  "payments.refund": { label: "Refund a payment", roles: ["owner", "finance"], stepUp: "above_limit" },
  "payments.stop": {
    label: "Cancel a payment, or stop it before it goes to the bank",
    roles: ["owner", "finance", "support"],
    stepUp: "above_limit",
  },
  "payments.note": { label: "Write notes", roles: ["owner", "developer", "finance", "support"] },
  "payments.import": { label: "Import payments from a file", roles: ["owner", "finance"] },
  "chargebacks.write": { label: "Record and answer chargebacks", roles: ["owner", "finance"] },
  "subscriptions.write": {
    label: "Cancel, collect and change subscriptions",
    roles: ["owner", "finance", "support"],
  },
  "mandates.write": { label: "Cancel, amend and import mandates", roles: ["owner", "finance", "support"] },
  "customers.erase": { label: "Erase a customer", roles: ["owner"], stepUp: "always" },
  "exports.create": { label: "Export lists", roles: ["owner", "finance"] },
  "views.share": {
    label: "Save views of lists for the company, and change and delete those",
    roles: ["owner", "developer", "finance"],
  },
  "exports.whole_ibans": { label: "Export whole IBANs", roles: ["owner"], stepUp: "always" },
  "bank.read": {
    label: "See the bank's files, statements and unmatched entries",
    roles: ["owner", "finance"],
  },
  "bank.send": {
    label: "Send files to the bank, read files from it, resolve unmatched entries",
    roles: ["owner", "finance"],
    stepUp: "always",
  },
  "bank.approve": {
    label: "Approve files before they go to the bank",
    roles: ["owner", "finance"],
    stepUp: "always",
  },
  "developers.read": {
    label: "See webhook deliveries, events, requests and integrations",
    roles: ["owner", "developer", "support"],
  },
  "webhooks.resend": { label: "Send webhooks again", roles: ["owner", "developer", "support"] },
  "keys.read": { label: "See API keys", roles: ["owner", "developer"] },
  "keys.write": {
    label: "Create, change, rotate and revoke API keys",
    roles: ["owner", "developer"],
    stepUp: "always",
  },
  "settings.read": {
    label: "See gateways, offers, campaigns, payment pages and limits",
    roles: ["owner", "developer", "finance"],
  },
  "settings.write": {
    label: "Change gateways, offers, campaigns, payment pages, webhooks and limits",
    roles: ["owner", "developer"],
  },
  "tenant.write": { label: "Change the company's own data, limits and retention", roles: ["owner"] },
  "test_mode.use": {
    label: "Move the clock and play scenarios in test mode",
    roles: ["owner", "developer", "support"],
  },
  "audit.read": { label: "Read the audit log", roles: ["owner"] },
  "people.read": { label: "See people and their roles", roles: ["owner"] },
  "people.write": {
    label: "Invite and remove people, change roles, end sessions, set up single sign-on",
    roles: ["owner"],
    stepUp: "always",
  },
  "operator.tenants": { label: "See tenants", roles: ["operator"] },
  "operator.health": { label: "See jobs, queues, receivers and banks", roles: ["operator"] },
  "operator.keys": { label: "See the state of the master keys", roles: ["operator"] },
  "operator.versions": { label: "See versions and migrations", roles: ["operator"] },
} as const satisfies Readonly<Record<string, Entry>>;

export type Action = keyof typeof TABLE;
export const ACTIONS = Object.keys(TABLE) as readonly Action[];

/** Whether people with this role may perform the action. */
export function may(role: Role, action: Action): boolean {
  return entryOf(action).roles.includes(role);
}

/** What the action does, in English. */
export function actionLabel(action: Action): string {
  return entryOf(action).label;
}

/** When the action requires the second factor again. */
export function stepUpOf(action: Action): "always" | "above_limit" | null {
  return entryOf(action).stepUp ?? null;
}

function entryOf(action: Action): Entry {
  return TABLE[action];
}

/**
 * The action that a person must be allowed in order to give a key the scope; `management` requires those of all its
 * parts.
 */
const GIVES: Readonly<Record<Exclude<Scope, "management">, readonly Action[]>> = {
  payments: ["payments.create"],
  reconciliation: ["payments.read"],
  read: ["payments.read", "settings.read", "developers.read"],
  refunds: ["payments.refund", "chargebacks.write", "payments.import"],
  billing: ["subscriptions.write", "mandates.write", "customers.erase"],
  settings: ["settings.write"],
  keys: ["keys.write"],
  bank: ["bank.read", "bank.send", "bank.approve"],
  exports: ["exports.create"],
  people: ["people.write"],
  whole_ibans: ["exports.whole_ibans"],
};

/** The scopes that people with this role may give to API keys: a key never has more rights than its creator. */
export function scopesOf(role: Role): readonly Scope[] {
  const parts = Object.entries(GIVES) as readonly (readonly [Scope, readonly Action[]])[];
  const own = parts
    .filter(([, actions]) => actions.every((action) => may(role, action)))
    .map(([scope]) => scope);
  return IN_MANAGEMENT.every((part) => own.includes(part)) ? [...own, "management"] : own;
}

/** The table as Markdown, for docs/people.md. */
export function accessTable(): string {
  const roles: readonly Role[] = [...TENANT_ROLES, "operator"];
  const lines = ACTIONS.map((action) => {
    const cells = roles.map((role) => (may(role, action) ? "yes" : "–"));
    const again = { always: "always", above_limit: "above the limit" }[stepUpOf(action) ?? "always"];
    return `| ${actionLabel(action)} | \`${action}\` | ${cells.join(" | ")} | ${stepUpOf(action) === null ? "" : again} |`;
  });
  const head = `| What | Action | ${roles.join(" | ")} | Second factor again |`;
  return [head, `|---|---|${roles.map(() => "---|").join("")}---|`, ...lines, ""].join("\n");
}
