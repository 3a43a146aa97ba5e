/**
 * Reads that may be slightly stale: from a streaming replica while its lag is small, otherwise from the database
 * itself. The lag needs no clock of another machine: each look records how far the database has written, and when; the
 * replica is as of the newest of these moments that it has replayed.
 */
import { must } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { isUnavailable, Refusal } from "../refusals.ts";
import { sql, type Calls } from "./database.ts";

/** The reads of lists and exports. */
export type Reads = Pick<Calls, "query" | "each">;

export interface Replica {
  readonly reads: Reads;
  /** Measures the replica's lag; before the first look it is not used. */
  readonly look: Job;
  /** The age of its data; null if unknown, for example while it is unreachable. */
  lagMs(): number | null;
}

interface Options {
  readonly database: Reads;
  readonly replica: Reads;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** A replica that lags further behind is not used. */
  readonly lagMaxMs: number;
  /** Called for each read, for the metrics. */
  readonly onRead: (from: "replica" | "database") => void;
  /** Called when the replica becomes unusable, with the reason, and usable again (null). */
  readonly onChange: (problem: string | null) => void;
}

const LOOK_EVERY_MS = 1_000;
/** The most remembered moments: the exact lag of a replica that is minutes behind does not matter. */
const MOMENTS_MAX = 120;

const WRITTEN = sql(
  "replica.written",
  `select coalesce(system_identifier::text, '') as server,
          coalesce(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0'), 0)::text as position
     from pg_control_system()`,
).gives<{ server: string; position: string }>();

const REPLAYED = sql(
  "replica.replayed",
  `select coalesce(system_identifier::text, '') as server,
          case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text end as position
     from pg_control_system()`,
).gives<{ server: string; position: string | null }>();

/** How far the database had written its log at a moment. */
interface Moment {
  readonly position: bigint;
  readonly at: number;
}

/** Reads from a replica in preference to the database. It is not used before its first look. */
export function preferReplica(options: Options): Replica {
  const { database, replica, clock, lagMaxMs, onRead, onChange } = options;
  let moments: readonly Moment[] = [];
  let asOf: number | null = null;
  let said: string | null = null;

  const lagMs = (): number | null => (asOf === null ? null : clock.monotonicMs() - asOf);
  const isNear = (): boolean => (lagMs() ?? Number.POSITIVE_INFINITY) <= lagMaxMs;
  const say = (problem: string | null): void => {
    if (problem !== said) onChange(problem);
    said = problem;
  };
  const away = (problem: string): void => {
    asOf = null;
    say(problem);
  };

  /** Reads from the replica or, as long as nothing of its answer was used, from the database. */
  const read = async <T>(from: (reads: Reads) => Promise<T>, isUntouched: () => boolean): Promise<T> => {
    if (!isNear()) {
      onRead("database");
      return from(database);
    }
    onRead("replica");
    try {
      return await from(replica);
    } catch (error) {
      if (isTimeout(error)) throw error;
      if (isUnavailable(error)) away("it does not answer");
      if (!isUntouched()) throw error instanceof Refusal ? error : retryLater(error);
      onRead("database");
      return from(database);
    }
  };

  return {
    lagMs,
    reads: {
      query: (statement, values) =>
        read(
          (reads) => reads.query(statement, values),
          () => true,
        ),
      each(statement, values, take) {
        let taken = 0;
        const counting = (row: unknown[]): void => {
          taken += 1;
          take(row);
        };
        return read(
          (reads) => reads.each(statement, values, counting),
          () => taken === 0,
        );
      },
    },
    look: {
      name: "look-at-replica",
      everyMs: LOOK_EVERY_MS,
      batch: 1,
      async runOnce() {
        const at = clock.monotonicMs();
        const written = must((await database.query(WRITTEN, {}))[0], "the database says how far it is");
        moments = [...moments.slice(1 - MOMENTS_MAX), { position: BigInt(written.position), at }];
        const found = await replica.query(REPLAYED, {}).catch((): readonly [] => []);
        const replayed = found[0];
        if (replayed === undefined) away("it does not answer");
        else if (replayed.server !== written.server) away("it is not a replica of this database");
        else if (replayed.position === null) away("it does not follow the database");
        else {
          const position = BigInt(replayed.position);
          asOf = moments.findLast((moment) => moment.position <= position)?.at ?? asOf;
          say(isNear() ? null : "it is too far behind");
        }
        return 0;
      },
    },
  };
}

/** A statement that took too long on the replica would take as long again. */
const TIMEOUT = "57014";

function isTimeout(error: unknown): boolean {
  return error instanceof Refusal && (error.cause as { code?: unknown } | undefined)?.code === TIMEOUT;
}

/** Part of an answer was read, so another server cannot continue it. */
function retryLater(cause: unknown): Refusal {
  return new Refusal("unavailable", { retryAfter: 1, cause });
}
