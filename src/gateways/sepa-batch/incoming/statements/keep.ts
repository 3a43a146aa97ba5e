/**
 * Stores the statements of a file and records gaps: a statement should follow the one before it by its number and its
 * opening balance. A missing statement may still arrive.
 */
import type { Tx } from "../../../../db/database.ts";
import type { Deps } from "../../../../deps.ts";
import type { IsoDate } from "../../../../lib/dates.ts";
import { centsFromDatabase, formatAmount, type Cents } from "../../../../lib/money.ts";
import type { Balance, AccountStatement } from "../../../../sepa/messages/reading/bank-records.ts";
import { findChain, insertStatements, writeGaps, type NewStatement } from "./store.ts";

/** A statement's position among the others; null for an account without an IBAN. */
export function placeOf(statement: AccountStatement, id: string, writtenOn: string): NewStatement | null {
  const { account, opening, closing, statementId } = statement;
  if (account.iban === null) return null;
  return {
    id,
    iban: account.iban,
    ends_on: closing?.date ?? interimDay(statement) ?? statement.createdOn ?? writtenOn,
    sequence: numberOf(statement.electronicSequenceNumber) ?? numberOf(statement.legalSequenceNumber),
    statement_id: statementId,
    opening: amountOf(opening),
    closing: amountOf(closing),
  };
}

/**
 * The day of the last interim balance (ITBD), with which a page that is not the last ends: the bank may write it the next
 * day.
 */
function interimDay({ balances }: AccountStatement): IsoDate | null {
  const days = balances.flatMap(({ type, date }) => (type === "ITBD" && date !== null ? [date] : []));
  return days.toSorted((a, b) => b.localeCompare(a))[0] ?? null;
}

/** A number that can be represented exactly; null for longer ones. */
function numberOf(text: string | null): string | null {
  return text !== null && /^\d{1,15}$/.test(text) ? text : null;
}

/** Signed, with two decimals. */
function amountOf(balance: Balance | null): string | null {
  const { amount = null, sign = null } = balance ?? {};
  if (amount === null || amount.cents === null || sign === null) return null;
  return `${sign === "DBIT" ? "-" : ""}${formatAmount(amount.cents)}`;
}

/** Writes the statements of a file and checks their neighbours again. A tenant's files are read one at a time. */
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
    // Only the closing balance of the day before is known.
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

/** A statement, or a page of one. Amounts are signed whole cents. */
export interface Link {
  readonly id: string;
  readonly endsOn: IsoDate;
  readonly sequence: number | null;
  readonly opening: number | null;
  readonly closing: number | null;
}

/** The pages of one statement, or a statement that was delivered twice. */
interface Whole {
  readonly first: Link;
  readonly endsOn: IsoDate;
  readonly sequence: number | null;
  readonly opening: number | null;
  readonly closing: number | null;
}

/**
 * Describes what is missing before a statement, by the id of its first page.
 * @param links all statements of one account from some day on, in any order; nothing is reported for the first day.
 */
export function gapsOf(links: readonly Link[]): ReadonlyMap<string, string> {
  const gaps = new Map<string, string>();
  let before: Whole | null = null;
  for (const whole of wholes(links)) {
    const gap = before === null ? null : gapBetween(before, whole);
    if (gap !== null) gaps.set(whole.first.id, gap);
    before = whole;
  }
  return gaps;
}

function wholes(links: readonly Link[]): readonly Whole[] {
  const inOrder = links.toSorted(
    (a, b) =>
      a.endsOn.localeCompare(b.endsOn) || (a.sequence ?? 0) - (b.sequence ?? 0) || a.id.localeCompare(b.id),
  );
  const groups = Map.groupBy(inOrder, keyOf);
  return [...groups.values()].map((pages) => {
    const [first] = pages as [Link, ...Link[]];
    return {
      first,
      endsOn: first.endsOn,
      sequence: first.sequence,
      opening: only(
        pages.map(({ opening }) => opening),
        first.sequence,
      ),
      closing: only(
        pages.map(({ closing }) => closing),
        first.sequence,
      ),
    };
  });
}

/**
 * Groups pages into statements. A number is unique within its year; without numbers all statements of a day are one, as
 * their order is unknown.
 */
function keyOf({ endsOn, sequence }: Link): string {
  return sequence === null ? endsOn : `${endsOn.slice(0, 4)}/${sequence}`;
}

/** The balance that one of the pages has; null for several statements without numbers, whose order is unknown. */
function only(balances: readonly (number | null)[], sequence: number | null): number | null {
  if (sequence === null && balances.length > 1) return null;
  return balances.find((balance) => balance !== null) ?? null;
}

function gapBetween(before: Whole, after: Whole): string | null {
  const missing = missingNumbers(before, after);
  if (missing !== null) return missing;
  if (before.closing === null || after.opening === null || before.closing === after.opening) return null;
  return "its opening balance is not the closing balance of the statement before it";
}

function missingNumbers(before: Whole, after: Whole): string | null {
  if (before.sequence === null || after.sequence === null) return null;
  const restarted = after.sequence <= before.sequence && after.endsOn.slice(0, 4) > before.endsOn.slice(0, 4);
  const from = restarted ? 1 : before.sequence + 1;
  const to = after.sequence - 1;
  if (to < from) return null;
  return from === to ? `statement ${from} is missing` : `statements ${from} to ${to} are missing`;
}
