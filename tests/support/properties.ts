/**
 * The only file that imports fast-check. Every run uses the same cases, so that results are comparable. For other
 * cases: `PROPERTY_SEED=2 npm test`.
 */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });

export { fc };
