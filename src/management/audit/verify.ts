/** `audit verify`: the chains of all tenants, in words. */
import type { Database } from "../../db/database.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { everyTenant } from "./chain-store.ts";
import { verifyChain, type Head } from "./chain.ts";

/** `head TENANT NUMBER HASH`, as printed by this command. */
const HEAD = /^head ([0-9a-f-]{36}) (\d+) ([0-9a-f]{64})$/gm;

/**
 * Verifies all chains.
 * @param kept the command's earlier output; empty if none was kept.
 */
export async function auditVerified(
  db: Database,
  keys: Keyring,
  now: Date,
  kept: string,
): Promise<{ readonly right: boolean; readonly words: string }> {
  const noted = [...kept.matchAll(HEAD)].map(([, id = "", number = "", hash = ""]) => ({ id, number, hash }));
  const lines: string[] = [];
  let wrong = 0;
  for (const { tenant, id } of await everyTenant(db)) {
    const heads: readonly Head[] = noted
      .filter((head) => head.id === id)
      .map(({ number, hash }) => ({ tenant, number, hash }));
    const { head, findings } = await verifyChain(db, keys, tenant, now, heads);
    wrong += findings.length;
    lines.push(...findings.map((finding) => `tenant ${id}: ${finding}`));
    if (head !== null) lines.push(`head ${id} ${head.number} ${head.hash}`);
  }
  lines.push(wrong === 0 ? "The audit log is as it was written." : `Findings: ${wrong}.`);
  return { right: wrong === 0, words: lines.join("\n") };
}
