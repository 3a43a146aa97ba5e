/** The page's one script, read at start and named by its content, so that browsers may keep it. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

export interface Asset {
  readonly plain: Buffer;
  readonly compressed: Buffer;
  /** Subresource integrity: a browser runs exactly these bytes. */
  readonly integrity: string;
  readonly version: string;
}

/** Built from pay.ts in the same folder by `npm run generate`. */
const SCRIPT = new URL("../../web/pay/pay.js", import.meta.url);

export function loadScript(): Asset {
  const plain = readFileSync(SCRIPT);
  return {
    plain,
    compressed: gzipSync(plain, { level: 9 }),
    integrity: `sha384-${hash("sha384", plain, "base64")}`,
    version: hash("sha256", plain, "base64url").slice(0, 16),
  };
}
