/** Files of many pieces are kept and given back whole, by themselves and out of an archive. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { bankMerchant, uploadFile, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";
import { zipArchive } from "./zip-archive.ts";

let service: Service;
let merchant: BankMerchant;

before(async () => {
  service = await startService();
  merchant = await bankMerchant(service);
});
after(() => service.close());

async function download(id: string): Promise<Buffer> {
  const answer = await fetch(`${service.url}/api/v1/management/sepa-files/${id}/content/`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

test("a file that does not compress is kept in pieces, each of them sealed, and downloaded as it came", async () => {
  const bytes = randomBytes(1_500_000);
  const { status, body } = await uploadFile(service, merchant, bytes, "noise.xml");
  assert.deepEqual([status, body["files"][0].status, body["files"][0].size], [201, "refused", bytes.length]);
  const { id } = body["files"][0];
  assert.ok((await download(id)).equals(bytes));
  const pieces = await service.rows(
    "select number, content from sepa_file_pieces where file_id = $1 order by number",
    [id],
  );
  assert.deepEqual(
    pieces.map(({ number }) => number),
    [1, 2, 3, 4, 5],
  );
});

test("an archive is read without being held: its files are there, as they were in it", async () => {
  const files = [randomBytes(700_000), randomBytes(900_000)];
  const archive = zipArchive(files.map((content, n) => ({ name: `${n}.xml`, content })));
  const { status, body } = await uploadFile(service, merchant, archive, "day.zip");
  assert.equal(status, 201);
  const found = await Promise.all(body["files"].map(({ id }: { id: string }) => download(id)));
  assert.deepEqual(
    found.map((bytes) => bytes.toString("hex").slice(0, 40)),
    files.map((bytes) => bytes.toString("hex").slice(0, 40)),
  );
  assert.ok(found.every((bytes, n) => bytes.equals(files[n] ?? Buffer.alloc(0))));
});

test("an archive that is refused is kept whole", async () => {
  const inner = zipArchive([{ name: "a.xml", content: randomBytes(700_000) }]);
  const archive = zipArchive([{ name: "inner.zip", content: inner }]);
  const { body } = await uploadFile(service, merchant, archive, "nested.zip");
  assert.deepEqual([body["files"][0].kind, body["files"][0].status], ["zip", "refused"]);
  assert.ok((await download(body["files"][0].id)).equals(archive));
});
