/** Pages as HTTP answers: the headers that all of them have, compressed where the browser accepts it. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Html } from "../files/html.ts";
import { acceptsGzip } from "./compression.ts";
import type { Answer } from "./endpoint.ts";

const compress = promisify(gzip);

/** A year; browsers heed both over https only. */
const SECURE_HEADERS = {
  "strict-transport-security": "max-age=31536000",
  "cross-origin-opener-policy": "same-origin",
};

interface PageParts {
  readonly page: Html;
  /** Each a directive of the Content-Security-Policy. */
  readonly policy: readonly string[];
  /** Those of this kind of page: `vary` begins with accept-encoding. */
  readonly headers: Readonly<Record<string, string>> & { readonly vary: `accept-encoding, ${string}` };
  /** The page is served over https, so it may say that it always is. */
  readonly secure: boolean;
  readonly acceptEncoding: string | string[] | undefined;
}

/** The page as an answer. */
export async function pageAnswer(
  status: number,
  { page, policy, headers, secure, acceptEncoding }: PageParts,
): Promise<Answer> {
  const zipped = acceptsGzip(acceptEncoding);
  return {
    status,
    headers: {
      "content-security-policy": policy.join("; "),
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      ...(secure ? SECURE_HEADERS : {}),
      ...headers,
      "content-type": "text/html; charset=utf-8",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
    body: zipped ? await compress(page.text) : page.text,
  };
}
