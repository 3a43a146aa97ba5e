/** The building blocks of response schemas; those of requests are in fields.ts. */
import { Type } from "../lib/schema.ts";
import { nullable } from "./fields.ts";

export const Uuid = Type.String({ format: "uuid" });
/** A point in time. */
export const Time = Type.String({ format: "date-time" });
/** A calendar date. */
export const Day = Type.String({ format: "date" });
export const NullableUuid = nullable(Uuid);
export const NullableTime = nullable(Time);
export const NullableDay = nullable(Day);
export const NullableText = nullable(Type.String());
