/** Lists the adapters with their settings, credentials and capabilities. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Adapter } from "../gateway.ts";
import type { Router } from "../../http/endpoint.ts";
import { pageSchema } from "../../http/paging.ts";
import { MANAGEMENT, TAG } from "../../management/resource-routes.ts";

const GatewayAdapter = Type.Object(
  {
    name: Type.String(),
    display_name: Type.String(),
    settings_schema: Type.Unknown({ description: "JSON Schema of a gateway's settings." }),
    credentials_schema: Type.Unknown({ description: "JSON Schema of a gateway's credentials." }),
    capabilities: Type.Object({
      currencies: Type.Array(Type.String()),
      verification: Type.Boolean(),
      asynchronous: Type.Boolean(),
      refunds: Type.Boolean(),
      reversals: Type.Boolean({ description: "Refunds may reverse the debit itself (`way`)." }),
      test_mode_only: Type.Boolean(),
    }),
  },
  { $id: "GatewayAdapter" },
);

/** Declares the list, which is short and has one page. */
export function adapterRoutes(router: Router, { adapters }: Deps): void {
  router.add("GET", `${MANAGEMENT}gateway-adapters/`, {
    summary: "List gateway adapters",
    tag: TAG,
    access: "read",
    schema: { response: { 200: pageSchema(GatewayAdapter) } },
    handle: async () => ({
      status: 200,
      body: { next: null, previous: null, results: [...adapters.values()].map(render) },
    }),
  });
}

function render({ name, displayName, settingsSchema, credentialsSchema, capabilities }: Adapter): object {
  const { testModeOnly, ...rest } = capabilities;
  return {
    name,
    display_name: displayName,
    settings_schema: settingsSchema,
    credentials_schema: credentialsSchema,
    capabilities: { ...rest, test_mode_only: testModeOnly },
  };
}
