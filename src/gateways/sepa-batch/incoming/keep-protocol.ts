/**
 * Keeps the bank's protocol as text (PTK). Its format is not known well enough to act on it: the text is stored
 * unchanged, and lines that mention our orders are shown in their history.
 */
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import type { Deps } from "../../../deps.ts";
import { redacted } from "../../../lib/log.ts";
import type { AccountRow } from "../files-store.ts";
import { findRead, incomingFile, insertPacked, lockReading } from "../files-store.ts";
import { pack } from "../pack.ts";
import { recordEvents } from "../transports/ebics/orders-store.ts";

/** A longer protocol is stored without being searched. */
const SEARCHED_CHARS_MAX = 4 * 1_024 ** 2;
/** An order number of the bank. */
const ORDER_NUMBER = /\b[A-Z][A-Z0-9]{3}\b/g;
const EXCERPT_CHARS_MAX = 500;

/** Stores what the bank sent, unless the same bytes are stored already. */
export async function keepProtocol(
  deps: Pick<Deps, "clock" | "db" | "ids" | "keys" | "time">,
  account: AccountRow,
  bytes: Buffer,
): Promise<void> {
  const { tenant, id: gatewayId } = account;
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const { sha256, size, packed } = await pack(deps.keys, tenant, id, Readable.from([bytes]));
  const name = `PTK-${now.toISOString().slice(0, 19).replaceAll(":", "-")}.txt`;
  const file = incomingFile(account, { id, name, kind: "PTK", sha256, size });
  await deps.db
    .transaction(async (tx) => {
      await lockReading(tx, tenant);
      if ((await findRead(tx, tenant, [gatewayId], sha256)) !== null) return;
      await insertPacked(tx, tenant, file, packed.pieces(), deps.time.now(tenant));
      await recordEvents(tx, tenant, gatewayId, mentionsIn(textOf(bytes), now), now, { ofOursOnly: true });
    })
    .finally(() => packed.close());
}

/** The text does not declare its encoding: German hosts write Latin-1, others UTF-8. */
function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : bytes.toString("latin1");
}

/** The first line that mentions each possible order number. It decides nothing (`hasArrived` ignores PTK). */
function mentionsIn(text: string, at: Date) {
  const lines = new Map<string, string>();
  for (const line of text.slice(0, SEARCHED_CHARS_MAX).split("\n"))
    for (const [number] of line.matchAll(ORDER_NUMBER))
      if (!lines.has(number)) lines.set(number, line.trim());
  return [...lines].map(([orderId, line]) => ({
    action: "PTK",
    orderId,
    orderType: null,
    at,
    reason: null,
    text: redacted(line).slice(0, EXCERPT_CHARS_MAX),
  }));
}
