/** The console's cookies: their names, how they are written and read. */
import type { Deps } from "../deps.ts";

/**
 * `session` holds the session's secret; `visitor` ties the forms of people who are not signed in to their browser;
 * `device` says that this browser has signed in before; `flow` is what is to be remembered while the identity provider asks.
 */
type CookieKind = "session" | "visitor" | "device" | "flow";

const YEAR_SECONDS = 31_536_000;
const SECONDS: Readonly<Record<CookieKind, number | null>> = {
  session: null,
  visitor: null,
  device: YEAR_SECONDS,
  flow: 600,
};

/**
 * Over https the name begins with `__Host-`, so that neither another host of the domain nor an unencrypted page can set it. Over
 * http, which only staging serves, browsers differ in what they take for a safe origin: the cookie goes without both there.
 */
function cookieName({ publicUrl }: Pick<Deps, "publicUrl">, kind: CookieKind): string {
  return isSecure(publicUrl) ? `__Host-console-${kind}` : `console-${kind}`;
}

/** A Set-Cookie. Lax, as a link to the console from a mail is followed signed in. */
export function cookie(deps: Pick<Deps, "publicUrl">, kind: CookieKind, value: string): string {
  const seconds = SECONDS[kind];
  return written(deps, kind, value, seconds === null ? "" : `; Max-Age=${seconds}`);
}

/** A Set-Cookie that takes it away. */
export function noCookie(deps: Pick<Deps, "publicUrl">, kind: CookieKind): string {
  return written(deps, kind, "", "; Max-Age=0");
}

function written(deps: Pick<Deps, "publicUrl">, kind: CookieKind, value: string, more: string): string {
  const secure = isSecure(deps.publicUrl) ? "; Secure" : "";
  return `${cookieName(deps, kind)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${more}`;
}

/** The cookie's value in a request; null without it, or where two claim its name. */
export function readCookie(
  deps: Pick<Deps, "publicUrl">,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  kind: CookieKind,
): string | null {
  const prefix = `${cookieName(deps, kind)}=`;
  const found = String(headers["cookie"] ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  const value = found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
  return value === undefined || value === "" ? null : value;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}
