/**
 * A partner's system on loopback: posts each result once, loses some, and lists all of them for callers with its token.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Json, Service } from "./service.ts";

export type Style = "next_url" | "cursor" | "page";

export interface Vendor {
  /** The URL of its list. */
  readonly url: string;
  readonly token: string;
  /** Every request for the list: path with query, and the Authorization header. */
  readonly asked: { readonly url: string; readonly authorization: string | undefined }[];
  /** Responds to the next requests in place of the list. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /**
   * Records a result with the time `at` and posts it, unless it is to be lost. @returns the activity's id if it was
   * accepted.
   */
  sends(service: Service, path: string, body: Json, at: Date, lost?: boolean): Promise<string | null>;
  /** Posts a result again. */
  repeats(service: Service, path: string, body: Json): Promise<string>;
  close(): Promise<void>;
}

interface Result {
  readonly at: number;
  readonly body: Json;
}

const PAGE_SIZE = 7;

export async function startVendor(style: Style): Promise<Vendor> {
  const results: Result[] = [];
  const token = "vendor-read-token-77ab";
  const asked: Vendor["asked"] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    asked.push({ url: request.url ?? "", authorization });
    if (vendor.misbehave !== null) return vendor.misbehave(request, response);
    if (authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const answer = pageFor(style, new URL(request.url ?? "", vendor.url), results);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const vendor: Vendor = {
    url: `http://127.0.0.1:${address.port}/api/results?account=7`,
    token,
    asked,
    misbehave: null,
    async sends(service, path, body, at, lost = false) {
      results.push({ at: at.getTime(), body });
      return lost ? null : vendor.repeats(service, path, body);
    },
    async repeats(service, path, body) {
      const response = await service.post(path, body);
      if (response.status !== 200) throw new Error(`The postback was refused: ${response.text}`);
      return response.body["activity_id"];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return vendor;
}

/** A page of the list in this style of API. */
function pageFor(style: Style, url: URL, results: readonly Result[]): object {
  const since = style === "page" ? Number(url.searchParams.get("from")) * 1_000 : sinceOf(url);
  const due = results.filter(({ at }) => at >= since).map(({ body }) => body);
  const start =
    style === "page"
      ? (Number(url.searchParams.get("p")) - 1) * PAGE_SIZE
      : Number(url.searchParams.get(style === "cursor" ? "after" : "offset") ?? 0);
  const items = due.slice(start, start + PAGE_SIZE);
  const more = start + PAGE_SIZE < due.length ? start + PAGE_SIZE : null;
  if (style === "page") return items;
  if (style === "cursor") return { data: { items }, meta: { next_cursor: more } };
  return { results: items, next: more === null ? null : nextUrl(url, more) };
}

function sinceOf(url: URL): number {
  return Date.parse(url.searchParams.get("since") ?? "");
}

function nextUrl(url: URL, offset: number): string {
  const next = new URL(url);
  next.searchParams.set("offset", String(offset));
  return next.pathname + next.search;
}

/** The settings of an integration that reads such a list. */
export const PAGING: Readonly<Record<Style, object>> = {
  next_url: {},
  cursor: {
    style: "cursor",
    results_key: "data.items",
    next_key: "meta.next_cursor",
    cursor_parameter: "after",
  },
  page: {
    style: "page",
    results_key: "",
    page_parameter: "p",
    since_parameter: "from",
    since_format: "unix_seconds",
  },
};
