/** Stored responses of Idempotency-Keys, and which requests are still running (contract: Idempotency keys). */
import {
  ANSWERS_KEPT_MS,
  RUN_LOCK_MS,
  type AnswerStore,
  type Begun,
  type OldAnswers,
} from "../lib/answer-store.ts";
import { sql, type Database, type Value } from "./database.ts";
import { isFreeFor, leaseEnd } from "./lease.ts";
import { writesTogether } from "./together.ts";

interface BegunRow {
  readonly kind: Begun["kind"];
  readonly request_id: string;
  readonly status: number | null;
  readonly answer: Buffer | null;
}

/** An attempt without a row met another request, which then runs. */
const BEGIN_TRIES = 5;

export function createAnswerStore(db: Database): AnswerStore & OldAnswers {
  return {
    async begin({ tenant, ...values }) {
      for (let tries = 1; tries <= BEGIN_TRIES; tries += 1) {
        const [row] = await db.together(BEGIN, tenant, values);
        if (row !== undefined) return begun(row);
      }
      return { kind: "running" };
    },
    async finish({ tenant, ...values }) {
      await db.together(FINISH, tenant, values);
    },
    async abandon({ tenant, caller, key, operationId }) {
      await db.commit(ABANDON, { tenant, caller, key, operationId });
    },
    async forget(tenant, before, limit) {
      const [row] = await db.commit(FORGET, { tenant, before, limit });
      return row?.forgotten ?? 0;
    },
    async tenantsWithOld(before, limit) {
      const rows = await db.query(TENANTS_WITH_OLD, { before, limit });
      return rows.map(({ tenant }) => tenant);
    },
  };
}

/** Calls with the same key are serialised, and so are those of a caller with a limit. */
const sameKey = ({ caller, key, keysMax = null }: Readonly<Record<string, Value>>) =>
  keysMax === null ? [`${String(caller)} ${String(key)}`] : [String(caller)];

function begun({ kind, request_id, status, answer }: BegunRow): Begun {
  if (kind === "new") return { kind, operationId: request_id };
  if (kind !== "answered") return { kind };
  if (status === null || answer === null) throw new Error("An answer is stored with its status");
  return { kind, status, answer };
}

const KEPT = `interval '${ANSWERS_KEPT_MS} milliseconds'`;

const OTHER_KEYS = `select count(*) from idempotency_keys
                where tenant = :tenant and caller = v.caller and key <> v.key and created_at >= v.now - ${KEPT}`;

/** SQL: the age of the existing row compared with the one to be inserted. */
const IS_OLD = `excluded.created_at - k.created_at > ${KEPT}`;

/**
 * The insert decides: it waits for a request that is claiming the key, and its condition sees the row that this one
 * leaves. The loser reads the row as of the start of the statement: it may not exist yet, or be about to be replaced
 * because of its age. No row is returned then, and asking again finds it.
 */
const BEGIN = writesTogether(
  "idempotency.begin",
  {
    caller: "text",
    key: "text",
    requestHash: "bytea",
    operationId: "uuid",
    now: "timestamptz",
    keysMax: "integer",
  },
  `with claimed as (
     insert into idempotency_keys as k
            (tenant, caller, key, request_hash, request_id, created_at, locked_until)
     select :tenant, v.caller, v.key, v.requestHash, v.operationId, v.now, ${leaseEnd(RUN_LOCK_MS)}
       from v
      where v.keysMax is null or (${OTHER_KEYS}) < v.keysMax
      order by v.caller, v.key
     on conflict (tenant, caller, key) do update
        set request_hash = excluded.request_hash,
            request_id   = case when ${IS_OLD} then excluded.request_id else k.request_id end,
            created_at   = case when ${IS_OLD} then excluded.created_at else k.created_at end,
            locked_until = excluded.locked_until,
            status       = null,
            answer       = null
      where ${IS_OLD}
         or (k.status is null and ${isFreeFor("k.locked_until", "excluded.locked_until", RUN_LOCK_MS)} and k.request_hash = excluded.request_hash)
     returning caller, key, request_id
   )
   select v.n, 'new' as kind, c.request_id, null::integer as status, null::bytea as answer
     from v join claimed c on c.caller = v.caller and c.key = v.key
    union all
   select v.n,
          case when k.request_hash <> v.requestHash then 'mismatch'
               when k.status is null     then 'running'
               else 'answered'
          end,
          k.request_id, k.status, k.answer
     from v
     join idempotency_keys k on k.tenant = :tenant and k.caller = v.caller and k.key = v.key and k.created_at >= v.now - ${KEPT}
    where not exists (select from claimed c where c.caller = v.caller and c.key = v.key)
    union all
   select v.n, 'too_many', v.operationId, null, null
     from v
    where (${OTHER_KEYS}) >= v.keysMax
      and not exists (select from claimed c where c.caller = v.caller and c.key = v.key)
      and not exists (select from idempotency_keys where tenant = :tenant and caller = v.caller and key = v.key and created_at >= v.now - ${KEPT})`,
  sameKey,
).gives<BegunRow>();

const FINISH = writesTogether(
  "idempotency.finish",
  { caller: "text", key: "text", operationId: "uuid", status: "integer", answer: "bytea" },
  `with finished as (
     update idempotency_keys k
        set status = v.status, answer = v.answer, locked_until = null
       from v
      where k.tenant = :tenant and k.caller = v.caller and k.key = v.key and k.request_id = v.operationId and k.status is null
     returning v.n
   )
   select n from finished`,
  sameKey,
).gives<object>();

// The row stays: what the run created before it failed is found again under its operation id.
const ABANDON = sql(
  "idempotency.abandon",
  `update idempotency_keys
      set locked_until = null
    where tenant = :tenant and caller = :caller and key = :key and request_id = :operationId and status is null`,
);

const FORGET = sql(
  "idempotency.forget",
  `with old as (
     select caller, key
       from idempotency_keys
      where tenant = :tenant and created_at < :before
      order by created_at
      limit :limit
        for update skip locked
   ), forgotten as (
     delete from idempotency_keys k
      using old
      where k.tenant = :tenant and k.caller = old.caller and k.key = old.key
     returning 1
   )
   select count(*)::integer as forgotten from forgotten`,
).gives<{ forgotten: number }>();

const TENANTS_WITH_OLD = sql(
  "idempotency.tenants_with_old",
  `select distinct tenant
     from idempotency_keys -- every tenant: the clean-up begins with who has something to clean up
    where created_at < :before
    limit :limit`,
).gives<{ tenant: number }>();
