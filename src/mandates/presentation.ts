/** A signed presentation from the debtor's wallet, kept with its mandate as evidence (docs/mandates.md, A presentation from a wallet). */
import type { Deps } from "../deps.ts";
import { sha256 } from "../lib/keyring.ts";
import { Refusal } from "../refusals.ts";
import { presentationContext } from "./account.ts";
import { heldMandate, logChange, type MandateCommand } from "./command.ts";
import type { PRESENTATION_FORMATS } from "./mandate.ts";
import { findPresentation, writePresentation } from "./presentation-store.ts";

interface GivenPresentation {
  readonly format: (typeof PRESENTATION_FORMATS)[number];
  readonly presentation: string;
}

/**
 * Stores the presentation; repeating it changes nothing.
 * @throws Refusal not_found, wallet_presentation_kept.
 */
export async function keepPresentation(
  deps: Pick<Deps, "clock" | "db" | "keys" | "time">,
  command: MandateCommand,
  { format, presentation }: GivenPresentation,
): Promise<void> {
  const { tenant, id } = command;
  const digest = sha256(presentation).toString("hex");
  await deps.db.transaction(async (tx) => {
    const row = await heldMandate(tx, command);
    const { wallet_presentation_sha256: kept, wallet_presentation_format: keptFormat } = row;
    if (kept === digest && keptFormat === format) return;
    if (kept !== null) throw new Refusal("wallet_presentation_kept");
    const sealed = deps.keys.seal(tenant, presentationContext(id), presentation);
    await writePresentation(tx, tenant, id, { sealed, format, digest, now: deps.time.now(tenant) });
    await logChange(tx, deps, command, {
      before: { wallet_presentation_sha256: null },
      after: { wallet_presentation_sha256: digest, wallet_presentation_format: format },
    });
  });
}

/** Opened; null without one, or if its customer was erased. */
export async function presentationOf(
  { db, keys }: Pick<Deps, "db" | "keys">,
  tenant: number,
  id: string,
): Promise<string | null> {
  const sealed = await findPresentation(db, tenant, id);
  return sealed === null ? null : keys.open(tenant, presentationContext(id), sealed).toString();
}
