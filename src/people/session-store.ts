/** The SQL of console sessions. */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { ConsoleSessionRow, PeopleRow } from "../db/rows.ts";

/** A session with its person and the person's company. */
export type OpenConsoleSession = Pick<
  ConsoleSessionRow,
  "tenant" | "id" | "person" | "stage" | "method" | "proved_at" | "seen_at" | "failures"
> &
  Pick<PeopleRow, "email" | "name" | "role" | "locale" | "time_zone"> & {
    company_id: string | null;
    company_name: string | null;
    step_up_refunds_above: string | null;
  };

const FIND = sql(
  "console_sessions.find",
  `select s.tenant, s.id, s.person, s.stage, s.method, s.proved_at, s.seen_at, s.failures,
          p.email, p.name, p.role, p.locale, p.time_zone, n.id as company_id, n.name as company_name,
          n.step_up_refunds_above
     from console_sessions s
     join people p on p.tenant = :tenant and p.id = s.person and p.removed_at is null
     left join tenants n on n.tenant = :tenant
    where s.tenant = :tenant and s.hash = :hash
      and s.ended_at is null and s.expires_at > :now and s.seen_at > :idleSince
      and n.archived_at is null`,
).gives<OpenConsoleSession>();

/** The open session with this hash. */
export async function findSession(
  reader: Reader,
  given: { readonly tenant: number; readonly hash: Buffer; readonly now: Date; readonly idleSince: Date },
): Promise<OpenConsoleSession | null> {
  return (await reader.query(FIND, { ...given }))[0] ?? null;
}

const INSERT = sql(
  "console_sessions.insert",
  `insert into console_sessions (tenant, id, person, hash, stage, method, proved_at, challenge, ip, user_agent,
                                 seen_at, expires_at, created_at)
   values (:tenant, :id, :person, :hash, :stage, :method, :at, :challenge, :ip, :userAgent, :at, :expiresAt, :at)
       on conflict (tenant, challenge) do nothing
   returning id`,
).gives<{ id: string }>();

export interface NewConsoleSession {
  readonly tenant: number;
  readonly id: string;
  readonly person: string;
  readonly hash: Buffer;
  readonly stage: ConsoleSessionRow["stage"];
  readonly method: ConsoleSessionRow["method"];
  readonly challenge: Buffer | null;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Returns false when the challenge was answered before. */
export async function insertConsoleSession(tx: Tx, session: NewConsoleSession): Promise<boolean> {
  return (await tx.write(INSERT, { ...session })).length === 1;
}

const TOUCH = sql(
  "console_sessions.touch",
  `update console_sessions set seen_at = :now
    where tenant = :tenant and id = :id and ended_at is null and seen_at < :now`,
);

export async function touchSession(db: Database, tenant: number, id: string, now: Date): Promise<void> {
  await db.commit(TOUCH, { tenant, id, now });
}

const FAIL = sql(
  "console_sessions.fail",
  `update console_sessions
      set failures = failures + 1, ended_at = case when failures + 1 >= :failuresMax then :now else ended_at end
    where tenant = :tenant and id = :id and ended_at is null
   returning failures`,
).gives<{ failures: number }>();

/** Counts a wrong second factor; the last allowed one ends the session. */
export async function failSession(
  db: Database,
  given: { readonly tenant: number; readonly id: string; readonly failuresMax: number; readonly now: Date },
): Promise<void> {
  await db.commit(FAIL, { ...given });
}

const RENEW = sql(
  "console_sessions.renew",
  `with old as (
     update console_sessions set ended_at = :now
      where tenant = :tenant and id = :id and ended_at is null
     returning person, stage, method, ip, user_agent, expires_at
   ), renewed as (
     insert into console_sessions (tenant, id, person, hash, stage, method, proved_at, challenge, ip, user_agent,
                                   seen_at, expires_at, created_at)
     select :tenant, :newId, person, :hash, stage, method, :now, :challenge, ip, user_agent, :now, expires_at, :now
       from old
         on conflict (tenant, challenge) do nothing
     returning id
   )
   select id from renewed`,
).gives<{ id: string }>();

/**
 * Replaces the session of a person who has just proved the second factor; the new one has the same expiry. Returns
 * false when the old one had ended or the proof was used before; both are ended then.
 */
export async function renewSession(
  tx: Tx,
  given: {
    readonly tenant: number;
    readonly id: string;
    readonly newId: string;
    readonly hash: Buffer;
    readonly challenge: Buffer | null;
    readonly now: Date;
  },
): Promise<boolean> {
  return (await tx.write(RENEW, { ...given })).length === 1;
}

const END = sql(
  "console_sessions.end",
  `update console_sessions set ended_at = :now
    where tenant = :tenant and person = :person and id = :id and ended_at is null
   returning id`,
).gives<{ id: string }>();

/** Ends a session; returns false unless it was an open session of the person. */
export async function endSession(
  tx: Tx,
  given: { readonly tenant: number; readonly person: string; readonly id: string; readonly now: Date },
): Promise<boolean> {
  return (await tx.write(END, { ...given })).length === 1;
}

const END_ALL = sql(
  "console_sessions.end_all",
  `update console_sessions set ended_at = :now
    where tenant = :tenant and person = :person and ended_at is null and (:but::uuid is null or id <> :but)
   returning id`,
).gives<{ id: string }>();

/** Ends a person's sessions, all or all but one; returns how many. */
export async function endSessions(
  tx: Tx,
  given: {
    readonly tenant: number;
    readonly person: string;
    readonly but: string | null;
    readonly now: Date;
  },
): Promise<number> {
  return (await tx.write(END_ALL, { ...given })).length;
}

const END_NOT_FROM_PROVIDER = sql(
  "console_sessions.end_not_from_provider",
  `update console_sessions set ended_at = :now
    where tenant = :tenant and person = any(:people::uuid[]) and method <> 'oidc' and ended_at is null
   returning person`,
).gives<Pick<ConsoleSessionRow, "person">>();

/** Ends the sessions of these people that were not opened at the identity provider; returns the number of people. */
export async function endSessionsNotFromProvider(
  tx: Tx,
  given: { readonly tenant: number; readonly people: readonly string[]; readonly now: Date },
): Promise<number> {
  return new Set((await tx.write(END_NOT_FROM_PROVIDER, { ...given })).map(({ person }) => person)).size;
}

/** A session as shown in lists. */
export type ListedSession = Pick<
  ConsoleSessionRow,
  "id" | "method" | "ip" | "user_agent" | "created_at" | "seen_at" | "expires_at"
>;

const LIST = sql(
  "console_sessions.list",
  `select id, method, ip, user_agent, created_at, seen_at, expires_at
     from console_sessions
    where tenant = :tenant and person = :person and stage = 'full'
      and ended_at is null and expires_at > :now and seen_at > :idleSince
    order by seen_at desc, id
    limit 100`,
).gives<ListedSession>();

/** The open sessions of a person. */
export function listConsoleSessions(
  reader: Reader,
  given: { readonly tenant: number; readonly person: string; readonly now: Date; readonly idleSince: Date },
): Promise<readonly ListedSession[]> {
  return reader.query(LIST, { ...given });
}

const TENANTS_TO_FORGET = sql(
  "console_sessions.tenants_to_forget",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from console_sessions where expires_at < :before limit :limit`,
).gives<{ tenant: number }>();

/** Tenants with sessions that ended long ago. */
export async function tenantsWithOldSessions(
  db: Reader,
  before: Date,
  limit: number,
): Promise<readonly number[]> {
  return (await db.query(TENANTS_TO_FORGET, { before, limit })).map(({ tenant }) => tenant);
}

const FORGET = sql(
  "console_sessions.forget",
  `with old as (
     select id
       from console_sessions
      where tenant = :tenant and expires_at < :before
      limit :limit
        for update skip locked
   )
   delete from console_sessions s using old where s.tenant = :tenant and s.id = old.id
   returning s.id`,
).gives<{ id: string }>();

/** Deletes the tenant's sessions that ended long ago; returns how many. */
export async function forgetSessions(
  db: Database,
  tenant: number,
  before: Date,
  limit: number,
): Promise<number> {
  return (await db.commit(FORGET, { tenant, before, limit })).length;
}
