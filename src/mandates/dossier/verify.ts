/** `mandates verify`: checks a dossier against itself, the keys that sealed it, and the current data. */
import type { Deps } from "../../deps.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { attachmentOf } from "../../files/pdf-attachment.ts";
import { tenantStore } from "../../tenants/store.ts";
import { isUuid } from "../../lib/ids.ts";
import type { WordsOf } from "../sheet.ts";
import { brokenAt, type DossierEntry } from "./chain.ts";
import { lifeOf, PERSONAL, type Evidence, type DossierFact } from "./facts.ts";
import type { Dossier } from "./dossier.ts";
import { evidenceOf } from "./make.ts";
import { isOurs, unsealed, type Unsealed } from "./seal.ts";
import { findMade } from "./store.ts";

interface Verified {
  readonly right: boolean;
  /** The findings, one per line. */
  readonly words: string;
}

/** The result of a check; findings are problems. */
interface Said {
  readonly findings: readonly string[];
  readonly notes: readonly string[];
}

/** The check without keys and records. */
export function verifiedAlone(file: Buffer): Verified {
  const { said } = alone(file, unsealed(file));
  return verified([
    said,
    { findings: [], notes: ["Checked against itself only: there is no database here, and so no keys."] },
  ]);
}

/**
 * The check with keys and records.
 * @param wordsOf the texts of a mandate, from the payment page.
 */
export async function verifiedHere(
  deps: Pick<Deps, "db" | "keys">,
  wordsOf: WordsOf,
  file: Buffer,
): Promise<Verified> {
  const bare = unsealed(file);
  const { said, dossier } = alone(file, bare);
  const tenant =
    dossier !== null && isUuid(dossier.tenant_id)
      ? await tenantStore.find(deps.db, 0, dossier.tenant_id)
      : null;
  const sealSaid = sealChecked(deps, bare);
  if (dossier === null) return verified([said, sealSaid]);
  if (tenant === null) return verified([said, sealSaid, finding("This service has no such tenant.")]);
  const [made, evidence] = await Promise.all([
    isUuid(dossier.mandate_id) ? findMade(deps.db, tenant.tenant, dossier.mandate_id, bare.digest) : null,
    evidenceOf(deps, wordsOf, tenant.tenant, dossier.mandate_id),
  ]);
  const logged =
    made === null
      ? finding("The audit log has no entry of this file.")
      : note(`The audit log: made at ${made.at.toISOString()} for ${made.actor_name}.`);
  const stored =
    evidence === null ? finding("This mandate is not stored.") : compared(dossier.entries, evidence);
  return verified([said, sealSaid, logged, stored]);
}

function alone(file: Buffer, { seal }: Unsealed): { readonly said: Said; readonly dossier: Dossier | null } {
  const dossier = readDossier(file);
  if (dossier === null)
    return {
      said: finding("This is not the dossier of a mandate, or it is too damaged to be read."),
      dossier,
    };
  const { tenant_id, mandate_id, format } = dossier;
  const broken = brokenAt({ format, tenant_id, mandate_id }, dossier.entries);
  const findings = [
    ...(seal === null
      ? ["The file was changed after it was sealed, or has been saved by another program."]
      : []),
    ...broken.map((number) => `Entry ${number} is not the one that was chained.`),
  ];
  const notes = [
    `Dossier of ${dossier.reference}, made at ${dossier.made_at}: ${dossier.entries.length} entries.`,
  ];
  return { said: { findings, notes }, dossier };
}

/** Null if the file has another form. The hashes show whether it is unchanged. */
function readDossier(file: Buffer): Dossier | null {
  try {
    const data = JSON.parse(attachmentOf(file)?.toString("utf8") ?? "null") as Dossier | null;
    if (data?.format !== "mandate-dossier/1") return null;
    // Throws unless they are entries.
    brokenAt(data, data.entries);
    return data;
  } catch {
    return null;
  }
}

function sealChecked({ keys }: Pick<Deps, "keys">, { digest, seal }: Unsealed): Said {
  if (seal === null) return { findings: [], notes: [] };
  const ours = isOurs(keys, digest, seal);
  if (ours === null) return finding("The key of the seal is not one of this service's.");
  return ours
    ? note("The seal is this service's.")
    : finding("The seal was not made with this service's keys.");
}

/** Entries of the file that the records do not contain; later facts do not matter. */
function compared(entries: readonly DossierEntry[], evidence: Evidence): Said {
  const now = new Map(lifeOf(evidence).map((fact) => [keyOf(fact), fact]));
  const isErased = evidence.around.erased_at !== null;
  const findings = entries.flatMap((entry) => {
    const fact = now.get(keyOf(entry));
    if (fact === undefined) return [`Entry ${entry.number} (${entry.text}) is no longer stored.`];
    const changed = changedFields(entry, fact, isErased);
    return changed.length === 0
      ? []
      : [`Entry ${entry.number} (${entry.text}) is stored with other values: ${changed.join(", ")}.`];
  });
  const known = new Set(entries.map(keyOf));
  const later = [...now.keys()].filter((key) => !known.has(key)).length;
  const notes = [
    ...(isErased ? ["The customer was erased: what was personal cannot be compared."] : []),
    ...(findings.length === 0 ? ["What is stored says the same."] : []),
    ...(later > 0 ? [`Entries that came later: ${later}.`] : []),
  ];
  return { findings, notes };
}

function keyOf({ kind, id }: DossierFact): string {
  return `${kind} ${id}`;
}

/** The mandate's text is compared while the service still has the version that was accepted. */
function changedFields(entry: DossierFact, now: DossierFact, isErased: boolean): readonly string[] {
  const isOtherText = now.facts["text_as_accepted"] === false;
  const names = [...new Set([...Object.keys(entry.facts), ...Object.keys(now.facts)])].filter(
    (name) =>
      !(isErased && PERSONAL.has(name)) && !(isOtherText && (name === "text" || name === "text_as_accepted")),
  );
  const changed = names.filter(
    (name) => canonicalJson(entry.facts[name] ?? null) !== canonicalJson(now.facts[name] ?? null),
  );
  return entry.at === now.at ? changed : ["at", ...changed];
}

function finding(text: string): Said {
  return { findings: [text], notes: [] };
}

function note(text: string): Said {
  return { findings: [], notes: [text] };
}

function verified(said: readonly Said[]): Verified {
  const findings = said.flatMap((one) => one.findings);
  const notes = said.flatMap((one) => one.notes);
  const end = findings.length === 0 ? "Nothing is wrong with it." : `Findings: ${findings.length}.`;
  return { right: findings.length === 0, words: [...notes, ...findings, end].join("\n") };
}
