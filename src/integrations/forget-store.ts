/** The SQL of deleting old postback bodies. */
import { sql, type Database, type Reader } from "../db/database.ts";
import { tenantsOf } from "./store.ts";

/** Only processed postbacks are deleted. */
const OLD_PAYLOAD = <Now extends string>(now: Now) =>
  `a.payload is not null and a.status <> 'received'
      and a.created_at < ${now}::timestamptz - make_interval(days => i.payload_retention_days)` as const;

const OLD_SKIPPED = <Now extends string>(now: Now) =>
  `a.status = 'skipped' and a.created_at < ${now}::timestamptz - make_interval(days => i.payload_retention_days)` as const;

const TENANTS_TO_FORGET = sql(
  "integrations.tenants_to_forget",
  `-- every tenant: the job looks for the tenants that have something to do
   select tenant
     from (
       select i.tenant
         from integrations i
        where exists (
                select 1
                  from integration_activities a
                 where a.tenant = i.tenant and a.integration_id = i.id
                   and (${OLD_PAYLOAD(":now")} or ${OLD_SKIPPED(":now")})
              )
       union
       select tenant from integration_postback_keys where expires_at < :keysBefore
     ) old
    limit :limit`,
);

export async function tenantsToForget(
  db: Reader,
  now: Date,
  keysBefore: Date,
  limit: number,
): Promise<readonly number[]> {
  return tenantsOf(await db.query(TENANTS_TO_FORGET, { now, keysBefore, limit }));
}

const FORGET_PAYLOADS = sql(
  "integrations.forget_payloads",
  `update integration_activities a
      set payload = null
    where a.tenant = :tenant and a.id in (
            select a.id
              from integration_activities a
              join integrations i on i.tenant = :tenant and i.id = a.integration_id
             where a.tenant = :tenant and ${OLD_PAYLOAD(":now")}
             limit :limit
               for update of a skip locked
          )
   returning a.id`,
);

export async function forgetPayloads(
  db: Database,
  tenant: number,
  now: Date,
  limit: number,
): Promise<number> {
  return (await db.commit(FORGET_PAYLOADS, { tenant, now, limit })).length;
}

const FORGET_SKIPPED = sql(
  "integrations.forget_skipped",
  `delete from integration_activities
    where tenant = :tenant and id in (
            select a.id
              from integration_activities a
              join integrations i on i.tenant = :tenant and i.id = a.integration_id
             where a.tenant = :tenant and ${OLD_SKIPPED(":now")}
             limit :limit
               for update of a skip locked
          )
   returning id`,
);

/** Rows of skipped postbacks are useless after that time. */
export async function forgetSkipped(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return (await db.commit(FORGET_SKIPPED, { tenant, now, limit })).length;
}

const FORGET_KEYS = sql(
  "integrations.forget_keys",
  `delete from integration_postback_keys
    where tenant = :tenant and (integration_id, fingerprint) in (
            select integration_id, fingerprint
              from integration_postback_keys
             where tenant = :tenant and expires_at < :before
             limit :limit
               for update skip locked
          )
   returning activity_id`,
);

export async function forgetKeys(db: Database, tenant: number, before: Date, limit: number): Promise<number> {
  return (await db.commit(FORGET_KEYS, { tenant, before, limit })).length;
}
