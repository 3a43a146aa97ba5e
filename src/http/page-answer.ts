/** Pages as HTTP responses: their common headers, compressed if the browser accepts it. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Html } from "../files/html.ts";
import { acceptsGzip } from "./compression.ts";
import type { Answer } from "./endpoint.ts";

const compress = promisify(gzip);

/** A year; browsers respect both only over https. */
const SECURE_HEADERS = {
  "strict-transport-security": "max-age=31536000",
  "cross-origin-opener-policy": "same-origin",
};

interface PageParts {
  readonly page: Html;
  /** Directives of the Content-Security-Policy. */
  readonly policy: readonly string[];
  /** Headers of this kind of page: `vary` begins with accept-encoding. */
  readonly headers: Readonly<Record<string, string>> & { readonly vary: `accept-encoding, ${string}` };
  /** Whether the page is served over https; the response then says that it always is. */
  readonly secure: boolean;
  readonly acceptEncoding: string | string[] | undefined;
}

/** The page as a response. */
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
