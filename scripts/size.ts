/**
 * `npm run size`: prints the size of a production installation (`npm ci --omit=dev --omit=optional`) without Node, by
 * package, and fails above the limit. It measures the packages of this clone that the lockfile marks as neither
 * development nor optional.
 */
import { productionTree } from "./production-tree.ts";

const LIMIT_BYTES = 120_000_000;
const SHOWN = 15;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1).padStart(6)} MB`;

const packages = await productionTree();
const total = packages.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { name, bytes } of packages.slice(0, SHOWN)) console.log(`${megabytes(bytes)}  ${name}`);
const others = packages.slice(SHOWN);
console.log(
  `${megabytes(others.reduce((sum, { bytes }) => sum + bytes, 0))}  ${others.length} smaller packages`,
);
console.log(`${megabytes(total)}  in all, of ${megabytes(LIMIT_BYTES).trim()}`);
if (total > LIMIT_BYTES) process.exitCode = 1;
