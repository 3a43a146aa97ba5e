/**
 * Static files of pages: compressed once, and addressed by a hash of their content, so that browsers can cache them.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { acceptsGzip } from "./compression.ts";
import type { Answer } from "./endpoint.ts";

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const;

export interface Asset {
  readonly type: keyof typeof TYPES;
  readonly plain: Buffer;
  readonly compressed: Buffer;
  /** Changes with the content; part of the address. */
  readonly version: string;
}

/** Reads a file of the package. */
export function readAsset(file: URL): Asset {
  const plain = readFileSync(file);
  return assetOf(file.pathname.endsWith(".css") ? "css" : "js", plain, gzipSync(plain, { level: 9 }));
}

/**
 * An asset.
 * @param compressed with gzip.
 */
export function assetOf(type: Asset["type"], plain: Buffer, compressed: Buffer): Asset {
  return { type, plain, compressed, version: hash("sha256", plain, "base64url").slice(0, 16) };
}

/**
 * The response with an asset.
 * @param acceptEncoding of the request.
 */
export function assetAnswer(
  { type, plain, compressed }: Asset,
  acceptEncoding: string | string[] | undefined,
): Answer {
  const zipped = acceptsGzip(acceptEncoding);
  return {
    status: 200,
    headers: {
      "content-type": TYPES[type],
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
    body: zipped ? compressed : plain,
  };
}
