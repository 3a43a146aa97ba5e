/** Common parts of the records' schemas. */
import { Type, type TProperties } from "../lib/schema.ts";
import { NullableTime, Time, Uuid } from "../http/response-fields.ts";

/** A record in responses: its id and times around its own fields. */
export function recordSchema<T extends TProperties>(name: string, fields: T) {
  return Type.Object(
    {
      id: Uuid,
      ...fields,
      created_at: Time,
      updated_at: Time,
      archived_at: NullableTime,
    },
    { $id: name },
  );
}

/** JSON objects whose keys are the merchant's own. */
export const Dictionary = Type.Record(Type.String(), Type.Unknown());
