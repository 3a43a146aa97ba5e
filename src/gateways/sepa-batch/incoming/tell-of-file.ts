/** Tells a person that the bank has a file that it should not have, or has it twice. */
import type { Tx } from "../../../db/database.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import type { Deps } from "../../../deps.ts";
import { insertUnmatched } from "../unmatched/store.ts";
import { entryOfFile } from "./report.ts";

const LOGGED = {
  arrived: "the bank has a SEPA file that was withdrawn",
  reported: "the bank has a SEPA file that was withdrawn",
  twice: "the bank has a SEPA file twice",
} as const;

/** Adds the entry about the file, and logs it, unless the file has one already. */
export async function tellOfFile(
  deps: Pick<Deps, "ids" | "log" | "time">,
  tx: Tx,
  { tenant, gatewayId }: { readonly tenant: number; readonly gatewayId: string },
  matter: keyof typeof LOGGED,
  { id, message_id: messageId }: Pick<SepaFileRow, "id" | "message_id">,
): Promise<void> {
  const entry = entryOfFile(deps.ids.uuid(), matter, { identity: id, messageId });
  const added = await insertUnmatched(tx, tenant, gatewayId, id, [entry], deps.time.now(tenant));
  if (added.size > 0) deps.log.error(LOGGED[matter], entry.why, { gateway_id: gatewayId, file_id: id });
}
