/** `audit verify`: the chains of all tenants, in words. */
import type { Database } from "../../db/database.ts";
import type { Keyring } from "../../lib/keyring.ts";
import { tenantsWithEntries } from "./chain-store.ts";
import { verifyChain } from "./chain.ts";

/** The head of a tenant's chain as the command prints it: `head TENANT NUMBER HASH`. */
interface PrintedHead {
  readonly name: string;
  readonly number: string;
  readonly hash: string;
}

const HEAD = /^head (\S+) (\d+) ([0-9a-f]{64})$/gm;

/** The heads in the command's earlier output; null if there is none, or one is damaged. */
export function headsIn(output: string): readonly PrintedHead[] | null {
  const lines = output.match(/^head /gm) ?? [];
  const heads = [...output.matchAll(HEAD)].map(([, name = "", number = "", hash = ""]) => ({
    name,
    number,
    hash,
  }));
  return heads.length > 0 && heads.length === lines.length ? heads : null;
}

/**
 * Verifies all chains; returns the lines to print, with the heads, and the findings.
 * @param kept heads that were printed before, which must still exist.
 */
export async function auditVerified(
  db: Database,
  keys: Keyring,
  kept: readonly PrintedHead[],
): Promise<{ readonly lines: readonly string[]; readonly findings: readonly string[] }> {
  const lines: string[] = [];
  const findings: string[] = [];
  const unseen = new Set(kept);
  for (const { tenant, id } of await tenantsWithEntries(db)) {
    const name = tenant === 0 ? "operator" : (id ?? `${tenant}`);
    const own = kept.filter((head) => head.name === name);
    for (const head of own) unseen.delete(head);
    const verified = await verifyChain(db, keys, tenant, own);
    findings.push(...verified.findings.map((finding) => `tenant ${name}: ${finding}`));
    if (verified.waiting > 0) lines.push(`tenant ${name}: entries not chained yet: ${verified.waiting}`);
    if (verified.head !== null) lines.push(`head ${name} ${verified.head.number} ${verified.head.hash}`);
  }
  for (const { name, number } of unseen)
    findings.push(`tenant ${name}: line ${number} was recorded, and the log has no entry of this tenant`);
  return { lines, findings };
}
