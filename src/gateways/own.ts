/** The gateways that come with the service: a new one is its folder and a line here. */
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
  /** Declares its own endpoints: a page for customers, or notices from its provider. */
  readonly routes?: (router: Router, deps: Deps) => void;
  /**
   * Its background work. When it or an endpoint has found news, `deps.newsReady` takes them at once.
   * @param tenant whose accounts alone are looked at; null for all tenants.
   */
  readonly jobs?: (deps: Deps, tenant: number | null) => readonly Job[];
}

export const OWN_GATEWAYS: readonly OwnGateway[] = [
  { adapter: sandboxAdapter },
  { adapter: sepaAdapter, routes: sepaFileRoutes, jobs: sepaJobs },
];
