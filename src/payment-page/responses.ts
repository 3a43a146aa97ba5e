/** Payment pages as HTTP responses: what they may load, and who may frame them. */
import type { Answer } from "../http/endpoint.ts";
import type { Html } from "../files/html.ts";
import { pageAnswer } from "../http/page-answer.ts";
import { addressProblem } from "../management/web-address.ts";

interface Around {
  readonly nonce: string;
  /** The only image that the page may load. */
  readonly logoUrl: string | null;
  /** Origins that may show the page in a frame. */
  readonly frameOrigins: readonly string[];
  /** Whether the console may as well, at whichever address of the service it is open. */
  readonly inConsole?: boolean;
  /** Whether the page is served over https. */
  readonly secure: boolean;
  /** Whether the response to its form redirects to another page, which may be on any host. */
  readonly formsLeadAway?: boolean;
}

/** A payment page. */
export function paymentPageAnswer(
  status: number,
  page: Html,
  around: Around,
  acceptEncoding: string | string[] | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  // Some were stored when the checks were less strict.
  const listed = around.frameOrigins.filter((origin) => addressProblem(origin, "anywhere") === null);
  const framing = [...(around.inConsole === true ? ["'self'"] : []), ...listed];
  return pageAnswer(status, {
    page,
    policy: policyOf(around, framing),
    headers: {
      ...(framing.length > 0 ? {} : { "x-frame-options": "DENY" }),
      ...more,
      vary: "accept-encoding, accept-language",
    },
    secure: around.secure,
    acceptEncoding,
  });
}

/**
 * Allows only the page's own script and style, the shop's logo and our API; framed only by the shop's listed origins.
 */
function policyOf(
  { nonce, logoUrl, formsLeadAway = false }: Around,
  framing: readonly string[],
): readonly string[] {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src ${["data:", ...(logoUrl === null ? [] : [sourceOf(logoUrl)])].join(" ")}`,
    "connect-src 'self'",
    ...(formsLeadAway ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    `frame-ancestors ${framing.length > 0 ? framing.join(" ") : "'none'"}`,
  ];
}

/** The URL's origin and path, encoded because a policy ends at a semicolon or comma, which a URL may contain. */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/[;,]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
