/** A backup from the embedded PostgreSQL to the system's version and back: the same rows, the same books. */
import assert from "node:assert/strict";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exportDatabase } from "../src/backup/export.ts";
import { importDatabase } from "../src/backup/import.ts";
import { openDatabase } from "../src/db/postgres.ts";
import { readSchema, schemaSql } from "../src/db/schema-dump.ts";
import { assertBooksAgree } from "./support/books.ts";
import { emptyDatabase } from "./support/database.ts";
import { installedPostgres, startPostgres } from "./support/debian-postgres.ts";
import { createMerchant, IBAN } from "./support/merchant.ts";
import { startService } from "./support/service.ts";

const programs = await installedPostgres();
const skip = programs === null ? "no PostgreSQL in /usr/lib/postgresql: install Debian's postgresql" : false;

test(
  "after a move to a server of another version and back, rows, schema and books are the same",
  { skip },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "payment-sessions-servers-"));
    const service = await startService();
    const server = await startPostgres(programs ?? "");
    const back = await emptyDatabase();
    try {
      const merchant = await createMerchant(service);
      for (const iban of [IBAN.approved, IBAN.declined, IBAN.approvedDutch])
        await merchant.pay(await merchant.session(), iban);
      const [there, home] = [join(folder, "there.tar.gz"), join(folder, "home.tar.gz")];
      const first = await exportDatabase(service.databaseUrl, createWriteStream(there));

      const debian = { ownerUrl: server.url, url: server.url };
      assert.equal((await importDatabase(debian, createReadStream(there))).sha256, first.sha256);
      assert.equal(schemaSql(await readSchema(server.url)), schemaSql(await readSchema(service.ownerUrl)));
      const second = await exportDatabase(server.url, createWriteStream(home));
      assert.equal(second.sha256, first.sha256);

      assert.equal((await importDatabase(back, createReadStream(home))).sha256, first.sha256);
      for (const url of [server.url, back.ownerUrl]) {
        const db = openDatabase(url, { connections: 2, onIdleError: () => {} });
        await assertBooksAgree(db).finally(() => db.close());
      }
    } finally {
      await service.close();
      await back.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
