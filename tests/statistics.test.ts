/** PostgreSQL's statistics follow tables that grow fast: a statement is not planned for the empty table of a minute ago. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../src/lib/assert.ts";
import { createMerchant, type Merchant } from "./support/merchant.ts";
import { startService, type Service } from "./support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
});
after(() => service.close());

async function refresh(): Promise<number> {
  const job = must(
    service.app.jobs.find(({ name }) => name === "refresh-statistics"),
    "the job",
  );
  return job.runOnce(job.batch);
}

test("a table that has grown from nothing to thousands of rows is planned for as it is after one pass, and then left alone", async () => {
  await merchant.session();
  await refresh();
  await service.rows(
    `insert into leads (tenant, id, email_key, email, first_name, last_name, country, created_at, updated_at)
     select l.tenant, gen_random_uuid(), n::text, n::text, l.first_name, l.last_name, l.country, l.created_at, l.updated_at
       from (select * from leads limit 1) l, generate_series(1, 5000) n`,
  );
  // Counters of other connections arrive within a second.
  await service.rows("select pg_stat_force_next_flush()");
  let refreshed = 0;
  for (const end = Date.now() + 20_000; refreshed === 0 && Date.now() < end;) refreshed = await refresh();
  const [known] = await service.rows("select reltuples from pg_class where relname = 'leads'");
  assert.equal(known?.["reltuples"], 5001);
  assert.equal(await refresh(), 0, "nothing has grown since");
});
