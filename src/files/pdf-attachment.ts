/** Reads the attachment of a PDF created by pdf.ts. Pure. */
import { inflateSync } from "node:zlib";

const BYTES_MAX = 16 * 1_024 * 1_024;
const STREAM = /\/Type \/EmbeddedFile\b[^]{0,2000}?\/Length (\d+)[^]{0,200}?\nstream\n/;

/** The one attachment, or null. */
export function attachmentOf(pdf: Buffer): Buffer | null {
  const found = STREAM.exec(pdf.toString("latin1"));
  if (found === null) return null;
  const begin = found.index + found[0].length;
  try {
    return inflateSync(pdf.subarray(begin, begin + Number(found[1])), { maxOutputLength: BYTES_MAX });
  } catch {
    return null;
  }
}
