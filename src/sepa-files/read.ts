/** Reads a bank's file into the books: once, all of it or nothing, in the file's order. */
import type { Deps } from "../deps.ts";
import { must } from "../lib/assert.ts";
import { utcDate } from "../lib/dates.ts";
import { spool } from "../lib/sealed-spool.ts";
import type { BankRecord } from "../sepa/reading/records.ts";
import { readBankFile } from "../sepa/reading/read.ts";
import { BankFileRefused } from "../sepa/reading/refused.ts";
import { filesInZip, isZip } from "../sepa/zip.ts";
import { applyItems, type Application } from "./apply-items.ts";
import { insertEntries } from "./changes-store.ts";
import { keepStatements, placeOf } from "./statements/keep.ts";
import type { NewStatement } from "./statements/store.ts";
import { interpret, startReading, type Item, type Reading } from "./interpret.ts";
import { pack, unpacked, type Packed } from "./pack.ts";
import {
  findFile,
  findReach,
  findRead,
  finishRead,
  insertPacked,
  lockReading,
  type AccountRow,
  type ShownFile,
} from "./store.ts";

/** A larger file is neither taken from a form nor fetched. */
export const BANK_FILE_BYTES_MAX = 512 * 1_024 ** 2;
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
  const archive = await spool(deps.keys, account.tenant, (number) => `sepa_files.archive:${number}`, all);
  try {
    for await (const file of filesInZip(archive)) {
      read.push(await readOne(deps, account, `${name}/${file.name}`, file.bytes));
    }
  } catch (error) {
    if (!(error instanceof BankFileRefused)) throw error;
    const id = deps.ids.uuid();
    const packed = await pack(deps.keys, account.tenant, id, archive.read());
    read.push(await refuse(deps, account, { id, name, kind: "zip", packed }, error));
    await packed.packed.close();
  } finally {
    await archive.close();
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
  try {
    deps.reached("sepa.before_read");
    const before = await deps.db.transaction(async (tx) => {
      await lockReading(tx, tenant);
      const reach = await findReach(tx, tenant, account.id);
      const known = await findRead(tx, tenant, reach.gatewayIds, packed.sha256);
      if (known === null) await apply({ deps, tx, account, reach, id, repeated: new Map() }, name, packed);
      return known;
    });
    if (before !== null) return { file: before, known: true };
    deps.reached("sepa.read");
  } catch (error) {
    if (!(error instanceof BankFileRefused)) throw error;
    return await refuse(deps, account, { id, name, kind: "unknown", packed }, error);
  } finally {
    await packed.packed.close();
  }
  return { file: must(await findFile(deps.db, tenant, id), "the file that was read"), known: false };
}

interface Refused {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly packed: Packed;
}

/** Kept aside for a person to look at. */
async function refuse(
  deps: Deps,
  account: AccountRow,
  { id, name, kind, packed }: Refused,
  error: BankFileRefused,
): Promise<ReadFile> {
  const now = deps.time.now(account.tenant);
  await deps.db.transaction((tx) =>
    insertPacked(
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

async function apply(at: Application, name: string, packed: Packed): Promise<void> {
  const { deps, tx, account, reach, id } = at;
  const { tenant } = account;
  const now = deps.time.now(tenant);
  await insertPacked(tx, tenant, incoming(account, id, name, packed), now);
  const reading = startReading(reach.ibans);
  const counts: Record<string, number> = {};
  const notes: string[] = [];
  let waiting: Item[] = [];
  let number = 0;
  let kind = "unknown";
  let messageId: string | null = null;
  let paged = false;
  const places: NewStatement[] = [];
  const flush = async () => {
    const lines = await applyItems(at, waiting, number);
    await insertEntries(tx, tenant, id, lines);
    for (const { result } of lines) counts[result] = (counts[result] ?? 0) + 1;
    number += waiting.length;
    waiting = [];
  };
  for await (const record of readBankFile(unpacked(packed))) {
    if (record.kind === "message") {
      paged = (record.page ?? 1) > 1 || record.lastPage === false;
      messageId = record.messageId;
      kind = record.type.family;
    }
    if (!paged) notes.push(...notesOf(record));
    if (record.kind === "statement_end" && kind === "camt.053" && reading.ours) {
      const place = placeOf(record.statement, deps.ids.uuid(), reading.createdOn ?? utcDate(now));
      if (place !== null) places.push(place);
    }
    const item = interpret(reading, record);
    if (item !== null) waiting.push(item);
    if (waiting.length >= BATCH) await flush();
  }
  refuseAnothers(reading);
  await flush();
  await keepStatements(deps, tx, tenant, { id, gatewayId: account.id }, places);
  const report = { ...counts, statements: reading.statements, notes };
  await finishRead(tx, tenant, id, { kind, messageId, entries: number, report }, now);
}

/**
 * A bank's statement that does not add up was read all the same: each of its entries moved money. Asked only of a whole
 * statement: its pages may all carry the balances of the whole.
 */
function notesOf(record: BankRecord): readonly string[] {
  if (record.kind !== "statement_end" || record.balance !== "differs") return [];
  return [`statement ${record.statement.number}: its entries do not make its closing balance`];
}

function refuseAnothers({ statements, ourStatements }: Reading): void {
  if (statements > 0 && ourStatements === 0)
    throw new BankFileRefused("another_account", "The file is about another account");
}

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

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
