/** Reads a bank file into the books once, completely or not at all, in the order of the file. */
import type { Deps } from "../../../deps.ts";
import { must } from "../../../lib/assert.ts";
import { utcDate } from "../../../lib/dates.ts";
import type { Keyring } from "../../../lib/keyring.ts";
import { asStepOrTrace } from "../../../lib/trace.ts";
import { spool } from "../../../lib/sealed-spool.ts";
import { BankFileRefused } from "../../../files/refused.ts";
import { filesInZip, isZip } from "../../../files/zip-reader.ts";
import { pack, unpacked } from "../pack.ts";
import { applyItems, type Application } from "./apply-items.ts";
import { insertEntries } from "./changes-store.ts";
import { keepStatements, placeOf } from "./statements/keep.ts";
import { StatementPages } from "./statements/pages.ts";
import type { NewStatement } from "./statements/store.ts";
import {
  findFile,
  findFileScope,
  findRead,
  finishFileRead,
  incomingFile,
  insertPacked,
  lockReading,
  type AccountRow,
  type ShownFile,
} from "../files-store.ts";
import { readChunks } from "./interpret.ts";
import type { Chunk, Facts } from "./items.ts";
import { receiveInThread } from "./receive-in-thread.ts";
import { entryOfFile } from "./report.ts";
import { insertUnmatched } from "../unmatched/store.ts";

/** The largest file that is uploaded or fetched. */
export const BANK_FILE_BYTES_MAX = 512 * 1_024 ** 2;
/** Number of bytes that identify an archive. */
const MAGIC_BYTES = 4;

/** The dependencies of reading a bank file. */
export type ReadDeps = Pick<Deps, "clock" | "db" | "ids" | "keys" | "log" | "reached" | "time">;

interface ReadFile {
  readonly file: ShownFile;
  /** Whether the same bytes were read before; nothing was done then. */
  readonly known: boolean;
}

/**
 * Applies a delivery from a bank to the books: one file, or an archive of several, each in a transaction of its own.
 * A file is applied once and completely, or not at all: bytes that were read before change nothing. A file that is
 * refused is stored with the reason, and nothing in it is applied. What an entry changes is decided in `decide.ts`.
 * @param name as shown in lists; a file of an archive is named `archive/file`.
 * @returns one result per file, including refused ones.
 * @throws what reading the bytes throws.
 */
export async function readDelivery(
  deps: ReadDeps,
  account: AccountRow,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<readonly ReadFile[]> {
  const { first, all } = await peek(bytes, MAGIC_BYTES);
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
    const file = await receiveFile(deps.keys, account.tenant, id, archive.read());
    read.push(
      await refuse(deps, account, { id, name, kind: "zip", file }, error).finally(() => file.close()),
    );
  } finally {
    await archive.close();
  }
  return read;
}

interface Peeked {
  /** At least as many as requested, unless the stream is shorter. */
  readonly first: Buffer;
  /** Whether the stream ended within them. */
  readonly complete: boolean;
  /** All bytes from the start. */
  readonly all: AsyncIterable<Uint8Array>;
}

/** Peeks at the first bytes of a stream before reading the rest. @param count how many bytes to look at. @throws what reading the bytes throws. */
async function peek(bytes: AsyncIterable<Uint8Array>, count: number): Promise<Peeked> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let complete = false;
  while (length < count && !complete) {
    const next = await iterator.next();
    if (next.done === true) {
      complete = true;
    } else {
      chunks.push(next.value);
      length += next.value.length;
    }
  }
  const first = Buffer.concat(chunks);
  return { first, complete, all: goingOn(first, iterator) };
}

function readOne(
  deps: ReadDeps,
  account: AccountRow,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReadFile> {
  const id = deps.ids.uuid();
  const about = { "payments.gateway_id": account.id, "payments.file_id": id };
  return asStepOrTrace("bank file read", account.tenant, about, () => readAs(id, deps, account, name, bytes));
}

async function readAs(
  id: string,
  deps: ReadDeps,
  account: AccountRow,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReadFile> {
  const { tenant } = account;
  const file = await receiveFile(deps.keys, tenant, id, bytes);
  try {
    deps.reached("sepa.before_read");
    const before = await deps.db.transaction(async (tx) => {
      await lockReading(tx, tenant);
      const reach = await findFileScope(tx, tenant, account.id);
      const known = await findRead(tx, tenant, reach.gatewayIds, file.sha256);
      if (known !== null) return known;
      const nothing = {
        repeated: new Map<string, number>(),
        decided: new Map<string, number | null>(),
        reported: new Set<string>(),
        pages: new StatementPages(tx, tenant),
      };
      await apply({ deps, tx, account, reach, id, ...nothing }, name, file);
      return null;
    });
    if (before !== null) return { file: before, known: true };
    deps.reached("sepa.read");
  } catch (error) {
    if (!(error instanceof BankFileRefused)) throw error;
    return await refuse(deps, account, { id, name, kind: "unknown", file }, error);
  } finally {
    await file.close();
  }
  return { file: must(await findFile(deps.db, tenant, id), "the file that was read"), known: false };
}

interface Refused {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly file: ReceivedFile;
}

/**
 * Stores a refused file. The bank counts it as delivered, so that an entry tells a person, once for the same bytes; one
 * about another account says nothing about this one.
 */
async function refuse(
  deps: Pick<Deps, "db" | "ids" | "log" | "time">,
  account: AccountRow,
  { id, name, kind, file }: Refused,
  error: BankFileRefused,
): Promise<ReadFile> {
  const now = deps.time.now(account.tenant);
  await deps.db.transaction(async (tx) => {
    const stored = {
      ...incomingFile(account, { id, name, kind, ...file }),
      status: "refused",
      error: error.message.slice(0, 1_000),
    } as const;
    await insertPacked(tx, account.tenant, stored, file.pieces(), now);
    if (error.code === "another_account") return;
    const about = { identity: file.sha256.toString("hex"), messageId: null };
    const entry = entryOfFile(deps.ids.uuid(), "refused", about);
    await insertUnmatched(tx, account.tenant, account.id, id, [entry], now);
  });
  deps.log.warn("a bank's file was rejected", { gateway_id: account.id, file_id: id, code: error.code });
  return {
    file: must(await findFile(deps.db, account.tenant, id), "the file that was refused"),
    known: false,
  };
}

/** A received file, packed and sealed for storage. It can be read again when its transaction is retried. */
export interface ReceivedFile {
  readonly sha256: Buffer;
  /** In bytes, before packing. */
  readonly size: number;
  /** As stored, in order. */
  pieces(): AsyncIterable<Buffer>;
  /** @param ibans the creditor's accounts. @throws BankFileRefused while they are read. */
  chunks(ibans: readonly string[]): AsyncIterable<Chunk>;
  /** Releases its resources. */
  close(): Promise<void>;
}

/**
 * Receives a file as a stream, without holding it in memory. A large file gets a thread of its own: hashing, packing
 * and reading it would delay every other request.
 * @param id of the file: its pieces are sealed to it.
 * @throws what reading the bytes throws.
 */
async function receiveFile(
  keys: Keyring,
  tenant: number,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReceivedFile> {
  const { complete, all } = await peek(bytes, LARGE_BYTES);
  if (!complete) return receiveInThread(keys, tenant, id, all);
  const file = await pack(keys, tenant, id, all);
  const { sha256, size, packed } = file;
  return {
    sha256,
    size,
    pieces: () => packed.pieces(),
    chunks: (ibans) => readChunks(unpacked(file), ibans),
    close: () => packed.close(),
  };
}

async function* goingOn(first: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  // Stopping early also ends the source.
  yield* { [Symbol.asyncIterator]: () => iterator };
}

async function apply(at: Application, name: string, file: ReceivedFile): Promise<void> {
  const { deps, tx, account, reach, id } = at;
  const { tenant } = account;
  const now = deps.time.now(tenant);
  await insertPacked(
    tx,
    tenant,
    incomingFile(account, { id, name, kind: "unknown", ...file }),
    file.pieces(),
    now,
  );
  const counts: Record<string, number> = {};
  const notes: string[] = [];
  const places: NewStatement[] = [];
  let number = 0;
  let facts: Facts | null = null;
  for await (const chunk of file.chunks(reach.ibans)) {
    ({ facts } = chunk);
    notes.push(...chunk.notes);
    for (const statement of chunk.statements) {
      const place = placeOf(statement, deps.ids.uuid(), facts.createdOn ?? utcDate(now));
      if (place !== null) places.push(place);
    }
    const lines = await applyItems(at, chunk, number);
    await insertEntries(tx, tenant, id, lines);
    for (const { result } of lines) counts[result] = (counts[result] ?? 0) + 1;
    number += chunk.items.length;
  }
  const { kind, messageId, statements } = refuseAnothers(must(facts, "the facts of a file that was read"));
  await keepStatements(deps, tx, tenant, { id, gatewayId: account.id }, places);
  const report = { ...counts, statements, notes };
  await finishFileRead(tx, tenant, id, { kind, messageId, entries: number, report }, now);
}

function refuseAnothers(facts: Facts): Facts {
  if (facts.statements > 0 && facts.ourStatements === 0)
    throw new BankFileRefused("another_account", "The file belongs to another account");
  return facts;
}

/** Up to this size a file is read in less time than a thread needs to start. */
const LARGE_BYTES = 1_024 ** 2;
