/**
 * An entry that names one of our references is never ignored, tested on generated statements and status reports with
 * every kind of reference.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { fc } from "../support/properties.ts";
import { startService, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { statuses } from "../support/treasury.ts";
import { lastResults, openUnmatched, readFile, sendPayments, type Sent } from "./desk.ts";
import { bankEntry, bankFile, statusReport, type EntryFacts } from "./messages.ts";

let service: Service;
before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
});
after(() => service.close());

const BANK_REFERENCE = "BANK-REFERENCE-1";
const AMENDED = "AMENDED-LATER";
const AMENDED_AGAIN = "AMENDED-AGAIN";

interface World {
  readonly sent: Sent;
  /** One reference of ours of each kind. */
  readonly ours: readonly string[];
}

async function amend(sent: Sent, reference: string, from = sent.mandates[0]): Promise<void> {
  const key = { key: sent.merchant.key };
  const list = await service.get(`management/mandates/?reference=${from}`, key);
  const id = list.body["results"][0].id;
  const { status, text } = await service.post(`management/mandates/${id}/amend/`, { reference }, key);
  assert.equal(status, 200, text);
}

/** Two payments at the bank, one of them settled. Its mandate's reference was amended twice since. */
async function world(): Promise<World> {
  const sent = await sendPayments(service, 2);
  const credit = { amount: "19.90", code: "PMNT/IDDT/ESDD", bankReference: BANK_REFERENCE };
  const names = { EndToEndId: sent.references[0] ?? "" };
  await readFile(service, sent.merchant, bankFile("camt.053", [bankEntry({ ...credit, names })]));
  await amend(sent, AMENDED);
  await amend(sent, AMENDED_AGAIN, AMENDED);
  const { references, mandates, blockId, messageId } = sent;
  const ours = [
    ...references,
    ...mandates,
    AMENDED,
    AMENDED.toLowerCase(),
    AMENDED_AGAIN,
    blockId,
    messageId,
    BANK_REFERENCE,
  ];
  return { sent, ours };
}

const PLACES = ["EndToEndId", "InstrId", "TxId", "MndtId", "PmtInfId", "MsgId", "AcctSvcrRef"];
const BATCHES = ["Btch/PmtInfId", "Btch/MsgId"];
const CODES = [
  "",
  "PMNT/IDDT/ESDD",
  "PMNT/IDDT/UPDD",
  "PMNT/IDDT/PRDD",
  "PMNT/RDDT/ESDD",
  "PMNT/ICDT/ESCT",
  "PMNT/ICDT/RRTN",
  "PMNT/RCDT/ESCT",
  "PMNT/MDOP/CHRG",
  "PMNT/MCOP/OTHR",
  "ACMT/OPCL/ACCC",
  "XXXX/YYYY/ZZZZ",
  "NRTI+109",
  "NCHG+808",
  "NTRF+116",
  "PMNT/RCDT/ESCT NRTI+109",
];

function nameAmong(ours: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...ours, "SOMEBODYS", "NOTPROVIDED", "NONREF", "1");
}

function anyEntry(ours: readonly string[]): fc.Arbitrary<EntryFacts> {
  const name = nameAmong(ours);
  return fc.record(
    {
      amount: fc.constantFrom("19.90", "39.80", "22.90", "3.00", "19.90123"),
      currency: fc.constantFrom("EUR", "EUR", "USD"),
      sign: fc.constantFrom("CRDT", "DBIT", "DBIT", "XXXX"),
      reversal: fc.boolean(),
      state: fc.constantFrom("BOOK", "BOOK", "BOOK", "PDNG", "INFO", "XXXX", ""),
      date: fc.constantFrom("2026-11-25", "2026-11-27"),
      code: fc.constantFrom(...CODES),
      bankReference: name,
      names: fc.dictionary(fc.constantFrom(...PLACES, ...BATCHES), name, { maxKeys: 2 }),
      reason: fc.constantFrom("MS03", "MD06", "FOCR"),
      amounts: fc.dictionary(fc.constantFrom("TxAmt", "InstdAmt"), fc.constantFrom("19.90 EUR", "18.00 CHF")),
      noDetail: fc.boolean(),
    },
    { requiredKeys: ["amount", "code", "sign", "state", "names"] },
  );
}

/** Whether one of the written references is ours. */
function namesOurs(
  { names = {}, bankReference, noDetail = false }: EntryFacts,
  ours: readonly string[],
): boolean {
  const written = Object.entries(names).filter(([place]) => !noDetail || place.startsWith("Btch/"));
  return [...written.map(([, name]) => name), bankReference].some((name) => ours.includes(name ?? ""));
}

test("a statement's entry with a reference of ours is never ignored, whatever else it contains", async () => {
  const { sent, ours } = await world();
  const family = fc.constantFrom("camt.052" as const, "camt.053" as const, "camt.054" as const);
  const entries = fc.array(anyEntry(ours), { minLength: 12, maxLength: 12 });
  let named = 0;
  await fc.assert(
    fc.asyncProperty(family, entries, async (kind, all) => {
      await readFile(service, sent.merchant, bankFile(kind, all.map(bankEntry)));
      const results = await lastResults(service, sent.merchant);
      assert.equal(results.length, all.length, "every entry is counted");
      for (const [n, entry] of all.entries()) {
        if (!namesOurs(entry, ours)) continue;
        named += 1;
        assert.notEqual(results[n], "ignored", JSON.stringify(entry));
      }
    }),
    { numRuns: sized(25, 60), endOnFailure: true },
  );
  assert.ok(named > 200, `${named} entries named something of ours`);
});

test("an entry of another account's statement with a reference of ours waits for a person", async () => {
  const { sent, ours } = await world();
  const before = (await openUnmatched(service, sent.merchant)).length;
  const own = bankFile("camt.053", []);
  const entries = ours.map((name) => bankEntry({ amount: "19.90", names: { EndToEndId: name } })).join("");
  const foreign = `<Stmt><Id>F</Id><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>${entries}</Stmt></BkToCstmrStmt>`;
  await readFile(service, sent.merchant, own.replace("</BkToCstmrStmt>", foreign));
  assert.equal((await openUnmatched(service, sent.merchant)).length - before, ours.length);
});

test("a status with a reference of ours is never ignored, on any level and for any message id", async () => {
  const { sent, ours } = await world();
  const name = nameAmong(ours);
  const status = fc.option(fc.constantFrom("RJCT", "ACCP", "PART", "PDNG", "CANC", "rejected"), {
    nil: undefined,
  });
  const transaction = fc
    .tuple(
      fc.dictionary(fc.constantFrom("OrgnlInstrId", "OrgnlEndToEndId", "OrgnlTxId", "AcctSvcrRef"), name, {
        maxKeys: 2,
      }),
      status,
      fc.option(name, { nil: undefined }),
    )
    .map(([names, own, mandate]) => ({ names, status: own, mandate }));
  const block = fc.tuple(name, status, fc.array(transaction, { maxLength: 2 }));
  const messageName = fc.constantFrom(
    "pain.008.001.08",
    "pain.001.001.09",
    "pain008",
    "Lastschrift",
    "",
    "camt.055.001.08",
  );
  await fc.assert(
    fc.asyncProperty(
      name,
      messageName,
      status,
      fc.array(block, { maxLength: 2 }),
      async (id, about, own, blocks) => {
        const group = { messageId: id, name: about, status: own };
        const xml = statusReport(
          group,
          blocks.map(([blockId, ofBlock, transactions]) => ({
            id: blockId,
            status: ofBlock,
            transactions,
          })),
        );
        await readFile(service, sent.merchant, xml);
        const results = await lastResults(service, sent.merchant);
        const names = [
          ...xml.matchAll(/<(?:Orgnl(?:Msg|PmtInf|Instr|EndToEnd|Tx)Id|MndtId|AcctSvcrRef)>([^<]+)/g),
        ].map(([, one]) => one ?? "");
        assert.ok(results.length > 0, "something is counted");
        // If the report names our message, none of its lines is ignored.
        if (ours.includes(id)) assert.ok(!results.includes("ignored"), xml);
        // If it names anything else of ours, at least one line is not ignored.
        if (names.some((one) => ours.includes(one)))
          assert.ok(
            results.some((result) => result !== "ignored"),
            xml,
          );
      },
    ),
    { numRuns: sized(60, 150), endOnFailure: true },
  );
});

for (const when of ["before", "after"] as const) {
  test(`a return is found by every reference that its mandate has had, when it was amended ${when} the file`, async () => {
    const back = {
      amount: "19.90",
      sign: "DBIT",
      code: "PMNT/IDDT/UPDD",
      reason: "AM04",
      date: "2026-11-27",
    };
    for (const named of ["former", "former in another case", "present"] as const) {
      const beforeFile = (made: Sent) => (when === "before" ? amend(made, "PRESENT-REF") : Promise.resolve());
      const sent = await sendPayments(service, 1, { beforeFile });
      if (when === "after") await amend(sent, "PRESENT-REF");
      const former = sent.mandates[0] ?? "";
      const reference = { former, "former in another case": former.toLowerCase(), present: "PRESENT-REF" }[
        named
      ];
      await readFile(
        service,
        sent.merchant,
        bankFile("camt.053", [bankEntry({ ...back, names: { MndtId: reference } })]),
      );
      assert.deepEqual(await statuses(service, sent), ["charged_back"], named);
    }
  });
}

test("where two tenants have the same ids, a bank's file changes only the records of its account", async () => {
  const tables = [
    "sepa_collections",
    "sepa_news",
    "sepa_bookings",
    "sepa_unmatched",
    "sepa_entries",
    "transactions",
    "chargebacks",
  ];
  const [mine, theirs] = [await sendPayments(service, 3), await sendPayments(service, 3)];
  const [row] = await service.rows("select tenant from gateways where id = $1", [theirs.merchant.accountId]);
  const tenant = row?.["tenant"] as number;
  await makeAlike(mine, theirs, tenant);
  const everything = async () => {
    const all = tables.map(
      (table) => `select '${table}' || to_jsonb(x)::text as said from ${table} x where tenant = $1`,
    );
    return (await service.rows(all.join(" union all "), [tenant]))
      .map((one) => one["said"] as string)
      .toSorted();
  };
  const before = await everything();
  const { references, blockId, messageId, mandates } = mine;
  const file = (...entries: readonly EntryFacts[]) =>
    readFile(service, mine.merchant, bankFile("camt.053", entries.map(bankEntry)));
  const listed = [{ names: { OrgnlEndToEndId: references[2] ?? "" }, status: "RJCT", reason: "AC04" }];
  await readFile(
    service,
    mine.merchant,
    statusReport({ messageId }, [{ id: blockId, transactions: listed }]),
  );
  await file({ amount: "39.80", code: "PMNT/IDDT/ESDD", names: { "Btch/MsgId": messageId }, noDetail: true });
  const back = { amount: "19.90", sign: "DBIT", code: "PMNT/IDDT/UPDD", reason: "AM04", date: "2026-11-27" };
  await file(
    { ...back, names: { MndtId: mandates[0] ?? "" } },
    { ...back, names: { EndToEndId: references[1] ?? "" } },
  );
  await file({
    amount: "3.00",
    sign: "DBIT",
    code: "PMNT/MDOP/CHRG",
    names: { EndToEndId: references[1] ?? "" },
  });
  await file({ amount: "1.00", sign: "DBIT", names: { EndToEndId: references[1] ?? "" } });
  assert.deepEqual(await statuses(service, mine), ["charged_back", "charged_back", "declined"]);
  assert.deepEqual(await everything(), before);
});

/** Gives the other tenant's gateway, file, block, instructions, mandates and transactions the same ids as ours. */
async function makeAlike(mine: Sent, theirs: Sent, tenant: number): Promise<void> {
  const [gateway, file] = [
    [mine.merchant.accountId, theirs.merchant.accountId],
    await Promise.all(
      [mine, theirs].map(
        async ({ messageId }) =>
          (await service.rows("select id from sepa_files where message_id = $1", [messageId]))[0]?.[
            "id"
          ] as string,
      ),
    ),
  ];
  // In one statement, because foreign keys are checked at the end of a statement.
  await service.rows(
    `with r as (select * from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as r (new_ref, old_ref, new_mandate, old_mandate)),
          g as (update gateways set id = $2 where tenant = $1 and id = $3),
          f as (update sepa_files set id = $8, gateway_id = $2, message_id = $10 where tenant = $1 and id = $9),
          a as (update sepa_accounts set gateway_id = $2 where tenant = $1 and gateway_id = $3),
          i as (update sepa_creditor_accounts set gateway_id = $2 where tenant = $1 and gateway_id = $3),
          s as (update sessions set gateway_id = $2 where tenant = $1 and gateway_id = $3),
          c as (update sepa_collections c set gateway_id = $2, reference = r.new_ref, mandate_reference = r.new_mandate, file_id = $8, block_id = $11
                  from r where c.tenant = $1 and c.reference = r.old_ref),
          m as (update mandates m set reference = r.new_mandate from r where m.tenant = $1 and m.reference = r.old_mandate)
     update transactions t set gateway_id = $2, merchant_transaction_id = r.new_ref from r where t.tenant = $1 and t.merchant_transaction_id = r.old_ref`,
    [
      tenant,
      ...gateway,
      mine.references,
      theirs.references,
      mine.mandates,
      theirs.mandates,
      ...file,
      mine.messageId,
      mine.blockId,
    ],
  );
}
