/** The headers of a case: credentials and other headers that a client may send. */
import type { Case, Fresh } from "./case.ts";
import { hostileText } from "./mutate.ts";
import { POSTBACK_SECRET, type Tenant } from "./world.ts";

/** The right credentials nearly always. */
export function credentials(
  made: Case,
  fresh: Fresh,
): { readonly headers: Record<string, string | readonly string[]>; readonly as: Tenant | null } {
  const { random, world, operation, tenant, key } = made;
  const needsNone = operation.security.length === 0;
  if (needsNone && random.chance(0.9)) return { headers: {}, as: null };
  const session = fresh.token ?? (tenant.tokens.length === 0 ? "ps_x" : random.pick(tenant.tokens));
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const own = {
    headers: bearer(fresh.key ?? key),
    as: operation.security.includes("apiKey") ? tenant : null,
  };
  const pathSession = operation.path.includes("{token}") && operation.path.includes("payment-sessions");
  if (operation.security.includes("sessionToken") && random.chance(0.4))
    return { headers: bearer(session), as: null };
  if (pathSession && !operation.path.endsWith("/cancel/") && random.chance(0.5))
    return { headers: {}, as: null };
  if (random.chance(0.93)) return own;
  const [one, two] = world.shops;
  const other = tenant === one ? two : one;
  return random.pick([
    { headers: {}, as: null },
    { headers: bearer(random.pick(other.keys)), as: other },
    { headers: bearer(random.pick(tenant.narrow)), as: tenant },
    { headers: bearer(session), as: null },
    { headers: bearer(`${key}x`), as: null },
    { headers: bearer(""), as: null },
    { headers: bearer("x".repeat(5_000)), as: null },
    { headers: { authorization: `bearer   ${key}` }, as: tenant },
    { headers: { authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` }, as: null },
    { headers: { authorization: [`Bearer ${key}`, `Bearer ${key}`] }, as: tenant },
    { headers: bearer(world.operatorKey), as: null },
  ]);
}

export function extraHeaders(made: Case): Record<string, string> {
  const { random, corpus, operation, index, tenant } = made;
  const hostile = () =>
    headerText(hostileText(random, corpus)).slice(0, random.pick([40, 300, 3_000, 9_000]));
  const headers: Record<string, string> = {};
  const maybe = (chance: number, name: string, value: () => string) => {
    if (random.chance(chance)) headers[name] = random.chance(0.2) ? hostile() : value();
  };
  if (operation.path.startsWith("/webhooks/") && random.chance(0.8))
    headers["x-service-secret"] = POSTBACK_SECRET;
  if (operation.method === "POST")
    maybe(0.2, "idempotency-key", () =>
      random.chance(0.5) ? `fuzz-${index}` : `shared-${tenant.mark}-${random.integer(1, 40)}`,
    );
  maybe(0.05, "x-request-id", () => `fuzz-${index}`);
  maybe(0.05, "accept", () =>
    random.pick(["text/csv", "application/xml", "text/html", "*/*", "application/json;q=0", "image/png"]),
  );
  maybe(0.03, "accept-language", () => random.pick(["el", "de-AT,de;q=0.9", "xx", "*"]));
  maybe(0.03, "accept-encoding", () => "identity");
  maybe(0.03, "range", () => random.pick(["bytes=0-10", "bytes=-1", "bytes=5-1,9-"]));
  maybe(0.03, "x-forwarded-for", () =>
    random.pick(["203.0.113.1", "::1, 127.0.0.1", "unknown", "1.2.3.4:80"]),
  );
  maybe(0.02, "origin", () => "https://shop.example.com");
  maybe(0.02, "if-none-match", () => '"x"');
  maybe(0.01, "host", () => random.pick(["evil.invalid", "a b", "localhost:1"]));
  maybe(0.01, "content-encoding", () => random.pick(["gzip", "identity", "br"]));
  maybe(0.01, "x-http-method-override", () => "DELETE");
  maybe(0.01, "cookie", () => "session=1; a=b");
  if (headers["host"]?.trim() === "") delete headers["host"];
  return headers;
}

/** A client cannot send other characters in a header. */
export function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "");
}
