/** The tabs of the setup pages: only those that the person may see. Pure. */
import type { Html } from "../../files/html.ts";
import type { Action } from "../../people/access.ts";
import { personMay, type SignedIn } from "../../people/person.ts";
import { tabs } from "../design/blocks.ts";
import type { Words } from "../words.ts";

export const SETUP_PATH = "/console/setup/";
export const COMPANY_PATH = `${SETUP_PATH}company/`;
export const GATEWAYS_PATH = `${SETUP_PATH}gateways/`;
export const OFFERS_PATH = `${SETUP_PATH}offers/`;
export const CAMPAIGNS_PATH = `${SETUP_PATH}campaigns/`;
export const PAGES_PATH = `${SETUP_PATH}payment-pages/`;
export const MESSAGES_PATH = `${SETUP_PATH}messages/`;
export const RETURN_RULES_PATH = `${SETUP_PATH}return-codes/`;
export const AUDIT_PATH = `${SETUP_PATH}audit-log/`;

export const SETUP_PAGES = [
  [COMPANY_PATH, "company", "settings.read"],
  [GATEWAYS_PATH, "gateways", "settings.read"],
  [OFFERS_PATH, "offers", "settings.read"],
  [CAMPAIGNS_PATH, "campaigns", "settings.read"],
  [PAGES_PATH, "paymentPages", "settings.read"],
  [MESSAGES_PATH, "messages", "settings.read"],
  [RETURN_RULES_PATH, "returnRules", "settings.read"],
  [AUDIT_PATH, "auditLog", "audit.read"],
] as const satisfies readonly (readonly [path: string, text: string, action: Action])[];

/**
 * The tabs.
 * @param at the path of the current tab.
 */
export function setupTabs({ say }: Words, person: SignedIn, at: string): Html {
  const seen = SETUP_PAGES.filter(([, , action]) => personMay(person, action));
  return tabs(
    say("setup"),
    at,
    seen.map(([path, text]) => [path, say(text)]),
  );
}
