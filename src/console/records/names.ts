/** The names of a record's fields and of a choice's values. Pure. */
import type { Words } from "../words.ts";

/** A field's name in the person's language. */
export function fieldName({ texts }: Words, name: string): string {
  return texts.fields[name] ?? texts.fields[name.split(".").at(-1) ?? name] ?? name;
}

/** The name of a choice's value in the person's language. */
export function valueName({ texts }: Words, value: string): string {
  return texts.values[value] ?? texts.frequencies[value] ?? value;
}
