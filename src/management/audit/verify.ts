/** `audit verify`: the chains of all tenants, in words. */
import type { Database } from "../../db/database.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { tenantsWithEntries } from "./chain-store.ts";
import { verifyChain, type Head } from "./chain.ts";

/** `head TENANT NUMBER HASH`, as printed by this command. */
const HEAD = /^head (\S+) (\d+) ([0-9a-f]{64})$/gm;

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
  const noted = [...kept.matchAll(HEAD)].map(([, name = "", number = "", hash = ""]) => ({
    name,
    number,
    hash,
  }));
  const lines: string[] = [];
  let wrong = 0;
  for (const { tenant, id } of await tenantsWithEntries(db)) {
    const name = tenant === 0 ? "operator" : (id ?? `${tenant}`);
    const heads: readonly Head[] = noted
      .filter((head) => head.name === name)
      .map(({ number, hash }) => ({ tenant, number, hash }));
    const { head, findings } = await verifyChain(db, keys, tenant, now, heads);
    wrong += findings.length;
    lines.push(...findings.map((finding) => `tenant ${name}: ${finding}`));
    if (head !== null) lines.push(`head ${name} ${head.number} ${head.hash}`);
  }
  lines.push(wrong === 0 ? "The audit log is as it was written." : `Findings: ${wrong}.`);
  return { right: wrong === 0, words: lines.join("\n") };
}
