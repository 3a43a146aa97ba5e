/** The rules for every response. */
import type { Operation } from "./document.ts";
import { MARKUP, SPLIT_HEADER } from "./corpus.ts";
import { TOLD, type Secrets } from "./secrets.ts";
import type { Incoming, Outgoing } from "./send.ts";
import type { Tenant, World } from "./world.ts";

interface Exchange {
  readonly operation: Operation;
  readonly outgoing: Outgoing;
  readonly answer: Incoming;
  /** The tenant of its key; null for a session, the operator or no credentials. */
  readonly as: Tenant | null;
}

export interface Problem {
  /** Findings are grouped by it. */
  readonly kind: string;
  readonly what: string;
}

const ANSWER_MS_MAX = 2_000;
/** A client that sends more than is read may get a closed connection instead of the response. */
const CUT_OFF_BYTES = 200_000;
/** The size of path or headers above which the server answers before routing. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** A partner's data is returned to the merchant unchanged. */
const AS_SENT = ["payload", "values"];

export function createJudge(world: World, secrets: Secrets): (exchange: Exchange) => readonly Problem[] {
  const idsOf = new Map(
    [...world.shops, world.workshop].map(
      (tenant) => [tenant, new Set(Object.values(tenant.ids).flat())] as const,
    ),
  );

  function foreign({ operation, outgoing, answer, as }: Exchange): readonly Problem[] {
    // Open endpoints serve every caller with the token in the path.
    if (as === null || operation.open || operation.security.includes("operatorKey")) return [];
    const asked = `${outgoing.path} ${outgoing.body?.toString() ?? ""}`.toLowerCase();
    const shown = [...answer.text.matchAll(UUID)].map(([id]) => id.toLowerCase());
    return [...idsOf].flatMap(([tenant, ids]) => {
      if (tenant === as) return [];
      const leaked = shown.filter((id) => ids.has(id) && !asked.includes(id));
      if (answer.text.includes(tenant.mark)) leaked.push(tenant.mark);
      return leaked
        .slice(0, 1)
        .map((what) => ({ kind: "another tenant's record", what: `${what} shown to ${as.name}` }));
    });
  }

  function secret({ operation, outgoing, answer }: Exchange): readonly Problem[] {
    const rest = `${JSON.stringify(answer.headers)} ${withoutTold(operation, answer.text).replace(TEST_ACCOUNTS, "")}`;
    return secrets.search(rest).flatMap(({ kind, value }) => {
      if (
        kind === "session token" &&
        (operation.path.startsWith("/sandbox/") || outgoing.path.includes(value))
      )
        return [];
      // The form repeats the customer's input.
      if (kind === "IBAN" && operation.name === "POST /pay/{token}/") return [];
      if (kind === "IBAN" && showsIbans(operation.name, outgoing.path)) return [];
      return [{ kind: `${kind} in an answer`, what: `${value.slice(0, 6)}…, ${value.length} characters` }];
    });
  }

  return (exchange) => [...basics(exchange), ...secret(exchange), ...foreign(exchange)];
}

/** The payment page of a test gateway lists the accounts to try. */
const TEST_ACCOUNTS = /<details class="test">.*?<\/details>/s;

/** Exports for another provider and bank files need whole IBANs; the export has them only on request. */
function showsIbans(name: string, path: string): boolean {
  if (name === "GET /api/v1/management/sepa-files/{id}/content/") return true;
  return name === "GET /api/v1/management/mandates/export/" && /[?&]include_iban=true\b/.test(path);
}

function basics({ operation, outgoing, answer }: Exchange): readonly Problem[] {
  const { status, headers, text, ms, trouble } = answer;
  const problems: Problem[] = [];
  const add = (kind: string, what: string) => void problems.push({ kind, what });
  if (ms > ANSWER_MS_MAX) add("slow", `answered ${status} after ${Math.round(ms)} ms`);
  if (status === 0) {
    if ((outgoing.body?.length ?? 0) < CUT_OFF_BYTES) add("no answer", trouble ?? "");
    return problems;
  }
  if (status >= 500) add(`status ${status}`, text.slice(0, 300));
  else {
    const undocumented = undocumentedOf(operation, outgoing, answer);
    if (undocumented !== null) add("not as documented", undocumented);
  }
  if (status !== 431 && status !== 408 && headers["x-request-id"] === undefined && !unreadable(answer))
    add("headers", "X-Request-Id is missing");
  if (headers[SPLIT_HEADER] !== undefined) add("headers", "a header of the caller's was sent back as one");
  if ((headers["content-type"] ?? "").includes("html") && text.includes(MARKUP))
    add("markup", "markup of the caller's is in a page");
  return problems;
}

/** Invalid HTTP is answered before there is a request. */
function unreadable({ status, headers }: Incoming): boolean {
  return status === 400 && headers["connection"] === "close";
}

function undocumentedOf(
  operation: Operation,
  { method, path, headers }: Outgoing,
  answer: Incoming,
): string | null {
  const { status, text } = answer;
  if (method === operation.method) {
    const oversize = path.length + JSON.stringify(headers).length > 7_000;
    return oversize && status === 431
      ? null
      : operation.problemOf(status, answer.headers["content-type"], text);
  }
  if (method === "HEAD" || method === "OPTIONS")
    return text === "" || status >= 400 ? null : `${method} was answered with a body`;
  // Another method of the same path may exist; its response is not checked here.
  if (status === 405 && answer.headers.allow === undefined) return "405 without Allow";
  return null;
}

/** A response without a documented field. */
function withoutTold({ shows, path }: Operation, text: string): string {
  const named = [...Object.keys(TOLD), ...(path.includes("/activities/") ? AS_SENT : [])].filter((name) =>
    shows.has(name),
  );
  if (named.length === 0 || !text.startsWith("{")) return text;
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      named.includes(name) ? undefined : value,
    );
  } catch {
    return text;
  }
}
