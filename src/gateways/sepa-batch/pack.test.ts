import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import test from "node:test";
import { createKeyring, defaultKeys } from "../../lib/keyring.ts";
import { pack, unpack, unpacked } from "./pack.ts";

const keys = createKeyring(defaultKeys(Buffer.alloc(32, 7)));

// Bytes that cannot be compressed, so that they are stored in up to four pieces of 256 KiB.
for (const size of [0, 10, 300_000, 900_000])
  test(`a bank file of ${size} bytes is read back from its pieces as it was packed`, async () => {
    const bytes = randomBytes(size);
    // oxlint-disable-next-line typescript/require-await -- files come from a stream
    const file = await pack(
      keys,
      1,
      "F",
      (async function* () {
        yield bytes;
      })(),
    );
    assert.equal(file.size, size);
    assert.ok((await buffer(unpacked(file))).equals(bytes));
    assert.ok((await buffer(unpack(keys, 1, "F", file.packed.pieces()))).equals(bytes));
    await file.packed.close();
  });
