/**
 * The statements of a real call, recorded at the driver and turned into a script for PostgreSQL's load tool, so that
 * the limit follows the service's present statements.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** One statement as sent to the database. */
export interface Heard {
  readonly text: string;
  readonly values: readonly unknown[];
}

const NOTHING_HEARD_MS = 50;

/** Runs `work`. @returns the statements sent meanwhile, in order. */
export async function listenTo(work: () => Promise<unknown>): Promise<readonly Heard[]> {
  const heard: Heard[] = [];
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const query = client.query;
  client.query = function listened(this: unknown, ...args: unknown[]) {
    const [first] = args as [string | { readonly text?: string; readonly values?: readonly unknown[] }];
    if (typeof first === "string") heard.push({ text: first, values: [] });
    else if (first.text !== undefined) heard.push({ text: first.text, values: first.values ?? [] });
    return query.apply(this, args);
  };
  try {
    await work();
    // Writes that are not part of the response.
    await sleep(NOTHING_HEARD_MS);
  } finally {
    client.query = query;
  }
  return heard;
}

/**
 * The steps of one payment by name, each with its statements, recorded twice: differing values are generated each
 * time.
 */
export type Steps = Readonly<Record<string, readonly Heard[]>>;

/**
 * Scripts for pgbench, one for each step. Run with `-D n=N`: the n-th run of a client's script is the n-th payment of
 * that client in every step, so that `pay` finds the sessions of `create`.
 */
export async function scripts(
  databaseUrl: string,
  first: Steps,
  second: Steps,
): Promise<Readonly<Record<string, string>>> {
  const types = await parameterTypes(databaseUrl, Object.values(first).flat());
  const names = new Names(Date.now());
  return Object.fromEntries(
    Object.entries(first).map(([step, statements]) => {
      const others = second[step] ?? [];
      if (others.map(textOf).join() !== statements.map(textOf).join())
        throw new Error(`Two runs of ${step} asked the database for different things`);
      const lines = statements.map((statement, index) => script(names, statement, others[index], types));
      return [step, `${lines.join("\n")}\n`];
    }),
  );
}

const textOf = ({ text }: Heard): string => text;

type Types = ReadonlyMap<string, readonly string[]>;

/** The types that PostgreSQL has found for the parameters of each statement: a literal in their place must not change them. */
async function parameterTypes(databaseUrl: string, statements: readonly Heard[]): Promise<Types> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const types = new Map<string, readonly string[]>();
  for (const { text } of statements) {
    if (types.has(text)) continue;
    const name = `heard_${types.size}`;
    await client.query(`prepare ${name} as ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      "select parameter_types::text[] as types from pg_prepared_statements where name = $1",
      [name],
    );
    types.set(text, rows[0]?.types ?? []);
  }
  await client.end();
  return types;
}

function script(names: Names, { text, values }: Heard, other: Heard | undefined, types: Types): string {
  const literals = values.map((value, index) => {
    const type = types.get(text)?.[index] ?? "text";
    // An array of literals has the type that it is cast to, if nothing stands between.
    const literal = names.literal(value, other?.values[index]);
    return literal.startsWith("array[") ? `${literal}::${type}` : `(${literal})::${type}`;
  });
  const plain = text.replace(/^\s*--.*$/gm, "").replace(/\s+/g, " ");
  return `${plain.replace(/\$(\d+)/g, (_, number: string) => literals[Number(number) - 1] ?? "null")};`;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const N = ":n::bigint";
const CLIENT = ":client_id::bigint";
/** The length of the unique part of a reference. */
const REFERENCE_DIGITS_MAX = 12;
const HASH_BYTES = 32;

/** How each differing value is made in SQL, from the numbers of the payment and the client. */
class Names {
  readonly #heardMs: number;
  readonly #made = new Map<string, string>();

  constructor(heardMs: number) {
    this.#heardMs = heardMs;
  }

  literal(value: unknown, other: unknown): string {
    if (value === null || value === undefined) return "null";
    if (value instanceof Date) return this.#time(value);
    if (Buffer.isBuffer(value)) return this.#bytes(value, other);
    if (Array.isArray(value)) {
      const others = Array.isArray(other) ? other : [];
      return `array[${value.map((one, index) => this.literal(one, others[index])).join()}]`;
    }
    if (typeof value !== "string") return quoted(String(value));
    if (value === other || typeof other !== "string") return quoted(value);
    if (/^[[{]/.test(value)) return `(${this.#spliced(value)})`;
    return this.#name(value, other);
  }

  /** A differing value with the length of a hash is a hash, or is compared like one; other bytes are only stored. */
  #bytes(value: Buffer, other: unknown): string {
    const drawn = Buffer.isBuffer(other) && value.length === HASH_BYTES && !value.equals(other);
    if (drawn) return `sha256(convert_to(${N} || '-' || ${CLIENT}, 'UTF8'))`;
    return `'\\x${value.toString("hex")}'`;
  }

  /** With the same distance from the time of the call as when it was recorded. */
  #time(value: Date): string {
    return `(now() + interval '${value.getTime() - this.#heardMs} milliseconds')`;
  }

  #name(value: string, other: string): string {
    let made = this.#made.get(value);
    if (made === undefined)
      this.#made.set(
        value,
        (made = value.match(UUID)?.[0] === value ? this.#uuid() : reference(value, other)),
      );
    return made;
  }

  /** Ordered by time, like the service's. */
  #uuid(): string {
    const kind = (this.#made.size + 1).toString(16).padStart(3, "0");
    return `(lpad(to_hex(${N}), 12, '0') || '7${kind}8000' || lpad(to_hex(${CLIENT}), 12, '0'))::uuid`;
  }

  /** A JSON text with the names of this payment in it. */
  #spliced(value: string): string {
    for (const id of value.match(UUID) ?? []) this.#name(id, "");
    const names = [...this.#made.keys()].filter((name) => value.includes(name));
    if (names.length === 0) return quoted(value);
    const parts = value.split(new RegExp(`(${names.map((name) => RegExp.escape(name)).join("|")})`));
    return parts
      .map((part) => {
        const made = this.#made.get(part);
        return made === undefined ? quoted(part) : `(${made})::text`;
      })
      .join(" || ");
  }
}

/** The common part of two values, with digits between, in the alphabet of the service's references. */
function reference(value: string, other: string): string {
  const at = value.indexOf("@");
  const tail = at < 0 ? "" : value.slice(at);
  const name = at < 0 ? value : value.slice(0, at);
  let same = 0;
  while (same < name.length && name[same] === other[same]) same += 1;
  const digits = Math.min(REFERENCE_DIGITS_MAX, Math.max(name.length - same, at < 0 ? 0 : 12));
  const prefix = at < 0 ? name.slice(0, name.length - digits) : name.slice(0, same);
  const number = `lpad(to_hex(${N} * 256 + ${CLIENT}), ${digits}, '0')`;
  return `(${quoted(prefix)} || translate(upper(${number}), '01', 'GH') || ${quoted(tail)})`;
}

/** pgbench treats a colon and a letter as a variable, even in quotes. */
function quoted(text: string): string {
  const parts = text.replaceAll("'", "''").replace(/:(?=\w)/g, ":' || '");
  return parts.includes(":' || '") ? `('${parts}')` : `'${parts}'`;
}
