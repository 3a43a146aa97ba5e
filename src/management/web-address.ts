/** The URLs that a merchant may set for calls and redirects. */

/** Where plain http is allowed: nowhere, on this machine only, or anywhere (an operator's option for staging). */
export type PlainHttp = "nowhere" | "loopback" | "anywhere";

/** Parsers drop some of them silently, so that the address checked would not be the address used. */
// oxlint-disable-next-line no-control-regex
const SPACES_AND_CONTROLS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/;
/**
 * A name or an address: a URL's host may also contain `*` or `;`, which have a meaning where the address is written
 * into a policy.
 */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The problem of a URL; null if it is valid (contract: Webhook targets). */
export function addressProblem(text: string, plainHttp: PlainHttp): string | null {
  if (SPACES_AND_CONTROLS.test(text) || !URL.canParse(text)) return "Enter a valid URL.";
  const url = new URL(text);
  if (!HOST.test(url.hostname)) return "Enter a valid URL.";
  const plain = plainHttp === "anywhere" || (plainHttp === "loopback" && isLoopback(url.hostname));
  if (url.protocol !== "https:" && !(url.protocol === "http:" && plain))
    return "This URL must begin with https://.";
  if (url.username !== "" || url.password !== "") return "This URL must not contain a user name or password.";
  return null;
}

/** Whether a host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
