/** The settlement tick of the sandbox (docs/api.md, The sandbox); staging only. */
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { fetchNews } from "./news/fetch.ts";

const Counts = Type.Object(
  { settled: Type.Integer(), returned: Type.Integer(), charged_back: Type.Integer() },
  { $id: "SandboxTick" },
);

/** Declares POST management/sandbox/tick/. */
export function tickRoutes(router: Router, deps: Deps): void {
  router.add("POST", "/api/v1/management/sandbox/tick/", {
    summary: "Settle the sandbox's pending payments",
    description: "Staging only. The sandbox settles once a minute; this settles now.",
    tag: "Sandbox",
    access: "settings",
    schema: { response: { 200: Counts } },
    handle: async (call) => ({ status: 200, body: await fetchNews(deps, tenantOf(call), ["sandbox"]) }),
  });
}
