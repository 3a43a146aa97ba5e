/** The SQL of people. */
import { sql, type Reader, type Tx } from "../db/database.ts";
import type { PeopleRow } from "../db/rows.ts";

export type PersonRow = Omit<PeopleRow, "updated_at">;

const COLUMNS = `tenant, id, email, name, role, locale, time_zone, password_hash, password_changed_at, totp_secret,
          totp_last_step, oidc_subject, joined_at, last_sign_in_at, removed_at, created_at`;

const INSERT = sql(
  "people.insert",
  `insert into people (tenant, id, email, name, role, oidc_subject, joined_at, created_at, updated_at)
   values (:tenant, :id, :email, :name, :role, :subject, :joinedAt, :now, :now)
       on conflict do nothing
   returning ${COLUMNS}`,
).gives<PersonRow>();

/** Null when the address, or the subject at the identity provider, is taken. */
export async function insertPerson(
  tx: Tx,
  given: Pick<PersonRow, "tenant" | "id" | "email" | "name" | "role"> & {
    readonly subject: string | null;
    readonly joinedAt: Date | null;
    readonly now: Date;
  },
): Promise<PersonRow | null> {
  return (await tx.write(INSERT, { ...given }))[0] ?? null;
}

const FIND = sql(
  "people.find",
  `select ${COLUMNS} from people where tenant = :tenant and id = :id and removed_at is null`,
).gives<PersonRow>();

export async function findPerson(reader: Reader, tenant: number, id: string): Promise<PersonRow | null> {
  return (await reader.query(FIND, { tenant, id }))[0] ?? null;
}

const LOCK = sql(
  "people.lock",
  `select ${COLUMNS} from people where tenant = :tenant and id = :id and removed_at is null for update`,
).gives<PersonRow>();

export async function lockPerson(tx: Tx, tenant: number, id: string): Promise<PersonRow | null> {
  return (await tx.query(LOCK, { tenant, id }))[0] ?? null;
}

const LOCK_WITH_OWNERS = sql(
  "people.lock_with_owners",
  `select ${COLUMNS} from people
    where tenant = :tenant and removed_at is null and (role in ('owner', 'operator') or id = any(:ids::uuid[]))
    order by id
      for update`,
).gives<PersonRow>();

/** Locks the given people and all owners, always in the same order: of two owners who remove each other one stays. */
export function lockWithOwners(
  tx: Tx,
  tenant: number,
  ids: readonly string[],
): Promise<readonly PersonRow[]> {
  return tx.query(LOCK_WITH_OWNERS, { tenant, ids });
}

const LOCK_ALL = sql(
  "people.lock_all",
  `select ${COLUMNS} from people where tenant = :tenant and removed_at is null order by id for update`,
).gives<PersonRow>();

/** Locks all people of a company, in the order of `lockWithOwners`: a concurrent sign-in waits, or has committed. */
export function lockAllPeople(tx: Tx, tenant: number): Promise<readonly PersonRow[]> {
  return tx.query(LOCK_ALL, { tenant });
}

const LIST = sql(
  "people.list",
  `select ${COLUMNS} from people
    where tenant = :tenant and removed_at is null
    order by name, email, id
    limit 1000`,
).gives<PersonRow>();

export function listPeople(reader: Reader, tenant: number): Promise<readonly PersonRow[]> {
  return reader.query(LIST, { tenant });
}

const FIND_BY_EMAIL = sql(
  "people.find_by_email",
  `-- every tenant: a person who signs in has not said which
   select ${COLUMNS} from people p
    where p.email = :email and p.removed_at is null and p.password_hash is not null
      and (:company::uuid is null or exists (
             select from tenants n where n.tenant = p.tenant and n.id = :company))
      and not exists (select from tenants n where n.tenant = p.tenant and n.archived_at is not null)
    order by p.last_sign_in_at desc nulls last, p.tenant
    limit :limit`,
).gives<PersonRow>();

/** People with a password under an address, most recent sign-in first. */
export function findByEmail(
  reader: Reader,
  given: { readonly email: string; readonly company: string | null; readonly limit: number },
): Promise<readonly PersonRow[]> {
  return reader.query(FIND_BY_EMAIL, { ...given });
}

const FIND_OF_PROVIDER = sql(
  "people.find_of_provider",
  `select ${COLUMNS} from people
    where tenant = :tenant and removed_at is null and (oidc_subject = :subject or email = :email)
    order by oidc_subject = :subject desc nulls last
    limit 1
      for update`,
).gives<PersonRow>();

/** The person with this subject at the identity provider, otherwise the one with the address. */
export async function findOfProvider(
  tx: Tx,
  given: { readonly tenant: number; readonly subject: string; readonly email: string },
): Promise<PersonRow | null> {
  return (await tx.query(FIND_OF_PROVIDER, { ...given }))[0] ?? null;
}

const FORGET_SUBJECTS = sql(
  "people.forget_subjects",
  `update people set oidc_subject = null, updated_at = :now where tenant = :tenant and oidc_subject is not null`,
);

/**
 * Forgets which subjects people are at the company's identity provider. A subject means a person only together with the
 * provider and the client that it was given to (OpenID Connect Core 1.0, section 8).
 */
export async function forgetSubjects(tx: Tx, tenant: number, now: Date): Promise<void> {
  await tx.write(FORGET_SUBJECTS, { tenant, now });
}

const UPDATE = sql(
  "people.update",
  `update people
      set name = :name, role = :role, locale = :locale, time_zone = :timeZone,
          password_hash = :passwordHash, password_changed_at = :passwordChangedAt,
          totp_secret = :totpSecret, totp_last_step = :totpLastStep, oidc_subject = :oidcSubject,
          joined_at = :joinedAt, last_sign_in_at = :lastSignInAt, removed_at = :removedAt, updated_at = :now
    where tenant = :tenant and id = :id
   returning ${COLUMNS}`,
).gives<PersonRow>();

/** Updates a locked person. */
export async function updatePerson(tx: Tx, row: PersonRow, now: Date): Promise<void> {
  await tx.write(UPDATE, {
    tenant: row.tenant,
    id: row.id,
    name: row.name,
    role: row.role,
    locale: row.locale,
    timeZone: row.time_zone,
    passwordHash: row.password_hash,
    passwordChangedAt: row.password_changed_at,
    totpSecret: row.totp_secret,
    totpLastStep: row.totp_last_step,
    oidcSubject: row.oidc_subject,
    joinedAt: row.joined_at,
    lastSignInAt: row.last_sign_in_at,
    removedAt: row.removed_at,
    now,
  });
}
