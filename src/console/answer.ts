/** Pages of the console as HTTP answers. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptsGzip } from "../http/compression.ts";
import type { Answer } from "../http/endpoint.ts";
import type { Html } from "../files/html.ts";

const compress = promisify(gzip);

/** Nothing inline, nothing from elsewhere, in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "x-frame-options": "DENY",
  // With `no-referrer` browsers send no Origin with a form, by which we know our own.
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  vary: "accept-encoding, cookie",
};

/** A year; browsers heed both over https only. */
const SECURE = {
  "strict-transport-security": "max-age=31536000",
  "cross-origin-opener-policy": "same-origin",
};

export async function pageAnswer(
  { publicUrl }: { readonly publicUrl: string },
  status: number,
  page: Html,
  given: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly cookies?: readonly string[];
    readonly more?: Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const zipped = acceptsGzip(given.headers["accept-encoding"]);
  return {
    status,
    headers: {
      ...HEADERS,
      ...(publicUrl.startsWith("https:") ? SECURE : {}),
      "content-security-policy": POLICY.join("; "),
      ...given.more,
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
    ...(given.cookies === undefined ? {} : { cookies: given.cookies }),
    body: zipped ? await compress(page.text) : page.text,
  };
}

/** Another page by GET, so that a reload repeats nothing. */
export function seeOther(location: string, cookies: readonly string[] = []): Answer {
  return { status: 303, headers: { location, "referrer-policy": "same-origin" }, cookies, body: "" };
}
