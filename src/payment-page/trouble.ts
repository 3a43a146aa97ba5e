/** The error pages of merchants' own links. */
import type { Answer, Failure } from "../http/endpoint.ts";
import { TooManyTries } from "../refusals.ts";
import type { Pages } from "./build-pages.ts";
import type { Trouble } from "./render/messages.ts";

/**
 * Renders an error as a page.
 * @param pathOf the path of the page for a token.
 * @param name of the token in its path.
 */
export function troubleOf(
  pages: Pages,
  pathOf: (token: string) => string,
  name: "token" | "id" = "token",
): (failure: Failure) => Promise<Answer> {
  return ({ error, answer, params, headers }) => {
    const { [name]: token = "" } = params as { readonly [name in "token" | "id"]?: string };
    if (answer.status === 404) return pages.trouble(404, "unknown", { headers, backPath: null });
    const retryAfter = answer.headers?.["retry-after"];
    const more = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    return pages.trouble(answer.status, troubleIn(error, answer.status), {
      headers,
      backPath: pathOf(token),
      more,
    });
  };
}

/** The customer's view of an error. */
export function troubleIn(error: unknown, status: number): Trouble {
  if (error instanceof TooManyTries) return "tries";
  if (status === 429) return "tooFast";
  return status >= 500 ? "unavailable" : "badRequest";
}
