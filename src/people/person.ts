/** A signed-in person, as routes see them. */
import type { Caller } from "../http/endpoint.ts";
import { centsFromDatabase, type Cents } from "../lib/money.ts";
import { may, scopesOf, type Action, type Role } from "./access.ts";
import type { OpenConsoleSession } from "./session-store.ts";

/** The stage of a session: the second factor is awaited, or must be set up first, or the person is signed in. */
export type Stage = OpenConsoleSession["stage"];

export interface SignedIn {
  /** 0 for an operator. */
  readonly tenant: number;
  /** The tenant, by its public id; null for an operator. */
  readonly company: {
    readonly id: string;
    readonly name: string;
    /** Refunds above it require the second factor again. */
    readonly stepUpRefundsAbove: Cents;
  } | null;
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** BCP 47; null: the browser's. */
  readonly locale: string | null;
  readonly timeZone: string;
  readonly session: {
    readonly id: string;
    readonly stage: Stage;
    readonly method: OpenConsoleSession["method"];
    /** When the person last proved the second factor. */
    readonly provedAt: Date;
  };
}

/** Converts a database row to a signed-in person. */
export function signedIn(row: OpenConsoleSession): SignedIn {
  return {
    tenant: row.tenant,
    company: companyOf(row),
    id: row.person,
    email: row.email,
    name: row.name,
    role: row.role,
    locale: row.locale,
    timeZone: row.time_zone ?? "UTC",
    session: { id: row.id, stage: row.stage, method: row.method, provedAt: row.proved_at },
  };
}

function companyOf(row: OpenConsoleSession): SignedIn["company"] {
  const { company_id: id, company_name: name, step_up_refunds_above: limit } = row;
  if (id === null || name === null || limit === null) return null;
  return { id, name, stepUpRefundsAbove: centsFromDatabase(limit) };
}

/** The person as an author, for use cases, the audit log and limits. */
export function callerOf({ tenant, id, name, role, session }: SignedIn): Extract<Caller, { kind: "person" }> {
  return {
    kind: "person",
    tenant,
    personId: id,
    name,
    scopes: scopesOf(role),
    consoleSession: session.id,
  };
}

/** Whether the person may do it; pages check it before they show a button. */
export function personMay({ role, session }: SignedIn, action: Action): boolean {
  return session.stage === "full" && may(role, action);
}
