/** The one insert of a chargeback, whether its payment is known or not: made from the list of its fields (../records.ts). */
import {
  CHARGEBACK_FIELDS,
  type ChargebackFacts,
  type FieldKind,
  type TransactionRecord,
} from "../records.ts";

const TYPES: Readonly<Record<FieldKind, string>> = {
  uuid: "uuid",
  text: "text",
  free_text: "text",
  money: "numeric",
  date: "date",
  time: "timestamptz",
  integer: "integer",
};

/** Each field has a column; of the account only the end and the length are kept. */
const KEPT = CHARGEBACK_FIELDS.filter(({ name }) => name !== "iban").map(({ sql, kind, of }) => ({
  column: sql.replace(/^c\./, ""),
  type: TYPES[kind],
  of,
}));
const COLUMNS: readonly { readonly column: string; readonly type: string }[] = [
  ...KEPT,
  { column: "iban_last4", type: "text" },
  { column: "iban_length", type: "integer" },
  // By these an imported chargeback finds its payment later.
  { column: "original_reference", type: "text" },
  { column: "original_end_to_end_id", type: "text" },
  { column: "original_transaction_id", type: "text" },
];
// They have no parameters: for the compiler, which looks for them, any text without will do.
const NAMES = COLUMNS.map(({ column }) => column).join(", ") as "columns";
const TYPED = COLUMNS.map(({ column, type }) => `${column} ${type}`).join(", ") as "columns";

/**
 * SQL that inserts the row `:chargeback`, unless its payment has a chargeback that stands.
 * @param only a WHERE, or nothing.
 */
export function chargebackInserted<Only extends string>({ only }: { only: Only }) {
  return `
     insert into chargebacks (tenant, ${NAMES})
     select :tenant, ${NAMES}
       from jsonb_to_record(:chargeback::jsonb) as r (${TYPED})
      ${only}
     on conflict (tenant, merchant_transaction_id) where withdrawn_on is null do nothing` as const;
}

/** The row of a payment's chargeback, from what its event is made from. */
export function chargebackRow(chargeback: ChargebackFacts, transaction: TransactionRecord): string {
  const { iban } = transaction;
  return JSON.stringify({
    ...Object.fromEntries(KEPT.map(({ column, of }) => [column, of({ chargeback, transaction })])),
    iban_last4: iban?.slice(-4),
    iban_length: iban?.length,
  });
}
