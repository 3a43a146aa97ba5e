/** The audit log as a chain of hashes, one for each tenant: made by a job, checked by `audit verify` (docs/decisions/0027). */
import { createHash } from "node:crypto";
import type { Database, Reader } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import type { Job } from "../../lib/job.ts";
import { TENANTS_MAX, tenantTurns } from "../../lib/turns.ts";
import { must } from "../../lib/assert.ts";
import type { Keyring } from "../../lib/keyring.ts";
import {
  addLinks,
  countPending,
  erasures,
  findHead,
  forgetPending,
  lockChain,
  pendingEntries,
  readChain,
  tenantsToChain,
  unchainedEntries,
  type ChainedRow,
  type EntryText,
} from "./chain-store.ts";

const SALT_BYTES = 16;
/** The hash before the first link. */
const START = Buffer.alloc(32);
const READ_AT_ONCE = 1_000;

/** Chains new entries. An entry waits a few seconds for it; a change never waits. */
export function chainAuditLogJob(deps: Pick<Deps, "clock" | "db" | "ids" | "keys">): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "chain-audit-log",
    everyMs: 2_000,
    batch: 500,
    async runOnce(batch, stop) {
      let chained = 0;
      for (const tenant of turns(await tenantsToChain(deps.db, TENANTS_MAX), stop))
        chained += await chainEntries(deps, tenant, batch);
      return chained;
    },
  };
}

/** Chains the next entries of a tenant; returns how many. */
export function chainEntries(
  { db, ids, keys }: Pick<Deps, "db" | "ids" | "keys">,
  tenant: number,
  limit: number,
): Promise<number> {
  return db.transaction(async (tx) => {
    // A chain has one end: one instance appends at a time, and no erasure happens in between.
    await lockChain(tx, tenant);
    const pending = await pendingEntries(tx, tenant, limit);
    if (pending.length === 0) return 0;
    const head = await findHead(tx, tenant);
    let previous: Buffer = head?.hash ?? START;
    let number = BigInt(head?.number ?? 0);
    const links = pending
      .filter(({ chained }) => !chained)
      .map((entry) => {
        const salt = ids.secret(SALT_BYTES);
        number += 1n;
        const details = detailsOf(salt, entry);
        const hash = must(
          linkOf(keys, keys.currentKeyId, previous, `${number}`, entry, details),
          "the current key",
        );
        previous = hash;
        return { number: `${number}`, entryId: entry.id, salt, details, hash };
      });
    await addLinks(tx, tenant, keys.currentKeyId, links);
    await forgetPending(
      tx,
      tenant,
      pending.map((entry) => entry.place),
    );
    return links.length;
  });
}

function detailsOf(salt: Buffer, { before, after }: Pick<EntryText, "before" | "after">): Buffer {
  return createHash("sha256")
    .update(salt)
    .update(JSON.stringify([before, after]))
    .digest();
}

function linkOf(
  keys: Keyring,
  keyNumber: number,
  previous: Buffer,
  number: string,
  entry: EntryText,
  details: Buffer,
): Buffer | null {
  const { id, at, actor, actor_name, action, resource, resource_id, ip, request_id } = entry;
  const said = [id, at, actor, actor_name, action, resource, resource_id, ip, request_id];
  return keys.mac(
    keyNumber,
    "audit-chain",
    JSON.stringify([previous.toString("hex"), number, said, details.toString("hex")]),
  );
}

/** The end of a chain, to be kept elsewhere: it shows later whether the log was cut off after it. */
export interface Head {
  readonly number: string;
  /** In hexadecimal. */
  readonly hash: string;
}

interface Verified {
  readonly head: Head | null;
  /** The findings, each with the line of the chain. */
  readonly findings: readonly string[];
  /** How many entries the job has not chained yet: none of them is a finding. */
  readonly waiting: number;
}

/**
 * Checks a tenant's chain from the first line to the last.
 * @param kept ends that were printed before, which must still exist.
 */
export async function verifyChain(
  db: Database,
  keys: Keyring,
  tenant: number,
  kept: readonly Head[] = [],
): Promise<Verified> {
  const findings: string[] = [];
  const erased = new Map<string, string>();
  const open = new Map(kept.map((head) => [`${head.number}:${head.hash}`, head]));
  let previous: Buffer = START;
  let expected = 1n;
  let head: Head | null = null;
  // Lines that are added meanwhile may be missing below.
  const last = await findHead(db, tenant);
  for await (const row of chainOf(db, tenant)) {
    findings.push(...missing(expected, BigInt(row.number)));
    expected = BigInt(row.number) + 1n;
    findings.push(...wrongWith(keys, previous, row));
    if (row.salt === null) erased.set(row.id, row.number);
    previous = row.hash;
    head = { number: row.number, hash: row.hash.toString("hex") };
    open.delete(`${head.number}:${head.hash}`);
  }
  findings.push(...missing(expected, BigInt(last?.number ?? 0) + 1n));
  const declared = new Set((await erasures(db, tenant)).flatMap(({ after }) => erasedBy(after)));
  for (const [id, number] of erased)
    if (!declared.has(id))
      findings.push(`line ${number}: its content was removed, but no erasure is recorded`);
  for (const { number } of open.values())
    findings.push(`line ${number} is not the recorded one: the log was truncated or rewritten`);
  for (const { id, at } of await unchainedEntries(db, tenant))
    findings.push(`the entry ${id} of ${at.toISOString()} is not in the chain`);
  return { head, findings, waiting: await countPending(db, tenant) };
}

/** The lines from `expected` to the one before `next`. */
function missing(expected: bigint, next: bigint): readonly string[] {
  if (next <= expected) return [];
  return [`line ${expected}${next - expected > 1n ? ` to ${next - 1n} are` : " is"} missing`];
}

function wrongWith(keys: Keyring, previous: Buffer, row: ChainedRow): readonly string[] {
  const line = `line ${row.number}, the entry ${row.id}`;
  const hash = linkOf(keys, row.key_number, previous, row.number, row, row.details);
  if (hash === null) return [`${line}: the master key numbered ${row.key_number} is not held`];
  const wrong = hash.equals(row.hash) ? [] : [`${line}: it or a line before it was changed`];
  const said = row.salt === null || detailsOf(row.salt, row).equals(row.details);
  return said ? wrong : [...wrong, `${line}: before or after was changed`];
}

/** The entries that an erasure declares as changed. */
function erasedBy(after: unknown): readonly string[] {
  const { erased_entries: ids } = (after ?? {}) as { readonly erased_entries?: readonly string[] };
  return ids ?? [];
}

async function* chainOf(reader: Reader, tenant: number): AsyncGenerator<ChainedRow> {
  let after = "0";
  for (;;) {
    const rows = await readChain(reader, tenant, after, READ_AT_ONCE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_AT_ONCE) return;
    after = last.number;
  }
}
