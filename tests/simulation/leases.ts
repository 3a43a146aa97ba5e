/**
 * Watches the claims of payments and webhooks in the database: none is taken over while its lease runs, and only the
 * current holder of a payment's claim writes.
 */
import type { Calls, Statement, Values } from "../../src/db/database.ts";
import { CLAIM_MS } from "../../src/gateways/calling.ts";

export interface LeaseWatch {
  readonly wrap: (db: Calls) => Calls;
  /** Forgets all claims before another seed. */
  reset(): void;
}

interface ClaimedRow {
  readonly transaction_id: string;
  readonly lease_no: string;
}

const CLAIMS: ReadonlySet<string> = new Set([
  "sessions.claim",
  "sessions.claim_verification",
  "sessions.reclaim",
  "sessions.claim_due",
]);

const WEBHOOK_LEASE_MS = 30_000;

/** @param nowMs the database's time. @param broken called with each violated claim. */
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
  /** The outcomes that a statement recorded: `n` is the position in its lists. */
  const recorded = (values: Values<string>, rows: readonly { readonly n: number }[]): void => {
    const of = (name: string, n: number) => (values[name] as readonly unknown[])[n - 1];
    for (const { n } of rows) {
      const id = String(of("id", n));
      const leaseNo = of("leaseNo", n);
      if (leaseNo === undefined || current.get(id)?.leaseNo !== leaseNo)
        broken("an answer was written whose claim is not the current one");
      current.delete(id);
    }
  };
  const deliveries = new Map<string, number>();
  const sent = (rows: readonly { readonly id: string }[], atMs: number): void => {
    for (const { id } of rows) {
      const left = (deliveries.get(id) ?? 0) - atMs;
      if (left > 0)
        broken(`EVENT-10: a delivery was claimed ${left / 1_000} s before its claim's lease was over`);
      deliveries.set(id, atMs + WEBHOOK_LEASE_MS);
    }
  };
  const see = (name: string, values: Values<string>, rows: readonly object[], atMs: number): void => {
    if (CLAIMS.has(name)) claimed(name, rows as ClaimedRow[], atMs);
    else if (name === "sessions.record_outcome") recorded(values, rows as { readonly n: number }[]);
    else if (name === "webhooks.claim_deliveries") sent(rows as { readonly id: string }[], atMs);
  };
  return {
    reset() {
      current.clear();
      deliveries.clear();
    },
    wrap: (db) => ({
      ...db,
      async commit<Row extends object, Param extends string>(
        statement: Statement<Param, Row>,
        values: Values<Param>,
      ) {
        // A lease starts when its statement began, which may then have waited for a lock.
        const atMs = nowMs();
        const isRecord = statement.name.startsWith("webhooks.record_");
        // The statement may have been executed even if its response was lost.
        if (isRecord)
          for (const id of [(values as Values<string>)["deliveryId"]].flat()) deliveries.delete(String(id));
        const rows = await db.commit(statement, values);
        see(statement.name, values, rows, atMs);
        return rows;
      },
      async transaction(work) {
        let seen: (() => void)[] = [];
        const result = await db.transaction((tx) => {
          seen = [];
          return work({
            ...tx,
            async write<Row extends object, Param extends string>(
              statement: Statement<Param, Row>,
              values: Values<Param>,
            ) {
              const atMs = nowMs();
              const rows = await tx.write(statement, values);
              seen.push(() => see(statement.name, values, rows, atMs));
              return rows;
            },
          });
        });
        for (const tell of seen) tell();
        return result;
      },
    }),
  };
}
