/** The service reads the bank files that may be next to the checkout. Each file makes its changes once. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { bankMerchant, uploadFile, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const FOLDER = findFolder(dirname(import.meta.dirname));
if (FOLDER === null)
  console.log("no shared/sepa/fixtures beside this checkout: its bank files are not applied");

/**
 * The state before the file: `state reference amount [block [currency]]`. The state after it: `state reference reason`,
 * and the fees of chargebacks.
 */
const MEANT: Readonly<
  Record<
    string,
    {
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly fees?: readonly string[];
    }
  >
> = {
  "pain002-03_reject_AC01.xml": {
    before: ["batched Source1234 6543.14"],
    after: ["rejected Source1234 AC01"],
  },
  "pain002-10_reject_AC01.xml": {
    before: ["batched OriginatorID1234 6543.14"],
    after: ["rejected OriginatorID1234 AC01"],
  },
  "pain002-03ch_ACTC.xml": { before: ["batched OTHER 1.00"], after: ["batched OTHER -"] },
  "camt054-04_ch_chdd_credits_and_2_refunds_MD06.xml": {
    before: ["settled EndToEnd-2B6C-CHDDBB5 6.00 B1 CHF", "settled E2E-1-1-16030913 15.53 B2 CHF"],
    after: ["returned E2E-1-1-16030913 MD06", "returned EndToEnd-2B6C-CHDDBB5 MD06"],
    fees: ["0.70", "0.70"],
  },
  "synthetic/camt053-08-de-collective-credit-and-returns.xml": {
    before: [
      "batched C1 100.00 PSB-20261124-0001",
      "batched C2 50.97 PSB-20261124-0001",
      "batched C3 30.00 PSB-20261124-0001",
      "settled TXN-20261120-BBBB0002 50.00",
      "settled TXN-20260930-BBBB0009 39.92",
    ],
    after: [
      "settled C1 -",
      "settled C2 -",
      "settled C3 -",
      "returned TXN-20260930-BBBB0009 MD06",
      "returned TXN-20261120-BBBB0002 AM04",
    ],
    fees: ["0.30", "3.00"],
  },
  "synthetic/pain002-03-es-returns-after-settlement.xml": {
    before: [
      "settled TXN-20261120-AAAA0001 40.66",
      "settled TXN-20261120-AAAA0002 332.80",
      "settled TXN-20261120-AAAA0003 36.65",
      "settled TXN-20261120-AAAA0008 77.97",
      "settled TXN-20261121-AAAA0004 38.60",
      "settled TXN-20261120-AAAA0009 38.60",
    ],
    after: [
      "returned TXN-20261120-AAAA0001 MD01",
      "returned TXN-20261120-AAAA0002 MS03",
      "returned TXN-20261120-AAAA0003 MD01",
      "returned TXN-20261120-AAAA0008 MS03",
      "settled TXN-20261120-AAAA0009 -",
      "returned TXN-20261121-AAAA0004 RC01",
    ],
  },
  "synthetic/camt054-08-batched-returns-prefixed.xml": {
    before: [
      "settled TXN-20261120-CCCC0001 39.99",
      "settled TXN-20261120-CCCC0002 29.99",
      "settled TXN-20261120-CCCC0003 49.99",
    ],
    after: [
      "returned TXN-20261120-CCCC0001 AC04",
      "returned TXN-20261120-CCCC0002 MS02",
      "returned TXN-20261120-CCCC0003 MD01",
    ],
  },
  "synthetic/camt053-02-nl-updd-return.xml": {
    before: ["settled 10954500000014 37.00"],
    after: ["returned 10954500000014 MS03"],
  },
};

function findFolder(from: string): string | null {
  const folder = join(from, "shared/sepa/fixtures");
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? null : findFolder(dirname(from));
}

if (FOLDER !== null) {
  const folder = FOLDER;
  const clock = manualClock(new Date("2026-12-31T08:00:00Z"));
  let service: Service;
  let merchant: BankMerchant;
  let tenant: number;
  before(async () => {
    service = await startService({ clock });
    merchant = await bankMerchant(service);
    const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
    tenant = row?.["tenant"];
  });
  after(() => service.close());

  const names = [
    ...readdirSync(folder).filter((name) => /^(camt|pain002).*\.xml$/.test(name)),
    ...readdirSync(join(folder, "synthetic"))
      .filter((name) => /^(camt|pain002).*\.xml$/.test(name))
      .map((name) => `synthetic/${name}`),
  ];
  for (const name of names) {
    const { before: seeds, after: meant, fees } = MEANT[name] ?? { before: [], after: [] };
    test(`${name}: ${meant.join(", ") || "read"}, and a second time nothing`, async () => {
      const bytes = readFileSync(join(folder, name));
      // The test's account is given the IBAN of the statement.
      const iban = /<(?:\w+:)?IBAN>\s*(\w+)\s*</.exec(bytes.toString())?.[1];
      await service.rows(
        "update gateways set settings = jsonb_set(settings, '{creditor_iban}', to_jsonb($2::text)) where id = $1",
        [merchant.accountId, iban ?? ""],
      );
      for (const seed of seeds) await plant(seed.split(" "));
      const first = (await uploadFile(service, merchant, bytes, name)).body["files"][0] as Json;
      const references = seeds.map((seed) => seed.split(" ")[1]);
      assert.deepEqual(await standing(references), meant);
      if (fees !== undefined) {
        const told = await service.rows(
          "select bank_fee::text from sepa_news where reference = any($1) and kind = 'charged_back' order by reference",
          [references],
        );
        assert.deepEqual(
          told.map((row) => row["bank_fee"]),
          fees,
        );
      }
      const before = await everything();
      const second = (await uploadFile(service, merchant, bytes, name)).body["files"][0] as Json;
      assert.equal(second["known"], first["status"] === "applied");
      assert.equal(second["status"], first["status"]);
      assert.deepEqual(await everything(), before);
    });
  }

  async function plant([
    state = "",
    reference = "",
    amount = "",
    block = reference,
    currency = "EUR",
  ]: readonly string[]): Promise<void> {
    const fileId = crypto.randomUUID();
    await service.rows(
      `with f as (
         insert into sepa_files (tenant, id, gateway_id, direction, kind, name, message_id, sha256, content, size, status, created_at, updated_at)
         values ($1, $2::uuid, $3, 'out', 'pain.008', 'f.xml', $8, decode(repeat('00', 32), 'hex'), '', 0, 'sent', now(), now())
       )
       insert into sepa_collections (tenant, gateway_id, reference, state, amount, currency, recurring, mandate_reference, debtor_name,
         remittance, file_id, block_id, due_date, settled_on, created_at, updated_at)
       values ($1, $3, $4, $5::text, $6, $9, false, 'M', 'N', 'R', $2, $7, '2016-01-01', case when $5 = 'settled' then date '2016-01-01' end, now(), now())`,
      [tenant, fileId, merchant.accountId, reference, state, amount, block, `message ${fileId}`, currency],
    );
  }

  async function standing(references: readonly (string | undefined)[]): Promise<readonly string[]> {
    const found = await service.rows(
      `select state || ' ' || reference || ' ' || coalesce(reason_code, '-') as said from sepa_collections
        where reference = any($1) order by reference collate "C"`,
      [references],
    );
    return found.map((row) => row["said"]);
  }

  /** Everything that a file could have changed. */
  async function everything(): Promise<readonly Json[]> {
    return service.rows(
      `select (select count(*) from sepa_news)::int as news, (select count(*) from sepa_entries)::int as entries,
              (select count(*) from sepa_unmatched)::int as unmatched,
              (select string_agg(reference || state, ',' order by reference) from sepa_collections) as collections`,
    );
  }
}
