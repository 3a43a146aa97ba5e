/** The running version of the service. */
import { readFile } from "node:fs/promises";
import { once } from "./once.ts";

/** From package.json, such as `1.0.0`. */
export const serviceVersion = once(async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
});
