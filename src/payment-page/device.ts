/**
 * The customer's browser, for the limit on different accounts (docs/guards.md, Many accounts): a random number in a cookie for
 * a day. It is set when a form is sent to a merchant who has set the limit, and at no other time.
 */
import type { Deps } from "../deps.ts";
import { cookieHeader, cookieValue } from "../http/cookies.ts";
import type { Failure } from "../http/endpoint.ts";

const NAME = "pay-device";
/** As long as accounts are counted. */
const SECONDS = 24 * 60 * 60;
const NUMBER = /^[A-Za-z0-9_-]{22}$/;

interface Device {
  /** What is counted: it differs from tenant to tenant, and does not lead back to the cookie. */
  readonly key: string | null;
  /** Headers of the answer to the form. */
  readonly headers: Readonly<Record<string, string>>;
}

const UNCOUNTED: Device = { key: null, headers: {} };

/** @param limit `device_accounts_max` of the tenant; null: nothing is counted and no cookie is set. */
export function deviceOf(
  deps: Pick<Deps, "ids" | "keys" | "publicUrl">,
  tenant: number,
  limit: number | null,
  headers: Failure["headers"],
): Device {
  if (limit === null) return UNCOUNTED;
  const sent = cookieValue(deps.publicUrl, NAME, headers);
  const number = sent !== null && NUMBER.test(sent) ? sent : deps.ids.secret(16).toString("base64url");
  const [key] = deps.keys.fingerprints(tenant, `device ${number}`);
  const cookie = number === sent ? {} : { "set-cookie": cookieHeader(deps.publicUrl, NAME, number, SECONDS) };
  return { key: key.toString("hex"), headers: cookie };
}
