/** The schemas of postbacks and of their management. */
import { Type } from "../lib/schema.ts";
import { isoDate, nullable, oneOf } from "../http/fields.ts";
import { NullableText, NullableTime, NullableUuid, Time, Uuid } from "../http/response-fields.ts";
import { PAGE_QUERY } from "../http/paging.ts";
import { KNOWN_FIELDS } from "./settings/providers.ts";

export const ACTIVITY_STATUSES = ["received", "matched", "unmatched", "failed", "skipped"] as const;

export const TokenInPath = Type.Object({ token: Type.String() });

/** The known fields, for the API description only: any object is accepted. */
export const PostbackBody = Type.Object(
  Object.fromEntries(KNOWN_FIELDS.map((meaning) => [meaning, Type.Optional(Type.String())])),
  { $id: "IntegrationPostback", description: "Any JSON object of at most 1 MiB; it is stored unchanged." },
);

export const PostbackAccepted = Type.Object(
  {
    status: Type.Enum(["accepted", "skipped"]),
    activity_id: Type.Optional(
      Type.String({ format: "uuid", description: "Of the first postback of its kind; absent when skipped." }),
    ),
  },
  { $id: "IntegrationPostbackTaken" },
);

export const PostbackError = Type.Object(
  { code: Type.String(), message: Type.String(), details: Type.Null() },
  { $id: "IntegrationPostbackError" },
);

const ACTIVITY = {
  id: Uuid,
  status: Type.Enum([...ACTIVITY_STATUSES]),
  reason: nullable(
    Type.String({ description: "How it was matched, or why it was unmatched, failed or skipped." }),
  ),
  recovered: Type.Boolean({ description: "true if it never arrived and was fetched from the partner." }),
  request_uuid: NullableText,
  lead_id: NullableUuid,
  order_id: NullableUuid,
  session_id: NullableUuid,
  has_payload: Type.Boolean(),
  created_at: Time,
  processed_at: NullableTime,
};

export const Activity = Type.Object(ACTIVITY, { $id: "IntegrationActivity" });

export const ActivityDetail = Type.Object(
  {
    ...ACTIVITY,
    values: nullable(
      Type.Record(Type.String(), NullableText, {
        description: "The fields read from the body with the integration's current keys.",
      }),
    ),
    payload: nullable(Type.Object({}, { additionalProperties: true, description: "The body." })),
  },
  { $id: "IntegrationActivityDetail" },
);

export const ActivityQuery = Type.Object({
  status: Type.Optional(oneOf(ACTIVITY_STATUSES)),
  request_uuid: Type.Optional(
    Type.String({
      pattern: "^[^\\u0000]{1,255}$",
      message: "Must be 1 to 255 characters.",
    }),
  ),
  recovered: Type.Optional(Type.Boolean()),
  from: Type.Optional(isoDate({ description: "Received on or after this day (UTC)." })),
  to: Type.Optional(isoDate({ description: "Received on or before this day (UTC)." })),
  ...PAGE_QUERY,
});

export const ActivityInPath = Type.Object({
  id: Type.String({ maxLength: 255 }),
  activity_id: Type.String({ maxLength: 255 }),
});
