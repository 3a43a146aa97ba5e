/** Pages as HTTP answers: their headers, compressed where the browser takes it. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Answer } from "../http/endpoint.ts";
import { acceptsGzip } from "../http/compression.ts";
import type { Html } from "../files/html.ts";
import { addressProblem } from "../management/web-address.ts";

const compress = promisify(gzip);

interface PageHeaders {
  readonly nonce: string;
  /** The only picture that the page may load. */
  readonly logoUrl: string | null;
  /** Origins that may show the page in a frame. */
  readonly frameOrigins: readonly string[];
  /** The page is served over https, so it may say that it always is. */
  readonly secure: boolean;
}

/** A year; browsers heed both over https only. */
const SECURE_HEADERS = {
  "strict-transport-security": "max-age=31536000",
  "cross-origin-opener-policy": "same-origin",
};

export async function pageAnswer(
  status: number,
  page: Html,
  given: PageHeaders,
  acceptEncoding: string | string[] | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const zipped = acceptsGzip(acceptEncoding);
  return {
    status,
    headers: {
      ...pageHeaders(given),
      ...more,
      "content-type": "text/html; charset=utf-8",
      vary: "accept-encoding, accept-language",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
    body: zipped ? await compress(page.text) : page.text,
  };
}

/** Nothing but the page's own script and style, the shop's logo and our API; no frame unless the shop has listed it. */
function pageHeaders({
  nonce,
  logoUrl,
  frameOrigins,
  secure,
}: PageHeaders): Readonly<Record<string, string>> {
  // Some were stored when less was refused.
  const framing = frameOrigins.filter((origin) => addressProblem(origin, "anywhere") === null);
  const framed = framing.length > 0;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src ${["data:", ...(logoUrl === null ? [] : [sourceOf(logoUrl)])].join(" ")}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framed ? framing.join(" ") : "'none'"}`,
  ];
  return {
    "content-security-policy": policy.join("; "),
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    ...(framed ? {} : { "x-frame-options": "DENY" }),
    ...(secure ? SECURE_HEADERS : {}),
  };
}

/** Its origin and path: a policy ends at a semicolon or comma, which a URL may hold. */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/[;,]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
