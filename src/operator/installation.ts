/** What the process that serves the operator's pages knows about itself. */
import type { Readiness } from "../http/probes.ts";
import type { JobState } from "./job-log.ts";

export interface Installation {
  /** Of the service, such as `1.0.0`. */
  readonly version: string;
  /** The machine or container. */
  readonly host: string;
  readonly startedAt: Date;
  /** What `GET /readyz` says while the service is not stopping. @throws when the database does not answer. */
  ready(): Promise<Readiness>;
  jobs(): readonly JobState[];
  connections(): {
    readonly max: number;
    readonly open: number;
    readonly idle: number;
    readonly waiting: number;
  };
  /** The age of the replica's data; null: it is unreachable. Without a replica the function is null. */
  readonly replicaLagMs: (() => number | null) | null;
  /** The names of the master keys that it holds, the sealing one first. */
  readonly keyNames: readonly string[];
}
