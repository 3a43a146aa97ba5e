/**
 * Resolves an unmatched entry by hand: applies it to the named transactions, records it as a part of them, or dismisses
 * it.
 */
import type { Tx } from "../../../db/database.ts";
import type { Deps } from "../../../deps.ts";
import type { SepaCollection } from "../books-store.ts";
import { must } from "../../../lib/assert.ts";
import { utcDate } from "../../../lib/dates.ts";
import { formatAmount, type Cents } from "../../../lib/money.ts";
import { hasRun, writeEntry, type Author } from "../../../management/audit/audit.ts";
import { FieldErrors, Refusal } from "../../../refusals.ts";
import {
  type Booking,
  findBookings,
  findWithdrawn,
  forgetReturns,
  insertBookings,
  lockCollections,
  writeChanges,
} from "../incoming/changes-store.ts";
import { reportKey, type KnownInstruction } from "../incoming/decide.ts";
import type { Item } from "../incoming/items.ts";
import { startApplyingNews } from "../incoming/start-news.ts";
import { StatementPages } from "../incoming/statements/pages.ts";
import { applied, isOutgoing, reinstatedBy, rejectedBy, settledBy, type Resolution } from "./resolutions.ts";
import { findFileScope, lockReading } from "../files-store.ts";
import {
  findParts,
  findEndToEndIds,
  findUnmatched,
  lockTarget,
  lockUnmatched,
  markParts,
  writeResolution,
  type EntryTarget,
  type UnmatchedRow,
} from "./store.ts";

type Action = "apply" | "settle" | "part" | "reject" | "reinstate" | "dismiss";

export interface ResolveInput {
  readonly tenant: number;
  readonly id: string;
  readonly operationId: string;
  readonly author: Author;
  readonly action: Action;
  /**
   * Without duplicates. `apply` and `reinstate` take one; `settle`, `part` and `reject` take any number, a block or a
   * file; `reject` may have none, for the block or file that the entry names.
   */
  readonly transactionIds: readonly string[];
  readonly blockId: string | null;
  readonly fileId: string | null;
  /** What the bank deducted from a credit, or charged on top of a return. */
  readonly bankFee: Cents | null;
  /** The person accepts that the amounts differ. */
  readonly acceptAmount: boolean;
  readonly note: string | null;
}

/** How many changes are written at a time. */
const BATCH = 500;

/**
 * Resolves an entry and returns it as this decision leaves it, even if another decision follows at once.
 * @throws Refusal not_found, unmatched_resolved, unmatched_not_applicable; FieldErrors on the fields that name the
 * target.
 */
export async function resolveUnmatched(
  deps: Pick<Deps, "clock" | "db" | "log" | "newsReady" | "time">,
  input: ResolveInput,
): Promise<UnmatchedRow> {
  const { tenant, id } = input;
  const row = await deps.db.transaction(async (tx) => {
    await decideEntry(deps, tx, input);
    return must(await findUnmatched(tx, tenant, id), "an entry, which is never deleted");
  });
  startApplyingNews(deps, tenant);
  return row;
}

async function decideEntry(deps: Pick<Deps, "clock" | "time">, tx: Tx, input: ResolveInput): Promise<void> {
  const { tenant, id, action, author } = input;
  // What a person decides the bank could have reported: a check that may withdraw a file leaves it alone meanwhile.
  await lockReading(tx, tenant);
  // Read under the lock, so that a decision is later than a withdrawal that it has waited for.
  const now = deps.time.now(tenant);
  const found = await findUnmatched(tx, tenant, id);
  if (found === null) throw new Refusal("not_found");
  const { gatewayIds } = await findFileScope(tx, tenant, found.gateway_id);
  // First the collections, then the entry: the order in which reading a file locks them.
  const target = action === "dismiss" ? null : await lockInstructions(tx, input, found, gatewayIds);
  const row = must(await lockUnmatched(tx, tenant, id), "an entry, which is never deleted");
  // The same operation again: its answer was lost, or it was sent twice.
  const operation = { tenant, id: input.operationId, resource: "unmatched", resourceId: id };
  if (await hasRun(tx, author, operation)) return;
  if (row.status !== "open" && row.status !== "part") throw new Refusal("unmatched_resolved");
  const resolution: Resolution =
    target === null
      ? { status: "dismissed", changes: [], bookings: [] }
      : await resolutionOf(tx, input, row, target, utcDate(now));
  await write(tx, input, row, gatewayIds, resolution, now);
  const { status } = resolution;
  const only = target?.instructions.length === 1 ? (target.instructions[0]?.reference ?? null) : null;
  const to = { status, reference: only, note: input.note, target: target?.target ?? null };
  await writeResolution(tx, tenant, id, { ...to, bankFee: resolution.bankFee ?? null }, now);
  if (status === "applied" && target !== null) await markParts(tx, tenant, target.target, "applied", now);
  await writeEntry(tx, author, {
    tenant,
    id: input.operationId,
    at: deps.clock.now(),
    action: "update",
    resource: "unmatched",
    resourceId: id,
    before: { status: row.status },
    after: auditOf(input, status, row),
  });
}

function auditOf(input: ResolveInput, status: string, { amount }: UnmatchedRow): object {
  const { action, transactionIds, blockId, fileId, bankFee, acceptAmount, note } = input;
  return {
    status,
    action,
    amount,
    transaction_id: transactionIds.length === 1 ? transactionIds[0] : null,
    transaction_ids: transactionIds,
    block_id: blockId,
    file_id: fileId,
    bank_fee: bankFee === null ? null : formatAmount(bankFee),
    accept_amount: acceptAmount,
    note,
  };
}

/** The target of the entry, with its instructions locked. */
interface Locked {
  readonly target: EntryTarget;
  readonly instructions: readonly KnownInstruction[];
  /** How the bank booked the return, if there is one instruction. */
  readonly returned: Booking | null;
}

async function lockInstructions(
  tx: Tx,
  input: ResolveInput,
  entry: Pick<UnmatchedRow, "facts">,
  gatewayIds: readonly string[],
): Promise<Locked> {
  const { tenant, transactionIds, fileId } = input;
  if (transactionIds.length === 0) {
    const own = input.blockId === null && fileId === null ? blockOf(entry) : null;
    const blockId = input.blockId ?? own?.blockId ?? null;
    const named = {
      blockId,
      fileId,
      messageId: own?.messageId ?? null,
      refundsToo: input.action === "reject" || isOutgoing(entry.facts as Item),
    };
    const instructions = await unseen(
      tx,
      tenant,
      gatewayIds,
      await lockTarget(tx, tenant, gatewayIds, named),
    );
    const field = blockId === null ? "file_id" : "block_id";
    if (instructions.length === 0)
      throw new FieldErrors({ [field]: ["Nothing with this id was sent to this account."] });
    const file = fileId ?? instructions[0]?.file_id ?? "";
    const target: EntryTarget = blockId === null ? { file } : { block: blockId };
    return { target, instructions, returned: null };
  }
  const references = await findEndToEndIds(tx, tenant, transactionIds);
  const rows = await lockCollections(tx, tenant, gatewayIds, references, []);
  const instructions = await unseen(tx, tenant, gatewayIds, rows);
  if (instructions.length !== transactionIds.length) {
    const field = transactionIds.length === 1 ? "transaction_id" : "transaction_ids";
    throw new FieldErrors({ [field]: ["No such transaction at this gateway."] });
  }
  const bookings = input.action === "apply" ? await findBookings(tx, tenant, gatewayIds, references) : [];
  const returned = bookings.find(({ movement }) => movement === "debit") ?? null;
  return { target: { references: instructions.map(({ reference }) => reference) }, instructions, returned };
}

/** The block or file that the entry itself names. */
function blockOf({ facts }: Pick<UnmatchedRow, "facts">) {
  const item = facts as Item;
  return "block" in item ? item.block : null;
}

/** The instructions without their bookings and reinstatement: a person's decision does not depend on them. */
async function unseen(
  tx: Tx,
  tenant: number,
  gatewayIds: readonly string[],
  rows: readonly SepaCollection[],
): Promise<readonly KnownInstruction[]> {
  const withdrawn = await findWithdrawn(tx, tenant, gatewayIds, rows);
  return rows.map((row) => ({
    ...row,
    booked: {},
    reinstated_on: null,
    withdrawn: withdrawn.has(row.reference),
  }));
}

async function resolutionOf(
  tx: Tx,
  input: ResolveInput,
  row: UnmatchedRow,
  { target, instructions, returned }: Locked,
  today: string,
): Promise<Resolution> {
  const { tenant, id, action } = input;
  const item = row.facts as Item;
  const [only] = instructions;
  switch (action) {
    case "apply":
      return applied(must(only, "the transaction"), item, input, today, returned);
    case "reinstate":
      return reinstatedBy(must(only, "the transaction"), item, input, today);
    case "reject": {
      const parts = await findParts(tx, tenant, target, id);
      return rejectedBy(instructions, item, { parts, explicit: "references" in target }, today);
    }
    default: {
      const parts = await findParts(tx, tenant, target, id);
      const explicit = "references" in target;
      return settledBy(instructions, item, { ...input, parts, explicit, part: action === "part" }, today);
    }
  }
}

async function write(
  tx: Tx,
  { tenant }: ResolveInput,
  row: UnmatchedRow,
  gatewayIds: readonly string[],
  { changes, bookings }: Resolution,
  now: Date,
): Promise<void> {
  for (let from = 0; from < changes.length; from += BATCH) {
    await writeChanges(tx, tenant, gatewayIds, row.file_id, changes.slice(from, from + BATCH), now);
  }
  const back = changes.filter(({ news }) => news === "reinstated").map(({ reference }) => reference);
  await forgetReturns(tx, tenant, gatewayIds, back);
  await insertBookings(tx, tenant, gatewayIds, row.file_id, bookings);
  const { page } = row.facts as Item;
  // The other pages of its statement report other movements.
  if (page !== undefined) {
    const pages = new StatementPages(tx, tenant);
    pages.turnTo(page);
    for (const { movement, reference } of bookings) pages.report(reportKey(movement, reference));
    for (const reference of back) pages.report(reportKey("reinstatement", reference));
    await pages.write();
  }
}
