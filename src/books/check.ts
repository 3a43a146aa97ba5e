/** The books check: whether the records agree with each other and, for a sandbox, with the bank's own books. */
import type { Database, Reader } from "../db/database.ts";
import { checkCollections, type BrokenInvariant } from "./collections.ts";
import { UNANNOUNCED } from "./mandates-store.ts";
import type { Rule } from "./rule-store.ts";
import { readBroken, readDays, REPORTED_MAX, RULES, SNAPSHOT, type DayRow } from "./store.ts";
import { TWICE, TWICE_PAID } from "./subscriptions-store.ts";

interface Books {
  /** Per tenant, gateway, day (UTC) and currency. */
  readonly days: readonly DayRow[];
  /** The differences, as text; empty when everything agrees. */
  readonly differences: readonly string[];
  /**
   * Money lost or collected twice although all records agree, such as by a refund and a return of one debit; as text.
   */
  readonly losses: readonly string[];
  /** Renewals whose customer was not notified in time, where the tenant has this reported; as text. */
  readonly unannounced: readonly string[];
}

/** Reads one snapshot; the service may be running. */
export function checkBooks(db: Database): Promise<Books> {
  return db.transaction(async (tx) => {
    await tx.query(SNAPSHOT, {});
    const days = await readDays(tx);
    const { differences: ofMoney, losses } = await checkCollections(tx, REPORTED_MAX + 1);
    const differences = [...days.flatMap(differencesOfDay), ...inWords("collections and refunds", ofMoney)];
    for (const [about, statement] of RULES)
      differences.push(...inWords(about, await brokenBy(tx, statement)));
    const twice = inWords("cycles that are collected twice", await brokenBy(tx, TWICE));
    const twicePaid = inWords("first payments that are collected twice", await brokenBy(tx, TWICE_PAID));
    const unannounced = inWords("renewals without notice", await brokenBy(tx, UNANNOUNCED));
    return { days, differences, losses: [...inWords("losses", losses), ...twice, ...twicePaid], unannounced };
  });
}

async function brokenBy(tx: Reader, statement: Rule): Promise<readonly BrokenInvariant[]> {
  const broken = await readBroken(tx, statement);
  return broken.map(({ tenant_id: tenantId, invariant, words }) => ({ tenantId, invariant, words }));
}

function inWords(about: string, found: readonly BrokenInvariant[]): readonly string[] {
  const shown = found
    .slice(0, REPORTED_MAX)
    .map(({ tenantId, invariant, words }) => `${invariant}: Tenant ${tenantId}: ${words}`);
  return found.length > shown.length ? [...shown, `… and more about ${about}.`] : shown;
}

function differencesOfDay(row: DayRow): readonly string[] {
  if (row.adapter !== "sandbox") return [];
  const where = `MONEY-4: Tenant ${row.tenant_id}: on ${row.day}, at gateway ${row.gateway_id},`;
  const compared = [
    ["sales", row.sales, row.bank_sales],
    ["refunds", row.refunds, row.bank_refunds],
  ] as const;
  return compared
    .filter(([, ours, bank]) => ours !== bank)
    .map(
      ([what, ours, bank]) => `${where} ${what} are ${ours} ${row.currency} here and ${bank} at the sandbox.`,
    );
}

/** The check's result for people. */
export function booksReport({ days, differences, losses, unannounced }: Books): string {
  const sums = days.map(
    (row) =>
      `${row.day}  tenant ${row.tenant_id}  gateway ${row.gateway_id}  ` +
      `sales ${row.sale_count}: ${row.sales}  refunds ${row.refund_count}: ${row.refunds}  ` +
      `chargebacks ${row.chargeback_count}: ${row.chargebacks} ${row.currency}`,
  );
  const verdict =
    differences.length === 0 ? "The books agree." : ["The books do not agree:", ...differences].join("\n  ");
  const lost = losses.length === 0 ? [] : [["Losses:", ...losses].join("\n  ")];
  const untold = unannounced.length === 0 ? [] : [["Collected without notice:", ...unannounced].join("\n  ")];
  return [...sums, ...lost, ...untold, verdict].join("\n");
}
