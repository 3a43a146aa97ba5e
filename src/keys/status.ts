/** Which master keys this database knows, which are configured, and what each has sealed. */
import type { Reader } from "../db/database.ts";
import type { MasterKeyRow } from "../db/rows.ts";
import { DAY_MS, later } from "../lib/clock.ts";
import { keyName } from "../lib/keyring.ts";
import { keyLabel } from "./register.ts";
import { countSessions, readKeys } from "./store.ts";
import { usageOf, type Usage } from "./usage.ts";

/** Repeated postbacks are recognised for this long, by fingerprints that are not recomputed. */
const FINGERPRINTS_KEPT_MS = 30 * DAY_MS;

/**
 * Describes the keys.
 * @param secrets the configured keys, the sealing one first.
 */
export async function keyStatus(db: Reader, secrets: readonly Buffer[]): Promise<string> {
  const rows = await readKeys(db);
  const usage = await usageOf(db);
  const sessions = new Map((await countSessions(db)).map(({ number, count }) => [number, count]));
  const names = secrets.map(keyName);
  const known = new Set(rows.map(({ name }) => name));
  const numbers = new Set(rows.map(({ number }) => number));
  return [
    ...names.filter((name) => !known.has(name)).map((name) => `the key ${name}: held, never used here`),
    ...rows.flatMap((row) => [
      `${keyLabel(row)}, number ${row.number}: ${stateWords(row, names)}`,
      ...usageLines(usage, row.number),
      ...(sessions.has(row.number) ? [`  ${count(sessions.get(row.number) ?? 0)} session tokens`] : []),
    ]),
    ...[...new Set(usage.map(({ number }) => number))]
      .filter((number) => !numbers.has(number))
      .flatMap((number) => [`the key numbered ${number}: not registered`, ...usageLines(usage, number)]),
    ...advice(rows, usage, names),
  ].join("\n");
}

export type KeyState = "seals" | "opens" | "missing" | "dropped";

/**
 * The state of a key.
 * @param names of the configured keys, the sealing one first.
 */
export function keyState(row: Pick<MasterKeyRow, "name" | "dropped_at">, names: readonly string[]): KeyState {
  const place = names.indexOf(row.name ?? "");
  if (place >= 0) return place === 0 ? "seals" : "opens";
  return row.dropped_at === null ? "missing" : "dropped";
}

function stateWords(row: MasterKeyRow, names: readonly string[]): string {
  const state = keyState(row, names);
  if (state === "dropped") return `dropped ${row.dropped_at?.toISOString().slice(0, 10)}`;
  const words = state === "seals" ? "seals and opens" : state;
  return `${words}, first seen ${row.first_seen_at.toISOString().slice(0, 10)}`;
}

function usageLines(usage: readonly Usage[], number: number): readonly string[] {
  return usage.filter((one) => one.number === number).map((one) => `  ${count(one.count)} ${one.column}`);
}

function count(value: number): string {
  return String(value).padStart(9);
}

/** What is left to do with the keys that only open. */
function advice(
  rows: readonly MasterKeyRow[],
  usage: readonly Usage[],
  names: readonly string[],
): readonly string[] {
  const [first] = names;
  const current = rows.find(({ name }) => name === first);
  if (current === undefined) return [];
  return names.slice(1).flatMap((name) => {
    const row = rows.find((one) => one.name === name);
    // A key that was added after the current one is being introduced.
    if (row === undefined || row.first_seen_at >= current.first_seen_at) return [];
    const sealed = usage
      .filter(({ number }) => number === row.number)
      .reduce((sum, one) => sum + one.count, 0);
    if (sealed > 0) return [`${sealed} values to reseal: npm run cli -- keys reseal`];
    const day = later(current.first_seen_at, FINGERPRINTS_KEPT_MS).toISOString().slice(0, 10);
    return [
      `the key ${name} can leave MASTER_KEYS; before ${day} a postback that is repeated would count as new`,
    ];
  });
}
