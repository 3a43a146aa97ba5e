/** Writes a snapshot of the database to one file while the service runs. */
import { onSnapshot, type Snapshot } from "../db/copy.ts";
import { type TarFile, writeTar } from "../files/tar.ts";
import {
  type Checksums,
  CHECKSUMS,
  checksumsOf,
  FORMAT,
  LINE_END,
  MANIFEST,
  type Manifest,
  PART_BYTES,
  partName,
  type Progress,
  Summing,
  type TableSum,
} from "./format.ts";

/** What was exported. */
export interface Exported extends Pick<Checksums, "rows" | "bytes" | "sha256"> {
  readonly at: Date;
  readonly tables: number;
}

/**
 * Writes the database at `url` to a stream and ends it. Keeps at most one part in memory.
 * @param partBytes smaller in tests.
 */
export function exportDatabase(
  url: string,
  to: NodeJS.WritableStream,
  onProgress: (progress: Progress) => void = () => {},
  partBytes = PART_BYTES,
): Promise<Exported> {
  return onSnapshot(url, async (snapshot) => {
    const sums = new Map<string, TableSum>();
    let checksums: Checksums | null = null;
    async function* files(): AsyncGenerator<TarFile> {
      const manifest = json(await manifestOf(snapshot));
      yield { name: MANIFEST, bytes: manifest };
      for (const [order, table] of snapshot.tables.entries()) {
        const summing = new Summing();
        let part = 0;
        for await (const bytes of parts(snapshot.rowsOf(table), partBytes)) {
          summing.add(bytes);
          part += 1;
          yield { name: partName(order, table.name, part), bytes };
          onProgress({ table: table.name, rows: summing.rows, bytes: summing.bytes, done: false });
        }
        sums.set(table.name, summing.sum());
        onProgress({ table: table.name, rows: summing.rows, bytes: summing.bytes, done: true });
      }
      checksums = checksumsOf(manifest, sums);
      yield { name: CHECKSUMS, bytes: json(checksums) };
    }
    await writeTar(files(), to, snapshot.at);
    const { rows, bytes, sha256 } = checksums ?? checksumsOf(Buffer.alloc(0), sums);
    return { at: snapshot.at, tables: snapshot.tables.length, rows, bytes, sha256 };
  });
}

async function manifestOf(snapshot: Snapshot): Promise<Manifest> {
  return {
    format: FORMAT,
    at: snapshot.at.toISOString(),
    postgres: snapshot.serverVersion,
    migrations: snapshot.migrations,
    keys: await snapshot.keyUses(),
    tables: snapshot.tables,
    counters: await snapshot.counters(),
  };
}

/** Divides arbitrary pieces into parts that end with a row. */
async function* parts(pieces: AsyncIterable<Buffer>, partBytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    const end = piece.lastIndexOf(LINE_END);
    if (size < partBytes || end === -1) continue;
    const rest = piece.subarray(end + 1);
    yield Buffer.concat(held, size - rest.length);
    held = rest.length === 0 ? [] : [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(held, size);
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
}
