/** Checks that a form was sent by our own page: its origin, and a token that only our pages in this browser have. */
import type { Deps } from "../deps.ts";
import { sameBytes } from "../lib/keyring.ts";
import { html, type Html } from "../files/html.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The token of forms in a browser with this cookie. */
export function csrfToken({ keys }: Pick<Deps, "keys">, cookieValue: string): string {
  return keys.mac(keys.currentKeyId, "console-form", cookieValue)?.toString("base64url") ?? "";
}

/** The hidden field of every form. */
export function csrfField(token: string): Html {
  return html`<input type="hidden" name="csrf" value="${token}" />`;
}

/** Whether a POST comes from a page of ours. */
export function isOwnForm(
  { keys, publicUrl }: Pick<Deps, "keys" | "publicUrl">,
  headers: Headers,
  given: { readonly cookieValue: string | null; readonly token: string | undefined },
): boolean {
  if (!isOwnOrigin(publicUrl, headers)) return false;
  const { cookieValue, token = "" } = given;
  if (cookieValue === null) return false;
  return keys.keyIds.some((id) => {
    const right = keys.mac(id, "console-form", cookieValue);
    return right !== null && sameBytes(Buffer.from(right.toString("base64url")), Buffer.from(token));
  });
}

/**
 * Browsers send the origin of a request: all current ones in Sec-Fetch-Site on a secure origin, in Origin everywhere.
 */
function isOwnOrigin(publicUrl: string, headers: Headers): boolean {
  const { origin, host } = headers;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return site === "same-origin";
  if (typeof origin !== "string" || !URL.canParse(origin)) return false;
  return origin === new URL(publicUrl).origin || new URL(origin).host === host;
}
