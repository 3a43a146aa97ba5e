/** Creates and whole payments with few and many connections and tenants, each at full speed and at half of it. */
import { startLoad } from "./load.ts";
import { alone, beside, course, together, type Figures, type Measure, type Parts } from "./measures.ts";

/** The levels of load: numbers of connections with one tenant, and numbers of tenants with `TENANTS_CONNECTIONS`. */
export interface Levels {
  readonly connections: readonly number[];
  readonly tenants: readonly number[];
}

const TENANTS_CONNECTIONS = 64;
/** PostgreSQL accepts a hundred connections, of which the service uses some. */
const PGBENCH_CONNECTIONS_MAX = 64;
/** A schedule needs more connections than calls in flight, so that calls begin on time. */
const HALF_RATE_CONNECTIONS_MIN = 64;
const LISTS_CONNECTIONS = 4;
const LISTED_DAYS = 30;

const KINDS = [
  { name: "create", kind: "create", limit: (parts: Parts) => alone(parts, "create") },
  { name: "create + pay + delivered", kind: "create_pay", limit: together },
] as const;

/** @param shopsOf returns one shop per tenant. */
export function levelMeasures(
  { connections, tenants }: Levels,
  shopsOf: (tenants: number) => Promise<Parts["shops"]>,
): readonly Measure[] {
  const levels = [
    ...connections.map((count) => ({ connections: count, tenants: 1, name: `${count} connections` })),
    ...tenants
      .filter((count) => count > 1)
      .map((count) => ({ connections: TENANTS_CONNECTIONS, tenants: count, name: `${count} tenants` })),
  ];
  const measures = levels.flatMap((level) =>
    KINDS.map(({ name, kind, limit }) => ({
      name: `${name}, ${level.name}`,
      limit: "pgbench",
      target: "",
      run: async (common: Parts): Promise<Figures> => {
        const parts = {
          ...common,
          connections: level.connections,
          shops: level.tenants === 1 ? common.shops : await shopsOf(level.tenants),
        };
        const reached = await course(parts, kind);
        const half = {
          perSecond: reached.perSecond / 2,
          connections: Math.max(level.connections, HALF_RATE_CONNECTIONS_MIN),
        };
        const { p50, p95, p99, delivered } = await course(parts, kind, half);
        const pgbenchParts = { ...parts, connections: Math.min(level.connections, PGBENCH_CONNECTIONS_MAX) };
        return beside(reached, await limit(pgbenchParts), {
          delivered,
          perSecond: half.perSecond,
          answered: { p50, p95, p99 },
        });
      },
    })),
  );
  return [...measures, createsBesideLists];
}

/** For the service's memory: lists of a thousand rows are read while sessions are created. */
const createsBesideLists: Measure = {
  name: "create beside lists",
  limit: "",
  target: "≤ 300 MB",
  async run(parts) {
    const lists = await startLoad();
    try {
      lists.aim({ ports: parts.instances.map(({ port }) => port), shops: parts.shops });
      const start = new Date(Date.now() - LISTED_DAYS * 86_400_000).toISOString().slice(0, 10);
      const urls = ["json", "csv"].map(
        (format) =>
          `/api/v1/reconciliation/transactions/?start_date=${start}&page_size=1000&format=${format}`,
      );
      const creating = course({ ...parts, connections: TENANTS_CONNECTIONS }, "create");
      await lists.run({ kind: "get", urls, connections: LISTS_CONNECTIONS, seconds: parts.seconds });
      return beside(await creating, null);
    } finally {
      lists.stop();
    }
  },
};
