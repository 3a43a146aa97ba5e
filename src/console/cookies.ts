/** The console's cookies. */
import type { Deps } from "../deps.ts";
import { cookieHeader, cookieValue } from "../http/cookies.ts";

/**
 * `session` contains the session's secret; `visitor` binds the forms of people who are not signed in to their browser;
 * `device` marks a browser that has signed in before; `flow` contains the state of a sign-in at the identity provider.
 */
type CookieKind = "session" | "visitor" | "device" | "flow";

const YEAR_SECONDS = 31_536_000;
const SECONDS: Readonly<Record<CookieKind, number | null>> = {
  session: null,
  visitor: null,
  device: YEAR_SECONDS,
  flow: 600,
};

/** A Set-Cookie header. The cookie is sent when a link in a mail leads to the console. */
export function cookie({ publicUrl }: Pick<Deps, "publicUrl">, kind: CookieKind, value: string): string {
  return cookieHeader(publicUrl, nameOf(kind), value, SECONDS[kind]);
}

/** A Set-Cookie header that deletes it. */
export function noCookie({ publicUrl }: Pick<Deps, "publicUrl">, kind: CookieKind): string {
  return cookieHeader(publicUrl, nameOf(kind), "", 0);
}

/** The cookie's value in a request; null without it, or if it occurs twice. */
export function readCookie(
  { publicUrl }: Pick<Deps, "publicUrl">,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  kind: CookieKind,
): string | null {
  return cookieValue(publicUrl, nameOf(kind), headers);
}

function nameOf(kind: CookieKind): string {
  return `console-${kind}`;
}
