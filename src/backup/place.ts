/**
 * Detects that the database was restored from a backup (docs/decisions/0028-restored-databases.md). What was sent after
 * the backup is not in it, so the service would send it again: it is held until an operator releases it.
 */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { DatabasePlaceRow } from "../db/rows.ts";

type Place = Pick<DatabasePlaceRow, "server" | "database" | "timeline">;
type Reason = DatabasePlaceRow["reason"];

/** Why the service is held. */
export interface Held {
  readonly reason: Reason;
  readonly since: Date;
}

const HERE = sql(
  "places.here",
  `select coalesce(s.system_identifier::text, '') as server,
          d.oid || '/' || 'database_places'::regclass::oid::text as database,
          coalesce(left(pg_walfile_name(pg_current_wal_lsn()), 8), '') as timeline
     from pg_control_system() s, pg_database d where d.datname = current_database()`,
).gives<Place>();

/** The check for each new connection, to detect that the database was restored while the process runs. */
export function samePlace() {
  let first: string | null = null;
  const accepts = (row: object): boolean => {
    const here = JSON.stringify(row);
    first ??= here;
    return here === first;
  };
  return {
    statement: HERE,
    accepts,
    /** Whether `db`, which does not check its own connections, still leads to that database. */
    holds: async (db: Reader): Promise<boolean> => accepts(await placeOf(db)),
  };
}

type Newest = Omit<DatabasePlaceRow, "number">;

const NEWEST = sql(
  "places.newest",
  "select server, database, timeline, reason, found_at, released_at from database_places order by number desc limit 1",
).gives<Newest>();

/** A detected restore. */
export type Restore = Pick<DatabasePlaceRow, "reason" | "found_at" | "released_at">;

const RESTORES = sql(
  "places.restores",
  `select reason, found_at, released_at from database_places
    where reason <> 'first' and (:held::boolean is null or :held = (released_at is null))
    order by number desc
    limit 100`,
).gives<Restore>();

/**
 * The newest hundred, newest first.
 * @param held true: only those that still hold the service; false: only the others.
 */
export function listRestores(db: Reader, held: boolean | null): Promise<readonly Restore[]> {
  return db.query(RESTORES, { held });
}

const ADD = sql(
  "places.add",
  `insert into database_places (server, database, timeline, reason, found_at, released_at)
   values (:server, :database, :timeline, :reason, :now, case when :reason = 'first' then :now::timestamptz end)`,
);

const RELEASE = sql(
  "places.release",
  "update database_places set released_at = :now where released_at is null returning number",
).gives<Pick<DatabasePlaceRow, "number">>();

const ONE_AT_A_TIME = sql(
  "places.one_at_a_time",
  "select pg_advisory_xact_lock(hashtext('database places'))",
);

/** Checks where the database runs and records a new place. Returns why nothing may be sent; null if everything may. */
export async function checkPlace(db: Database, now: Date): Promise<Held | null> {
  const [known] = await db.query(NEWEST, {});
  return differenceOf(known ?? null, await placeOf(db)) === null
    ? heldAt(known)
    : db.transaction((tx) => lookAlone(tx, now));
}

/**
 * If several instances detect a new place at the same time, one records it: a second row would hold the service after
 * its release.
 */
async function lookAlone(tx: Tx, now: Date): Promise<Held | null> {
  await tx.query(ONE_AT_A_TIME, {});
  const [known] = await tx.query(NEWEST, {});
  const here = await placeOf(tx);
  const reason = differenceOf(known ?? null, here);
  if (reason === null) return heldAt(known);
  await tx.write(ADD, { ...here, reason, now });
  return reason === "first" ? null : { reason, since: now };
}

function heldAt(known: Newest | undefined): Held | null {
  return known?.released_at === null ? { reason: known.reason, since: known.found_at } : null;
}

/** Why the service is held, as last recorded; null if it is not. Records nothing. */
export async function readHeld(db: Reader): Promise<Held | null> {
  return heldAt((await db.query(NEWEST, {}))[0]);
}

/** Holds the service after a restore that cannot be detected, such as a copy of the server's files. */
export async function holdByHand(db: Database, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(ONE_AT_A_TIME, {});
    await tx.write(ADD, { ...(await placeOf(tx)), reason: "by hand", now });
  });
}

/**
 * Lets the service send again, with numbers of bank messages that no lost file had. It checks the place first: right
 * after a restore nothing has detected it yet. Returns false when the service was not held.
 */
export async function release(
  db: Database,
  skipMessageNumbers: (tx: Tx) => Promise<void>,
  now: Date,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lookAlone(tx, now);
    const released = await tx.write(RELEASE, { now });
    if (released.length === 0) return false;
    await skipMessageNumbers(tx);
    return true;
  });
}

/** The most important difference; null if there is none. */
export function differenceOf(known: Place | null, here: Place): Reason | null {
  if (known === null) return "first";
  if (known.server !== here.server) return "another server";
  if (known.database !== here.database) return "another database";
  return known.timeline === here.timeline ? null : "another timeline";
}

async function placeOf(tx: Reader): Promise<Place> {
  const [here] = await tx.query(HERE, {});
  if (here === undefined) throw new Error("PostgreSQL does not say where it runs");
  return here;
}

const NEWEST_EVENT = sql(
  "places.newest_event",
  `-- every tenant: a backup is restored of all
   select max(e.created_at) as newest from events e`,
).gives<{ newest: Date | null }>();

const WAITING = sql(
  "places.waiting",
  `-- every tenant: a backup is restored of all
   select w.what, w.count from (values
     (1, 'payments whose outcome is not known: recovery asks the gateway, which answers without charging again',
      (select count(*)::int from transactions t where t.status in ('submitted', 'verifying', 'unresolved'))),
     (2, 'instructions that wait for a bank file: ask the bank whether they were in one',
      (select count(*)::int from sepa_collections c where c.state = 'accepted')),
     (3, 'bank files that are not recorded as sent: ask the bank whether they arrived',
      (select count(*)::int from sepa_files f where f.direction = 'out' and f.status in ('to_approve', 'ready', 'stored', 'uploading', 'renaming', 'unclear'))),
     (4, 'subscriptions that are due: ask the gateway whether they were collected',
      (select count(*)::int from subscriptions u where u.status <> 'CANCELLED' and u.next_billing_date <= (:now::timestamptz at time zone 'UTC')::date)),
     (5, 'sessions that can be paid: some may have been paid',
      (select count(*)::int from sessions s where s.status = 'PENDING' and s.expires_at > :now::timestamptz)),
     (6, 'webhooks to deliver: some may have been delivered, under the same event id',
      (select count(*)::int from webhook_deliveries d where d.due_at is not null))
   ) as w (number, what, count)
    where w.count > 0
    order by w.number`,
).gives<{ what: string; count: number }>();

/** What the restored database ends with, and what it would send. */
export async function readRestored(db: Reader, now: Date) {
  const [row] = await db.query(NEWEST_EVENT, {});
  return { newest: row?.newest ?? null, waiting: await db.query(WAITING, { now }) };
}
