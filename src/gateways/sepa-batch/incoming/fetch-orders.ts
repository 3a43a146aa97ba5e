/**
 * Fetches over EBICS what the bank has for an account, including its protocol of our orders. Each delivery is
 * acknowledged once it is stored.
 */
import { buffer, text } from "node:stream/consumers";
import type { Tx } from "../../../db/database.ts";
import type { EbicsEventRow } from "../../../db/rows.ts";
import type { Deps } from "../../../deps.ts";
import { MINUTE_MS } from "../../../lib/clock.ts";
import { lockReading, type AccountRow } from "../files-store.ts";
import { keepProtocol } from "./keep-protocol.ts";
import { download } from "../transports/ebics/download.ts";
import { isRejected, readHac, hasArrived } from "../transports/ebics/hac.ts";
import {
  concludeUpload,
  findDecidedFiles,
  historyOf,
  isProtocolAwaited,
  noteRejected,
  recordEvents,
} from "../transports/ebics/orders-store.ts";
import { orderName, type Order } from "../transports/ebics/orders.ts";
import { NotNow } from "../transports/ebics/not-now.ts";
import { BankRefused } from "../transports/ebics/return-codes.ts";
import { withLeasedUser, readySessionOf, stopUser } from "../transports/ebics/session.ts";
import type { Session } from "../transports/ebics/upload.ts";
import { BANK_FILE_BYTES_MAX, type ReadDeps, readDelivery } from "./read-delivery.ts";
import { tellOfFile } from "./tell-of-file.ts";

/** Banks book a few times a day; while the result of an upload is unknown, the protocol is read more often. */
const POLL_MS = 15 * MINUTE_MS;
const AWAITED_POLL_MS = 3 * MINUTE_MS;
/** The most deliveries of one order in one visit; the next visit continues. */
const DELIVERIES_MAX = 50;

const PROTOCOL: Order = { kind: "type", type: "HAC" };
/** The protocol as text, where it is agreed with the bank (`downloads`). */
const TEXT_PROTOCOL = "PTK";

/** The delay between two visits. */
export async function pauseOf({ db }: Pick<Deps, "db">, { tenant, id }: AccountRow): Promise<number> {
  return (await isProtocolAwaited(db, tenant, id)) ? AWAITED_POLL_MS : POLL_MS;
}

type FetchDeps = ReadDeps & Pick<Deps, "clock"> & Parameters<typeof withLeasedUser>[0];

interface Found {
  readonly files: number;
  /** Problems that need a person. */
  readonly problem: string | null;
}

/** Visits the bank once. */
export async function fetchOrders(deps: FetchDeps, account: AccountRow, signal: AbortSignal): Promise<Found> {
  try {
    return await withLeasedUser(deps, account, signal, async (turn) => {
      const session = readySessionOf(deps, turn);
      let files = 0;
      let problem: string | null = null;
      for (const order of [PROTOCOL, ...turn.settings.downloads]) {
        try {
          const store = storeOf(deps, account, order);
          const count = await fetchAll(session, order, store);
          if (order !== PROTOCOL) files += count;
        } catch (error) {
          // A failed order does not delay those after it, unless the bank refuses the user.
          problem ??= error instanceof Error ? error.message : String(error);
          if (error instanceof BankRefused && error.verdict === "stopped") {
            await stopUser(deps, turn.user, error.message);
            break;
          }
        }
      }
      return { files, problem };
    });
  } catch (error) {
    // While keys are being exchanged there is nothing to fetch; that is not an error.
    if (error instanceof NotNow) return { files: 0, problem: null };
    throw error;
  }
}

/** Returns the function that stores what an order downloads. */
function storeOf(deps: FetchDeps, account: AccountRow, order: Order): Store {
  if (order === PROTOCOL) return protocolStore(deps, account);
  if (order.kind === "type" && order.type === TEXT_PROTOCOL)
    return async (bytes) => keepProtocol(deps, account, await buffer(limited(bytes)));
  return fileStore(deps, account, order);
}

type Store = (bytes: AsyncIterable<Buffer>, number: number) => Promise<void>;

async function fetchAll(session: Session, order: Order, store: Store): Promise<number> {
  let count = 0;
  while (count < DELIVERIES_MAX && (await download(session, order, (bytes) => store(bytes, count))))
    count += 1;
  return count;
}

function fileStore(deps: FetchDeps, account: AccountRow, order: Order): Store {
  const what = orderName(order).replaceAll(/[^A-Za-z0-9.]+/g, "-");
  return async (bytes, number) => {
    const at = deps.clock.now().toISOString().slice(0, 19).replaceAll(":", "-");
    await readDelivery(deps, account, `${what}-${at}-${number + 1}`, limited(bytes));
    deps.reached("ebics.stored");
  };
}

/**
 * Passes the bytes on.
 * @throws Error when they exceed the largest bank file.
 */
async function* limited(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    if (count > BANK_FILE_BYTES_MAX)
      throw new Error("The bank's delivery is too large: ask the bank for smaller files.");
    yield chunk;
  }
}

type ProtocolDeps = Pick<Deps, "clock" | "db" | "ids" | "log" | "time">;

function protocolStore(deps: ProtocolDeps, account: AccountRow): Store {
  const { tenant, id } = account;
  return async (bytes) => {
    const events = readHac(await text(limited(bytes)));
    await deps.db.transaction(async (tx) => {
      // Until this is committed no file of the tenant is withdrawn, as while a bank file is read.
      await lockReading(tx, tenant);
      const now = deps.clock.now();
      const rows = await recordEvents(tx, tenant, id, events, now);
      for (const row of rows) {
        if (row.file_id === null) continue;
        const arrived = hasArrived(row);
        if (arrived !== null) {
          const about = { fileId: row.file_id, orderId: row.order_id, arrived };
          await concludeUpload(tx, tenant, about, now);
        }
        if (!isRejected(row)) continue;
        const words = `The bank will not execute this file: ${row.action} ${row.reason} ${row.text}`.trim();
        await noteRejected(tx, tenant, row.file_id, words.slice(0, 1_000), now);
        deps.log.error("the bank accepted a SEPA file but will not execute it", words, {
          gateway_id: id,
          file_id: row.file_id,
        });
      }
      await tellOfFiles(deps, tx, account, rows);
    });
  };
}

/**
 * A person is told of files that the bank has after they were withdrawn, which holds what was in them, or has twice. An
 * order that the bank received and will not execute does not count.
 */
async function tellOfFiles(
  deps: Pick<Deps, "ids" | "log" | "time">,
  tx: Tx,
  { tenant, id }: AccountRow,
  rows: readonly EbicsEventRow[],
): Promise<void> {
  const arrived = rows.filter((row) => hasArrived(row) === true);
  const fileIds = [...new Set(arrived.flatMap(({ file_id }) => file_id ?? []))];
  for (const file of await findDecidedFiles(tx, tenant, fileIds)) {
    const count = countOrders(await historyOf(tx, tenant, file.id));
    const [matter, least] = file.status === "withdrawn" ? (["arrived", 1] as const) : (["twice", 2] as const);
    if (count >= least) await tellOfFile(deps, tx, { tenant, gatewayId: id }, matter, file);
  }
}

/** The number of orders of a file that the bank has and may execute. */
function countOrders(steps: readonly EbicsEventRow[]): number {
  const refused = new Set(steps.filter(isRejected).map(({ order_id }) => order_id));
  const arrived = steps.filter((row) => hasArrived(row) === true && !refused.has(row.order_id));
  return new Set(arrived.map(({ order_id }) => order_id)).size;
}
