/** The gateways included in the service. To add one, add its folder and a line here. */
import type { Deps } from "../deps.ts";
import type { Router } from "../http/endpoint.ts";
import type { Job } from "../lib/job.ts";
import type { Adapter, AdapterParts } from "./gateway.ts";
import { sandboxAdapter } from "./sandbox/sandbox.ts";
import { sepaAdapter } from "./sepa-batch/adapter.ts";
import { sepaJobs } from "./sepa-batch/jobs.ts";
import { sepaFileRoutes } from "./sepa-batch/routes.ts";

interface OwnGateway {
  readonly adapter: (parts: AdapterParts) => Adapter;
  /** Declares the gateway's own endpoints, such as a page for customers or notices from the provider. */
  readonly routes?: (router: Router, deps: Deps) => void;
  /**
   * Its background jobs. When a job or an endpoint has found news, it calls `deps.newsReady` to have the news applied
   * at once.
   * @param tenant limits the jobs to this tenant's accounts; null for all tenants.
   */
  readonly jobs?: (deps: Deps, tenant: number | null) => readonly Job[];
}

export const OWN_GATEWAYS: readonly OwnGateway[] = [
  { adapter: sandboxAdapter },
  { adapter: sepaAdapter, routes: sepaFileRoutes, jobs: sepaJobs },
];
