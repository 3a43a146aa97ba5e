/** A page as JSON (contract, reconciliation). */
import { must } from "../lib/assert.ts";
import type { Field, Format, RecordType } from "./records.ts";

/** An object with `next`, `previous` and `results`. */
export function jsonFormat({ fields }: RecordType): Format {
  const members = fields.map(memberOf);
  return {
    contentType: "application/json",
    record(values) {
      const written = values.map((value, at) => {
        const { open, close, empty, free } = must(members[at], "a field of the value");
        if (value === null) return empty;
        return open + (free ? JSON.stringify(value) : value) + close;
      });
      return `{${written.join(",")}}`;
    },
    page({ next, previous, results }) {
      const links = JSON.stringify({ next, previous }).slice(0, -1);
      return `${links},"results":[${results.join(",")}]}`;
    },
  };
}

/** Only free text can hold what needs escaping. */
function memberOf({ name, kind }: Field) {
  const free = kind === "free_text";
  const quote = free || kind === "integer" ? "" : '"';
  return { open: `"${name}":${quote}`, close: quote, empty: `"${name}":null`, free };
}
