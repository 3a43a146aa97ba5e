/** The pages for developers. They read and act through the use cases of the API. */
import { seeOther } from "../answer.ts";
import type { ConsoleRouter } from "../guard.ts";
import type { Parts } from "../people/parts.ts";
import { deliveryPages } from "./delivery-routes.ts";
import { doctorPages } from "./doctor-routes.ts";
import { eventPages } from "./event-routes.ts";
import { integrationPages } from "./integration-routes.ts";
import { keyPages } from "./key-routes.ts";
import { postbackPages } from "./postback-routes.ts";
import { requestPages } from "./request-routes.ts";
import { response } from "../pages/listed.ts";
import { DEVELOPERS_PATH, WEBHOOKS_PATH } from "./tabs.ts";
import { testAccountPages } from "./test-account-routes.ts";
import { webhookPages } from "./webhook-routes.ts";

/** Declares them. */
export function developerPages(console: ConsoleRouter, parts: Parts): void {
  console.get(DEVELOPERS_PATH, "developers.read", {
    summary: "Developers",
    schema: { response },
    handle: async () => seeOther(WEBHOOKS_PATH),
  });
  webhookPages(console, parts);
  deliveryPages(console, parts);
  eventPages(console, parts);
  requestPages(console, parts);
  keyPages(console, parts);
  integrationPages(console, parts);
  postbackPages(console, parts);
  doctorPages(console, parts);
  testAccountPages(console);
}
