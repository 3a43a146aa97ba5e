/** Watches the claims of payments at the database: none is taken over while its lease runs, and only the current one writes. */
import type { Database, Statement, Values } from "../../src/db/database.ts";
import { CLAIM_MS } from "../../src/gateways/resolve-backoff.ts";

export interface LeaseWatch {
  readonly wrap: (db: Database) => Database;
  /** Forgets all claims, for another seed. */
  reset(): void;
}

interface ClaimedRow {
  readonly transaction_id: string;
  readonly lease_no: string;
}

const CLAIMS: ReadonlySet<string> = new Set([
  "sessions.claim",
  "sessions.claim_verification",
  "sessions.take_back",
  "sessions.claim_due",
]);

/** @param nowMs the database's time. @param broken is told of a claim that was not respected. */
export function watchLeases(nowMs: () => number, broken: (what: string) => void): LeaseWatch {
  const current = new Map<string, { readonly leaseNo: string; readonly untilMs: number }>();
  const claimed = (name: string, rows: readonly ClaimedRow[], atMs: number): void => {
    for (const { transaction_id: id, lease_no: leaseNo } of rows) {
      const left = (current.get(id)?.untilMs ?? 0) - atMs;
      if (name === "sessions.claim_due" && left > 0)
        broken(`recovery took a payment ${left / 1_000} s before its claim's lease was over`);
      current.set(id, { leaseNo, untilMs: atMs + CLAIM_MS });
    }
  };
  const settled = ({ id: transaction, leaseNo }: Values<string>): void => {
    const id = String(transaction);
    if (leaseNo === undefined || current.get(id)?.leaseNo !== leaseNo)
      broken("an answer was written whose claim is not the current one");
    current.delete(id);
  };
  return {
    reset: () => current.clear(),
    wrap: (db) => ({
      ...db,
      async commit<Row extends object, Param extends string>(
        statement: Statement<Param, Row>,
        values: Values<Param>,
      ) {
        // A lease runs from where its statement began, which may then have waited for a lock.
        const atMs = nowMs();
        const rows = await db.commit(statement, values);
        if (CLAIMS.has(statement.name))
          claimed(statement.name, rows as readonly object[] as ClaimedRow[], atMs);
        else if (statement.name === "sessions.settle" && rows.length === 1) settled(values);
        return rows;
      },
    }),
  };
}
