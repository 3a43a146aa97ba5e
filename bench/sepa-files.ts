/**
 * `npm run bench:sepa [-- COUNT]`: measures writing this many collections into files and reading the bank's statement
 * about them, with a real database, and the maximum memory of the process.
 */
import { createApp } from "../src/app.ts";
import { migrate } from "../src/db/migrate.ts";
import { debtorContext } from "../src/gateways/sepa-batch/adapter.ts";
import { silentLog } from "../src/lib/log.ts";
import { collectDue } from "../src/gateways/sepa-batch/outgoing/write-files.ts";
import { readDelivery } from "../src/gateways/sepa-batch/incoming/read-delivery.ts";
import { findAccounts } from "../src/gateways/sepa-batch/files-store.ts";
import { isTargetDay } from "../src/sepa/target.ts";
import { testConfig } from "../tests/support/service.ts";
import { randomUUID } from "node:crypto";
import { temporaryServer } from "../scripts/temporary-server.ts";
import { adHoc } from "../tools/ad-hoc.ts";

const COUNT = Number(process.argv[2] ?? 100_000);
const CREDITOR_IBAN = "DE89370400440532013000";
/** A TARGET day: the collector writes on no other. */
const DAY = "2026-11-23";
let peak = 0;
const now = new Date(`${DAY}T12:00:00Z`);
if (!isTargetDay(DAY)) throw new Error("the benchmark's day is no TARGET day");

const server = await temporaryServer(true);
try {
  await migrate(server.url);
  const clock = { now: () => now, monotonicMs: () => performance.now() };
  const app = await createApp(testConfig("http://localhost"), server.url, silentLog, { clock });
  await seed(app.deps);
  const [account] = await findAccounts(app.deps.db, null);
  if (account === undefined) throw new Error("no account");
  sampleMemory();
  const written = await timed(`write ${COUNT} collections`, () =>
    collectDue(app.deps, account, { evenBeforeCutOff: true }),
  );
  if (written.instructions !== COUNT) throw new Error("not all were written");
  const { rows } = {
    rows: await app.deps.db.query<{ reference: string }>(...adHoc("select reference from sepa_collections")),
  };
  const references = rows.map(({ reference }) => reference);
  const read = await timed(`read a statement of ${COUNT} entries`, () =>
    readDelivery(app.deps, account, "statement.xml", statement(references)),
  );
  console.log(JSON.stringify(read[0]?.file["report"]));
  await app.close();
} finally {
  await server.stop();
}
process.exit(0);

async function seed(deps: Awaited<ReturnType<typeof createApp>>["deps"]): Promise<void> {
  const run = (text: string, values: readonly unknown[]) =>
    deps.db.commit<{ tenant: number }>(...adHoc(text, values));
  const [tenant] = await run(
    "insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at) values ($1, 'Shop', 86400, now(), now()) returning tenant",
    [randomUUID()],
  );
  const gateway = randomUUID();
  const settings = {
    creditor_name: "Shop",
    creditor_iban: CREDITOR_IBAN,
    creditor_identifier: "DE98ZZZ09999999999",
  };
  await run(
    `insert into gateways (tenant, id, name, adapter, test_mode, settings, completed_event_at, active, created_at, updated_at)
     values ($1, $2, 'Bank', 'sepa_batch', true, $3, 'acceptance', true, now(), now())`,
    [tenant?.tenant, gateway, settings],
  );
  for (let from = 0; from < COUNT; from += 5_000) {
    const all = Array.from({ length: Math.min(5_000, COUNT - from) }, (_, n) => {
      const reference = `TXN-20261120-${String(from + n).padStart(8, "0")}`;
      const debtor = JSON.stringify({ iban: CREDITOR_IBAN, bic: null, address: null });
      return {
        reference,
        debtor: deps.keys.seal(tenant?.tenant ?? 0, debtorContext(reference), debtor).toString("hex"),
      };
    });
    await run(
      `insert into sepa_collections (tenant, gateway_id, reference, state, amount, currency, recurring, mandate_reference,
         mandate_signed_on, debtor_name, debtor, remittance, not_before, created_at, updated_at)
       select $1, $2, reference, 'accepted', 19.90, 'EUR', false, 'MND-' || reference, '2026-11-20', 'Erika Mustermann',
              decode(debtor, 'hex'), 'Shop ' || reference, '2026-11-20', now(), now()
         from jsonb_to_recordset($3::jsonb) as x (reference text, debtor text)`,
      [tenant?.tenant, gateway, JSON.stringify(all)],
    );
  }
  await run("analyze sepa_collections", []);
}

async function* statement(references: readonly string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>B</MsgId><CreDtTm>2026-11-25T20:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S</Id><CreDtTm>2026-11-25T20:00:00Z</CreDtTm><Acct><Id><IBAN>${CREDITOR_IBAN}</IBAN></Id></Acct>`,
  );
  for (const [n, reference] of references.entries()) {
    yield Buffer.from(
      `<Ntry><Amt Ccy="EUR">19.90</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt><ValDt><Dt>2026-11-25</Dt></ValDt><AcctSvcrRef>R${n}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>IDDT</Cd><SubFmlyCd>ESDD</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs><RltdPties><Dbtr><Pty><Nm>Erika Mustermann</Nm></Pty></Dbtr></RltdPties><RmtInf><Ustrd>Shop ${reference}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
    );
  }
  yield Buffer.from("</Stmt></BkToCstmrStmt></Document>");
}

function sampleMemory(): void {
  setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50).unref();
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  peak = process.memoryUsage.rss();
  const began = performance.now();
  const cpu = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(
    `${what}: ${seconds} s, ${((user + system) / 1e6).toFixed(1)} s of it in this process; at most ${Math.round(Math.max(peak, process.memoryUsage.rss()) / 2 ** 20)} MB resident`,
  );
  return result;
}
