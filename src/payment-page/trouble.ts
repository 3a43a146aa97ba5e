/** What the page of a merchant's own link says where it cannot be shown. */
import type { Answer, Failure } from "../http/endpoint.ts";
import type { Pages } from "./build-pages.ts";

/** @param pathOf the page that a token leads to. @param name of the token in its path. */
export function troubleOf(
  pages: Pages,
  pathOf: (token: string) => string,
  name: "token" | "id" = "token",
): (failure: Failure) => Promise<Answer> {
  return ({ answer, params, headers }) => {
    const { [name]: token = "" } = params as { readonly [name in "token" | "id"]?: string };
    if (answer.status === 404) return pages.trouble(404, "unknown", { headers, backPath: null });
    const retryAfter = answer.headers?.["retry-after"];
    const more = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    const trouble = answer.status >= 500 ? "unavailable" : answer.status === 429 ? "tooFast" : "badRequest";
    return pages.trouble(answer.status, trouble, { headers, backPath: pathOf(token), more });
  };
}
