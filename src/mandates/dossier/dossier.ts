/** The contents of a dossier as data. Pure. */
import { canonicalJson, type Canonical } from "../../lib/canonical-json.ts";
import { shownPresentation } from "../mandate.ts";
import { chained, type DossierEntry, type Subject } from "./chain.ts";
import { lifeOf, type Evidence } from "./facts.ts";
import { DEBITS_MAX } from "./store.ts";

/** The file name of the machine-readable part. */
export const DOSSIER_DATA = "dossier.json";

/** The machine-readable data attached to the document. */
export interface Dossier extends Subject {
  readonly reference: string;
  readonly made_at: string;
  /** When the customer was erased; it contains no personal data then. */
  readonly erased_at: string | null;
  /** Whether debits older than those listed are omitted. */
  readonly debits_left_out: boolean;
  /** The signed presentation from the debtor's wallet, which is also an entry; null without one. */
  readonly wallet_presentation: ReturnType<typeof shownPresentation>;
  readonly entries: readonly DossierEntry[];
}

export function dossierOf(evidence: Evidence, now: Date): Dossier {
  const { mandate, around, debits } = evidence;
  const subject: Subject = {
    format: "mandate-dossier/1",
    tenant_id: around.tenant_id,
    mandate_id: mandate.id,
  };
  return {
    ...subject,
    reference: mandate.reference,
    made_at: now.toISOString(),
    erased_at: around.erased_at?.toISOString() ?? null,
    debits_left_out: debits.length === DEBITS_MAX,
    wallet_presentation: shownPresentation(mandate),
    entries: chained(subject, lifeOf(evidence)),
  };
}

/** The same, serialised. */
export function dossierData(dossier: Dossier): Buffer {
  return Buffer.from(
    canonicalJson({ ...dossier, entries: dossier.entries.map((entry): Canonical => ({ ...entry })) }),
  );
}
