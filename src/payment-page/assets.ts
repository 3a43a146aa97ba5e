/** The page's only script. */
import { hash } from "node:crypto";
import { readAsset } from "../http/assets.ts";

/** Built from pay.ts in the same folder by `npm run generate`. */
export const SCRIPT = readAsset(new URL("../../web/pay/pay.js", import.meta.url));

/** Subresource integrity: browsers run exactly these bytes. */
export const SCRIPT_INTEGRITY = `sha384-${hash("sha384", SCRIPT.plain, "base64")}`;
