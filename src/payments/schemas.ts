/** Transactions and chargebacks as the management API answers them: made from the lists of their fields. */
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
export const TRANSACTION_RECORD = properties(TRANSACTION_FIELDS);

/** (contract: Reconciliation records) */
export const CHARGEBACK_RECORD = properties(CHARGEBACK_FIELDS);

function properties(fields: readonly Field[]): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(
    fields.map(({ name, kind, nullable: orNull }) => [
      name,
      orNull === true ? nullable(VALUE[kind]) : VALUE[kind],
    ]),
  );
}
