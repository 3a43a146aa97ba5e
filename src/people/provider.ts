/** A company's identity provider, as its owner sets it up. */
import type { Deps } from "../deps.ts";
import { writeEntry, type Author } from "../management/audit/audit.ts";
import { changedMeanwhile, FieldErrors, Refusal } from "../refusals.ts";
import type { Requester } from "../webhooks/delivery/send.ts";
import { may, TENANT_ROLES } from "./access.ts";
import { checkOidc, clientSecretContext } from "./oidc.ts";
import {
  findProvider,
  lockProvider,
  saveProvider,
  type ProviderRow,
  type ProviderSettings,
} from "./oidc-store.ts";
import { requireOpenSession } from "./open-session.ts";
import { endSessionsNotFromProvider } from "./session-store.ts";
import { mustUseProvider } from "./sign-in.ts";
import { forgetSubjects, lockAllPeople } from "./store.ts";

type Parts = Pick<Deps, "db" | "clock" | "ids" | "keys" | "publicUrl" | "allowPrivateTargets"> & {
  readonly identity: Requester;
};

interface GivenProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: keep the current one. */
  readonly clientSecret: string;
  readonly emailDomain: string;
  /** Empty: only invited people are let in. */
  readonly roleForNew: string;
  readonly required: boolean;
  /** When the settings were last changed as far as the owner knows; null if there were none, or it does not matter. */
  readonly seen: Date | null;
}

const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Saves the settings. Another provider, client or secret is saved only once the provider has answered. @returns how many people it signed out. @throws FieldErrors; Refusal record_in_use when they were changed since. */
export async function setUpProvider(
  parts: Parts,
  author: Author,
  tenant: number,
  given: GivenProvider,
): Promise<number> {
  const before = await findProvider(parts.db, tenant);
  const row = checked(parts, tenant, given, before);
  // The same provider is not contacted: an owner must be able to allow passwords while it does not answer.
  if (!hasSameAccess(row, before))
    await checkOidc(parts, row).catch(() => {
      throw new FieldErrors({
        issuer: ["There is no OpenID Connect provider at this address, or it cannot be reached."],
      });
    });
  return save(parts, author, row, given.seen ?? before?.updated_at ?? null);
}

function hasSameAccess(row: ProviderSettings, before: ProviderRow | null): boolean {
  return (
    before !== null &&
    row.issuer === before.issuer &&
    row.client_id === before.client_id &&
    row.client_secret.equals(before.client_secret)
  );
}

export async function switchOffProvider(parts: Parts, author: Author, tenant: number): Promise<void> {
  const before = await findProvider(parts.db, tenant);
  if (before === null) return;
  const off = { ...before, issuer: "", role_for_new: null, required: false };
  await save(parts, author, off, before.updated_at);
}

function checked(
  parts: Parts,
  tenant: number,
  given: GivenProvider,
  before: ProviderRow | null,
): ProviderSettings {
  const issuer = given.issuer.trim();
  const emailDomain = given.emailDomain.trim().toLowerCase();
  const clientId = given.clientId.trim();
  const problems: Record<string, readonly string[]> = {};
  if (!URL.canParse(issuer)) problems["issuer"] = ["Enter the address of the provider."];
  if (!DOMAIN.test(emailDomain)) problems["email_domain"] = ["Enter a domain such as example.com."];
  if (clientId === "" || clientId.length > 255) problems["client_id"] = ["Enter the client id."];
  // Otherwise the former secret would be sent to another server or client.
  const kept = before?.issuer === issuer && before.client_id === clientId ? before.client_secret : null;
  if (given.clientSecret === "" && kept === null) problems["client_secret"] = ["Enter the client secret."];
  if (Object.keys(problems).length > 0) throw new FieldErrors(problems);
  const role = TENANT_ROLES.find((one) => one === given.roleForNew && one !== "owner");
  const id = before?.id ?? parts.ids.uuid();
  const sealed = () => parts.keys.seal(tenant, clientSecretContext(id), given.clientSecret);
  return {
    tenant,
    id,
    issuer,
    client_id: clientId,
    client_secret: given.clientSecret === "" && kept !== null ? kept : sealed(),
    email_domain: emailDomain,
    role_for_new: role === undefined || role === "owner" ? null : role,
    required: given.required,
  };
}

/**
 * Saves the settings if the author is still allowed to. If the provider becomes the only way to sign in, people who
 * signed in another way are signed out.
 * @param seen the last change that the author knows; null: there were no settings.
 * @returns how many people that were.
 * @throws Refusal scope_missing; record_in_use when there was another change.
 */
function save(
  { db, clock, ids }: Parts,
  author: Author,
  row: ProviderSettings,
  seen: Date | null,
): Promise<number> {
  return db.transaction(async (tx) => {
    const { tenant } = row;
    const before = await lockProvider(tx, tenant);
    const { caller } = author;
    const people = await lockAllPeople(tx, tenant);
    const person = people.find(({ id }) => caller.kind === "person" && id === caller.personId);
    if (person === undefined || !may(person.role, "people.write"))
      throw new Refusal("scope_missing", { detail: "Your role does not allow this any more." });
    if (caller.kind === "person") await requireOpenSession(tx, caller.tenant, caller.consoleSession);
    if (before?.updated_at.getTime() !== seen?.getTime()) throw changedMeanwhile();
    const now = clock.now();
    await saveProvider(tx, row, now);
    // At another provider the same subject is another person; people are known by their address again.
    if (row.issuer !== before?.issuer || row.client_id !== before.client_id)
      await forgetSubjects(tx, tenant, now);
    const bound = people.filter(({ role }) => mustUseProvider(row, role)).map(({ id }) => id);
    const signedOut = await endSessionsNotFromProvider(tx, { tenant, people: bound, now });
    await writeEntry(tx, author, {
      tenant,
      id: ids.uuid(),
      at: now,
      action: "update",
      resource: "single-sign-on",
      resourceId: null,
      before: before === null ? null : shown(before),
      after: { ...shown(row), ...(signedOut === 0 ? {} : { signed_out: signedOut }) },
    });
    return signedOut;
  });
}

function shown({ issuer, client_id, email_domain, role_for_new, required }: ProviderSettings): object {
  return { issuer, client_id, email_domain, role_for_new, required };
}
