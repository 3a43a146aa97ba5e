/** The pages for developers, as tabs: only those that the person may see. Pure. */
import type { Html } from "../../files/html.ts";
import type { Action } from "../../people/access.ts";
import { personMay, type SignedIn } from "../../people/person.ts";
import { tabs } from "../design/blocks.ts";
import type { Words } from "../words.ts";

export const DEVELOPERS_PATH = "/console/developers/";
export const KEYS_PATH = `${DEVELOPERS_PATH}keys/`;
export const WEBHOOKS_PATH = `${DEVELOPERS_PATH}webhooks/`;
export const DELIVERIES_PATH = `${DEVELOPERS_PATH}deliveries/`;
export const EVENTS_PATH = `${DEVELOPERS_PATH}events/`;
export const REQUESTS_PATH = `${DEVELOPERS_PATH}requests/`;
export const INTEGRATIONS_PATH = `${DEVELOPERS_PATH}integrations/`;
export const DOCTOR_PATH = `${DEVELOPERS_PATH}signature/`;
export const ACCOUNTS_PATH = `${DEVELOPERS_PATH}test-accounts/`;

export const DEVELOPER_PAGES = [
  [WEBHOOKS_PATH, "webhooks", "developers.read"],
  [DELIVERIES_PATH, "deliveries", "developers.read"],
  [EVENTS_PATH, "events", "developers.read"],
  [REQUESTS_PATH, "requests", "developers.read"],
  [KEYS_PATH, "apiKeys", "keys.read"],
  [INTEGRATIONS_PATH, "integrations", "developers.read"],
  [DOCTOR_PATH, "doctor", "developers.read"],
  [ACCOUNTS_PATH, "testAccounts", "developers.read"],
] as const satisfies readonly (readonly [path: string, text: string, action: Action])[];

/**
 * The tabs.
 * @param at the path of the current tab.
 */
export function developerTabs({ say }: Words, person: SignedIn, at: string): Html {
  const seen = DEVELOPER_PAGES.filter(([, , action]) => personMay(person, action));
  return tabs(
    say("developers"),
    at,
    seen.map(([path, text]) => [path, say(text)]),
  );
}
