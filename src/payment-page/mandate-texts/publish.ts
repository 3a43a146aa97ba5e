/** Publishes a new version of a page's mandate text; signed mandates keep the version that they name. */
import type { MandateTextRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { writeEntry, type Author } from "../../management/audit/audit.ts";
import type { Scheme } from "../../mandates/creditor.ts";
import { Refusal } from "../../refusals.ts";
import { findMandateText, insertMandateText, lockPage } from "./store.ts";

interface PublishInput {
  readonly tenant: number;
  readonly pageId: string;
  readonly author: Author;
  /** The version's id: drawn once per operation, so that a repeated operation finds the version it created. */
  readonly operationId: string;
  readonly scheme: Scheme;
  readonly language: string;
  /** Null restores the scheme's text. */
  readonly text: string | null;
}

/**
 * Publishes a version.
 * @throws Refusal not_found; record_in_use if the page is archived.
 */
export function publishMandateText(
  deps: Pick<Deps, "clock" | "db">,
  { tenant, pageId, author, operationId: id, scheme, language, text }: PublishInput,
): Promise<MandateTextRow> {
  return deps.db.transaction(async (tx) => {
    const page = await lockPage(tx, tenant, pageId);
    if (page === null) throw new Refusal("not_found");
    const made = await findMandateText(tx, tenant, id);
    if (made !== null) return made;
    if (page.archived_at !== null) throw new Refusal("record_in_use", { detail: "This record is archived." });
    const now = deps.clock.now();
    const row = await insertMandateText(tx, tenant, { id, pageId, scheme, language, text, now });
    await writeEntry(tx, author, {
      tenant,
      id,
      at: now,
      action: "create",
      resource: "mandate-texts",
      resourceId: id,
      before: null,
      after: { hosted_page_id: pageId, scheme, language, version: row.version, text },
    });
    return row;
  });
}
