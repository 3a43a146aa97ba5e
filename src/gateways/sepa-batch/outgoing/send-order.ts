/**
 * Sends a file as an EBICS order. Before the last segment the bank has no order, so the upload can be repeated; after
 * it, only the bank's answer or its protocol shows whether the order arrived.
 */
import { buffer } from "node:stream/consumers";
import type { Deps } from "../../../deps.ts";
import type { SepaFileRow } from "../../../db/rows.ts";
import { DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND_MS } from "../../../lib/clock.ts";
import { contentOf, type AccountRow } from "../files-store.ts";
import { unpack } from "../pack.ts";
import { sepaSettings } from "../settings.ts";
import { beginOrder, findLatestOrder, refuseUpload } from "../transports/ebics/orders-store.ts";
import { NotNow } from "../transports/ebics/not-now.ts";
import { uploadType, type Order } from "../transports/ebics/orders.ts";
import {
  withLeasedUser,
  readySessionOf,
  stopUser,
  type EbicsDeps,
  type LeasedUser,
} from "../transports/ebics/session.ts";
import type { EbicsSettings } from "../transports/ebics/settings.ts";
import { upload } from "../transports/ebics/upload.ts";
import { findScheme } from "./store.ts";
import { moveIfFit } from "./withdraw-unfit.ts";
import { recordSent, scheduleRetry, recordStep, recordUnclear } from "./upload-steps.ts";

type SendDeps = EbicsDeps & Pick<Deps, "reached" | "time">;

/** How often the bank's protocol is checked for a file, and how long before a person is asked. */
const LOOK_MS = 5 * MINUTE_MS;
const PROTOCOL_MS_MAX = 4 * HOUR_MS;
/** How long a refused file waits for a person: by then its date has passed and it is withdrawn. */
const REFUSED_MS = 60 * DAY_MS;
/** Another session of the user usually ends within seconds. */
const BUSY_MS = 20 * SECOND_MS;

/**
 * Returns true when the bank has the file now.
 * @throws errors after which it is tried again later.
 */
export async function sendOrder(
  deps: SendDeps,
  file: SepaFileRow,
  account: AccountRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (file.status === "renaming") return awaitProtocol(deps, file);
  try {
    return await withLeasedUser(deps, account, signal, (turn) => sendInTurn(deps, file, account, turn));
  } catch (error) {
    if (!(error instanceof NotNow) || !error.busy) throw error;
    await scheduleRetry(deps, file, error, BUSY_MS);
    return false;
  }
}

async function sendInTurn(
  deps: SendDeps,
  file: SepaFileRow,
  account: AccountRow,
  turn: LeasedUser,
): Promise<boolean> {
  const { tenant, id } = file;
  const session = readySessionOf(deps, turn);
  if (!(await moveIfFit(deps, file, "uploading"))) return false;
  const order = await orderFor(deps, file, account, turn.settings);
  const content = await buffer(unpack(deps.keys, tenant, id, contentOf(deps.db, tenant, id, file.content)));
  const outcome = await upload(session, order, content, {
    async started(started) {
      await beginOrder(deps.db, file, started, uploadType(order), deps.clock.now());
      deps.reached("ebics.started");
    },
    async beforeLast() {
      const held = await recordStep(deps, file, "renaming");
      deps.reached("ebics.before_last");
      return held;
    },
  });
  deps.reached("ebics.answered");
  switch (outcome.kind) {
    case "accepted":
      return recordSent(deps, file);
    case "left":
      return false;
    case "unknown":
      await scheduleRetry(deps, file, `${outcome.reason} ${AWAITED}`, LOOK_MS);
      return false;
    case "not_accepted":
      await notAccepted(deps, file, turn, outcome);
      return false;
  }
}

const AWAITED = "Nothing is sent again until the bank's protocol says whether it has the order.";

async function notAccepted(
  deps: SendDeps,
  file: SepaFileRow,
  { user }: LeasedUser,
  { verdict, reason }: { readonly verdict: "repeat" | "refused" | "stopped"; readonly reason: string },
): Promise<void> {
  if (verdict === "refused") {
    const now = deps.clock.now();
    const words = `The bank has refused this file: ${reason}`;
    await refuseUpload(deps.db, file, words, later(now, REFUSED_MS), now);
    deps.log.error("the bank has refused a SEPA file: correct the cause and resume, or withdraw it", reason, {
      gateway_id: file.gateway_id,
      file_id: file.id,
    });
    return;
  }
  if (verdict === "stopped") await stopUser(deps, user, reason);
  // If the bank did not take the last segment, the upload can be repeated.
  if (await recordStep(deps, file, "uploading")) await scheduleRetry(deps, file, reason);
}

/**
 * Handles an upload whose last segment was sent, or whose process ended just before: `fetch-orders.ts` reads the
 * protocol.
 */
async function awaitProtocol(deps: SendDeps, file: SepaFileRow): Promise<false> {
  const order = await findLatestOrder(deps.db, file.tenant, file.id);
  const number = order?.order_id ?? null;
  if (order === null || number === null) {
    const why =
      "the upload ended without an answer, and the bank has given no order number to look for in its protocol";
    return recordUnclear(deps, file, why);
  }
  if (deps.clock.now().getTime() - order.started_at.getTime() > PROTOCOL_MS_MAX) {
    const why = `the upload ended without an answer, and the bank's protocol does not name its order ${number}`;
    return recordUnclear(deps, file, why);
  }
  await scheduleRetry(deps, file, `Order ${number} has no answer. ${AWAITED}`, LOOK_MS);
  return false;
}

async function orderFor(
  { db }: Pick<Deps, "db">,
  { tenant, id, kind }: SepaFileRow,
  { settings }: AccountRow,
  { orders }: EbicsSettings,
): Promise<Order> {
  if (kind === "pain.001") return orders.transfer;
  if (kind === "pain.007") {
    if (orders.reversal !== null) return orders.reversal;
    throw new Error(
      "transport.orders.reversal is not set: the bank's letter says under which order it takes reversals.",
    );
  }
  const scheme = (await findScheme(db, tenant, id)) ?? sepaSettings(settings).scheme;
  return scheme === "B2B" ? orders.b2b : orders.core;
}
