/** Every value of every table as text, decrypted and decompressed, to check that something appears nowhere. */
import { gunzipSync } from "node:zlib";
import { SEALED_COLUMNS } from "../../src/keys/columns.ts";
import type { Json, Service } from "./service.ts";

/** A value and where it is stored. */
export interface StoredValue {
  readonly table: string;
  readonly column: string;
  readonly row: Json;
  readonly text: string;
}

/** Tables without a tenant are omitted, because they have no data of customers. */
export async function allStoredValues(service: Service): Promise<readonly StoredValue[]> {
  const tables = await service.rows(
    "select distinct table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant' order by 1",
  );
  const said: StoredValue[] = [];
  for (const { name: table } of tables) {
    for (const row of await service.rows(`select * from ${table} order by 1, 2`)) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null) continue;
        said.push({ table, column, row, text: textOf(service, table, column, row, value) });
      }
    }
  }
  return said;
}

function textOf(service: Service, table: string, column: string, row: Json, value: unknown): string {
  if (!Buffer.isBuffer(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const sealed = SEALED_COLUMNS.find((one) => one.table === table && one.column === column);
  if (sealed === undefined) return value.toString("hex");
  // The account of a refund is encrypted with the reference of its debit.
  const reference: unknown = row["refund_of"] ?? row["reference"];
  const context = sealed.contextOf(table === "sepa_collections" ? { ...row, reference } : row);
  const plain = service.app.deps.keys.open(row["tenant"], context, value);
  return plain[0] === 0x1f && plain[1] === 0x8b ? gunzipSync(plain).toString() : plain.toString();
}

/** The columns that contain one of the words, each once. Case is ignored. */
export function placesOf(said: readonly StoredValue[], words: readonly string[]): readonly string[] {
  const lower = words.map((word) => word.toLowerCase());
  const places = said.flatMap(({ table, column, text }) => {
    const all = text.toLowerCase();
    return lower.filter((word) => all.includes(word)).map((word) => `${table}.${column}: ${word}`);
  });
  return [...new Set(places)].toSorted();
}
