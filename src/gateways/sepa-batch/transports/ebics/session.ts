/** Sessions with a bank's EBICS host, one at a time per user. */
import type { Deps } from "../../../../deps.ts";
import type { EbicsUserRow } from "../../../../db/rows.ts";
import { MINUTE_MS } from "../../../../lib/clock.ts";
import type { Keyring } from "../../../../lib/keyring.ts";
import type { AccountRow } from "../../files-store.ts";
import { givenForEbics, transportOf } from "../../settings.ts";
import { openHost, type Host } from "./host.ts";
import { readBankKeys, readOwnKeys, type OwnKeys, type StoredBankKeys } from "./keys.ts";
import { NotNow } from "./not-now.ts";
import { ebicsSettings, type EbicsSettings } from "./settings.ts";
import type { KeyedSubscriber } from "./subscriber.ts";
import type { Session } from "./upload.ts";
import { releaseUser, findUser, saveUser, leaseUser } from "./users-store.ts";

/** Longer than a visit can take. */
const TURN_MS = 10 * MINUTE_MS;

export type EbicsDeps = Pick<Deps, "allowPrivateTargets" | "clock" | "db" | "ids" | "keys" | "log">;

/** The context with which a user's keys are sealed. */
export function contextOfKeys(gatewayId: string, column: "former" | "keys" | "next_keys"): string {
  return `ebics_users.${column}:${gatewayId}`;
}

export function openKeys(
  keys: Keyring,
  { tenant, gateway_id: gatewayId }: Pick<EbicsUserRow, "tenant" | "gateway_id">,
  column: "keys" | "next_keys",
  sealed: Buffer,
): OwnKeys {
  return readOwnKeys(keys.open(tenant, contextOfKeys(gatewayId, column), sealed).toString());
}

/**
 * The settings of an account that uses EBICS.
 * @throws NotNow for another transport.
 */
export function settingsOf({ settings }: Pick<AccountRow, "settings">): EbicsSettings {
  if (transportOf(settings).kind !== "ebics") throw new NotNow("This account's transport is not EBICS.");
  return ebicsSettings(givenForEbics(settings));
}

export interface LeasedUser {
  readonly user: EbicsUserRow;
  readonly host: Host;
  readonly settings: EbicsSettings;
  readonly subscriber: KeyedSubscriber;
}

/**
 * Leases the account's user while `work` talks to the bank.
 * @throws NotNow without keys, or while another session is in progress.
 */
export async function withLeasedUser<T>(
  deps: EbicsDeps,
  account: Pick<AccountRow, "tenant" | "id" | "settings">,
  signal: AbortSignal,
  work: (turn: LeasedUser) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(account);
  const user = await leaseUser(deps.db, account.tenant, account.id, TURN_MS);
  if (user === null) {
    const known = (await findUser(deps.db, account.tenant, account.id)) !== null;
    throw known
      ? new NotNow("Another EBICS session is under way.", true)
      : new NotNow("There are no EBICS keys yet.");
  }
  const { clock, allowPrivateTargets: allowPrivate } = deps;
  const host = openHost(settings.url, { clock, allowPrivate, signal });
  try {
    const { hostId, partnerId, userId } = settings.subscriber;
    if (user.host_id !== hostId || user.partner_id !== partnerId || user.user_id !== userId) {
      throw new NotNow("The keys were created for another user or bank. Create new ones.");
    }
    const keys = openKeys(deps.keys, user, "keys", user.keys);
    return await work({ user, host, settings, subscriber: { ...settings.subscriber, keys } });
  } finally {
    await host.close();
    await releaseUser(deps.db, user);
  }
}

/**
 * The session for sending and fetching.
 * @throws NotNow unless the user is ready.
 */
export function readySessionOf({ clock, ids }: Pick<Deps, "clock" | "ids">, turn: LeasedUser): Session {
  const { user, host, subscriber } = turn;
  if (user.state !== "ready") {
    throw new NotNow(
      `EBICS is not ready (${user.state}${user.stop_reason === null ? "" : `: ${user.stop_reason}`}).`,
    );
  }
  const bankKeys = readBankKeys(user.bank_keys as StoredBankKeys);
  return { host, clock, ids, subscriber: { ...subscriber, bankKeys } };
}

/** Stops sending and fetching for this user until a person resumes it. */
export async function stopUser(
  deps: Pick<Deps, "clock" | "db" | "log">,
  user: EbicsUserRow,
  reason: string,
): Promise<void> {
  await deps.db.transaction((tx) =>
    saveUser(tx, user, { state: "stopped", stop_reason: reason.slice(0, 1_000) }, deps.clock.now()),
  );
  deps.log.error("the bank refuses an EBICS user: nothing is sent or fetched until it is resumed", reason, {
    gateway_id: user.gateway_id,
  });
}
