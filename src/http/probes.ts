/** Probes for load balancers and monitoring: liveness, readiness and metrics. */
import { Type } from "../lib/schema.ts";
import { sameBytes } from "../lib/keyring.ts";
import { Refusal } from "../refusals.ts";
import type { Router } from "./endpoint.ts";

interface Probes {
  /** Whether the database answers and has the schema of this version. */
  ready(): Promise<boolean>;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Who may read the metrics: holders of the token, everyone, or no one. */
  readonly metricsAccess: MetricsAccess;
  /** Milliseconds that only grow. */
  monotonicMs(): number;
}

export type MetricsAccess = { readonly token: string } | "anyone" | "nobody";

/** However many ask, a database that answers is asked so often. */
const READY_MS = 1_000;

const Status = Type.Object({ status: Type.String() });
const hidden = { tag: "Operations", access: "anyone", hidden: true } as const;

/** GET /healthz, /readyz and /metrics at the root of the host. */
export function probeRoutes(router: Router, probes: Probes): void {
  const ready = remembered(
    () => probes.ready(),
    () => probes.monotonicMs(),
  );
  router.add("GET", "/healthz", {
    ...hidden,
    summary: "The process is alive",
    schema: { response: { 200: Status } },
    handle: async () => ({ status: 200, body: { status: "ok" } }),
  });
  router.add("GET", "/readyz", {
    ...hidden,
    summary: "The service can serve",
    schema: { response: { 200: Status, 503: Status } },
    async handle() {
      return (await ready())
        ? { status: 200, body: { status: "ready" } }
        : { status: 503, body: { status: "the database is not reachable or not migrated" } };
    },
  });
  if (probes.metricsAccess !== "nobody") metricsRoute(router, probes, probes.metricsAccess);
}

function metricsRoute(router: Router, probes: Probes, access: Exclude<MetricsAccess, "nobody">): void {
  router.add("GET", "/metrics", {
    ...hidden,
    summary: "Metrics in the Prometheus text format",
    limit: "metrics",
    schema: { response: { 200: Type.String() } },
    async handle({ headers }) {
      if (access !== "anyone") {
        const given = Buffer.from(String(headers["authorization"] ?? ""));
        if (!sameBytes(given, Buffer.from(`Bearer ${access.token}`))) throw new Refusal("unauthorized");
      }
      const { contentType, body } = await probes.metrics();
      return { status: 200, headers: { "content-type": contentType }, body };
    },
  });
}

/** Yes when `ask` said so within the last second. A no is not kept; those who ask at the same time share one answer. */
function remembered(ask: () => Promise<boolean>, monotonicMs: () => number): () => Promise<boolean> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<boolean> | null = null;
  const askAnew = (): Promise<boolean> => {
    askedMs = monotonicMs();
    const asked = ask()
      .catch(() => false)
      .then((yes) => {
        if (!yes && answer === asked) answer = null;
        return yes;
      });
    return asked;
  };
  return () => {
    if (answer === null || monotonicMs() - askedMs >= READY_MS) answer = askAnew();
    return answer;
  };
}
