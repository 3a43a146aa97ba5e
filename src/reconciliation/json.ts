/** A page as JSON (contract: Reconciliation). */
import { valuesWriter, type Format, type Frame } from "./format.ts";
import type { Field, RecordType } from "./lists.ts";

/** An object with `next`, `previous` and `results`. */
export function jsonFormat({ fields }: RecordType): Format {
  const write = valuesWriter(fields, memberOf, JSON.stringify);
  return {
    contentType: "application/json",
    record: (values) => `{${write(values).join(",")}}`,
    page({ next, previous, results }) {
      const links = JSON.stringify({ next, previous }).slice(0, -1);
      return [`${links},"results":[`, ...results.flatMap((one, at) => (at === 0 ? [one] : [",", one])), "]}"];
    },
  };
}

/** Free text includes its quotes. */
function memberOf({ name, kind }: Field): Frame {
  const quote = kind === "free_text" || kind === "integer" ? "" : '"';
  return { open: `"${name}":${quote}`, close: quote, empty: `"${name}":null` };
}
