/** Common parts of the list formats: records are written one by one as they are read, then the page around them. Pure. */
import type { Page } from "../http/paging.ts";
import { must } from "../lib/assert.ts";
import type { Field } from "./lists.ts";

/** A record as every format shows it: the values of its fields, in their order, each as text but the counts. */
export type RecordValues = readonly (string | number | null)[];

/** A way to write a page of one type of record: each record as it is read, then the page around them. */
export interface Format {
  readonly contentType: string;
  readonly record: (values: RecordValues) => string;
  /** The texts that make up the page, one after the other. */
  readonly page: (page: Page<string>) => readonly string[];
}

/** Texts one after the other as the bytes that go out: joined as a text, a page of a thousand records would be there twice more. */
export function bytesOf(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let end = 0;
  for (const text of texts) end += bytes.write(text, end);
  return bytes;
}

/** What a format writes around a field's value, and in place of none. */
export interface Frame {
  readonly open: string;
  readonly close: string;
  readonly empty: string;
}

/**
 * Writes each value of a record in the frame of its field.
 * @param escape for free text: nothing else can hold what needs it.
 */
export function valuesWriter(
  fields: readonly Field[],
  frameOf: (field: Field) => Frame,
  escape: (text: string) => string,
): (values: RecordValues) => string[] {
  const frames = fields.map((field) => ({ ...frameOf(field), free: field.kind === "free_text" }));
  return (values) =>
    values.map((value, at) => {
      const { open, close, empty, free } = must(frames[at], "a field of the value");
      if (value === null) return empty;
      return open + (free ? escape(String(value)) : value) + close;
    });
}
