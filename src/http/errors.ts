/** The one place that turns errors into responses: refusals, field errors, the framework's errors, and bugs. */
import { redacted, type Log } from "../lib/log.ts";
import { FieldErrors, Refusal } from "../refusals.ts";
import type { Answer } from "./endpoint.ts";

/** The response to anything thrown. An unexpected error is logged with the request's id and answered with 500. */
export function answerTo(error: unknown, log: Log, requestId: string): Answer {
  const known = asRefusal(error);
  if (known instanceof FieldErrors) {
    return { status: 400, body: { ...known.fields, status_code: 400 } };
  }
  if (known instanceof Refusal) return named(refused(known), requestId);
  log.error("a request failed", error, { request_id: requestId });
  return named(refused(new Refusal("internal")), requestId);
}

/**
 * Why a request was refused: its code, or the names of the invalid fields. Nothing else from the caller is repeated.
 */
export function problemOf(error: unknown): string {
  const known = asRefusal(error);
  if (known instanceof FieldErrors)
    return Object.keys(known.fields)
      .map((name) =>
        FIELD_NAME.test(name) && redacted(name.toUpperCase()) === name.toUpperCase() ? name : "?",
      )
      .join(" ");
  return known instanceof Refusal ? known.kind : "internal";
}

/** Only names that look like ours; callers can send others. */
const FIELD_NAME = /^[a-z][a-z0-9_.]{0,60}$/;

/** Adds the request id under which the logs have the cause, where only the operator can find it. */
function named(answer: Answer, requestId: string): Answer {
  if (answer.status < 500) return answer;
  return { ...answer, body: { ...(answer.body as object), request_id: requestId } };
}

/** `{"detail": …, "code": …, "status_code": …}`: the text is for people, the code for programs. */
export function refused(refusal: Refusal): Answer {
  return {
    status: refusal.status,
    headers: {
      ...(refusal.retryAfter === null ? {} : { "retry-after": String(refusal.retryAfter) }),
      ...(refusal.kind === "unauthorized" ? { "www-authenticate": "Bearer" } : {}),
    },
    body: {
      detail: refusal.detail,
      code: refusal.kind,
      ...refusal.more,
      status_code: refusal.status,
    },
  };
}

/** Converts the framework's errors. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Refusal || error instanceof FieldErrors) return error;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return new Refusal("payload_too_large");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return new Refusal("unsupported_media_type");
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH") return new Refusal("unreadable_request");
  // The client disconnected, or was cut off, while its body was read.
  if (code === "ECONNRESET" && error.message === "aborted") return new Refusal("unreadable_request");
  const clientFault = typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  return clientFault && String(code).startsWith("FST_") ? new Refusal("unreadable_request") : error;
}
