/** The dossier of a mandate: all evidence in one sealed PDF, created on request from the stored data. */
import type { Deps } from "../../deps.ts";
import { must } from "../../lib/assert.ts";
import { isUuid } from "../../lib/ids.ts";
import { writeEntry } from "../../management/audit/audit.ts";
import { attachmentHeader, type Answer } from "../../http/endpoint.ts";
import { Refusal } from "../../refusals.ts";
import type { MandateCommand } from "../command.ts";
import { noticesOf } from "../notices.ts";
import { presentationOf } from "../presentation.ts";
import type { WordsOf } from "../sheet.ts";
import { findMandate } from "../store.ts";
import { dossierData, dossierOf } from "./dossier.ts";
import type { Evidence } from "./facts.ts";
import { dossierSheet } from "./paper.ts";
import { sealed } from "./seal.ts";
import { DEBITS_MAX, debitsOf, findAround, returnsOf } from "./store.ts";

const RESOURCE = "mandate-dossiers";

type Parts = Pick<Deps, "clock" | "db" | "keys" | "time">;

/**
 * The audit log records who created it, with the hash of the file.
 * @throws Refusal not_found.
 */
export async function dossierAnswer(deps: Parts, wordsOf: WordsOf, command: MandateCommand): Promise<Answer> {
  const { tenant, id } = command;
  const evidence = await evidenceOf(deps, wordsOf, tenant, id);
  if (evidence === null) throw new Refusal("not_found");
  const made = dossierOf(evidence, deps.time.now(tenant));
  const { pdfOf } = await import("../../files/pdf.ts");
  const { file, digest } = sealed(deps.keys, await pdfOf(dossierSheet(evidence, made, dossierData(made))));
  await deps.db.transaction((tx) =>
    writeEntry(tx, command.author, {
      tenant,
      id: command.operationId,
      at: deps.clock.now(),
      action: "export",
      resource: RESOURCE,
      resourceId: id,
      before: null,
      after: { sha256: digest, entries: made.entries.length, chain: made.entries.at(-1)?.hash ?? null },
    }),
  );
  const name = evidence.mandate.reference.replace(/[^A-Za-z0-9-]/g, "_");
  return {
    status: 200,
    headers: {
      "content-type": "application/pdf",
      ...attachmentHeader(`mandate_${name}_dossier.pdf`),
      "cache-control": "no-store",
    },
    body: file,
  };
}

/** The stored data of a mandate; null for an unknown id. */
export async function evidenceOf(
  deps: Pick<Deps, "db" | "keys">,
  wordsOf: WordsOf,
  tenant: number,
  id: string,
): Promise<Evidence | null> {
  const mandate = isUuid(id) ? await findMandate(deps.db, tenant, id) : null;
  if (mandate === null) return null;
  const [around, shown, notices, debits, presentation] = await Promise.all([
    findAround(deps.db, tenant, id),
    wordsOf(tenant, null, mandate),
    noticesOf(deps, tenant, mandate.id, DEBITS_MAX),
    debitsOf(deps.db, tenant, mandate),
    presentationOf(deps, tenant, mandate.id),
  ]);
  const returns = await returnsOf(
    deps.db,
    tenant,
    debits.map((debit) => debit.id),
  );
  return {
    mandate,
    around: must(around, "what is around a mandate"),
    shown,
    notices,
    debits,
    returns,
    presentation,
  };
}
