/** Checks the configured master keys against those that this database knows (docs/decisions/0026-master-keys.md). */
import type { Database } from "../db/database.ts";
import type { MasterKeyRow } from "../db/rows.ts";
import {
  createKeyring,
  KEY_NUMBER_AT,
  keyName,
  macKeysOf,
  defaultKeyNumber,
  type Keyring,
  type MacKeys,
  type MacPurpose,
  type NumberedKey,
} from "../lib/keyring.ts";
import { addKey, countSessions, keepMacKeys, nameKey, readKeys, setDropped } from "./store.ts";
import { usageOf, type Usage } from "./usage.ts";

/** The keys do not fit the database; the message names them, but never shows one. */
export class KeyError extends Error {}

/** No tenant has this number: values sealed under it belong to the service. */
const NO_TENANT = 0;
const NUMBERS = 256;
/** Several instances that start at once may each register another key. */
const TRIES = 20;

/**
 * Registers the configured keys and returns them ready for use.
 * @throws KeyError naming the key that is missing or wrong.
 */
export async function registerKeys(db: Database, secrets: readonly Buffer[], now: Date): Promise<Keyring> {
  const masters: NumberedKey[] = [];
  for (const secret of secrets) masters.push({ secret, number: await numberOf(db, secret, now) });
  const rows = await readKeys(db);
  const keys = createKeyring(masters);
  const retired = await macKeysOfRetired(db, keys, masters, rows);
  await refuseMissing(db, masters, retired, rows, now);
  return createKeyring(masters, retired);
}

/** The number of a key in this database, assigned when it is first seen. */
async function numberOf(db: Database, secret: Buffer, now: Date): Promise<number> {
  const name = keyName(secret);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const rows = await readKeys(db);
    const known = rows.find((row) => row.name === name);
    if (known !== undefined) {
      checkKey(secret, known);
      if (known.dropped_at !== null) await setDropped(db, known.number, null);
      return known.number;
    }
    const number = freeNumber(rows, defaultKeyNumber(secret));
    const checkValue = createKeyring([{ secret, number }]).seal(NO_TENANT, checkContext(name), name);
    const unnamed = rows.some((row) => row.number === number);
    const taken = unnamed
      ? await nameKey(db, { number, name, checkValue })
      : await addKey(db, { number, name, checkValue, at: now });
    if (taken) return number;
  }
  throw new KeyError(
    `The master key ${name} could not be registered: other instances keep registering theirs.`,
  );
}

/**
 * The usual number, unless another key has it. Values sealed by earlier versions have numbers whose keys have no name
 * yet.
 */
function freeNumber(rows: readonly MasterKeyRow[], usual: number): number {
  const holder = rows.find(({ number }) => number === usual);
  if (holder === undefined || holder.name === null) return usual;
  const used = new Set(rows.map(({ number }) => number));
  const free = Array.from({ length: NUMBERS }, (_, number) => number).find((number) => !used.has(number));
  if (free === undefined)
    throw new KeyError("This database has used 256 master keys, and cannot number another one.");
  return free;
}

/**
 * Checks a key.
 * @throws KeyError when it is not the one that the register has under its name.
 */
function checkKey(secret: Buffer, { number, name, check_value: sealed }: MasterKeyRow): void {
  try {
    createKeyring([{ secret, number }]).open(NO_TENANT, checkContext(name ?? ""), sealed ?? Buffer.alloc(0));
  } catch {
    throw new KeyError(
      `The master key ${name} does not open its check value: the register of keys was altered.`,
    );
  }
}

/** The message keys of retired keys. Those of current keys are stored, sealed under the current one, for later. */
async function macKeysOfRetired(
  db: Database,
  keys: Keyring,
  masters: readonly NumberedKey[],
  rows: readonly MasterKeyRow[],
): Promise<ReadonlyMap<number, MacKeys>> {
  const retired = new Map<number, MacKeys>();
  for (const { number, mac_keys: sealed } of rows) {
    const held = masters.find((master) => master.number === number);
    const kept = held === undefined ? openMacKeys(keys, number, sealed) : macKeysOf(held.secret);
    if (kept === null) continue;
    if (held === undefined) retired.set(number, kept);
    const isCurrent = number === keys.currentKeyId || sealed?.[KEY_NUMBER_AT] === keys.currentKeyId;
    if (!isCurrent) await keepMacKeys(db, number, sealed, sealMacKeys(keys, number, kept));
  }
  return retired;
}

function sealMacKeys(keys: Keyring, number: number, kept: MacKeys): Buffer {
  const named = Object.fromEntries([...kept].map(([purpose, key]) => [purpose, key.toString("base64")]));
  return keys.seal(NO_TENANT, macKeysContext(number), JSON.stringify(named));
}

function openMacKeys(keys: Keyring, number: number, sealed: Buffer | null): MacKeys | null {
  if (sealed === null || !keys.keyIds.includes(sealed[KEY_NUMBER_AT] ?? -1)) return null;
  const named = JSON.parse(keys.open(NO_TENANT, macKeysContext(number), sealed).toString()) as Record<
    string,
    string
  >;
  return new Map(
    Object.entries(named).map(([purpose, key]) => [purpose as MacPurpose, Buffer.from(key, "base64")]),
  );
}

/**
 * Drops keys that nothing needs any more.
 * @throws KeyError naming those that are needed and not configured.
 */
async function refuseMissing(
  db: Database,
  masters: readonly NumberedKey[],
  retired: ReadonlyMap<number, MacKeys>,
  rows: readonly MasterKeyRow[],
  now: Date,
): Promise<void> {
  const missing = rows.filter(
    ({ number, dropped_at: droppedAt }) =>
      droppedAt === null && masters.every((master) => master.number !== number),
  );
  if (missing.length === 0) return;
  const usage = await usageOf(db);
  const sessions = new Map((await countSessions(db)).map(({ number, count }) => [number, count]));
  const wrong: string[] = [];
  for (const row of missing) {
    const sealed = [
      ...usage.filter(({ number }) => number === row.number),
      ...macKeysSealedBy(row.number, rows),
    ];
    const tokens = retired.has(row.number) ? 0 : (sessions.get(row.number) ?? 0);
    if (sealed.length === 0 && tokens === 0) await setDropped(db, row.number, now);
    else wrong.push(`${keyLabel(row)} (${needs(sealed, tokens)})`);
  }
  if (wrong.length === 0) return;
  const held = masters.map(({ secret }) => keyName(secret)).join(", ");
  throw new KeyError(
    `MASTER_KEYS lacks ${wrong.join(", ")}. It has ${held}. Add what is missing; where a key is permanently lost, ` +
      '"npm run cli -- keys forget KEY" lets the service start without what that key has sealed.',
  );
}

/** The message keys of dropped keys that a process with the keys in a former order has sealed under this one. */
function macKeysSealedBy(number: number, rows: readonly MasterKeyRow[]): readonly Omit<Usage, "number">[] {
  const sealed = rows.filter(
    ({ dropped_at: droppedAt, mac_keys: macKeys }) =>
      droppedAt !== null && macKeys?.[KEY_NUMBER_AT] === number,
  );
  return sealed.length === 0 ? [] : [{ column: "master_keys.mac_keys", count: sealed.length }];
}

function needs(sealed: readonly Omit<Usage, "number">[], tokens: number): string {
  const parts = sealed.map(({ column, count }) => `${count} of ${column}`);
  return [...parts, ...(tokens === 0 ? [] : [`${tokens} session tokens`])].join(", ");
}

/** The name of a key in messages and commands. */
export function keyLabel({ name, number }: Pick<MasterKeyRow, "name" | "number">): string {
  return name === null ? `the key numbered ${number}` : `the key ${name}`;
}

function checkContext(name: string): string {
  return `master_keys.check_value:${name}`;
}

function macKeysContext(number: number): string {
  return `master_keys.mac_keys:${number}`;
}
