/** Transactions and chargebacks in the management API: schemas generated from the lists of their fields. */
import { Type, type TSchema } from "../lib/schema.ts";
import { nullable } from "../http/fields.ts";
import { CHARGEBACK_FIELDS, TRANSACTION_FIELDS, type Field, type FieldKind } from "./records.ts";

const VALUE: Readonly<Record<FieldKind, TSchema>> = {
  uuid: Type.String({ format: "uuid" }),
  text: Type.String(),
  free_text: Type.String(),
  money: Type.String(),
  date: Type.String({ format: "date" }),
  time: Type.String({ format: "date-time" }),
  integer: Type.Integer(),
};

/** (contract: Reconciliation records) */
export const TRANSACTION_RECORD = propertiesOf(TRANSACTION_FIELDS);

/** (contract: Reconciliation records) */
export const CHARGEBACK_RECORD = propertiesOf(CHARGEBACK_FIELDS);

function propertiesOf(fields: readonly Field[]): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)]));
}

/** The JSON schema of a record's field. */
export function propertyOf({ kind, nullable: orNull }: Field): TSchema {
  return orNull === true ? nullable(VALUE[kind]) : VALUE[kind];
}
