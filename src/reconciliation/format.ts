/**
 * Common parts of the list formats: records are written one by one as they are read, then the page around them. Pure.
 */
import type { Page } from "../http/paging.ts";
import { must } from "../lib/assert.ts";
import type { Field } from "./lists.ts";

/** A record in every format: the values of its fields in order, all text except counts. */
export type RecordValues = readonly (string | number | null)[];

/** Writes a page of one type of record: each record as it is read, then the page around them. */
export interface Format {
  readonly contentType: string;
  readonly record: (values: RecordValues) => string;
  /** The texts that make up the page, one after the other. */
  readonly page: (page: Page<string>) => readonly string[];
}

/** Joined in groups: separate texts cost two calls out of the engine each, all in one would be in memory twice more. */
const JOINED_AT_ONCE = 128;

/** Converts texts to bytes. */
export function bytesOf(texts: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < texts.length; at += JOINED_AT_ONCE)
    parts.push(Buffer.from(texts.slice(at, at + JOINED_AT_ONCE).join("")));
  return Buffer.concat(parts);
}

/** What a format writes around a field's value, and for null. */
export interface Frame {
  readonly open: string;
  readonly close: string;
  readonly empty: string;
}

/**
 * Writes each value of a record in the frame of its field.
 * @param escape for free text; other values need no escaping.
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
