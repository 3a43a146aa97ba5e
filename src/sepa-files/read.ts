/** Reads a bank's file into the books: once, all of it or nothing, in the file's order. */
import { brokenConstraint } from "../db/constraints.ts";
import type { Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { sepaSettings } from "../gateways/sepa/settings.ts";
import { must } from "../lib/assert.ts";
import { centsFromDatabase, formatAmount } from "../lib/money.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import type { BankRecord } from "../sepa/reading/records.ts";
import { readBankFile } from "../sepa/reading/read.ts";
import { BankFileRefused } from "../sepa/reading/refused.ts";
import { filesInZip, isZip } from "../sepa/zip.ts";
import { decide, type About, type Standing } from "./decide.ts";
import { interpret, startReading, type Item, type Reading } from "./interpret.ts";
import { pack, unpack, type Packed } from "./pack.ts";
import { findFile, findRead, finishRead, insertFile, type AccountRow, type ShownFile } from "./store.ts";
import {
  insertEntries,
  lockBlock,
  lockByMandate,
  lockCollections,
  moveBlock,
  writeChanges,
  type Change,
  type EntryLine,
} from "./changes-store.ts";
import { insertUnmatched, type NewUnmatched } from "./unmatched-store.ts";

/** Entries are looked up and written so many at a time. */
const BATCH = 500;

export interface ReadFile {
  readonly file: ShownFile;
  /** Whether the same bytes were read before: then nothing was done. */
  readonly known: boolean;
}

/**
 * Reads what a bank has delivered: one file, or an archive of several, each of which is a transaction of its own.
 * A file that is refused is kept with the reason, and nothing of it is applied.
 */
export async function readDelivery(
  deps: Deps,
  account: AccountRow,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<readonly ReadFile[]> {
  const { first, all } = await peek(bytes);
  if (!isZip(first)) return [await readOne(deps, account, name, all)];
  const read: ReadFile[] = [];
  const archive = await whole(all);
  try {
    for await (const file of filesInZip(archive)) {
      read.push(await readOne(deps, account, `${name}/${file.name}`, file.bytes));
    }
  } catch (error) {
    if (!(error instanceof BankFileRefused)) throw error;
    read.push(await refuse(deps, account, name, "zip", only(archive), error));
  }
  return read;
}

async function readOne(
  deps: Deps,
  account: AccountRow,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReadFile> {
  const { tenant } = account;
  const id = deps.ids.uuid();
  const packed = await pack(deps.keys, tenant, id, bytes);
  const before = await findRead(deps.db, tenant, account.id, packed.sha256);
  if (before !== null) return { file: before, known: true };
  try {
    deps.reached("sepa.before_read");
    await deps.db.transaction((tx) => apply({ deps, tx, account, id, name, packed }));
    deps.reached("sepa.read");
  } catch (error) {
    // Somebody has read the same bytes meanwhile.
    if (brokenConstraint(error) === "sepa_files_read_once") {
      return {
        file: must(await findRead(deps.db, tenant, account.id, packed.sha256), "the file read"),
        known: true,
      };
    }
    if (!(error instanceof BankFileRefused)) throw error;
    return refuse(deps, account, name, "unknown", unpack(deps.keys, tenant, id, packed.content), error);
  }
  return { file: must(await findFile(deps.db, tenant, id), "the file that was read"), known: false };
}

/** Kept aside for a person to look at. */
async function refuse(
  deps: Deps,
  account: AccountRow,
  name: string,
  kind: string,
  bytes: AsyncIterable<Uint8Array>,
  error: BankFileRefused,
): Promise<ReadFile> {
  const id = deps.ids.uuid();
  const packed = await pack(deps.keys, account.tenant, id, bytes);
  const now = deps.time.now(account.tenant);
  await deps.db.transaction((tx) =>
    insertFile(
      tx,
      account.tenant,
      {
        ...incoming(account, id, name, packed),
        kind,
        status: "refused",
        error: error.message.slice(0, 1_000),
      },
      now,
    ),
  );
  deps.log.warn("a bank's file was refused", { gateway_id: account.id, file_id: id, code: error.code });
  return {
    file: must(await findFile(deps.db, account.tenant, id), "the file that was refused"),
    known: false,
  };
}

function incoming(account: AccountRow, id: string, name: string, packed: Packed) {
  return {
    ...packed,
    id,
    gatewayId: account.id,
    direction: "in",
    kind: "unknown",
    name: name.slice(-255),
    messageId: null,
    transactions: 0,
    amount: "0.00",
    dueDate: null,
    status: "applied",
    error: null,
    dueAt: null,
  } as const;
}

/** One file being read. */
interface Application {
  readonly deps: Deps;
  readonly tx: Tx;
  readonly account: AccountRow;
  readonly id: string;
  readonly name: string;
  readonly packed: Packed;
}

async function apply(at: Application): Promise<void> {
  const { deps, tx, account, id, name, packed } = at;
  const { tenant } = account;
  const now = deps.time.now(tenant);
  await insertFile(tx, tenant, incoming(account, id, name, packed), now);
  const reading = startReading(sepaSettings(account.settings).creditorIban);
  const counts: Record<string, number> = {};
  const notes: string[] = [];
  let waiting: Item[] = [];
  let number = 0;
  let kind = "unknown";
  let messageId: string | null = null;
  const flush = async () => {
    const lines = await applyItems(at, waiting, number);
    await insertEntries(tx, tenant, id, lines);
    for (const { result } of lines) counts[result] = (counts[result] ?? 0) + 1;
    number += waiting.length;
    waiting = [];
  };
  for await (const record of readBankFile(unpack(deps.keys, tenant, id, packed.content))) {
    if (record.kind === "message") {
      messageId = record.messageId;
      kind = record.type.family;
    }
    notes.push(...notesOf(record));
    const item = interpret(reading, record);
    if (item !== null) waiting.push(item);
    if (waiting.length >= BATCH) await flush();
  }
  refuseAnothers(reading);
  await flush();
  const report = { ...counts, statements: reading.statements, notes };
  await finishRead(tx, tenant, id, { kind, messageId, entries: number, report }, now);
}

/** A bank's statement that does not add up was read all the same: each of its entries moved money. */
function notesOf(record: BankRecord): readonly string[] {
  if (record.kind !== "statement_end" || record.balance !== "differs") return [];
  return [`statement ${record.statement.number}: its entries do not make its closing balance`];
}

function refuseAnothers({ statements, ourStatements }: Reading): void {
  if (statements > 0 && ourStatements === 0)
    throw new BankFileRefused("another_account", "The file is about another account");
}

/** Entries of one batch, in their order; what an earlier one changed, a later one sees. */
async function applyItems(
  at: Application,
  items: readonly Item[],
  before: number,
): Promise<readonly EntryLine[]> {
  const { tx, account, id, deps } = at;
  const now = deps.time.now(account.tenant);
  const today = utcDate(now);
  const references = items.flatMap((item) => ("ids" in item ? item.ids.references : []));
  const rows =
    references.length === 0 ? [] : await lockCollections(tx, account.tenant, account.id, references);
  const standings = new Map<string, Standing>(rows.map((row) => [row.reference, row]));
  const lines: EntryLine[] = [];
  const unmatched: NewUnmatched[] = [];
  let changes: Change[] = [];
  for (const [n, item] of items.entries()) {
    const number = before + n + 1;
    if (item.kind === "block_credit" || item.kind === "block_reject") {
      // A block is counted in SQL: what came before it has to be there.
      await writeChanges(tx, account.tenant, account.id, id, changes, now);
      changes = [];
    }
    const result = await applyItem(at, item, standings, today);
    if (result.kind === "change") {
      changes.push(...result.changes);
      for (const change of result.changes) remember(standings, change);
    }
    if (result.kind === "unmatched") unmatched.push(unmatchedOf(at, number, item, result.why));
    lines.push(lineOf(number, item, result));
  }
  await writeChanges(tx, account.tenant, account.id, id, changes, now);
  await insertUnmatched(tx, account.tenant, account.id, id, unmatched, now);
  return lines;
}

type Applied =
  | { readonly kind: "change"; readonly changes: readonly Change[] }
  | { readonly kind: "known" | "ignored"; readonly words: string }
  | { readonly kind: "block"; readonly result: "settled" | "rejected"; readonly moved: number }
  | { readonly kind: "unmatched"; readonly why: string };

const IGNORED: Applied = { kind: "ignored", words: "" };

async function applyItem(
  at: Application,
  item: Item,
  standings: ReadonlyMap<string, Standing>,
  today: IsoDate,
): Promise<Applied> {
  switch (item.kind) {
    case "note":
      return { kind: "ignored", words: item.words };
    case "block_credit":
      return settleBlock(at, item, today);
    case "block_reject":
      return rejectBlock(at, item, today);
    case "withdrawn_return":
      return {
        kind: "unmatched",
        why: "the bank has taken a return back: look whether the customer has paid",
      };
    default:
      return applyOne(at, item, standings, today);
  }
}

async function applyOne(
  at: Application,
  item: About,
  standings: ReadonlyMap<string, Standing>,
  today: IsoDate,
): Promise<Applied> {
  const standing = await standingOf(at, item, standings, today);
  if (standing !== null) {
    const refundOnly = item.kind === "transfer_out" || item.kind === "transfer_back";
    if (refundOnly && standing.refund_of === null) return IGNORED;
    const decision = decide(standing, item, today);
    return decision.kind === "known" ? { kind: "known", words: "" } : decision;
  }
  if (item.kind === "transfer_out" || item.kind === "transfer_back") return IGNORED;
  if (item.kind === "credit" && item.block !== null && item.ids.references.length === 0) {
    const { bookedOn, block, amount, bankReference, sure } = item;
    return settleBlock(at, { kind: "block_credit", bookedOn, block, amount, bankReference, sure }, today);
  }
  const sure = item.kind === "reject" || item.sure;
  if (!sure) return IGNORED;
  return { kind: "unmatched", why: "no collection of this account has these ids" };
}

/** By the ids that we gave; else, of what went wrong, by mandate and amount when only one can be meant. */
async function standingOf(
  { tx, account }: Application,
  item: About,
  standings: ReadonlyMap<string, Standing>,
  today: IsoDate,
): Promise<Standing | null> {
  for (const reference of item.ids.references) {
    const found = standings.get(reference);
    if (found !== undefined) return found;
  }
  const sure = item.kind === "reject" || (item.kind === "return" && item.sure);
  if (!sure || item.ids.mandateReference === null || item.amount === null) return null;
  const found = await lockByMandate(tx, account.tenant, account.id, {
    reference: item.ids.mandateReference,
    amount: formatAmount(item.amount),
    before: item.bookedOn ?? today,
  });
  return found === null ? null : (standings.get(found.reference) ?? found);
}

async function settleBlock(
  { tx, account, id, deps }: Application,
  item: Extract<Item, { readonly kind: "block_credit" }>,
  today: IsoDate,
): Promise<Applied> {
  const { tenant, id: gatewayId } = account;
  const nameless = "a collective booking that names neither block nor file";
  if (item.block === null) return item.sure ? { kind: "unmatched", why: nameless } : IGNORED;
  const sums = await lockBlock(tx, tenant, gatewayId, item.block);
  if (sums.transactions === 0) {
    return item.sure ? { kind: "unmatched", why: "no block or file of this account has this id" } : IGNORED;
  }
  if (item.amount !== centsFromDatabase(sums.amount)) {
    const booked = item.amount === null ? "an amount that cannot be read" : formatAmount(item.amount);
    return { kind: "unmatched", why: `the bank booked ${booked} for a block of ${sums.amount}` };
  }
  if (sums.batched === 0) return { kind: "known", words: "the block is settled" };
  const to = {
    state: "settled",
    on: item.bookedOn ?? today,
    bankReference: item.bankReference,
    fileId: id,
  } as const;
  const none = { reasonCode: null, reasonMessage: null };
  const moved = await moveBlock(tx, tenant, gatewayId, item.block, { ...to, ...none }, deps.time.now(tenant));
  return { kind: "block", result: "settled", moved };
}

async function rejectBlock(
  { tx, account, id, deps }: Application,
  item: Extract<Item, { readonly kind: "block_reject" }>,
  today: IsoDate,
): Promise<Applied> {
  const { tenant, id: gatewayId } = account;
  const sums = await lockBlock(tx, tenant, gatewayId, item.block);
  if (sums.transactions === 0)
    return { kind: "unmatched", why: "no block or file of this account has this id" };
  if (sums.settled > 0) return { kind: "unmatched", why: "the bank refuses a block of which money has come" };
  if (sums.batched === 0) return { kind: "known", words: "the block is rejected" };
  const to = {
    state: "rejected",
    on: item.bookedOn ?? today,
    reasonCode: item.why.code ?? "NARR",
    reasonMessage: item.why.message,
    bankReference: null,
    fileId: id,
  } as const;
  const moved = await moveBlock(tx, tenant, gatewayId, item.block, to, deps.time.now(tenant));
  return { kind: "block", result: "rejected", moved };
}

function remember(standings: Map<string, Standing>, { reference, state, on }: Change): void {
  const standing = standings.get(reference);
  if (standing === undefined) return;
  standings.set(reference, {
    ...standing,
    state,
    settled_on: state === "settled" ? on : standing.settled_on,
  });
}

function lineOf(number: number, item: Item, applied: Applied): EntryLine {
  const amount = "amount" in item && item.amount !== null ? formatAmount(item.amount) : null;
  const reference = "ids" in item ? (item.ids.references[0] ?? item.ids.mandateReference) : blockName(item);
  const line = { number, amount, reference, reason_code: "why" in item ? item.why.code : null };
  switch (applied.kind) {
    case "change": {
      const last = must(applied.changes.at(-1), "what an entry changes");
      return { ...line, reference: last.reference, result: last.state, detail: "" };
    }
    case "block":
      return { ...line, result: applied.result, detail: `${applied.moved} transactions` };
    case "unmatched":
      return { ...line, result: "unmatched", detail: applied.why };
    default:
      return { ...line, result: applied.kind, detail: applied.words };
  }
}

function blockName(item: Item): string | null {
  return "block" in item ? (item.block?.blockId ?? item.block?.messageId ?? null) : null;
}

function unmatchedOf({ deps }: Application, entry: number, item: Item, why: string): NewUnmatched {
  return {
    id: deps.ids.uuid(),
    entry,
    kind: UNMATCHED_KINDS[item.kind],
    why,
    amount: "amount" in item && item.amount !== null ? formatAmount(item.amount) : null,
    bank_fee: item.kind === "return" && item.fee !== null ? formatAmount(item.fee) : null,
    booked_on: item.bookedOn,
    facts: item,
  };
}

const UNMATCHED_KINDS: Readonly<Record<Item["kind"], NewUnmatched["kind"]>> = {
  credit: "collection",
  block_credit: "block",
  block_reject: "block",
  return: "return",
  reject: "reject",
  withdrawn_return: "withdrawn_return",
  transfer_out: "collection",
  transfer_back: "return",
  note: "unreadable",
};

/** Enough bytes to know an archive by. */
const MAGIC_BYTES = 4;

/** The first bytes, and all of them again. */
async function peek(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly first: Uint8Array; readonly all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let first: Uint8Array = Buffer.alloc(0);
  while (first.length < MAGIC_BYTES) {
    const next = await iterator.next();
    if (next.done === true) return { first, all: only(first) };
    first = Buffer.concat([first, next.value]);
  }
  return { first, all: goingOn(first, iterator) };
}

async function* goingOn(first: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes));
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
