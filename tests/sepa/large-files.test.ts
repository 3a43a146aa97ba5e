/**
 * Files of many pieces are read in a thread of their own, and stored and downloaded complete, alone or from an archive.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { after, before, test } from "node:test";
import type { Tx } from "../../src/db/database.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { bankMerchant, camt, uploadFile, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { DUE_DAY, sent, statuses } from "../support/treasury.ts";
import { uploadForm } from "../support/upload.ts";
import { zipArchive } from "./zip-archive.ts";

let service: Service;
let merchant: BankMerchant;
/** Whether the next transaction that reads a file runs twice, as after a deadlock. */
let twice = false;

before(async () => {
  service = await startService({
    clock: manualClock(new Date("2026-11-23T08:00:00Z")),
    between: (db) => ({
      ...db,
      async transaction(work) {
        if (twice) await db.transaction((tx) => undone(work, tx)).catch(() => {});
        return db.transaction(work);
      },
    }),
  });
  merchant = await bankMerchant(service);
});

/** Does the work and then fails once, so that the transaction is repeated. Stops doing so after a file was read. */
async function undone<T>(work: (tx: Tx) => Promise<T>, tx: Tx): Promise<never> {
  await work({
    ...tx,
    write(statement, values) {
      if (statement.name === "sepa_files.insert_entries") twice = false;
      return tx.write(statement, values);
    },
  });
  throw new Error("as after a deadlock");
}
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

async function download(id: string): Promise<Buffer> {
  const answer = await fetch(`${service.url}/api/v1/management/sepa-files/${id}/content/`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

test("a file that does not compress is stored in pieces, each of them encrypted, and downloaded unchanged", async () => {
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

test("a file of more than a megabyte is read in a thread of its own, a smaller one is not", async () => {
  let threads = 0;
  const started = () => void (threads += 1);
  process.on("worker", started);
  try {
    const counts: number[] = [];
    for (const size of [1_000_000, 1_100_000]) {
      await uploadFile(service, merchant, randomBytes(size), "noise.xml");
      counts.push(threads);
    }
    assert.deepEqual(counts, [0, 1]);
  } finally {
    process.off("worker", started);
  }
});

test(
  "a file whose thread ends before it is read is not in the books, and is read when it comes again",
  { timeout: 30_000 },
  async () => {
    const large = randomBytes(1_100_000);
    process.once("worker", (thread) => void thread.terminate());
    const failed = await uploadFile(service, merchant, large, "ended.xml");
    assert.equal(failed.status, 500);
    const again = await uploadFile(service, merchant, large, "ended.xml");
    assert.deepEqual([again.status, again.body["files"][0].status], [201, "refused"]);
  },
);

test("an archive is read without keeping it in memory, and its files are stored unchanged", async () => {
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

test("a refused archive is stored completely", async () => {
  const inner = zipArchive([{ name: "a.xml", content: randomBytes(700_000) }]);
  const archive = zipArchive([{ name: "inner.zip", content: inner }]);
  const { body } = await uploadFile(service, merchant, archive, "nested.zip");
  assert.deepEqual([body["files"][0].kind, body["files"][0].status], ["zip", "refused"]);
  assert.ok((await download(body["files"][0].id)).equals(archive));
});

/** More than a megabyte: credits of ours among as many of others. */
function largeStatement(references: readonly string[]): string {
  const others = Array.from({ length: 1_500 }, (_, n) => `OTHER-${n}-${"x".repeat(20)}`);
  const ids = [...others.slice(0, 700), ...references, ...others.slice(700)];
  return camt(
    "camt.053",
    DUE_DAY,
    ids.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
  ).replaceAll("<NtryDtls>", `<AddtlNtryInf>${"Entry ".repeat(80)}</AddtlNtryInf><NtryDtls>`);
}

async function entries(id: string, key: string, result: string): Promise<readonly Json[]> {
  const { body } = await service.get(`management/sepa-files/${id}/entries/?result=${result}`, { key });
  return body["results"] as Json[];
}

test("a large statement changes the books like a small one, also when its transaction runs twice", async () => {
  const one = await sent(service, 3);
  twice = true;
  const { body } = await uploadFile(service, one.merchant, largeStatement(one.references));
  const [file] = body["files"];
  assert.equal(twice, false);
  assert.deepEqual([file.status, file.report.settled, file.report.unmatched], ["applied", 3, 1_500]);
  assert.deepEqual(await statuses(service, one), ["approved", "approved", "approved"]);
  const settled = await entries(file.id, one.merchant.key, "settled");
  assert.deepEqual(
    settled.map(({ number, reference }) => [number, reference]),
    one.references.map((reference, n) => [701 + n, reference]),
  );
});

test("a truncated large file is refused with the reason and stored, and nothing of it is applied", async () => {
  const one = await sent(service, 2);
  const xml = largeStatement(one.references);
  const cut = xml.slice(0, xml.lastIndexOf("</Ntry>"));
  const { body } = await uploadFile(service, one.merchant, cut);
  const [file] = body["files"];
  assert.deepEqual(
    [file.status, /^The file is not complete .* is incomplete/.test(file.error)],
    ["refused", true],
  );
  assert.deepEqual(await statuses(service, one), ["pending", "pending"]);
  const content = await service.get(`management/sepa-files/${file.id}/content/`, { key: one.merchant.key });
  assert.equal(content.text, cut);
});

test("interrupted uploads leave no thread behind that others would wait for", async () => {
  const { body, headers } = uploadForm(randomBytes(12_000_000), {
    name: "noise.xml",
    fields: { gateway_id: merchant.accountId },
  });
  for (let n = 0; n < 5; n += 1) {
    const upload = request(`${service.url}/api/v1/management/sepa-files/`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${merchant.key}`, "content-length": body.length },
    });
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    upload.on("error", () => {}).on("close", close);
    upload.write(body.subarray(0, 10_000_000), () => upload.destroy());
    await closed;
  }
  const noise = randomBytes(1_500_000);
  const { status, body: answer } = await uploadFile(service, merchant, noise, "noise.xml");
  assert.deepEqual([status, answer["files"][0].status], [201, "refused"]);
});
