/**
 * A form with a file, read as a stream (RFC 7578): first the fields, then the file; limits are enforced while reading.
 */
import type { Readable } from "node:stream";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { Refusal } from "../refusals.ts";
import type { Call, EndpointSchema } from "./endpoint.ts";

export interface Upload {
  /** The fields before the file. */
  readonly fields: ReadonlyMap<string, string>;
  /** With the client's name for it; null without a file. */
  readonly file: { readonly name: string; readonly bytes: Readable } | null;
}

const FIELD_BYTES_MAX = 64 * 1_024;
const FIELDS_MAX = 20;
/** The limit of a form without its file: all fields, boundaries and headers. */
export const FORM_BYTES_MAX = 2 * 1_024 ** 2;
const KIB = 1_024;
const MIB = 1_024 ** 2;

/**
 * Reads up to the file, whose bytes have to be read to the end. A file that is too large, or arrives more slowly than
 * over a modem, fails while it is read with the refusal that answers it.
 * @throws Refusal unsupported_media_type, unreadable_request, payload_too_large, too_slow.
 */
export function openUpload({
  headers,
  incoming,
  bodyLimit,
}: Pick<Call<EndpointSchema>, "headers" | "incoming" | "bodyLimit">): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const parser = parserOf(headers, bodyLimit);
    const fields = new Map<string, string>();
    let file: Readable | null = null;
    const fail = (refusal: Refusal): void => {
      incoming.unpipe(parser);
      // An interrupted form is reported through the file stream only: an unhandled error event would end the process.
      file?.destroy(refusal);
      reject(refusal);
    };
    parser.on("field", (name, value, _nameCut, valueCut) => {
      if (valueCut) fail(unreadable(`The field ${name} is too long.`));
      fields.set(name, value);
    });
    parser.on("file", (_field, bytes, name) => {
      file = bytes;
      bytes.on("error", () => bytes.destroy(unreadable("The form ended early.")));
      bytes.on("limit", () => fail(tooLarge(bodyLimit)));
      resolve({ fields, file: { name: name ?? "", bytes } });
    });
    parser.on("finish", () => resolve({ fields, file: null }));
    parser.on("error", () => fail(unreadable("The form could not be read.")));
    incoming.once("error", () => fail(new Refusal("unreadable_request")));
    incoming.once("aborted", () => fail(new Refusal("unreadable_request")));
    const meter = meterOf(incoming);
    meter.onMoreThan(
      () => (file === null ? 0 : bodyLimit) + FORM_BYTES_MAX,
      () => fail(tooLarge(bodyLimit)),
    );
    watchPace(incoming, meter, () => fail(new Refusal("too_slow")));
    incoming.pipe(parser);
  });
}

/** The refusal of a file that is too large. */
export function tooLarge(limit: number): Refusal {
  const most = limit >= MIB ? `${Math.floor(limit / MIB)} MiB` : `${Math.floor(limit / KIB)} KiB`;
  return new Refusal("payload_too_large", { detail: `The file is too large: the maximum is ${most}.` });
}

/**
 * Whether a file failed because its form broke a limit: the request is refused then, whatever was done with the file.
 */
export function isOfForm(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.kind === "payload_too_large" || error.kind === "too_slow");
}

/** Counts the received bytes. */
interface Meter {
  readonly bytes: number;
  onMoreThan(limit: () => number, exceeded: () => void): void;
}

function meterOf(incoming: Readable): Meter {
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => (bytes += chunk.length));
  return {
    get bytes() {
      return bytes;
    },
    onMoreThan(limit, exceeded) {
      const look = (): void => {
        if (bytes <= limit()) return;
        incoming.off("data", look);
        exceeded();
      };
      incoming.on("data", look);
    },
  };
}

const PACE_EVERY_MS = 10_000;
/**
 * The least that must arrive per period while the handler waits for bytes: slower than any line that carries such a
 * file.
 */
const PACE_BYTES_MIN = 64 * KIB;
/** How many slow periods in a row are allowed. */
const SLOW_MAX = 2;

/** A trickling client would occupy a place that others wait for. */
function watchPace(incoming: Readable, meter: Meter, tooSlow: () => void): void {
  let before = meter.bytes;
  let slow = 0;
  const timer = setInterval(() => {
    const bytes = meter.bytes - before;
    before = meter.bytes;
    // If the handler is not reading, the client cannot send faster.
    const starving = incoming.readableFlowing === true && incoming.readableLength === 0;
    slow = starving && bytes < PACE_BYTES_MIN ? slow + 1 : 0;
    if (slow < SLOW_MAX) return;
    clearInterval(timer);
    tooSlow();
  }, PACE_EVERY_MS);
  timer.unref();
  incoming.once("close", () => clearInterval(timer));
  incoming.once("end", () => clearInterval(timer));
}

function parserOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  fileSize: number,
): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fieldSize: FIELD_BYTES_MAX, fields: FIELDS_MAX, files: 1, fileSize },
    });
  } catch {
    throw unreadable("The Content-Type has no boundary.");
  }
}

function unreadable(detail: string): Refusal {
  return new Refusal("unreadable_request", { detail });
}
