/** Common parts of the records' schemas. */
import { Type, type TProperties } from "../lib/schema.ts";
import { nullable } from "../http/fields.ts";

const TIME = Type.String({ format: "date-time" });

/** A record as it is answered: its id and times around its own fields. */
export function recordSchema<T extends TProperties>(name: string, fields: T) {
  return Type.Object(
    {
      id: Type.String({ format: "uuid" }),
      ...fields,
      created_at: TIME,
      updated_at: TIME,
      archived_at: nullable(TIME),
    },
    { $id: name },
  );
}

/** JSON objects whose keys are the merchant's own. */
export const Dictionary = Type.Record(Type.String(), Type.Unknown());
export const NullableText = nullable(Type.String());
