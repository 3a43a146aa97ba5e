/** Cookies of the service's own pages: their names, and how they are written and read. */

/**
 * Over https the name begins with `__Host-`, so that neither another host of the domain nor an unencrypted page can set
 * the cookie. Over http, which only staging serves, browsers disagree on what a secure origin is, so the cookie has
 * neither prefix nor Secure.
 */
function cookieName(publicUrl: string, name: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

/**
 * A Set-Cookie header. Scripts cannot read the cookie. Lax: it is sent when a link leads here.
 * @param seconds null: until the browser is closed.
 */
export function cookieHeader(publicUrl: string, name: string, value: string, seconds: number | null): string {
  const secure = isSecure(publicUrl) ? "; Secure" : "";
  const age = seconds === null ? "" : `; Max-Age=${seconds}`;
  return `${cookieName(publicUrl, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`;
}

/** The cookie's value in a request; null without it, or if it occurs twice. */
export function cookieValue(
  publicUrl: string,
  name: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | null {
  const prefix = `${cookieName(publicUrl, name)}=`;
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
