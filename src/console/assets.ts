/** The console's style sheet and scripts, read at start and named by their content, so that browsers may keep them. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { acceptsGzip } from "../http/compression.ts";
import type { Answer, Router } from "../http/endpoint.ts";
import { Type } from "../lib/schema.ts";

const FOLDER = new URL("../../web/console/", import.meta.url);
const TYPES = {
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
} as const;
type FileName = keyof typeof TYPES;

const FILES = Object.fromEntries(
  (Object.keys(TYPES) as FileName[]).map((name) => {
    const plain = readFileSync(new URL(name, FOLDER));
    const version = hash("sha256", plain, "base64url").slice(0, 16);
    return [name, { plain, compressed: gzipSync(plain, { level: 9 }), version }];
  }),
) as Readonly<Record<FileName, { plain: Buffer; compressed: Buffer; version: string }>>;

const pathOf = (name: FileName) => `/console/assets/${name}?v=${FILES[name].version}`;
export const STYLE_PATH = pathOf("console.css");
export const SCRIPT_PATH = pathOf("console.js");

/** Declares a route for each of them: what they say is no secret. */
export function assetRoutes(router: Router): void {
  for (const name of Object.keys(TYPES) as FileName[]) {
    router.add("GET", `/console/assets/${name}`, {
      summary: "A file of the console",
      tag: "Console",
      hidden: true,
      access: "anyone",
      schema: { query: Type.Object({ v: Type.Optional(Type.String()) }), response: { 200: Type.Unknown() } },
      handle: async ({ headers }) => assetAnswer(name, headers["accept-encoding"]),
    });
  }
}

function assetAnswer(name: FileName, acceptEncoding: string | string[] | undefined): Answer {
  const { plain, compressed } = FILES[name];
  const zipped = acceptsGzip(acceptEncoding);
  return {
    status: 200,
    headers: {
      "content-type": TYPES[name],
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
    body: zipped ? compressed : plain,
  };
}
