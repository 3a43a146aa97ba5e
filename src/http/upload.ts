/** A form with a file, read as it arrives (RFC 7578): the fields come first, then the file. */
import type { Readable } from "node:stream";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { Refusal } from "../refusals.ts";

export interface Upload {
  /** The fields before the file. */
  readonly fields: ReadonlyMap<string, string>;
  /** As the client calls it; null when there was none. */
  readonly file: { readonly name: string; readonly bytes: Readable } | null;
}

const FIELD_BYTES_MAX = 64 * 1_024;
const FIELDS_MAX = 20;

/**
 * Reads up to the file, whose bytes are then to be read to their end.
 * @throws Refusal unsupported_media_type, unreadable_request.
 */
export function openUpload(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  incoming: Readable,
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const parser = parserOf(headers);
    const fields = new Map<string, string>();
    parser.on("field", (name, value, _nameCut, valueCut) => {
      if (valueCut) reject(unreadable(`The field ${name} is too long.`));
      fields.set(name, value);
    });
    parser.on("file", (_field, bytes, name) => {
      // A form that breaks off is told to the file alone: unheard, or heard by a reader who is not there yet, it would end the process.
      bytes.on("error", () => bytes.destroy(unreadable("The form broke off.")));
      incoming.once("error", (error) => bytes.destroy(error));
      incoming.once("aborted", () => bytes.destroy(new Refusal("unreadable_request")));
      resolve({ fields, file: { name: name ?? "", bytes } });
    });
    parser.on("finish", () => resolve({ fields, file: null }));
    parser.on("error", () => reject(unreadable("The form could not be read.")));
    incoming.once("aborted", () => reject(new Refusal("unreadable_request")));
    incoming.pipe(parser);
  });
}

function parserOf(headers: Readonly<Record<string, string | string[] | undefined>>): BusboyInstance {
  const type = headers["content-type"];
  if (typeof type !== "string" || !type.startsWith("multipart/form-data")) {
    throw new Refusal("unsupported_media_type", { detail: "Send the file as multipart/form-data." });
  }
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fieldSize: FIELD_BYTES_MAX, fields: FIELDS_MAX, files: 1 },
    });
  } catch {
    throw unreadable("The Content-Type has no boundary.");
  }
}

function unreadable(detail: string): Refusal {
  return new Refusal("unreadable_request", { detail });
}
