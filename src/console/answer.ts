/** Pages of the console as HTTP responses. */
import { pageAnswer } from "../http/page-answer.ts";
import type { Answer } from "../http/endpoint.ts";
import type { Html } from "../files/html.ts";

/** Nothing inline, nothing from other hosts, no frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

const HEADERS = {
  "x-frame-options": "DENY",
  // With `no-referrer` browsers send no Origin with a form, which is needed to recognise our own forms.
  "referrer-policy": "same-origin",
  vary: "accept-encoding, cookie",
} as const;

/** A page of the console. */
export async function consolePage(
  { publicUrl }: { readonly publicUrl: string },
  status: number,
  page: Html,
  given: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly cookies?: readonly string[];
    readonly more?: Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const answer = await pageAnswer(status, {
    page,
    policy: POLICY,
    headers: { ...given.more, ...HEADERS },
    secure: publicUrl.startsWith("https:"),
    acceptEncoding: given.headers["accept-encoding"],
  });
  return { ...answer, cookies: given.cookies ?? [] };
}

/** Redirects to another page by GET, so that a reload repeats nothing. */
export function seeOther(location: string, cookies: readonly string[] = []): Answer {
  return { status: 303, headers: { location, "referrer-policy": "same-origin" }, cookies, body: "" };
}
