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

/** Joined at once: each text of its own costs two calls out of the engine, all in one are in memory twice more. */
const JOINED_AT_ONCE = 128;

/** Texts one after the other as the bytes that go out. */
export function bytesOf(texts: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < texts.length; at += JOINED_AT_ONCE)
    parts.push(Buffer.from(texts.slice(at, at + JOINED_AT_ONCE).join("")));
  return Buffer.concat(parts);
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
