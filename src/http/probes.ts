/** Probes for load balancers and monitoring: liveness, readiness and metrics. */
import { Type } from "../lib/schema.ts";
import { sameBytes } from "../lib/keyring.ts";
import { Refusal } from "../refusals.ts";
import type { Router } from "./endpoint.ts";

export interface Readiness {
  readonly ready: boolean;
  /** Why it is not ready and what to do, or a limitation while it is ready; null for neither. */
  readonly detail: string | null;
}

interface Probes {
  /**
   * Whether the service is ready.
   * @throws when the database does not answer.
   */
  ready(): Promise<Readiness>;
  /** Whether it is about to stop: load balancers send their requests elsewhere then. */
  stopping(): boolean;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Who may read the metrics: holders of the token, everyone, or no one. */
  readonly metricsAccess: MetricsAccess;
  /** A monotonic clock, in milliseconds. */
  monotonicMs(): number;
}

export type MetricsAccess = { readonly token: string } | "anyone" | "nobody";

/** How long a positive answer is cached, however many probes arrive. */
const READY_MS = 1_000;

const UNREACHABLE: Readiness = { ready: false, detail: "The database is not reachable." };
const STOPPING: Readiness = { ready: false, detail: "The service is stopping." };

const Status = Type.Object({ status: Type.String(), detail: Type.Optional(Type.String()) });
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
      const { ready: yes, detail } = probes.stopping() ? STOPPING : await ready();
      const said = detail === null ? {} : { detail };
      return yes
        ? { status: 200, body: { status: "ready", ...said } }
        : { status: 503, body: { status: "not ready", ...said } };
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

/** Caches a positive answer for a second. A negative one is not cached; concurrent calls share one answer. */
function remembered(ask: () => Promise<Readiness>, monotonicMs: () => number): () => Promise<Readiness> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<Readiness> | null = null;
  const askAnew = (): Promise<Readiness> => {
    askedMs = monotonicMs();
    const asked = ask()
      .catch(() => UNREACHABLE)
      .then((said) => {
        if (!said.ready && answer === asked) answer = null;
        return said;
      });
    return asked;
  };
  return () => {
    if (answer === null || monotonicMs() - askedMs >= READY_MS) answer = askAnew();
    return answer;
  };
}
