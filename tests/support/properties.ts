/**
 * The door to fast-check: every run makes the same cases, so that a change is judged by what it changes.
 * Other cases: `PROPERTY_SEED=2 npm test`.
 */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });

export { fc };
