/** Changes of the database with their writer, recorded by triggers, so that no change of a status is missed. */
import type { Calls, Statement } from "../../src/db/database.ts";
import type { Actor } from "./gate.ts";

/** A change of a status, and how often it was seen. */
export interface Move {
  /** What moved: `session`, `payment`, `renewal`, `refund`, `imported`, `subscription` … */
  readonly kind: string;
  /** Null: it was not there. */
  readonly was: string | null;
  readonly now: string;
  /** What the status does not say: of a session's move its cause, of a chargeback its source. */
  readonly why: string;
  /** Which request or job wrote it. */
  readonly by: string;
  readonly count: number;
}

/** Tables whose changes are noted, with what a row is called and why it moved. */
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
/** Changes of another tenant's rows are noted here too, whether a status changes or not. */
const ALSO_WATCHED = ["sessions", "leads", "gateways", "tenants", "api_keys", "webhook_profiles"] as const;

/** Who runs a statement: `pay:7` for tenant 7; `:0` where that is not said. */
const LABEL = "coalesce(substring(right(current_query(), 80) from '-- by (.*)$'), ':0')";
const TENANT = `split_part(${LABEL}, ':', 2)::integer`;

/** Rows of one tenant that are written in another one's name. */
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
 * Renewals that are begun when what they collect for has ended, as the database has it at that moment: whoever ends it may
 * have looked at the clock long before that is written.
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

/** The table that they are noted in. */
export const MOVES_TABLE =
  "create unlogged table if not exists simulation_moves (tenant integer, kind text, was text, now text, why text, by text);";

const NOTE_MOVES = NOTED.flatMap(([table, kind, was, now, why]) => {
  const values = (before: string) => `${kind}, ${before}, ${now}, ${why}`;
  const inserted = note(table, "insert", "true", values(was.replace("old.status", "null")));
  if (was !== "old.status") return [inserted];
  return [inserted, note(table, "update", "old.status is distinct from new.status", values(was))];
});

/** SQL that has the database note whose rows change in whose name, and its moves as well if so wanted. */
export const noting = (moves: boolean): string =>
  [
    MOVES_TABLE,
    TRESPASSED,
    BEGUN_LATE,
    ...[...NOTED.map(([table]) => table), ...ALSO_WATCHED].map(watched),
    ...(moves ? NOTE_MOVES : []),
  ].join("\n");

/** What was noted since it was forgotten. */
export const MOVES =
  "select kind, was, now, why, by, count(*)::integer as count from simulation_moves group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5";
export const FORGET_MOVES = "delete from simulation_moves";

/**
 * Signs every write with who writes: in a comment, which the triggers read.
 * @param named whether the cause is part of it: each one that there is has a plan of its own.
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
    // Prepared once for each who: a name is cut at 63 characters, so it has a number only.
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
