/**
 * The customer's browser, for the limit on different accounts (docs/guards.md, Many accounts): a random number in a cookie for
 * a day. It is set when a form is sent to a merchant who has set the limit, and at no other time.
 */
import type { Deps } from "../deps.ts";
import { cookieHeader, cookieValue } from "../http/cookies.ts";
import type { Call, EndpointSchema } from "../http/endpoint.ts";

const NAME = "pay-device";
/** As long as accounts are counted. */
const SECONDS = 24 * 60 * 60;
const NUMBER = /^[A-Za-z0-9_-]{22}$/;

/**
 * What is counted: it differs from tenant to tenant, and does not lead back to the cookie. A new number is set whatever the
 * answer is: a payment that another limit refuses is counted too.
 * @param limit `device_accounts_max` of the tenant; null: nothing is counted, no cookie is set, and the answer is null.
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
