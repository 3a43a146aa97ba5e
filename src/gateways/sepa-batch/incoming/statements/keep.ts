/** Stores the statements of a file and logs gaps between them; a missing statement may still arrive. */
import type { Tx } from "../../../../db/database.ts";
import type { Deps } from "../../../../deps.ts";
import { centsFromDatabase, formatAmount, type Cents } from "../../../../lib/money.ts";
import type { Balance, AccountStatement } from "../../../../sepa/messages/reading/records.ts";
import { gapsOf } from "./chain.ts";
import { findChain, insertStatements, writeGaps, type NewStatement } from "./store.ts";

/** What a statement says of its place among the others; null for one of an account without an IBAN. */
export function placeOf(statement: AccountStatement, id: string, writtenOn: string): NewStatement | null {
  const { account, opening, closing, statementId } = statement;
  if (account.iban === null) return null;
  return {
    id,
    iban: account.iban,
    ends_on: closing?.date ?? statement.createdOn ?? writtenOn,
    sequence: numberOf(statement.electronicSequenceNumber) ?? numberOf(statement.legalSequenceNumber),
    statement_id: statementId,
    opening: amountOf(opening),
    closing: amountOf(closing),
  };
}

/** Fifteen digits are exact; no bank counts further. */
function numberOf(text: string | null): string | null {
  return text !== null && /^\d{1,15}$/.test(text) ? text : null;
}

/** Signed, with two decimals. */
function amountOf(balance: Balance | null): string | null {
  const { amount = null, sign = null } = balance ?? {};
  if (amount === null || amount.cents === null || sign === null) return null;
  return `${sign === "DBIT" ? "-" : ""}${formatAmount(amount.cents)}`;
}

/** Writes the statements of a file and looks at their neighbours again. A tenant's files are read one at a time. */
export async function keepStatements(
  deps: Pick<Deps, "log" | "time">,
  tx: Tx,
  tenant: number,
  file: { readonly gatewayId: string; readonly id: string },
  all: readonly NewStatement[],
): Promise<void> {
  if (all.length === 0) return;
  await insertStatements(tx, tenant, file, all, deps.time.now(tenant));
  for (const [iban, ofAccount] of Map.groupBy(all, (one) => one.iban)) {
    const since = ofAccount.map(({ ends_on }) => ends_on).toSorted((a, b) => a.localeCompare(b))[0] ?? "";
    await lookAgain(deps, tx, tenant, file, iban, since);
  }
}

async function lookAgain(
  deps: Pick<Deps, "log">,
  tx: Tx,
  tenant: number,
  file: { readonly gatewayId: string; readonly id: string },
  iban: string,
  since: string,
): Promise<void> {
  const rows = await findChain(tx, tenant, iban, since);
  const gaps = gapsOf(
    rows.map((row) => ({
      id: row.id,
      endsOn: row.ends_on,
      sequence: row.sequence === null ? null : Number(row.sequence),
      opening: signedCents(row.opening),
      closing: signedCents(row.closing),
    })),
  );
  const changed = rows
    .map(({ id, gap, ends_on }) => ({ id, gap: gaps.get(id) ?? null, was: gap, ends_on }))
    // Of the day before nothing is known but its end.
    .filter(({ gap, was, ends_on }) => gap !== was && ends_on >= since);
  await writeGaps(
    tx,
    tenant,
    changed.map(({ id, gap }) => ({ id, gap })),
  );
  for (const { gap, ends_on } of changed) {
    if (gap !== null) {
      const about = { gateway_id: file.gatewayId, file_id: file.id, ends_on, gap };
      deps.log.warn("a bank's statement is missing", about);
    }
  }
}

function signedCents(amount: string | null): number | null {
  if (amount === null) return null;
  const cents: Cents = centsFromDatabase(amount.replace("-", ""));
  return amount.startsWith("-") ? 0 - cents : cents;
}
