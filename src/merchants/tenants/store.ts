/** The SQL of tenants: the operator's, so it names them by their ids and sees them all. */
import { sql, type Tx } from "../../db/database.ts";
import type { TenantRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import type { RecordStore } from "../records/store.ts";

const COLUMNS = `tenant, id, name, country, creditor_identifier, session_lifetime_seconds, default_locale,
          pre_notification_days, subscription_after_chargeback, subscription_after_refund, created_at, updated_at, archived_at`;

const INSERT = sql(
  "tenants.insert",
  `insert into tenants
     (id, created_at, updated_at, name, country, creditor_identifier, session_lifetime_seconds, default_locale,
      pre_notification_days, subscription_after_chargeback, subscription_after_refund)
   values ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (id) do nothing
   returning ${COLUMNS}`,
);
const FIND = sql(
  "tenants.find",
  `-- every tenant: the operator names one by its id
   select ${COLUMNS} from tenants where id = $1`,
);
const LOCK = sql(
  "tenants.lock",
  `-- every tenant: the operator names one by its id
   select ${COLUMNS} from tenants where id = $1 for update`,
);
const UPDATE = sql(
  "tenants.update",
  `update tenants
      set updated_at = $2, name = $3, country = $4, creditor_identifier = $5, session_lifetime_seconds = $6,
          default_locale = $7, pre_notification_days = $8, subscription_after_chargeback = $9,
          subscription_after_refund = $10
    where tenant = $1
   returning ${COLUMNS}`,
);
const ARCHIVE = sql(
  "tenants.archive",
  `update tenants set archived_at = $2, updated_at = $2
    where tenant = $1
   returning ${COLUMNS}`,
);
const LIST = {
  older: sql(
    "tenants.list_older",
    `-- every tenant: the operator lists them
     select ${COLUMNS} from tenants
      where ($1 or archived_at is null) and (created_at, id) < ($2, $3)
      order by created_at desc, id desc
      limit $4`,
  ),
  newer: sql(
    "tenants.list_newer",
    `-- every tenant: the operator lists them
     select ${COLUMNS} from tenants
      where ($1 or archived_at is null) and (created_at, id) > ($2, $3)
      order by created_at, id
      limit $4`,
  ),
};

/** The tenant's number is drawn by the database; the one that the operator's calls bring is none. */
export const tenantStore: RecordStore<TenantRow> = {
  async insert(tx, _tenant, id, at, values) {
    const rows = await tx.write<TenantRow>(INSERT, [id, at, ...settable(values)]);
    return rows[0] ?? null;
  },
  find: async (reader, _tenant, id) => (await reader.query<TenantRow>(FIND, [id]))[0] ?? null,
  lock: async (tx, _tenant, id) => (await tx.query<TenantRow>(LOCK, [id]))[0] ?? null,
  update: (tx, row, at) => written(tx, UPDATE, [row.tenant, at, ...settable(row)]),
  archive: (tx, row, at) => written(tx, ARCHIVE, [row.tenant, at]),
  list: (reader, _tenant, withArchived, { towards, at, id, limit }) =>
    reader.query<TenantRow>(LIST[towards], [withArchived, at, id, limit]),
};

function settable(values: Partial<TenantRow>): readonly unknown[] {
  const {
    name,
    country = null,
    creditor_identifier = null,
    session_lifetime_seconds,
    default_locale = null,
    pre_notification_days,
    subscription_after_chargeback,
    subscription_after_refund,
  } = values;
  return [
    name,
    country,
    creditor_identifier,
    session_lifetime_seconds,
    default_locale,
    pre_notification_days,
    subscription_after_chargeback,
    subscription_after_refund,
  ];
}

async function written(tx: Tx, statement: typeof UPDATE, values: readonly unknown[]): Promise<TenantRow> {
  const rows = await tx.write<TenantRow>(statement, values);
  return must(rows[0], "the locked tenant");
}
