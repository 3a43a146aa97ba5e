/** The schema from the catalogs of a migrated database, as one readable SQL text: the result of all migrations. */
import { Client } from "pg";

export interface TableColumn {
  readonly name: string;
  /** In PostgreSQL's notation: `numeric(12,2)`, `text[]`. */
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly comment: string | null;
}

export interface Constraint {
  readonly name: string;
  readonly columns: readonly string[];
  /** `check (…)`, `primary key (…)`, `foreign key (…) references …` */
  readonly definition: string;
  readonly comment: string | null;
}

/** A complete statement: an index without a constraint, a view, a function or a trigger. */
interface Statement {
  readonly definition: string;
  readonly comment: string | null;
}

interface Index extends Statement {
  readonly name: string;
}

export interface Table {
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly TableColumn[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Index[];
}

export interface Schema {
  /** In the order of their creation. */
  readonly tables: readonly Table[];
  readonly others: readonly Statement[];
}

/** The words of a comment that fit a line. */
const LINE = /(.{1,110})(?: |$)/g;

type Of<Row> = Row & { readonly table: string };

/**
 * Reads the public schema of the database at `url`.
 * @throws Error when the server cannot be reached.
 */
export async function readSchema(url: string): Promise<Schema> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const tables = (await client.query<Pick<Table, "name" | "comment">>(TABLES)).rows;
    const columns = (await client.query<Of<TableColumn>>(COLUMNS)).rows;
    const constraints = (await client.query<Of<Constraint>>(CONSTRAINTS)).rows;
    const indexes = (await client.query<Of<Index>>(INDEXES)).rows;
    const others = (await client.query<Statement>(OTHERS)).rows;
    return {
      others: others.map(({ definition, comment }) => ({ definition: definition.trim(), comment })),
      tables: tables.map(({ name, comment }) => ({
        name,
        comment,
        columns: columns.filter(({ table }) => table === name),
        constraints: constraints
          .filter(({ table }) => table === name)
          .map((constraint) => ({ ...constraint, definition: lowerCase(constraint.definition) })),
        indexes: indexes
          .filter(({ table }) => table === name)
          .map((index) => ({
            ...index,
            definition: lowerCase(index.definition).replaceAll(/ on public\.| using btree/g, shortened),
          })),
      })),
    };
  } finally {
    await client.end();
  }
}

/** The schema as SQL, for people and for the comparison in CI. */
export function schemaSql({ tables, others }: Schema): string {
  const parts = tables.map((table) => [createTable(table), ...table.indexes.map(statement)].join("\n"));
  const head = "-- The sum of src/db/migrations, read from the catalogs. Generated: npm run generate.";
  return `${[head, ...parts, ...others.map(statement)].join("\n\n")}\n`;
}

function statement({ definition, comment }: Statement): string {
  return `${remark(comment)}${definition};`;
}

function createTable({ name, comment, columns, constraints }: Table): string {
  const nameWidth = Math.max(...columns.map((column) => column.name.length));
  const typeWidth = Math.max(...columns.map((column) => column.type.length));
  const lines = [
    ...columns.map((column) => remark(column.comment, "  ") + columnLine(column, nameWidth, typeWidth)),
    ...constraints.map(
      (constraint) =>
        `${remark(constraint.comment, "  ")}  constraint ${constraint.name} ${constraint.definition}`,
    ),
  ];
  return `${remark(comment)}create table ${name} (\n${lines.join(",\n")}\n);`;
}

/** A comment as lines above its subject; nothing without one. */
function remark(comment: string | null, indent = ""): string {
  if (comment === null) return "";
  return comment.replaceAll(LINE, `${indent}-- $1\n`);
}

function columnLine(column: TableColumn, nameWidth: number, typeWidth: number): string {
  const rules = [
    ...(column.nullable ? [] : ["not null"]),
    ...(column.default === null ? [] : [column.default]),
  ];
  return `  ${column.name.padEnd(nameWidth)}  ${column.type.padEnd(typeWidth)}  ${rules.join(" ")}`.trimEnd();
}

/** Keywords in lower case; quoted text stays unchanged. */
function lowerCase(definition: string): string {
  return definition.replaceAll(/'[^']*'|"[^"]*"|\b[A-Z]+\b/g, (part) =>
    /^['"]/.test(part) ? part : part.toLowerCase(),
  );
}

function shortened(part: string): string {
  return part === " on public." ? " on " : "";
}

/** Excludes tables of extensions, and partitions. */
const OURS = `
    c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')`;

const TABLES = `
  select c.relname                          as name,
         obj_description(c.oid, 'pg_class') as comment
    from pg_class c
   where ${OURS}
   order by c.oid`;

const COLUMNS = `
  select c.relname                            as table,
         a.attname                            as name,
         format_type(a.atttypid, a.atttypmod) as type,
         not a.attnotnull                     as nullable,
         case when a.attidentity = 'a'  then 'generated always as identity'
              when a.attidentity = 'd'  then 'generated by default as identity'
              when a.attgenerated = 's' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
              else 'default ' || pg_get_expr(d.adbin, d.adrelid)
          end                                 as default,
         col_description(c.oid, a.attnum)     as comment
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where ${OURS} and a.attnum > 0 and not a.attisdropped
   order by c.oid, a.attnum`;

// From PostgreSQL 18 on, `not null` is a constraint too; it is already shown with its column.
const CONSTRAINTS = `
  select c.relname                               as table,
         k.conname                               as name,
         pg_get_constraintdef(k.oid)             as definition,
         obj_description(k.oid, 'pg_constraint') as comment,
         array(select a.attname::text
                 from pg_attribute a
                where a.attrelid = c.oid and a.attnum = any (k.conkey)
                order by a.attnum)               as columns
    from pg_class c
    join pg_constraint k on k.conrelid = c.oid
   where ${OURS} and k.contype <> 'n'
   order by c.oid, position(k.contype::text in 'pucfx'), k.conname`;

const INDEXES = `
  select c.relname                          as table,
         x.relname                          as name,
         pg_get_indexdef(i.indexrelid)      as definition,
         obj_description(x.oid, 'pg_class') as comment
    from pg_class c
    join pg_index i on i.indrelid = c.oid
    join pg_class x on x.oid = i.indexrelid
   where ${OURS} and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = c.oid)
   order by c.oid, x.relname`;

const OTHERS = `
  select 1 as kind, p.proname as name, pg_get_functiondef(p.oid) as definition, obj_description(p.oid, 'pg_proc') as comment
    from pg_proc p
   where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
     and not exists (select from pg_depend e where e.objid = p.oid and e.deptype = 'e')
   union all
  select 2, c.relname, 'create view ' || c.relname || ' as' || chr(10) || rtrim(pg_get_viewdef(c.oid), ';'),
         obj_description(c.oid, 'pg_class')
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
   union all
  select 3, t.tgname, pg_get_triggerdef(t.oid), obj_description(t.oid, 'pg_trigger')
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
   order by 1, 2`;
