/** What a load balancer and a monitoring system ask: is the process alive, can it serve, how is it doing. */
import Type from "typebox";
import type { Router } from "./endpoint.ts";

export interface Probes {
  /** Whether the database answers and has the schema of this version. */
  ready(): Promise<boolean>;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const Status = Type.Object({ status: Type.String() });
const hidden = { tag: "Operations", access: "anyone", hidden: true } as const;

/** GET /healthz, /readyz and /metrics at the root of the host. */
export function probeRoutes(router: Router, probes: Probes): void {
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
      const ready = await probes.ready().catch(() => false);
      return ready
        ? { status: 200, body: { status: "ready" } }
        : { status: 503, body: { status: "the database is not reachable or not migrated" } };
    },
  });
  router.add("GET", "/metrics", {
    ...hidden,
    summary: "Metrics in the Prometheus text format",
    schema: { response: { 200: Type.String() } },
    async handle() {
      const { contentType, body } = await probes.metrics();
      return { status: 200, headers: { "content-type": contentType }, body };
    },
  });
}
