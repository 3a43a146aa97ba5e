/** The statements of forgetting. */
import { sql, type Database, type Reader } from "../db/database.ts";
import { tenantsOf } from "./store.ts";

/** What has not been processed is not forgotten. */
const OLD_PAYLOAD = (now: string) =>
  `a.payload is not null and a.status <> 'received'
      and a.created_at < ${now}::timestamptz - make_interval(days => i.payload_retention_days)`;

const OLD_SKIPPED = (now: string) =>
  `a.status = 'skipped' and a.created_at < ${now}::timestamptz - make_interval(days => i.payload_retention_days)`;

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
                   and (${OLD_PAYLOAD("$1")} or ${OLD_SKIPPED("$1")})
              )
       union
       select tenant from integration_postback_keys where expires_at < $2
     ) old
    limit $3`,
);

export async function tenantsToForget(
  db: Reader,
  now: Date,
  keysBefore: Date,
  limit: number,
): Promise<readonly number[]> {
  return tenantsOf(await db.query(TENANTS_TO_FORGET, [now, keysBefore, limit]));
}

const FORGET_PAYLOADS = sql(
  "integrations.forget_payloads",
  `update integration_activities a
      set payload = null
    where a.tenant = $1 and a.id in (
            select a.id
              from integration_activities a
              join integrations i on i.tenant = $1 and i.id = a.integration_id
             where a.tenant = $1 and ${OLD_PAYLOAD("$2")}
             limit $3
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
  return (await db.commit(FORGET_PAYLOADS, [tenant, now, limit])).length;
}

const FORGET_SKIPPED = sql(
  "integrations.forget_skipped",
  `delete from integration_activities
    where tenant = $1 and id in (
            select a.id
              from integration_activities a
              join integrations i on i.tenant = $1 and i.id = a.integration_id
             where a.tenant = $1 and ${OLD_SKIPPED("$2")}
             limit $3
               for update of a skip locked
          )
   returning id`,
);

/** Rows of postbacks that nobody read say nothing after that time. */
export async function forgetSkipped(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return (await db.commit(FORGET_SKIPPED, [tenant, now, limit])).length;
}

const FORGET_KEYS = sql(
  "integrations.forget_keys",
  `delete from integration_postback_keys
    where tenant = $1 and (integration_id, fingerprint) in (
            select integration_id, fingerprint
              from integration_postback_keys
             where tenant = $1 and expires_at < $2
             limit $3
               for update skip locked
          )
   returning activity_id`,
);

export async function forgetKeys(db: Database, tenant: number, before: Date, limit: number): Promise<number> {
  return (await db.commit(FORGET_KEYS, [tenant, before, limit])).length;
}
