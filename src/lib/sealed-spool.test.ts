/** Spooled bytes are read back unchanged, in whole and in part, from memory and from disk, where they are sealed. */
import assert from "node:assert/strict";
import { readdir, readFile, readlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { buffer } from "node:stream/consumers";
import test from "node:test";
import { createKeyring, defaultKeys } from "./keyring.ts";
import { spool, type SealedSpool } from "./sealed-spool.ts";

const PIECE = 256 * 1_024;
const keys = createKeyring(defaultKeys(Buffer.alloc(32, 7)));
const IBAN = "DE89370400440532013000";

/** Text that differs at each position. */
function textOf(length: number): Buffer {
  const lines = Array.from({ length: Math.ceil(length / 32) }, (_, n) =>
    `${IBAN} ${n}`.padEnd(31).concat("\n"),
  );
  return Buffer.from(lines.join("").slice(0, length));
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const put = (bytes: Buffer, chunk = 60_000): Promise<SealedSpool> =>
  spool(keys, 1, (number) => `test:${number}`, inChunks(bytes, chunk));

for (const length of [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5]) {
  for (const chunk of [PIECE * 2, 60_000]) {
    test(`${length} bytes in chunks of ${chunk} come back, all of them and any part`, async () => {
      const bytes = textOf(length);
      const spooled = await put(bytes, chunk);
      assert.equal(spooled.size, length);
      assert.ok((await buffer(spooled.read())).equals(bytes));
      for (const [from, until] of [
        [0, 10],
        [PIECE - 3, PIECE + 3],
        [PIECE, 2 * PIECE],
        [length - 4, length],
      ] as const) {
        if (from < 0 || until > length) continue;
        assert.ok((await buffer(spooled.read(from, until))).equals(bytes.subarray(from, until)), `${from}`);
      }
      await spooled.close();
    });
  }
}

test("pieces open under their own number only", async () => {
  const spooled = await put(textOf(PIECE + 1));
  const [first, second] = await Array.fromAsync(spooled.pieces());
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(keys.open(1, "test:1", second).length, 1);
  assert.throws(() => keys.open(1, "test:0", second));
  await spooled.close();
});

test("the spool's file is unnamed and sealed; it goes when the spool is closed, or its input breaks off", async () => {
  const opened = async () => {
    const links = (await readdir("/proc/self/fd")).map(async (fd) => {
      const path = `/proc/self/fd/${fd}`;
      return { path, target: await readlink(path).catch(() => "") };
    });
    return (await Promise.all(links)).filter(({ target }) => target.includes("payment-sessions-"));
  };
  const spooled = await put(textOf(3 * PIECE));
  const [file, ...others] = await opened();
  assert.ok(file !== undefined && others.length === 0);
  assert.match(file.target, / \(deleted\)$/);
  const onDisk = await readFile(file.path);
  assert.ok(onDisk.length > PIECE && !onDisk.includes(IBAN));
  assert.ok(!(await readdir(tmpdir())).includes(file.target.split("/").at(-2) ?? ""));
  await spooled.close();
  async function* broken(): AsyncGenerator<Buffer> {
    yield textOf(3 * PIECE);
    throw new Error("broke off");
  }
  await assert.rejects(spool(keys, 1, String, broken()), /broke off/);
  assert.deepEqual(await opened(), []);
});
