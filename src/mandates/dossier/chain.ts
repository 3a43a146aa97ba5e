/** The entries of a dossier as a chain of hashes, which shows changes, removals and insertions. Pure. */
import { canonicalJson, type Canonical } from "../../lib/canonical-json.ts";
import { sha256 } from "../../lib/keyring.ts";
import type { DossierFact } from "./facts.ts";

export interface DossierEntry extends DossierFact {
  readonly number: number;
  /** SHA-256 of the previous hash and the entry, in hexadecimal. */
  readonly hash: string;
}

/** The subject of a dossier, from which the first hash of its chain is computed. */
export interface Subject {
  readonly format: "mandate-dossier/1";
  readonly tenant_id: string;
  readonly mandate_id: string;
}

/**
 * Chains the entries.
 * @param facts in order.
 */
export function chained(subject: Subject, facts: readonly DossierFact[]): readonly DossierEntry[] {
  let last = hashOf(subject);
  return facts.map((fact, index) => {
    const linked = { ...fact, number: index + 1 };
    last = linkOf(last, linked);
    return { ...linked, hash: last };
  });
}

/** The numbers of the entries whose hash does not follow from the previous ones. */
export function brokenAt(subject: Subject, entries: readonly DossierEntry[]): readonly number[] {
  let last = hashOf(subject);
  return entries.flatMap(({ hash, ...entry }, index) => {
    const isRight = entry.number === index + 1 && hash === linkOf(last, entry);
    last = hash;
    return isRight ? [] : [index + 1];
  });
}

function linkOf(last: string, { number, at, kind, id, text, facts }: Omit<DossierEntry, "hash">): string {
  return sha256(`${last}\n${canonicalJson({ number, at, kind, id, text, facts })}`).toString("hex");
}

function hashOf({ format, tenant_id, mandate_id }: Subject): string {
  const subject: Canonical = { format, tenant_id, mandate_id };
  return sha256(canonicalJson(subject)).toString("hex");
}
