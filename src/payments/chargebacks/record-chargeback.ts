/** Records a chargeback entered by hand, as on a bank statement (contract: Chargebacks). */
import type { Tx } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { centsFromDatabase, formatAmount, type Cents } from "../../lib/money.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import { FieldErrors, Refusal } from "../../refusals.ts";
import { lockTransaction } from "../store.ts";
import type { StoredTransaction } from "../transaction.ts";
import { chargeBack, whyNotChargeable } from "./charge-back.ts";
import { findChargeback, findChargebackOf, type ChargebackRecord } from "./store.ts";

interface ChargebackInput {
  readonly tenant: number;
  /** The chargeback's id: repeating the operation finds the chargeback that it made. */
  readonly id: string;
  readonly transactionId: string;
  readonly reasonCode: string | null;
  readonly reasonMessage: string | null;
  /** Null: now. */
  readonly reportDate: Date | null;
  /** Null: the transaction's. */
  readonly amount: Cents | null;
  readonly bankFee: Cents | null;
  readonly author: Author;
}

/**
 * Records a chargeback by hand (contract: Chargebacks), with its audit entry. Repeating it under the same id returns
 * the recorded one. Amounts are in cents.
 * @throws FieldErrors on transaction_id and amount; Refusal not_chargeable, already_exists.
 */
export async function recordChargeback(
  deps: Pick<Deps, "announce" | "db" | "environment" | "ids" | "time">,
  input: ChargebackInput,
): Promise<ChargebackRecord> {
  const record = await deps.db.transaction(async (tx) => {
    const made = await findChargeback(tx, input.tenant, input.id);
    return made ?? written(deps, tx, input);
  });
  deps.announce();
  return record;
}

async function written(
  deps: Pick<Deps, "environment" | "ids" | "time">,
  tx: Tx,
  input: ChargebackInput,
): Promise<ChargebackRecord> {
  const { tenant, id, author, reasonCode, reasonMessage, amount, bankFee } = input;
  const row = await lockTransaction(tx, tenant, input.transactionId);
  if (row === null) throw new FieldErrors({ transaction_id: ["No such transaction."] });
  await refuseUnlessChargeable(tx, tenant, row, amount);
  const now = deps.time.now(tenant);
  await chargeBack(deps, tx, tenant, row, {
    id,
    reasonCode,
    reasonMessage,
    reportDate: input.reportDate ?? now,
    source: "manual",
    amount: amount === null ? null : formatAmount(amount),
    bankFee: bankFee === null ? null : formatAmount(bankFee),
    reportType: null,
  });
  const record = must(await findChargeback(tx, tenant, id), "the chargeback that was written");
  const change = { action: "create", resource: "chargebacks", resourceId: id, before: null } as const;
  await writeEntry(tx, author, { ...change, tenant, id, at: now, after: record });
  return record;
}

async function refuseUnlessChargeable(
  tx: Tx,
  tenant: number,
  row: StoredTransaction,
  amount: Cents | null,
): Promise<void> {
  const recorded = await findChargebackOf(tx, tenant, row.merchant_transaction_id);
  if (recorded !== null) {
    const detail = `This transaction already has the chargeback ${recorded}.`;
    throw new Refusal("already_exists", { detail });
  }
  const detail = whyNotChargeable(row);
  if (detail !== null) throw new Refusal("not_chargeable", { detail });
  if (amount !== null && amount > centsFromDatabase(row.amount)) {
    throw new FieldErrors({ amount: [`No more than ${row.amount} ${row.currency} was collected.`] });
  }
}
