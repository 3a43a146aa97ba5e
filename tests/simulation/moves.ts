/** Triggers record every change of a status with its writer, so that none is missed. */
import type { Calls, Statement } from "../../src/db/database.ts";
import type { Actor } from "./gate.ts";

/** A change of a status, and how often it occurred. */
export interface Move {
  /** The kind of record: `session`, `payment`, `renewal`, `refund`, `imported`, `subscription` … */
  readonly kind: string;
  /** Null: the record is new. */
  readonly was: string | null;
  readonly now: string;
  /** Further detail: the cause of a session's move, the source of a chargeback. */
  readonly why: string;
  /** The request or job that wrote it. */
  readonly by: string;
  readonly count: number;
}

/** The recorded tables, with the kind of their rows and the reason of a move. */
const NOTED: readonly (readonly [table: string, kind: string, was: string, now: string, why: string])[] = [
  ["session_moves", "'session'", "new.from_status", "new.to_status", "new.cause"],
  [
    "transactions",
    "case when new.source = 'csv_import' then 'imported' when new.type = 'sdd_rebill' then 'renewal' when new.type = 'sdd_refund' then 'refund' else 'payment' end",
    "old.status",
    "new.status",
    "''",
  ],
  ["orders", "'order'", "old.status", "new.status", "''"],
  ["subscriptions", "'subscription'", "old.status", "new.status", "coalesce(new.cancel_reason, '')"],
  ["billing_cycles", "'cycle'", "old.status", "new.status", "''"],
  ["mandates", "'mandate'", "old.status", "new.status", "coalesce(new.cancelled_by, '')"],
  ["mandate_amendments", "'amendment'", "null", "new.kind", "''"],
  ["chargebacks", "'chargeback'", "null", "new.status", "new.source"],
  ["webhook_deliveries", "'delivery'", "old.status", "new.status", "''"],
  ["events", "'event'", "null", "new.type", "''"],
];
/** Further tables in which a write for another tenant is recorded. Changes of status are not. */
const ALSO_WATCHED = ["sessions", "leads", "gateways", "tenants", "api_keys", "webhook_profiles"] as const;

/** The writer, read from the statement's comment: `pay:7` is for tenant 7, `:0` for no particular tenant. */
const LABEL = "coalesce(substring(right(current_query(), 80) from '-- by (.*)$'), ':0')";
const TENANT = `split_part(${LABEL}, ':', 2)::integer`;

/** Records a row that is written on behalf of another tenant than its own. */
const watched = (table: string): string => `
  create or replace trigger simulation_trespass after insert or update on ${table}
     for each row when (${TENANT} not in (0, new.tenant)) execute function simulation_trespassed();`;
const TRESPASSED = `
  create or replace function simulation_trespassed() returns trigger language plpgsql as $body$
  begin
    insert into simulation_moves values (new.tenant, 'trespass', null, tg_table_name, '', ${LABEL});
    return null;
  end $body$;`;

/**
 * Records a renewal that begins although its subscription or mandate has ended. The database decides this, because the
 * clock may have been read long before the end was written.
 */
const BEGUN_LATE = `
  create or replace function simulation_begun_late() returns trigger language plpgsql as $body$
  begin
    insert into simulation_moves
    select new.tenant, 'begun_late', null, new.merchant_transaction_id, '', ''
     where exists (select from subscriptions u
                    where u.tenant = new.tenant and u.id = new.subscription_id and u.status = 'CANCELLED')
        or exists (select from mandates m
                    where m.tenant = new.tenant and m.id = new.mandate_id and m.cancelled_at is not null);
    return null;
  end $body$;
  create or replace trigger simulation_begun_late after insert on transactions
     for each row when (new.type = 'sdd_rebill') execute function simulation_begun_late();`;

const note = (table: string, event: "insert" | "update", when: string, values: string): string => `
  create or replace function simulation_${table}_${event}() returns trigger language plpgsql as $body$
  begin
    insert into simulation_moves values (new.tenant, ${values}, split_part(${LABEL}, ':', 1));
    return null;
  end $body$;
  create or replace trigger simulation_${event} after ${event} on ${table}
     for each row when (${when}) execute function simulation_${table}_${event}();`;

/** The table of recorded moves. */
export const MOVES_TABLE =
  "create unlogged table if not exists simulation_moves (tenant integer, kind text, was text, now text, why text, by text);";

const NOTE_MOVES = NOTED.flatMap(([table, kind, was, now, why]) => {
  const values = (before: string) => `${kind}, ${before}, ${now}, ${why}`;
  const inserted = note(table, "insert", "true", values(was.replace("old.status", "null")));
  if (was !== "old.status") return [inserted];
  return [inserted, note(table, "update", "old.status is distinct from new.status", values(was))];
});

/** SQL that makes the database record writes for other tenants and, if `moves`, changes of status. */
export const noting = (moves: boolean): string =>
  [
    MOVES_TABLE,
    TRESPASSED,
    BEGUN_LATE,
    ...[...NOTED.map(([table]) => table), ...ALSO_WATCHED].map(watched),
    ...(moves ? NOTE_MOVES : []),
  ].join("\n");

/** The moves since they were last deleted. */
export const MOVES =
  "select kind, was, now, why, by, count(*)::integer as count from simulation_moves group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5";
export const FORGET_MOVES = "delete from simulation_moves";

/**
 * Adds the writer to every write, as a comment that the triggers read. @param named whether to include the cause. Each
 * distinct comment needs a plan of its own.
 */
export function signed(db: Calls, current: () => Actor | undefined, named: boolean): Calls {
  const labels = new Map<string, number>();
  const by = <Param extends string, Row extends object>(
    statement: Statement<Param, Row>,
  ): Statement<Param, Row> => {
    const actor = current();
    if (actor === undefined) return statement;
    const label = `${named ? actor.cause : ""}:${actor.tenant ?? 0}`;
    if (!labels.has(label)) labels.set(label, labels.size);
    const { name, text } = statement;
    // The statement is prepared once per writer. Its name has a number instead of the writer, because names are cut at
    // 63 characters.
    return {
      ...statement,
      name: name === "" ? "" : `${name}~${labels.get(label)}`,
      text: `${text}\n-- by ${label}`,
    };
  };
  return {
    ...db,
    commit: (statement, values) => db.commit(by(statement), values),
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (statement, values) => tx.query(statement, values),
          write: (statement, values) => tx.write(by(statement), values),
        }),
      ),
  };
}
