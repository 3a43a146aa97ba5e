/** Writes valid and invalid zip archives for tests. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ArchivedFile {
  readonly name: string;
  readonly content: Uint8Array | string;
  /** Values for the archive's directory that contradict its content. */
  readonly claim?: { readonly size?: number; readonly crc?: number; readonly flags?: number };
}

export function zipArchive(files: readonly ArchivedFile[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const content = Buffer.from(file.content);
    const packed = deflateRawSync(content);
    const facts = Buffer.alloc(22);
    facts.writeUInt16LE(file.claim?.flags ?? 0x800, 0);
    facts.writeUInt16LE(8, 2);
    facts.writeUInt32LE(file.claim?.crc ?? crc32(content), 8);
    facts.writeUInt32LE(packed.length, 12);
    facts.writeUInt32LE(file.claim?.size ?? content.length, 16);
    facts.writeUInt16LE(name.length, 20);
    const local = Buffer.concat([
      Buffer.from("PK\u{3}\u{4}\u{14}\u{0}"),
      facts,
      Buffer.alloc(2),
      name,
      packed,
    ]);
    const place = Buffer.alloc(16);
    place.writeUInt32LE(offset, 12);
    directory.push(Buffer.concat([Buffer.from("PK\u{1}\u{2}\u{14}\u{0}\u{14}\u{0}"), facts, place, name]));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u{5}\u{6}");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, entries, end]);
}
