/** The console's style sheet and scripts: `npm run generate` builds the scripts from the .ts files in their folder. */
import { assetAnswer, readAsset, type Asset } from "../http/assets.ts";
import type { Router } from "../http/endpoint.ts";
import { Type } from "../lib/schema.ts";

const FOLDER = new URL("../../web/console/", import.meta.url);
const FILES = new Map<string, Asset>();

export const STYLE_PATH = pathOf("console.css");
export const SCRIPT_PATH = pathOf("console.js");
/** For pages that use a passkey. */
export const PASSKEY_SCRIPT = pathOf("passkey.js");

/** Declares a route for each of them, open to everyone: they contain no secrets. */
export function assetRoutes(router: Router): void {
  for (const [name, asset] of FILES) {
    router.add("GET", `/console/assets/${name}`, {
      summary: "A file of the console",
      tag: "Console",
      hidden: true,
      access: "anyone",
      schema: { query: Type.Object({ v: Type.Optional(Type.String()) }), response: { 200: Type.Unknown() } },
      handle: async ({ headers }) => assetAnswer(asset, headers["accept-encoding"]),
    });
  }
}

/** Reads the file at start; its address changes with its contents. */
function pathOf(name: string): string {
  const asset = readAsset(new URL(name, FOLDER));
  FILES.set(name, asset);
  return `/console/assets/${name}?v=${asset.version}`;
}
