/**
 * The customer's browser, for the limit on different accounts (docs/guards.md, Many accounts): a random number in a
 * cookie that lasts a day. The cookie is set only when a form is sent to a merchant who has set the limit.
 */
import type { Deps } from "../deps.ts";
import { cookieHeader, cookieValue } from "../http/cookies.ts";
import type { Call, EndpointSchema } from "../http/endpoint.ts";

const NAME = "pay-device";
/** The period over which accounts are counted. */
const SECONDS = 24 * 60 * 60;
const NUMBER = /^[A-Za-z0-9_-]{22}$/;

/**
 * The key under which a browser's accounts are counted. It differs between tenants, and the cookie cannot be derived
 * from it. A new number is set whatever the response is: a payment refused by another limit counts too.
 * @param limit the tenant's `device_accounts_max`; null: nothing is counted, no cookie is set, and the result is null.
 */
export function deviceOf(
  deps: Pick<Deps, "ids" | "keys" | "publicUrl">,
  tenant: number,
  limit: number | null,
  call: Pick<Call<EndpointSchema>, "headers" | "setCookie">,
): string | null {
  if (limit === null) return null;
  const sent = cookieValue(deps.publicUrl, NAME, call.headers);
  const isKnown = sent !== null && NUMBER.test(sent);
  const number = isKnown ? sent : deps.ids.secret(16).toString("base64url");
  if (!isKnown) call.setCookie(cookieHeader(deps.publicUrl, NAME, number, SECONDS));
  const [key] = deps.keys.fingerprints(tenant, `device ${number}`);
  return key.toString("hex");
}
