/** The measured cost of a payment, and the machines computed from it. The figures are estimates. */

/** Of one payment: create, pay, webhook delivered (docs/performance.md, quiet machine, durable commits). */
export const MEASURED = {
  serviceCpuMs: 5.7,
  databaseCpuMs: 8.2,
  walKb: 16.7,
  storedKb: 8,
  /** The total time for which a payment's statements use connections. */
  connectionMs: 60,
  /** On Citus, as multiples of one PostgreSQL's CPU (docs/growing.md). */
  coordinatorTimes: 15,
  workersTimes: 16,
} as const;

/** Half of each machine is reserved for peaks, backups, exports and the loss of another one. */
const USED = 0.5;
const CONNECTIONS_PER_INSTANCE = 20;
const SECONDS_A_YEAR = 365 * 86_400;
const KB_PER_GB = 1_000_000;
/** Above this a restore takes most of a day. */
const RESTORABLE_GB = 20_000;

interface Demand {
  /** In the busiest hour. */
  readonly paymentsPerSecond: number;
  /** A year's average of that. */
  readonly averageShare: number;
  readonly customers: number;
  readonly yearsKept: number;
  readonly coresOfMachine: number;
  /** Of the largest available machine for one database. */
  readonly coresOfLargest: number;
}

interface Capacity {
  /** Processes of the service, one per core. */
  readonly instances: number;
  readonly serviceMachines: number;
  readonly databaseCores: number;
  readonly connections: number;
  readonly walMbPerSecond: number;
  readonly storedGb: number;
  readonly database: "one PostgreSQL" | "Citus" | "several installations";
  /** Databases besides standbys: 1, the workers, or one for each installation. */
  readonly databases: number;
}

/** The needed machines. A customer without a payment in the kept years counts as one payment's records. */
export function capacityOf(demand: Demand): Capacity {
  const {
    paymentsPerSecond: rate,
    averageShare,
    customers,
    yearsKept,
    coresOfMachine,
    coresOfLargest,
  } = demand;
  const cores = (cpuMs: number): number => (rate * cpuMs) / 1_000 / USED;
  const instances = Math.max(2, Math.ceil(cores(MEASURED.serviceCpuMs)));
  const databaseCores = Math.max(2, Math.ceil(cores(MEASURED.databaseCpuMs)));
  const payments = Math.max(customers, rate * averageShare * SECONDS_A_YEAR * yearsKept);
  const storedGb = (payments * MEASURED.storedKb) / KB_PER_GB;
  const shares = Math.ceil(Math.max(databaseCores / coresOfLargest, storedGb / RESTORABLE_GB));
  const coordinatorCores = cores(MEASURED.databaseCpuMs * MEASURED.coordinatorTimes);
  const workerCores = cores(MEASURED.databaseCpuMs * MEASURED.workersTimes);
  const database =
    shares === 1 ? "one PostgreSQL" : coordinatorCores <= coresOfLargest ? "Citus" : "several installations";
  const workers = Math.ceil(Math.max(2, storedGb / RESTORABLE_GB, workerCores / coresOfLargest));
  return {
    instances,
    serviceMachines: Math.max(2, Math.ceil(instances / coresOfMachine)),
    databaseCores,
    connections: Math.max(
      instances * CONNECTIONS_PER_INSTANCE,
      Math.ceil((rate * MEASURED.connectionMs) / 1_000),
    ),
    walMbPerSecond: (rate * MEASURED.walKb) / 1_000,
    storedGb,
    database,
    databases: database === "Citus" ? workers : shares,
  };
}

/** For a person. */
export function words(demand: Demand, capacity: Capacity): readonly string[] {
  const { instances, serviceMachines, databaseCores, connections, walMbPerSecond, storedGb } = capacity;
  const { database, databases } = capacity;
  const what = {
    "one PostgreSQL": "one PostgreSQL, and a synchronous standby of the same size",
    Citus: `Citus: a coordinator and ${databases} workers, each with a standby`,
    "several installations": `${databases} installations, each with tenants and a PostgreSQL (and standby) of its own`,
  }[database];
  return [
    `${demand.paymentsPerSecond} payments a second at the peak, ${demand.customers} customers, ${demand.yearsKept} years kept:`,
    `service    ${instances} processes on ${serviceMachines} machines with ${demand.coresOfMachine} cores`,
    `database   ${what}; ${databaseCores} cores in all for one PostgreSQL's work`,
    `           ${connections} connections at most${connections > 500 ? ": put a pooler in between (session mode)" : ""}`,
    `log        ${walMbPerSecond.toFixed(2)} MB/s at the peak, ${((walMbPerSecond * demand.averageShare * 86_400) / 1_000).toFixed(0)} GB a day`,
    `disk       ${storedGb.toFixed(0)} GB, indexes included, backups not`,
  ];
}
