/** The schemas of delivery management (management API: webhook-deliveries, webhook-profiles/{id}/test/). */
import { Type } from "../../lib/schema.ts";
import { CREATED_ON, isoDate, nullable, oneOf, uuid } from "../../http/fields.ts";
import { NullableText, NullableTime, NullableUuid, Time, Uuid } from "../../http/response-fields.ts";
import { PAGE_QUERY } from "../../http/paging.ts";
import { EVENT_TYPES } from "../events.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failing", "exhausted"] as const;

const ResponseCode = nullable(Type.Integer());

const LISTED = {
  id: Uuid,
  event: Type.String(),
  event_id: Uuid,
  profile: Uuid,
  session_id: NullableUuid,
  status: Type.Enum([...DELIVERY_STATUSES]),
  attempt_count: Type.Integer(),
  next_attempt_at: NullableTime,
  last_attempt_at: NullableTime,
  response_code: ResponseCode,
  error: NullableText,
  delivered_at: NullableTime,
  created_at: Time,
};

export const Delivery = Type.Object(LISTED, { $id: "WebhookDelivery" });

export const DeliveryDetail = Type.Object(
  {
    ...LISTED,
    payload: nullable(
      Type.Object({}, { additionalProperties: true, description: "As sent, without the session token." }),
    ),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        at: Time,
        duration_ms: Type.Integer(),
        response_code: ResponseCode,
        error: NullableText,
        response_body: nullable(Type.String({ description: "The first 16 KiB." })),
      }),
    ),
  },
  { $id: "WebhookDeliveryDetail" },
);

const EVENT = {
  id: Uuid,
  type: Type.String(),
  session_id: NullableUuid,
  transaction_id: NullableUuid,
  created_at: Time,
};

export const Event = Type.Object(EVENT, { $id: "Event" });

export const EventDetail = Type.Object(
  {
    ...EVENT,
    payload: Type.Object(
      {},
      { additionalProperties: true, description: "All fields that a webhook profile may select." },
    ),
    deliveries: Type.Array(Delivery, { description: "One for each webhook profile that it is sent to." }),
  },
  { $id: "EventDetail" },
);

export const EventQuery = Type.Object({
  ...PAGE_QUERY,
  type: Type.Optional(oneOf(EVENT_TYPES)),
  from: Type.Optional(isoDate({ description: "Happened on or after this day (UTC)." })),
  to: Type.Optional(isoDate({ description: "Happened on or before this day (UTC)." })),
});

const FILTERS = {
  profile: Type.Optional(uuid({ description: "The id of a webhook profile." })),
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  event: Type.Optional(oneOf(EVENT_TYPES)),
  ...CREATED_ON,
};

export const DeliveryQuery = Type.Object({ ...PAGE_QUERY, ...FILTERS });
export const RedeliverFilter = Type.Object(FILTERS, { $id: "WebhookRedeliver" });
export const Redelivered = Type.Object({
  redelivered: Type.Integer({ description: "Number of deliveries made due; at most 10,000 per call." }),
});

export const TestEvent = Type.Object(
  { event: Type.Optional(oneOf(EVENT_TYPES, { description: "Default: payment_session.completed." })) },
  { $id: "WebhookTest" },
);

export const TestOutcome = Type.Object(
  {
    delivered: Type.Boolean(),
    event: Type.String(),
    event_id: Uuid,
    response_code: ResponseCode,
    duration_ms: Type.Integer(),
    error: NullableText,
    response_body: NullableText,
  },
  { $id: "WebhookTestOutcome" },
);
