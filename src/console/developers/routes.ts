/** The pages for developers. They read and act through the use cases of the API. */
import type { ConsoleRouter } from "../guard.ts";
import type { Parts } from "../people/parts.ts";
import { deliveryPages } from "./delivery-routes.ts";
import { doctorPages } from "./doctor-routes.ts";
import { keyPages } from "./key-routes.ts";
import { testAccountPages } from "./test-account-routes.ts";
import { webhookPages } from "./webhook-routes.ts";

/** Declares them. */
export function developerPages(console: ConsoleRouter, parts: Parts): void {
  webhookPages(console, parts);
  deliveryPages(console, parts);
  keyPages(console, parts);
  doctorPages(console, parts);
  testAccountPages(console);
}
