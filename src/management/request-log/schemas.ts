/** The shapes of the log of requests. */
import { isoDate, nullable, oneOf, uuid } from "../../http/fields.ts";
import { PAGE_QUERY } from "../../http/paging.ts";
import { NullableText, NullableUuid, Time, Uuid } from "../../http/response-fields.ts";
import { Type } from "../../lib/schema.ts";

export const LOGGED_METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;
/** The values of the filter `status`. */
export const LOGGED_STATUSES = ["2xx", "4xx", "5xx", "refused"] as const;

export const LoggedRequest = Type.Object(
  {
    id: Uuid,
    request_id: Type.String({ description: "As `X-Request-Id` of the answer." }),
    method: Type.String(),
    route: Type.String({
      description: "As this description names it: `/api/v1/payment-sessions/{token}/pay/`.",
    }),
    status: Type.Integer(),
    duration_ms: Type.Integer(),
    api_key_id: NullableUuid,
    api_key_name: NullableText,
    session_id: nullable(Type.String({ format: "uuid", description: "Of the session token." })),
    record_id: nullable(
      Type.String({ format: "uuid", description: "The id in the path of a request that was not refused." }),
    ),
    problem: nullable(
      Type.String({ description: "The code of the refusal, or the names of the fields that were wrong." }),
    ),
    created_at: Time,
  },
  { $id: "LoggedRequest" },
);

export const RequestQuery = Type.Object({
  request_id: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9._-]{1,128}$", message: "Must be the id of a request." }),
  ),
  method: Type.Optional(oneOf(LOGGED_METHODS)),
  status: Type.Optional(oneOf(LOGGED_STATUSES, { description: "`refused`: 4xx and 5xx." })),
  api_key_id: Type.Optional(uuid({ description: "The id of an API key." })),
  from: Type.Optional(isoDate({ description: "On or after this day (UTC)." })),
  to: Type.Optional(isoDate({ description: "On or before this day (UTC)." })),
  ...PAGE_QUERY,
});
