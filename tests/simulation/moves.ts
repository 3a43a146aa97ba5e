/** What changed in the database, by whom: noted by triggers, so that nothing that changes a status is missed. */
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

const note = (table: string, event: "insert" | "update", body: string): string => `
  create or replace function simulation_${table}_${event}() returns trigger language plpgsql as $body$
  declare
    label text := coalesce(substring(right(current_query(), 80) from '-- by (.*)$'), ':0');
    actor integer := split_part(label, ':', 2)::integer;
  begin
    if actor <> 0 and actor <> new.tenant then
      insert into simulation_moves values (new.tenant, 'trespass', null, '${table}', '', label);
    end if;
    ${body}
    return null;
  end $body$;
  create or replace trigger simulation_${event} after ${event} on ${table}
     for each row execute function simulation_${table}_${event}();`;

/** The table that they are noted in. */
export const MOVES_TABLE =
  "create unlogged table if not exists simulation_moves (tenant integer, kind text, was text, now text, why text, by text);";

/** SQL that has the database note its moves from now on. */
export const NOTE_MOVES = [
  MOVES_TABLE,
  ...NOTED.flatMap(([table, kind, was, now, why]) => {
    const write = `insert into simulation_moves values (new.tenant, ${kind}, ${was}, ${now}, ${why}, split_part(label, ':', 1));`;
    return [
      note(table, "insert", write.replace("old.status", "null")),
      ...(was === "old.status"
        ? [note(table, "update", `if old.status is distinct from new.status then ${write} end if;`)]
        : []),
    ];
  }),
  ...ALSO_WATCHED.flatMap((table) => [note(table, "insert", ""), note(table, "update", "")]),
].join("\n");

/** What was noted since it was forgotten. */
export const MOVES =
  "select kind, was, now, why, by, count(*)::integer as count from simulation_moves group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5";
export const FORGET_MOVES = "delete from simulation_moves";

/** Signs every write with who writes: in a comment, which the triggers read. */
export function signed(db: Calls, current: () => Actor | undefined): Calls {
  const labels = new Map<string, number>();
  const by = <Param extends string, Row extends object>(
    statement: Statement<Param, Row>,
  ): Statement<Param, Row> => {
    const actor = current();
    if (actor === undefined) return statement;
    const label = `${actor.cause}:${actor.tenant ?? 0}`;
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
