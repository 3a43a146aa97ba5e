/** An API key grants only scopes that it has, and no expiry later than its own. */
import type { ApiKeyRow } from "../../db/rows.ts";
import { hasScope, type Scope } from "../../http/scopes.ts";
import type { Tx } from "../../db/database.ts";
import { assert, must } from "../../lib/assert.ts";
import { Refusal } from "../../refusals.ts";
import type { Write } from "../../management/resource.ts";
import { requireOpenSession } from "../../people/open-session.ts";
import { holdKey } from "./store.ts";

type Rights = Pick<ApiKeyRow, "id" | "scopes" | "expires_at">;

/**
 * The rights of the author: the key behind a request, as it is in the request's transaction, or a person who is still
 * signed in, with the role's rights; null for the operator, who may grant everything.
 * @throws Refusal unauthorized if the key does not work any more, or the person is signed out.
 */
export async function grantorOf({ tx, tenant, author, now }: Write): Promise<Rights | null> {
  const { caller } = author;
  if (caller.kind === "operator") return null;
  if (caller.kind === "person") {
    await requireOpenSession(tx, caller.tenant, caller.consoleSession);
    return { id: caller.personId, scopes: [...caller.scopes], expires_at: null };
  }
  assert(caller.kind === "key", "API keys are managed with API keys");
  return requireWorkingKey(tx, tenant, caller.keyId, now);
}

/**
 * The key behind a request may have been revoked or have expired since the request began: then it creates nothing that
 * outlives it.
 * @throws Refusal unauthorized.
 */
export async function requireWorkingKey(tx: Tx, tenant: number, id: string, now: Date): Promise<Rights> {
  const held = await holdKey(tx, tenant, id, now);
  if (held === null) throw new Refusal("unauthorized", { detail: "This API key does not work any more." });
  return held;
}

/** Why a key must not get these scopes; null if it may. It may keep what it already has. */
export function scopesProblem(
  giver: Rights | null,
  { scopes }: Pick<Rights, "scopes">,
  before: Rights | null,
): string | null {
  const added = scopes.filter((scope) => before === null || !hasScope(before.scopes, scope));
  const lacking = giver === null ? [] : added.filter((scope) => !hasScope(giver.scopes, scope));
  if (lacking.length === 0) return null;
  return `This API key does not have ${words(lacking)}. Request only scopes that this key has, or ask the operator.`;
}

/** Why a key must not get this expiry; null if it may. */
export function expiryProblem(
  giver: Rights | null,
  { expires_at }: Pick<Rights, "expires_at">,
  before: Rights | null,
): string | null {
  if (before !== null && before.expires_at?.getTime() === expires_at?.getTime()) return null;
  if (giver === null || !outlives({ expires_at }, giver)) return null;
  return `This API key ends at ${must(giver.expires_at, "its end").toISOString()}: it cannot create or change keys that expire later.`;
}

/** Whether the calling key may rotate this key, whose secret it then receives. */
export function mayRotate(giver: Rights | null, key: Rights): boolean {
  if (giver === null || giver.id === key.id) return true;
  return key.scopes.every((scope) => hasScope(giver.scopes, scope)) && !outlives(key, giver);
}

function outlives(key: Pick<Rights, "expires_at">, giver: Pick<Rights, "expires_at">): boolean {
  if (giver.expires_at === null) return false;
  return key.expires_at === null || key.expires_at > giver.expires_at;
}

function words(scopes: readonly Scope[]): string {
  return `the scope${scopes.length === 1 ? "" : "s"} ${scopes.join(", ")}`;
}
