/** Sentences of the operator's pages. */
import type { KeyState } from "../../keys/status.ts";
import type { BankState, BankTrouble } from "../../operator/banks-store.ts";
import type { Queue } from "../../operator/queues-store.ts";
import type { Plural } from "./texts.ts";

/** Tasks that may need the operator. */
export type Concern =
  | "jobs_failing"
  | "receivers_failing"
  | "webhooks_late"
  | "files_unclear"
  | "news_set_aside"
  | "banks_in_trouble";

export interface OperatorTexts {
  readonly installation: string;
  readonly ready: string;
  readonly notReady: string;
  readonly nothingForOperator: string;
  readonly concerns: Readonly<Record<Concern, Plural>>;
  readonly health: string;
  readonly connections: string;
  /** `{open}`, `{idle}`, `{waiting}`, `{max}` */
  readonly connectionsOf: string;
  readonly replica: string;
  readonly noReplica: string;
  readonly replicaAway: string;
  /** `{time}` */
  readonly replicaBehind: string;
  readonly heldSince: string;
  readonly versions: string;
  readonly environment: string;
  readonly environments: Readonly<Record<"staging" | "production", string>>;
  readonly service: string;
  readonly process: string;
  readonly startedAt: string;
  readonly schema: string;
  readonly instances: string;
  readonly instancesWhat: string;
  readonly knownMigration: string;
  readonly socket: string;
  readonly migrations: string;
  readonly migration: string;
  readonly appliedAt: string;
  readonly worksFrom: string;
  readonly noneMissing: string;
  /** `{names}` */
  readonly missingMigrations: string;

  readonly tenants: string;
  readonly noTenants: string;
  readonly noTenantsHint: string;
  readonly tenantsWhat: Readonly<Record<"staging" | "production", string>>;
  /** `{days}` */
  readonly paymentsOfDays: string;

  readonly jobs: string;
  /** `{host}`, `{time}` */
  readonly jobsWhat: string;
  readonly job: string;
  readonly every: string;
  readonly lastPass: string;
  readonly nextPass: string;
  readonly underWay: string;
  readonly itemsDone: string;
  readonly lastError: string;
  readonly failed: string;
  readonly notYet: string;

  readonly queues: string;
  readonly queuesWhat: string;
  readonly queue: string;
  readonly waitingNow: string;
  readonly oldest: string;
  readonly queueNames: Readonly<Record<Queue, string>>;
  readonly queueHints: Readonly<Record<Queue, string>>;
  /** `{time}` */
  readonly receiversLate: string;

  readonly receivers: string;
  readonly receiversWhat: string;
  readonly noReceivers: string;
  readonly noReceiversHint: string;
  readonly tenant: string;
  readonly inFlight: string;
  /** `{count}`, `{max}` */
  readonly countOf: string;
  readonly well: string;
  readonly failuresInARow: Plural;
  /** `{time}` */
  readonly pausedUntil: string;

  readonly banks: string;
  readonly banksWhat: string;
  readonly noBanks: string;
  readonly noBanksHint: string;
  readonly lastRun: string;
  readonly lastUpload: string;
  readonly lastLook: string;
  readonly newestStatement: string;
  readonly bankUsers: Readonly<Record<Exclude<BankState["user"], null>, string>>;
  readonly bankTroubles: Readonly<Record<BankTrouble, string>>;

  readonly masterKeys: string;
  readonly masterKeysWhat: string;
  readonly keyStates: Readonly<Record<KeyState, string>>;
  readonly firstSeen: string;
  readonly countSealed: string;
  readonly countSealedWhat: string;
  readonly countedTooLong: string;
  readonly sealedValues: string;
  readonly sealedIn: string;
  readonly sessionTokens: string;
  readonly nothingSealed: string;
}
