/** The parameters and answers of the three lists, made from the lists of fields (contract: Reconciliation). */
import { Type, type TSchema, type TUnsafe } from "../lib/schema.ts";
import { commaList, isoDate, nullable, oneOf, uuid } from "../http/fields.ts";
import { PAGE_QUERY, pageSchema } from "../http/paging.ts";
import { LIST_FORMATS, RANGE_DAYS_MAX, type RecordQuery } from "./query.ts";
import type { FieldKind, RecordType } from "./lists.ts";

/** The query of a list of this type. */
export function querySchema({ orderedBy, statuses, types }: RecordType): TUnsafe<RecordQuery> {
  const last = `The last day (UTC), inclusive: at most ${RANGE_DAYS_MAX} days after start_date, which is the default.`;
  const schema = Type.Object({
    start_date: isoDate({ description: `The first day (UTC) of ${orderedBy}.` }),
    end_date: Type.Optional(isoDate({ description: last })),
    status: Type.Optional(commaList(statuses)),
    ...(types === null ? NEXT_BILLING : { type: Type.Optional(commaList(types)) }),
    payment_gateway_id: Type.Optional(uuid()),
    format: Type.Optional(oneOf(LIST_FORMATS, { description: "Default json." })),
    ...PAGE_QUERY,
  });
  return Type.Unsafe<RecordQuery>(schema);
}

/** For subscriptions, the records without a type. */
const NEXT_BILLING = {
  next_billing_date_from: Type.Optional(isoDate({ description: "next_billing_date on or after this day." })),
  next_billing_date_to: Type.Optional(isoDate({ description: "next_billing_date on or before this day." })),
};

/** A page of these records, as JSON. */
export function answerSchema(type: RecordType): TSchema {
  const properties = Object.fromEntries(
    type.fields.map(({ name, kind, nullable: orNull }) => {
      const value = VALUE_SCHEMAS[kind];
      return [name, orNull === true ? nullable(value) : value];
    }),
  );
  const name = type.singular.replace(/^./, (letter) => letter.toUpperCase());
  return pageSchema(Type.Object(properties, { $id: `${name}Record` }));
}

const VALUE_SCHEMAS: Readonly<Record<FieldKind, TSchema>> = {
  uuid: Type.String({ format: "uuid" }),
  text: Type.String(),
  free_text: Type.String(),
  money: Type.String({ examples: ["29.90"] }),
  date: Type.String({ format: "date" }),
  time: Type.String({ format: "date-time" }),
  integer: Type.Integer(),
};
