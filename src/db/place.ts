/**
 * Places tables on a Citus cluster by `PLACEMENTS`, with their rows, foreign keys and triggers, within one transaction.
 */
import type pg from "pg";
import { FUNCTIONS_WITH, PLACEMENTS, type Placement } from "./placement.ts";

/** Whether some table of the database is distributed already. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ catalog: string | null }>(
    "select to_regclass('pg_catalog.pg_dist_partition') as catalog",
  );
  if (rows[0]?.catalog === null) return false;
  const { rows: distributed } = await client.query(
    "select from pg_dist_partition where partmethod = 'h' limit 1",
  );
  return distributed.length > 0;
}

/** Settings of a transaction that creates, changes or places tables of a distributed database. */
export async function prepareForPlacing(client: pg.ClientBase): Promise<void> {
  // One connection to each node: statements of one transaction see each other's tables then.
  await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
  // Otherwise a table that references `tenants` becomes a Citus local table before it is placed.
  await client.query("set local citus.enable_local_reference_table_foreign_keys to off");
  // The triggers that keep history unchanged work on each shard separately.
  await client.query("set local citus.enable_unsafe_triggers to on");
}

/** Places the tables and functions that a migration has added, within its transaction. */
export async function placeNewTables(client: pg.ClientBase): Promise<void> {
  await place(client, await tablesOf(client), () => {});
  await placeFunctions(client, () => {});
}

/** A table of the database with its required and actual placement. */
export interface PlacedTable {
  readonly name: string;
  /** Null: it is not in the list. */
  readonly wanted: Placement | null;
  readonly is: Placement | "elsewhere";
}

/** Whether the table has yet to be moved to its place. */
export function isToBePlaced({ wanted, is }: PlacedTable): boolean {
  return wanted !== null && wanted !== is;
}

/** Every table of the database that was not created by an extension. */
export async function tablesOf(client: pg.ClientBase): Promise<readonly PlacedTable[]> {
  const { rows } = await client.query<{ name: string; is: PlacedTable["is"] }>(`
    select c.relname as name,
           case when p.logicalrelid is null                                then 'coordinator'
                when p.partmethod = 'n' and p.repmodel = 't'               then 'everywhere'
                when p.partmethod = 'h' and column_to_column_name(p.logicalrelid, p.partkey) = 'tenant' then 'by tenant'
                else 'elsewhere'
            end       as is
      from pg_class c
      left join pg_dist_partition p on p.logicalrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')
     order by c.relname`);
  return rows.map((row) => ({ ...row, wanted: PLACEMENTS[row.name] ?? null }));
}

/**
 * Places tables that are elsewhere.
 * @param say is called with each completed step.
 */
export async function place(
  client: pg.ClientBase,
  tables: readonly PlacedTable[],
  say: (step: string) => void,
): Promise<void> {
  const missing = tables.filter(isToBePlaced);
  if (missing.length === 0) return;
  await prepareForPlacing(client);
  const names = missing.map(({ name }) => name);
  // A trigger would record the copied rows a second time.
  const triggers = await takenOff(client, TRIGGERS, names);
  const foreignKeys = await takenOff(client, FOREIGN_KEYS, names);
  say(`${foreignKeys.length} foreign keys and ${triggers.length} triggers are taken off`);
  let anchor = tables.find((table) => table.wanted === "by tenant" && !isToBePlaced(table))?.name ?? null;
  // Referenced tables come first.
  for (const { name, wanted } of missing.toSorted((a, b) => rank(a) - rank(b))) {
    const table = client.escapeIdentifier(name);
    if (wanted === "everywhere") {
      await client.query("select create_reference_table($1)", [table]);
    } else {
      await client.query("select create_distributed_table($1, 'tenant', colocate_with => $2)", [
        table,
        anchor === null ? "none" : client.escapeIdentifier(anchor),
      ]);
      anchor ??= name;
    }
    // The rows were copied to the nodes; the coordinator's own copy would become stale.
    await client.query("select truncate_local_data_after_distributing_table($1)", [table]);
    say(`${name}: ${wanted}`);
  }
  for (const statement of [...foreignKeys, ...triggers]) await client.query(statement);
  say(`${foreignKeys.length} foreign keys and ${triggers.length} triggers are back`);
}

/**
 * Lets the functions that change a tenant's rows run on its worker.
 * @param say is called with each completed step.
 */
export async function placeFunctions(client: pg.ClientBase, say: (step: string) => void): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
      where not exists (select from pg_dist_object o
                         where o.objid = name::regprocedure and o.distribution_argument_index is not null)`,
    [Object.keys(FUNCTIONS_WITH)],
  );
  for (const { name } of rows) {
    await client.query(
      "select create_distributed_function($1::regprocedure, '$1', colocate_with => $2, force_delegation => true)",
      [name, FUNCTIONS_WITH[name]],
    );
    say(`${name}: on the tenant's worker`);
  }
}

function rank({ wanted }: PlacedTable): number {
  return wanted === "everywhere" ? 0 : 1;
}

/** The foreign keys from and to the tables `$1`. */
const FOREIGN_KEYS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname)                            as off,
         format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as on
    from pg_constraint
   where contype = 'f' and connamespace = 'public'::regnamespace
     and ((select relname from pg_class where oid = conrelid) = any ($1)
       or (select relname from pg_class where oid = confrelid) = any ($1))
   order by conrelid::regclass::text, conname`;

const TRIGGERS = `
  select format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as off, pg_get_triggerdef(t.oid) as on
    from pg_trigger t
    join pg_class   c on c.oid = t.tgrelid and c.relnamespace = 'public'::regnamespace
   where not t.tgisinternal and c.relname = any ($1)
   order by c.relname, t.tgname`;

/**
 * Drops them.
 * @returns the statements that create them again.
 */
async function takenOff(
  client: pg.ClientBase,
  found: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ off: string; on: string }>(found, [names]);
  for (const { off } of rows) await client.query(off);
  return rows.map(({ on }) => on);
}
