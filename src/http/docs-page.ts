/** The API reference page at /docs, which works offline and loads nothing from other hosts. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fastify } from "fastify";
import { Type } from "../lib/schema.ts";
import { once } from "../lib/once.ts";
import { assetAnswer, assetOf, type Asset } from "./assets.ts";
import type { Answer, Router } from "./endpoint.ts";

interface Docs {
  /** The API description. */
  openApi(): object;
}

const DOCUMENT_PATH = "/api/v1/openapi.json";
const SCRIPT_PATH = "/docs/scalar.js";

/** What the page may load: the service's own script and API, styles written by the script, and nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Disables all features that would call the vendor's servers. */
const CONFIGURATION = {
  url: DOCUMENT_PATH,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
};

const hidden = { tag: "Documentation", access: "anyone", hidden: true, limit: "docs" } as const;

/** GET /docs, its script, and the document itself at {base_url}/openapi.json (contract: API description). */
export function docsRoutes(router: Router, docs: Docs): void {
  let document: string | undefined;
  const loaded = once(loadScript);

  router.add("GET", "/docs", {
    ...hidden,
    summary: "The reference page",
    schema: { response: { 200: Type.String() } },
    handle: async () => page((await loaded()).version),
  });
  router.add("GET", SCRIPT_PATH, {
    ...hidden,
    summary: "The script of the reference page",
    schema: { response: { 200: Type.Unknown() } },
    handle: async ({ headers }) => assetAnswer(await loaded(), headers["accept-encoding"]),
  });
  router.add("GET", DOCUMENT_PATH, {
    ...hidden,
    summary: "The description of this API (OpenAPI 3.1)",
    schema: { response: { 200: Type.Unknown() } },
    async handle() {
      document ??= JSON.stringify(docs.openApi());
      return { status: 200, headers: { "content-type": "application/json; charset=utf-8" }, body: document };
    },
  });
}

function page(version: string): Answer {
  const configuration = JSON.stringify(CONFIGURATION).replaceAll('"', "&quot;");
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": CONTENT_SECURITY_POLICY,
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment Session Service: API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The description itself: <a href="${DOCUMENT_PATH}">${DOCUMENT_PATH}</a></noscript>
<script id="api-reference" type="application/json" data-configuration="${configuration}"></script>
<script src="${SCRIPT_PATH}?v=${version}"></script>
</body>
</html>
`,
  };
}

/** The script is 4 MB, so it is read on the first request. Its package exposes it only through a Fastify plugin. */
async function loadScript(): Promise<Asset> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  const source = fastify();
  await source.register(reference, { routePrefix: "/reference", configuration: { url: DOCUMENT_PATH } });
  const { statusCode, rawPayload: plain } = await source.inject("/reference/js/scalar.js");
  await source.close();
  if (statusCode !== 200) throw new Error("The package of the reference page does not have its script");
  return assetOf("js", plain, await promisify(gzip)(plain));
}
