/** The SQL of the three lists, built from the records' fields: nothing else is read. */
import { sql, type Statement } from "../db/database.ts";
import type { Reads } from "../db/replica.ts";
import { PAGE_SIZE_MAX } from "../http/paging.ts";
import type { Window } from "../lib/window.ts";
import type { RecordValues } from "./format.ts";
import { CHARGEBACKS, SUBSCRIPTIONS, TRANSACTIONS, type Field, type RecordType } from "./lists.ts";
import { isoFromDatabase } from "./timestamps.ts";

/** Which records a list shows. */
export interface ListFilters {
  /** The first instant of the first day. */
  readonly from: Date;
  /** The first instant after the last day. */
  readonly before: Date;
  readonly gatewayId: string | null;
  readonly statuses: readonly string[] | null;
  readonly types: readonly string[] | null;
  /** Days, both inclusive. */
  readonly nextBillingFrom: string | null;
  readonly nextBillingTo: string | null;
}

interface Source {
  readonly table: string;
  /** The alias that the fields use. */
  readonly as: string;
  /** The column that orders the list. */
  readonly at: string;
  /** Tables that the fields use besides the main one. */
  readonly joined: string;
  /** Filters that the other lists do not have. */
  readonly filters: string;
  /** The status of nearly all records. Others have an index by status; null: there are no others. */
  readonly usual: string | null;
}

const SOURCES: Readonly<Record<RecordType["plural"], Source>> = {
  transactions: {
    table: "transactions",
    as: "t",
    at: "processed_at",
    joined: "left join mandates m on m.tenant = :tenant and m.id = t.mandate_id",
    filters: "(:types::text[] is null or t.type = any (:types))",
    usual: "approved",
  },
  chargebacks: {
    table: "chargebacks",
    as: "c",
    at: "report_date",
    joined: "",
    filters: "(:types::text[] is null or c.type = any (:types))",
    usual: null,
  },
  subscriptions: {
    table: "subscriptions",
    as: "u",
    at: "created_at",
    joined: "",
    filters: `(:nextBillingFrom::date is null or u.next_billing_date >= :nextBillingFrom)
          and (:nextBillingTo::date is null or u.next_billing_date <= :nextBillingTo)`,
    usual: "ACTIVE",
  },
};

/**
 * One page of a list. Each end of it is one condition on the index: a second one at the end where reading begins could
 * make PostgreSQL start at the wrong one and read everything before the page. The inner limit tells a plan for any page
 * size that there are few rows, so that joined ones are looked up individually.
 * @param found the records, in the order of `towards`.
 */
function windowSql(
  { fields }: RecordType,
  source: Source,
  towards: Window["towards"],
  found: (source: Source, towards: Window["towards"]) => string,
): string {
  const { as, joined } = source;
  const { ordered } = windowOf(source, towards);
  return `select ${fields.map(column).join(", ")}
     from (
       ${found(source, towards)}
        limit ${PAGE_SIZE_MAX + 1}
     ) ${as}
     ${joined}
    ${ordered}
    limit :limit`;
}

/** Records of all statuses, or of some. */
function anyStatus(source: Source, towards: Window["towards"]): string {
  const { as, filters } = source;
  const { records, ordered } = windowOf(source, towards);
  return `${records}
          and (:statuses::text[] is null or ${as}.status = any (:statuses))
          and ${filters}
        ${ordered}`;
}

/**
 * Records with unusual statuses. A hundred refunds among ten million payments are found by their status, a page for
 * each, and not by reading every payment.
 */
function rareStatus(usual: string) {
  return (source: Source, towards: Window["towards"]): string => {
    const { as, filters } = source;
    const { records, ordered } = windowOf(source, towards);
    return `select ${as}.*
         from (select distinct status from unnest(:statuses::text[]) as wanted (status)) wanted
        cross join lateral (
       ${records}
          and ${as}.status = wanted.status
          and ${as}.status <> '${usual}'
          and ${filters}
        ${ordered}
        limit :limit) ${as}
        ${ordered}`;
  };
}

/** The records between both ends of a page, and their order. */
function windowOf({ table, as, at }: Source, towards: Window["towards"]) {
  const [beyond, end, order] = towards === "older" ? ["<", ">=", "desc"] : [">", "<", "asc"];
  return {
    records: `select ${as}.*
         from ${table} ${as}
        where ${as}.tenant = :tenant
          and (${as}.${at}, ${as}.id) ${beyond} (:at::timestamptz, :id::uuid)
          and ${as}.${at} ${end} :end::timestamptz
          and (:gatewayId::uuid is null or ${as}.gateway_id = :gatewayId)`,
    ordered: `order by ${as}.${at} ${order}, ${as}.id ${order}`,
  };
}

/** All values are passed as text, as the driver does with money, dates and ids. */
function column({ name, kind, sql: value }: Field): string {
  return `${kind === "time" ? `${value}::text` : value} as ${name}`;
}

type Windows = Readonly<Record<Window["towards"], Statement>>;

interface List {
  readonly all: Windows;
  /** For unusual statuses; null where there are none. */
  readonly rare: Windows | null;
  readonly usual: string | null;
  /** The positions of times among the values. */
  readonly times: readonly number[];
}

function listOf(type: RecordType): List {
  const source = SOURCES[type.plural];
  const { usual } = source;
  const windows = (name: string, text: (towards: Window["towards"]) => string): Windows => ({
    older: sql(`reconciliation.${name}_older`, text("older")),
    newer: sql(`reconciliation.${name}_newer`, text("newer")),
  });
  return {
    usual,
    times: type.fields.flatMap(({ kind }, at) => (kind === "time" ? [at] : [])),
    all: windows(type.plural, (towards) => windowSql(type, source, towards, anyStatus)),
    rare:
      usual === null
        ? null
        : windows(`rare_${type.plural}`, (towards) => windowSql(type, source, towards, rareStatus(usual))),
  };
}

const LISTS: Readonly<Record<RecordType["plural"], List>> = {
  transactions: listOf(TRANSACTIONS),
  chargebacks: listOf(CHARGEBACKS),
  subscriptions: listOf(SUBSCRIPTIONS),
};

/** Below every id: what is beyond (time, FIRST_ID) is before the time. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Processes each record of a page as it arrives, nearest first: keeping a thousand records with all their values would
 * take most of the time.
 */
export async function listRecords<T>(
  db: Reads,
  tenant: number,
  { plural }: RecordType,
  filters: ListFilters,
  { towards, at, id, limit }: Window,
  make: (values: RecordValues) => T,
): Promise<readonly T[]> {
  // The list starts at the end of its last day.
  const [fromAt, fromId] = at === "infinity" ? [filters.before, FIRST_ID] : [at, id];
  const end = towards === "older" ? filters.from : filters.before;
  const values = { ...filters, tenant, at: fromAt, id: fromId, end, limit };
  const { all, rare, usual, times } = LISTS[plural];
  const { statuses } = filters;
  const areRare = statuses !== null && usual !== null && !statuses.includes(usual);
  const { [towards]: statement } = areRare ? (rare ?? all) : all;
  const made: T[] = [];
  await db.each(statement, values, (row) => {
    for (const time of times) {
      const text = row[time];
      if (typeof text === "string") row[time] = isoFromDatabase(text);
    }
    made.push(make(row as (string | number | null)[]));
  });
  return made;
}
