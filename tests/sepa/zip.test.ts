/** Archives from the bank: their files are read one by one, and a dangerous archive is refused. */
import assert from "node:assert/strict";
import test from "node:test";
import { openDelivery } from "./delivery.ts";
import { BankFileRefused } from "../../src/files/refused.ts";
import { ZIP_FILES_MAX } from "../../src/files/zip-reader.ts";
import { entryXml, ofKind, statementFile } from "./bank-files.ts";
import { zipArchive, type ArchivedFile } from "./zip-archive.ts";

const FILE = statementFile(entryXml("5.00", "CRDT"));
const MIB = 1_024 * 1_024;

/** The names of all files of a delivery, with their number of entries. */
async function deliver(bytes: Uint8Array): Promise<readonly (readonly [name: string, entries: number])[]> {
  const files: [string, number][] = [];
  for await (const { name, records } of openDelivery("delivered.xml", bytes)) {
    files.push([name, ofKind(await Array.fromAsync(records), "entry").length]);
  }
  return files;
}

async function refusal(bytes: Uint8Array): Promise<string | null> {
  try {
    await deliver(bytes);
    return null;
  } catch (error) {
    if (error instanceof BankFileRefused) return error.code;
    throw error;
  }
}

function refusalOf(...files: readonly ArchivedFile[]): Promise<string | null> {
  return refusal(zipArchive(files));
}

test("an archive's files are read one after the other, and a file that is not an archive is read as it is", async () => {
  const archive = zipArchive([
    { name: "2026-11-24_C53_1.xml", content: FILE },
    { name: "Auszüge", content: FILE.replace("</Ntry>", `</Ntry>${entryXml("1", "DBIT")}`) },
  ]);
  assert.deepEqual(await deliver(archive), [
    ["2026-11-24_C53_1.xml", 1],
    ["Auszüge", 2],
  ]);
  assert.deepEqual(await deliver(Buffer.from(FILE)), [["delivered.xml", 1]]);
});

test("an archive is recognised by its bytes, at any offset in memory", async () => {
  const archive = zipArchive([{ name: "a.xml", content: FILE }]);
  const inside = Buffer.concat([Buffer.alloc(7), archive, Buffer.alloc(9)]).subarray(7, 7 + archive.length);
  assert.deepEqual(await deliver(inside), [["a.xml", 1]]);
});

test("an invalid file in an archive is refused alone, and the next one can still be read", async () => {
  const seen: (string | number)[] = [];
  const archive = zipArchive([
    { name: "a.xml", content: FILE.slice(0, -9) },
    { name: "b.xml", content: FILE },
  ]);
  for await (const { records } of openDelivery("d.zip", archive)) {
    seen.push(
      await Array.fromAsync(records).then(
        ({ length }) => length,
        (error: BankFileRefused) => error.code,
      ),
    );
  }
  assert.deepEqual(seen, ["truncated", 6]);
});

test("the greatest allowed number of files is read, and one more is refused", async () => {
  const files = Array.from({ length: ZIP_FILES_MAX + 1 }, (_, at) => ({ name: `${at}.xml`, content: FILE }));
  assert.equal((await deliver(zipArchive(files.slice(1)))).length, ZIP_FILES_MAX);
  assert.equal(await refusalOf(...files), "zip_too_many");
});

test("files in folders are read, with any separator; files that desktop computers add are ignored", async () => {
  const archive = zipArchive([
    { name: "2026-11/", content: "" },
    { name: "2026-11/a.xml", content: FILE },
    { name: "2026-11\\DE\\a.xml", content: FILE },
    { name: "./b.xml", content: FILE },
    { name: "2026-11/.DS_Store", content: "of the Finder" },
    { name: "__MACOSX/", content: "" },
    { name: "__MACOSX/2026-11/._a.xml", content: "a resource fork" },
    { name: "2026-11/Thumbs.db", content: "of the Explorer" },
    { name: "2026-11/.c.xml", content: FILE },
  ]);
  assert.deepEqual(await deliver(archive), [
    ["2026-11/a.xml", 1],
    ["2026-11/DE/a.xml", 1],
    ["./b.xml", 1],
    ["2026-11/.c.xml", 1],
  ]);
  assert.equal(await refusalOf({ name: "2026-11/", content: "" }), "zip_empty");
});

test("folders do not count as files, and too many entries of any kind are refused", async () => {
  const files = Array.from({ length: ZIP_FILES_MAX }, (_, at) => ({ name: `d/${at}.xml`, content: FILE }));
  const folders = Array.from({ length: 3_001 }, (_, at) => ({ name: `${at}/`, content: "" }));
  assert.equal((await deliver(zipArchive([...folders.slice(1), ...files]))).length, ZIP_FILES_MAX);
  assert.equal(await refusal(zipArchive([...folders, ...files])), "zip_too_many");
});

test("names that lead out of the archive, or name no file, are refused", async () => {
  for (const name of [
    "../a.xml",
    "/etc/a.xml",
    "C:\\a.xml",
    "..\\a.xml",
    "folder/../../a.xml",
    "folder/..",
    "folder/.",
    "..",
    ".",
    "",
  ]) {
    assert.equal(await refusalOf({ name, content: FILE }), "zip_path", name);
  }
});

test("archives in archives are refused, by name and by content", async () => {
  const inner = zipArchive([{ name: "a.xml", content: FILE }]);
  assert.equal(await refusalOf({ name: "a.ZIP", content: inner }), "zip_nested");
  assert.equal(await refusalOf({ name: "a.xml", content: inner }), "zip_nested");
  assert.equal(await refusalOf({ name: "folder/a.zip", content: inner }), "zip_nested");
});

test("bombs are refused before they are unpacked: by ratio, by sum, by overlap, by a false claim", async () => {
  const zeros = Buffer.alloc(20 * MIB);
  assert.equal(await refusalOf({ name: "a.xml", content: zeros }), "zip_bomb");
  const large = { name: "a.xml", content: FILE, claim: { size: 513 * MIB } };
  assert.equal(await refusalOf(large), "zip_too_large");
  assert.equal(await refusalOf({ name: "a.xml", content: zeros, claim: { size: 100 } }), "zip_damaged");
  assert.equal(await refusal(overlapping(1_000)), "zip_bomb");
});

test("damaged, empty and encrypted archives are refused", async () => {
  const archive = zipArchive([{ name: "a.xml", content: FILE }]);
  assert.equal(await refusal(archive.subarray(0, -30)), "zip_damaged");
  assert.equal(await refusal(zipArchive([])), "zip_empty");
  assert.equal(await refusalOf({ name: "a.xml", content: FILE, claim: { crc: 1 } }), "zip_damaged");
  assert.equal(await refusalOf({ name: "a.xml", content: FILE, claim: { flags: 0x801 } }), "zip_encrypted");
});

/** Many directory entries that refer to one packed file. */
function overlapping(times: number): Buffer {
  const archive = zipArchive([{ name: "a.xml", content: FILE }]);
  const end = Buffer.from(archive.subarray(-22));
  const directory = archive.subarray(end.readUInt32LE(16), -22);
  end.writeUInt16LE(times, 8);
  end.writeUInt16LE(times, 10);
  end.writeUInt32LE(directory.length * times, 12);
  const file = archive.subarray(0, end.readUInt32LE(16));
  return Buffer.concat([file, ...Array.from({ length: times }, () => directory), end]);
}
