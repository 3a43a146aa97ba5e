/** Statements about a bank account's books neither read nor change other accounts, tenants and states. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  countBookedOtherwise,
  findBlockSentAgain,
  insertBlockBookings,
  lockBlock,
  moveBlock,
} from "../../src/gateways/sepa-batch/incoming/blocks-store.ts";
import { findAssumable, markAssumed } from "../../src/gateways/sepa-batch/incoming/assume-store.ts";
import {
  findBookings,
  findOurs,
  findSentAgain,
  findWithdrawn,
  forgetReturns,
  insertBookings,
  insertEntries,
  lockByMandate,
  lockCollections,
  writeChanges,
  type CollectionChange,
} from "../../src/gateways/sepa-batch/incoming/changes-store.ts";
import { listInstructions, listReportLines } from "../../src/gateways/sepa-batch/incoming/lines-store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { BOTH, fileId, makeTenants, NOW, OWN, undone, type Facts, type Neighbours } from "./neighbours.ts";

let database: TestDatabase;
let tenants: readonly [number, number];
before(async () => {
  database = await testDatabase();
  tenants = await makeTenants(database.db);
});
after(() => database.close());

function inBooks(name: string, work: (books: Neighbours) => Promise<void>): void {
  test(name, () => undone(database.db, tenants, work));
}

const referencesOf = (rows: readonly { readonly reference: string }[]): readonly string[] =>
  rows.map(({ reference }) => reference);
const STATES = [
  "accepted",
  "batched",
  "settled",
  "returned",
  "rejected",
  "fenced",
  "refused",
  "mandate_only",
] as const;

// The references in an entry.

inBooks(
  "of the references in a file only the account's instructions are held, and the reversals of the debits among them",
  async (books) => {
    const { tx, tenant } = books;
    const reversal = { refund_of: "D1", reversible_until: "2026-12-01" };
    await books.collection({ reference: "REV", ...reversal });
    await books.collection({ reference: "R1" });
    await books.collection({ reference: "D1", state: "settled" });
    await books.collection({ reference: "TRANSFER", refund_of: "D1" });
    await books.collection({ reference: "OF-ANOTHER", ...reversal, refund_of: "R1" });
    // In the neighbours it is a reversal of a debit with the same reference.
    await books.collection({ reference: "NOT-HERE" }, reversal);
    await books.sister({ reference: "S1" });
    const held = await lockCollections(tx, tenant, BOTH, ["S1", "R1", "NONE"], ["D1"]);
    assert.deepEqual(referencesOf(held), ["R1", "REV", "S1"]);
  },
);

const ON_MANDATE = { mandate_reference: "M-old", state: "settled", amount: "19.90", due_date: "2026-11-20" };
const NOT_IT: readonly (readonly [what: string, facts: Facts])[] = [
  ["another amount", { amount: "19.91" }],
  ["another currency", { currency: "CHF" }],
  ["a refund", { refund_of: "R1" }],
  ["another mandate", { mandate_reference: "M-other" }],
  ...STATES.filter((state) => !["batched", "settled", "returned", "rejected"].includes(state)).map(
    (state) => [`it is ${state}`, { state }] as const,
  ),
  // A debit without a mandate can be returned for 13 months.
  ["due 13 months before", { due_date: "2025-10-25" }],
];

inBooks(
  "a mandate finds its one debit of the amount, by any reference that it has had and in either case",
  async (books) => {
    const { tx, tenant } = books;
    await books.mandate("M-new");
    await books.amendment("M-new", 1, { original_reference: "M-old" });
    await books.amendment("M-new", 2, { kind: "holder" });
    await books.collection({ reference: "R1", ...ON_MANDATE });
    for (const [at, [, facts]] of NOT_IT.entries())
      await books.collection({ reference: `N${at}`, ...ON_MANDATE, ...facts });
    // The other tenant's mandate of this name has had other references.
    await books.mandate("M-else", {}, null);
    await books.collection({ reference: "ELSE", ...ON_MANDATE, mandate_reference: "M-else" });
    const asked = { amount: "19.90", currency: "EUR", before: "2026-11-25", dueBy: null };
    for (const reference of ["M-old", "m-OLD", "M-new", "m-NEW"]) {
      const found = await lockByMandate(tx, tenant, BOTH, { reference, ...asked });
      assert.equal(found?.reference, "R1", reference);
    }
    for (const state of ["batched", "returned", "rejected"]) {
      await books.rows("update sepa_collections set state = $1 where reference = 'R1'", [state]);
      const found = await lockByMandate(tx, tenant, BOTH, { reference: "M-new", ...asked });
      assert.equal(found?.reference, "R1", state);
    }
    await books.rows("update sepa_collections set due_date = '2025-10-26' where reference = 'R1'");
    assert.equal((await lockByMandate(tx, tenant, BOTH, { reference: "M-new", ...asked }))?.reference, "R1");
    await books.collection({ reference: "R2", ...ON_MANDATE, mandate_reference: "M-new" });
    assert.equal(await lockByMandate(tx, tenant, BOTH, { reference: "M-new", ...asked }), null);
  },
);

inBooks(
  "a mandate has its own references only, not those of another one or of the one with its id at another tenant",
  async (books) => {
    const { tx, tenant } = books;
    await books.mandate("M-1", {}, { reference: "M-2" });
    await books.mandate("M-3");
    await books.amendment("M-3", 1, { original_reference: "M-4" }, { original_reference: "M-5" });
    await books.mandate("M-6");
    await books.amendment("M-6", 1, { original_reference: "M-7" });
    const references = ["M-1", "M-2", "M-3", "M-5", "M-7"];
    for (const reference of references)
      await books.collection({ reference, ...ON_MANDATE, mandate_reference: reference });
    const asked = { amount: "19.90", currency: "EUR", before: "2026-11-25", dueBy: null };
    for (const reference of references)
      assert.equal((await lockByMandate(tx, tenant, BOTH, { reference, ...asked }))?.reference, reference);
  },
);

inBooks("the bookings of the references are found, and no others", async (books) => {
  for (const reference of ["R1", "R2"]) {
    await books.collection({ reference });
    await books.booking(reference, "credit", { bank_reference: "BK-1" });
  }
  await books.booking("R1", "fee", { booked_on: "2026-11-26" });
  const found = await findBookings(books.tx, books.tenant, BOTH, ["R1"]);
  assert.deepEqual(
    found.map((one) => `${one.movement} ${one.booked_on} ${one.bank_reference ?? "-"}`).toSorted(),
    ["credit 2026-11-25 BK-1", "fee 2026-11-26 -"],
  );
});

inBooks(
  "an instruction that is in no file and was in a withdrawn one is recognised as that, whatever happened to it since",
  async (books) => {
    await books.file("W", { status: "withdrawn" });
    const rows: { reference: string; state: (typeof STATES)[number] }[] = [];
    for (const state of STATES)
      for (const reference of [state, `${state}-never`]) {
        await books.collection({ reference, state });
        rows.push({ reference, state });
      }
    for (const state of STATES) await books.withdrawn(state, 1, "W");
    await books.withdrawn("accepted", 2, "W");
    await books.elsewhere(
      "sepa_withdrawn",
      ...twice({ reference: "accepted-never", number: 1, file_id: "W", block_id: "W-1", withdrawn_at: NOW }),
    );
    const found = await findWithdrawn(books.tx, books.tenant, BOTH, rows);
    assert.deepEqual([...found].toSorted(), ["accepted", "fenced", "rejected"]);
  },
);

function twice<Facts extends object>(facts: Facts): [Facts, Facts] {
  return [facts, facts];
}

inBooks(
  "an instruction that was sent again after its file was withdrawn is found with each withdrawn file that it was in",
  async (books) => {
    for (const name of ["W1", "W2"]) await books.file(name, { status: "withdrawn" });
    await books.file("SENT");
    await books.file("FOUND");
    await books.file("KEPT", { status: "ready" });
    const sent = { file_id: "SENT", block_id: "SENT-1" };
    const states = { AGAIN: "batched", DONE: "settled", NEVER: "rejected", FIRST: "batched" } as const;
    for (const [reference, state] of Object.entries(states))
      await books.collection({ reference, state, ...sent });
    await books.collection({ reference: "WAITS", state: "batched", file_id: "KEPT", block_id: "KEPT-1" });
    for (const reference of ["AGAIN", "DONE", "NEVER", "WAITS"]) await books.withdrawn(reference, 1, "W1");
    await books.withdrawn("AGAIN", 2, "W2", { block_id: "W2-7" });
    // An operator has found that the bank has the file.
    await books.withdrawn("AGAIN", 3, "FOUND");
    const rows = Object.entries({ ...states, WAITS: "batched" as const }).map(([reference, state]) => ({
      reference,
      state,
    }));
    const found = await findSentAgain(books.tx, books.tenant, BOTH, rows);
    const named = [...found].flatMap(([reference, from]) =>
      from.map((one) => `${reference} ${one.message_id} ${one.block_id}`),
    );
    assert.deepEqual(
      named.toSorted((a, b) => a.localeCompare(b)),
      ["AGAIN W1 W1-1", "AGAIN W2 W2-7", "DONE W1 W1-1"],
    );
  },
);

// The changes that an entry makes.

const change = (
  facts: Pick<CollectionChange, "reference" | "state" | "news" | "on"> & Partial<CollectionChange>,
): CollectionChange => ({
  reason_code: null,
  gateway_reference: null,
  reason_message: null,
  report_type: null,
  bank_fee: null,
  amount: null,
  ...facts,
});
const STATE = "state, settled_on, returned_on, reinstated_on, round, reason_code, gateway_reference";
const NEWS = `select jsonb_build_array(reference, kind, round, (at at time zone 'UTC')::date, gateway_reference, reason_code, reason_message,
                     report_type, bank_fee, amount, file_id is not null) as has
                from sepa_news where tenant = $1 and gateway_id = any ($2::uuid[]) and reference <> 'STAYS' order by number`;

inBooks(
  "what entries change is written to the instructions that they name, with its news in their order",
  async (books) => {
    const { tx, tenant } = books;
    await books.file("IN", { direction: "in" });
    const old = { settled_on: "2026-11-10", gateway_reference: "OLD", reason_code: "    01" };
    for (const facts of [
      { reference: "PAID", state: "batched" },
      { reference: "BACK", state: "settled", ...old },
      { reference: "BOTH", state: "batched" },
      { reference: "NEVER", state: "batched" },
      { reference: "AGAIN", state: "returned", round: 2, returned_on: "2026-11-12", ...old },
      { reference: "LATE", state: "rejected", returned_on: "2026-11-12" },
      { reference: "FEE", state: "returned", ...old },
      { reference: "FEES", state: "settled", ...old },
      { reference: "STAYS", state: "batched" },
      { reference: "LONE", state: "returned" },
      { reference: "DEBIT", state: "settled" },
      { reference: "REVERSAL", refund_of: "DEBIT", not_before: "2026-11-25", reversible_until: "2026-12-01" },
    ])
      await books.collection(facts, { round: 7 });
    await books.news("FEE", "charged_back", { bank_fee: "3.00", round: 0 });
    await books.news("FEE", "settled", { bank_fee: "7.00", round: 0 });
    await books.news("STAYS", "charged_back", { bank_fee: "5.00", round: 0 });
    await books.news("FEE", "charged_back", { bank_fee: "9.00", round: 1 });
    await books.news("PAID", "settled", { gateway_reference: "TOLD BEFORE" });
    await books.alone(() =>
      writeChanges(
        tx,
        tenant,
        BOTH,
        fileId("IN"),
        [
          change({
            reference: "PAID",
            state: "settled",
            news: "settled",
            on: "2026-11-24",
            gateway_reference: "BK:PAID",
          }),
          change({
            reference: "BACK",
            state: "returned",
            news: "charged_back",
            on: "2026-11-25",
            reason_code: "MD06",
            reason_message: "by the customer",
            report_type: "refund",
            bank_fee: "3.00",
            amount: "4.00",
          }),
          change({
            reference: "BOTH",
            state: "settled",
            news: "settled",
            on: "2026-11-23",
            gateway_reference: "BK:BOTH",
          }),
          change({
            reference: "BOTH",
            state: "returned",
            news: "charged_back",
            on: "2026-11-24",
            reason_code: "AC04",
          }),
          change({
            reference: "NEVER",
            state: "rejected",
            news: "returned",
            on: "2026-11-24",
            reason_code: "MD01",
          }),
          change({ reference: "AGAIN", state: "settled", news: "reinstated", on: "2026-11-24" }),
          change({
            reference: "LATE",
            state: "settled",
            news: "reinstated",
            on: "2026-11-24",
            gateway_reference: "BK:LATE",
          }),
          change({ reference: "FEE", state: "returned", news: "fee", on: "2026-11-24", bank_fee: "2.00" }),
          change({ reference: "LONE", state: "returned", news: "fee", on: "2026-11-24", bank_fee: "2.00" }),
          change({
            reference: "FEES",
            state: "returned",
            news: "charged_back",
            on: "2026-11-24",
            bank_fee: "1.50",
          }),
          change({ reference: "FEES", state: "returned", news: "fee", on: "2026-11-25", bank_fee: "0.25" }),
        ],
        NOW,
      ),
    );
    assert.deepEqual(await books.collections(STATE), {
      AGAIN: ["settled", "2026-11-10", "2026-11-12", "2026-11-24", 3, "    01", "OLD"],
      BACK: ["returned", "2026-11-10", "2026-11-25", null, 0, "MD06", "OLD"],
      BOTH: ["returned", "2026-11-23", "2026-11-24", null, 0, "AC04", "BK:BOTH"],
      FEE: ["returned", "2026-11-10", null, null, 0, "    01", "OLD"],
      FEES: ["returned", "2026-11-10", "2026-11-24", null, 0, "    01", "OLD"],
      DEBIT: ["settled", null, null, null, 0, null, null],
      LATE: ["settled", "2026-11-24", "2026-11-12", "2026-11-24", 1, null, "BK:LATE"],
      LONE: ["returned", null, null, null, 0, null, null],
      NEVER: ["rejected", null, "2026-11-24", null, 0, "MD01", null],
      PAID: ["settled", "2026-11-24", null, null, 0, null, "BK:PAID"],
      REVERSAL: ["accepted", null, null, null, 0, null, null],
      STAYS: ["batched", null, null, null, 0, null, null],
    });
    const news = (await books.rows(NEWS, [tenant, BOTH])).map(({ has }) => has as readonly unknown[]);
    assert.deepEqual(
      news.filter(([, , , , , , , , , , ofFile]) => ofFile === true).map((row) => row.slice(0, -1)),
      [
        ["BACK", "charged_back", 0, "2026-11-25", null, "MD06", "by the customer", "refund", 3, 4],
        ["BOTH", "settled", 0, "2026-11-23", "BK:BOTH", null, null, null, null, null],
        ["BOTH", "charged_back", 0, "2026-11-24", null, "AC04", null, null, null, null],
        ["NEVER", "returned", 0, "2026-11-24", null, "MD01", null, null, null, null],
        ["AGAIN", "reinstated", 3, "2026-11-24", null, null, null, null, null, null],
        ["LATE", "reinstated", 1, "2026-11-24", "BK:LATE", null, null, null, null, null],
        ["FEE", "fee", 0, "2026-11-24", null, null, null, null, 5, null],
        ["LONE", "fee", 0, "2026-11-24", null, null, null, null, 2, null],
        ["FEES", "charged_back", 0, "2026-11-24", null, null, null, null, 1.5, null],
        ["FEES", "fee", 0, "2026-11-25", null, null, null, null, 1.75, null],
      ],
    );
    assert.equal(news.filter(([reference]) => reference === "PAID").length, 1);
  },
);

inBooks("a refund of what came back is not sent, and one of what is paid is", async (books) => {
  const { tx, tenant } = books;
  for (const reference of ["BACK", "PAID"]) {
    await books.collection({ reference, state: "settled" });
    await books.collection({ reference: `OF-${reference}`, refund_of: reference, not_before: "2026-11-25" });
  }
  const one = change({ reference: "BACK", state: "returned", news: "charged_back", on: "2026-11-25" });
  await books.alone(() => writeChanges(tx, tenant, BOTH, null, [one], NOW));
  const { "OF-BACK": back, "OF-PAID": paid } = await books.collections("state, returned_on, reason_code");
  assert.deepEqual(back, ["rejected", "2026-11-25", "ARDT"]);
  assert.deepEqual(paid, ["accepted", null, null]);
});

inBooks(
  "the first booking of each movement is kept, and only what was booked for a return is forgotten",
  async (books) => {
    const { tx, tenant } = books;
    await books.file("IN", { direction: "in" });
    for (const reference of ["R1", "R2"]) await books.collection({ reference });
    await books.sister({ reference: "S1" });
    await books.booking("R1", "credit", { booked_on: "2026-11-20" });
    await books.booking("R2", "debit", { booked_on: "2026-11-20" });
    await books.elsewhere("sepa_collections", ...twice({ reference: "UNKNOWN" }));
    const bookings = [
      { reference: "R1", movement: "credit", booked_on: "2026-11-24", bank_reference: "BK" },
      { reference: "R1", movement: "debit", booked_on: "2026-11-24", bank_reference: "BK" },
      { reference: "S1", movement: "debit", booked_on: "2026-11-24", bank_reference: null },
      { reference: "R2", movement: "debit", booked_on: "2026-11-24", bank_reference: null },
      { reference: "R2", movement: "fee", booked_on: "2026-11-24", bank_reference: null },
      { reference: "R2", movement: "credit", booked_on: "2026-11-24", bank_reference: null },
      { reference: "UNKNOWN", movement: "credit", booked_on: "2026-11-24", bank_reference: null },
    ] as const;
    await books.alone(() => insertBookings(tx, tenant, BOTH, fileId("IN"), bookings));
    const kept = async () =>
      (
        await books.rows(
          `select gateway_id, reference, movement, booked_on, bank_reference from sepa_bookings
          where tenant = $1 and gateway_id = any ($2::uuid[]) order by reference, movement`,
          [tenant, BOTH],
        )
      ).map((row) => Object.values(row).slice(1).join(" "));
    assert.deepEqual(await kept(), [
      "R1 credit 2026-11-20 ",
      "R1 debit 2026-11-24 BK",
      "R2 credit 2026-11-24 ",
      "R2 debit 2026-11-20 ",
      "R2 fee 2026-11-24 ",
      "S1 debit 2026-11-24 ",
    ]);
    await books.alone(() => forgetReturns(tx, tenant, BOTH, ["R2"]));
    assert.deepEqual(await kept(), [
      "R1 credit 2026-11-20 ",
      "R1 debit 2026-11-24 BK",
      "R2 credit 2026-11-24 ",
      "S1 debit 2026-11-24 ",
    ]);
  },
);

inBooks(
  "a reference is ours wherever we have given it, and not where only another tenant has",
  async (books) => {
    const { tx, tenant } = books;
    const put = async (to: "own" | "others", prefix: string) => {
      const place = async (table: string, facts: object) => {
        if (to === "own") await books.insert(table, { tenant, gateway: OWN }, { ...facts });
        else await books.elsewhere(table, ...twice({ ...facts }));
      };
      const name = `${prefix}-`;
      const collection = {
        reference: `${name}ref`,
        file_id: `${prefix}F`,
        block_id: `${name}block`,
        mandate_reference: `${name}mandate`,
      };
      const file = { id: `${prefix}F`, message_id: `${name}file` };
      if (to === "own") {
        await books.file(`${prefix}F`, { message_id: `${name}file` }, null);
        await books.file(`${prefix}I`, { message_id: `${name}read`, direction: "in" }, null);
        await books.collection(collection, null);
      } else {
        await books.elsewhere("sepa_files", ...twice(file));
        await books.elsewhere("sepa_collections", ...twice(collection));
      }
      await place("sepa_withdrawn", {
        reference: `${name}ref`,
        number: 1,
        file_id: `${prefix}F`,
        block_id: `${name}old-block`,
        withdrawn_at: NOW,
      });
      for (const [movement, bank] of [
        ["credit", "123456"],
        ["debit", "12345"],
      ])
        await place("sepa_bookings", {
          reference: `${name}ref`,
          movement,
          booked_on: "2026-11-25",
          bank_reference: to === "own" ? bank : `9${bank}`,
        });
    };
    await put("own", "A");
    await put("others", "B");
    await books.mandate("C-now", {}, { reference: "D-now" });
    await books.amendment("C-now", 1, { original_reference: "C-before" }, { original_reference: "D-before" });
    const kinds = ["ref", "block", "old-block", "mandate", "file", "read"];
    const names = [
      ...kinds.flatMap((kind) => [`A-${kind}`, `B-${kind}`]),
      "A-MANDATE",
      "C-now",
      "c-NOW",
      "C-before",
      "c-BEFORE",
      "D-now",
      "D-before",
      "123456",
      "12345",
      "9123456",
      "912345",
      "NONE",
    ];
    const ours = await findOurs(tx, tenant, BOTH, names);
    assert.deepEqual([...ours].toSorted(), [
      "123456",
      "A-MANDATE",
      "A-block",
      "A-file",
      "A-mandate",
      "A-old-block",
      "A-ref",
      "C-before",
      "C-now",
      "c-BEFORE",
      "c-NOW",
    ]);
    assert.deepEqual(await findOurs(tx, tenant, BOTH, ["A-ref"]), new Set(["A-ref"]));
  },
);

// Blocks.

/**
 * A file of two blocks. The first block has an instruction that waits for the bank, one for each answer, and one that
 * was withdrawn from it; the second has one. An incoming file has the same message id.
 */
async function blocks(books: Neighbours): Promise<void> {
  // In the neighbours the names of the two are swapped.
  await books.file("PSB-7", {}, { message_id: "PSB-8" });
  await books.file("PSB-8", {}, { message_id: "PSB-7" });
  await books.file("IN", { direction: "in", message_id: "PSB-7" });
  const first = { file_id: "PSB-7", block_id: "PSB-7-1" };
  for (const [reference, state, amount] of [
    ["OPEN", "batched", "10.00"],
    ["PAID", "settled", "20.00"],
    ["BACK", "returned", "40.00"],
    ["NO", "rejected", "80.00"],
    ["OVER", "fenced", "160.00"],
  ])
    await books.collection({ reference, state, amount, ...first });
  await books.collection({ reference: "TAKEN", amount: "320.00" });
  await books.withdrawn("TAKEN", 1, "PSB-7");
  await books.collection({
    reference: "OTHER",
    state: "batched",
    amount: "640.00",
    file_id: "PSB-7",
    block_id: "PSB-7-2",
  });
  await books.collection({ reference: "WAITS", amount: "1280.00" });
  await books.collection({
    reference: "NEXT",
    state: "batched",
    amount: "2560.00",
    file_id: "PSB-8",
    block_id: "PSB-8-1",
  });
  await books.collection({
    reference: "READ",
    state: "batched",
    amount: "5120.00",
    file_id: "IN",
    block_id: "IN-1",
  });
  await books.withdrawn("WAITS", 1, "IN", { block_id: "IN-1" });
  await books.elsewhere(
    "sepa_withdrawn",
    ...twice({ reference: "NEXT", number: 1, file_id: "PSB-8", block_id: "PSB-7-1", withdrawn_at: NOW }),
  );
}

const BLOCK = { blockId: "PSB-7-1", messageId: null };
const FILE = { blockId: null, messageId: "PSB-7" };

inBooks(
  "a block is added up with what was withdrawn from it where the bank has booked it, and without it in a report",
  async (books) => {
    const { tx, tenant } = books;
    await blocks(books);
    const none = { refunds: 0, settled: 2, currency: "EUR" };
    const sums = [
      [BLOCK, true, { ...none, transactions: 6, batched: 2, amount: "390.00" }],
      [BLOCK, false, { ...none, transactions: 5, batched: 1, amount: "70.00" }],
      [FILE, true, { ...none, transactions: 7, batched: 3, amount: "1030.00" }],
      [FILE, false, { ...none, transactions: 6, batched: 2, amount: "710.00" }],
    ] as const;
    for (const [names, booked, expected] of sums)
      assert.deepEqual(
        { ...(await lockBlock(tx, tenant, BOTH, names, booked)) },
        expected,
        JSON.stringify([names, booked]),
      );
    const nothing = await lockBlock(tx, tenant, BOTH, { blockId: "PSB-9-1", messageId: null }, true);
    assert.deepEqual(
      { ...nothing },
      { transactions: 0, batched: 0, settled: 0, refunds: 0, amount: "0.00", currency: null },
    );
  },
);

for (const [what, names, named] of [
  ["a block", BLOCK, ["BACK", "NO", "OPEN", "OVER", "PAID", "TAKEN"]],
  ["a file", FILE, ["BACK", "NO", "OPEN", "OTHER", "OVER", "PAID", "TAKEN"]],
] as const)
  inBooks(`the booking of ${what} is one of all that is in it or was`, async (books) => {
    const { tx, tenant } = books;
    await blocks(books);
    await books.rows("update sepa_collections set state = 'settled' where reference <> 'BACK'");
    const booked = {
      movement: "credit",
      fileId: fileId("IN"),
      on: "2026-11-25",
      bankReference: "BK",
      namedFile: "PSB-7",
    } as const;
    await books.alone(() => insertBlockBookings(tx, tenant, BOTH, names, booked));
    const rows = await books.rows(
      "select reference from sepa_bookings where tenant = $1 and gateway_id = $2 order by reference",
      [tenant, OWN],
    );
    assert.deepEqual(
      rows.map(({ reference }) => String(reference)),
      named,
    );
    // All other instructions are booked as well. These are the ones that another entry has booked.
    const all = Object.keys(await books.collections("state")).filter(
      (reference) => !named.some((one) => one === reference),
    );
    for (const reference of all) await books.booking(reference, "credit", {}, null);
    const later = { ...booked, fileId: fileId("PSB-7"), on: "2026-11-26", bankReference: "BK-2" };
    assert.equal(await countBookedOtherwise(tx, tenant, BOTH, names, later), named.length);
  });

inBooks(
  "a withdrawn file is known by its name or a block's, when something of it was sent in another one since",
  async (books) => {
    const { tx, tenant } = books;
    for (const name of ["W", "V", "U"]) await books.file(name, { status: "withdrawn" });
    await books.file("SENT");
    await books.file("KEPT", { status: "ready" });
    await books.collection({ reference: "AGAIN", state: "batched", file_id: "SENT", block_id: "SENT-1" });
    await books.collection({ reference: "WAITS", state: "batched", file_id: "KEPT", block_id: "KEPT-1" });
    await books.withdrawn("AGAIN", 1, "W");
    await books.withdrawn("AGAIN", 2, "KEPT");
    await books.withdrawn("WAITS", 1, "V");
    await books.withdrawn("WAITS", 2, "U", {}, null);
    await books.elsewhere(
      "sepa_withdrawn",
      ...twice({ reference: "AGAIN", number: 3, file_id: "U", block_id: "U-1", withdrawn_at: NOW }),
    );
    const found: string[] = [];
    for (const name of ["W", "V", "U", "KEPT", "SENT"]) {
      const byFile = await findBlockSentAgain(tx, tenant, BOTH, { blockId: null, messageId: name });
      const byBlock = await findBlockSentAgain(tx, tenant, BOTH, { blockId: `${name}-1`, messageId: null });
      assert.deepEqual(byBlock, byFile);
      if (byFile !== null) found.push(byFile.message_id ?? "");
    }
    assert.deepEqual(found, ["W"]);
  },
);

inBooks("a block of refunds is known as one, and one in two currencies has none", async (books) => {
  await books.file("PSB-7");
  const block = { state: "batched", file_id: "PSB-7", block_id: "PSB-7-1" };
  await books.collection({ reference: "R1", refund_of: "D1", ...block });
  await books.collection({ reference: "R2", currency: "CHF", ...block });
  const { refunds, currency } = await lockBlock(books.tx, books.tenant, BOTH, BLOCK, true);
  assert.deepEqual([refunds, currency], [1, null]);
});

const moved = (books: Neighbours) =>
  books.collections("state, settled_on, returned_on, reason_code, gateway_reference");
const BLOCK_NEWS = `select jsonb_build_array(reference, kind, round, (at at time zone 'UTC')::date, gateway_reference, reason_code, reason_message) as has
                      from sepa_news where tenant = $1 order by number`;

for (const [bankReference, open, taken, other] of [
  ["BK", "BK:OPEN", "BK:TAKEN", "BK:OTHER"],
  [null, "PSB-7/PSB-7-1/OPEN", "PSB-7/TAKEN", "PSB-7/PSB-7-2/OTHER"],
] as const)
  inBooks(
    `a file that is booked ${bankReference === null ? "without a reference of the bank" : "with one"} settles what waits of it, and what was withdrawn from it`,
    async (books) => {
      await blocks(books);
      const before = await moved(books);
      const to = {
        state: "settled",
        on: "2026-11-24",
        reasonCode: null,
        reasonMessage: null,
        bankReference,
        fileId: fileId("IN"),
      } as const;
      const count = await books.alone(() => moveBlock(books.tx, books.tenant, BOTH, FILE, to, NOW));
      assert.equal(count, 3);
      const settled = (reference: string) => ["settled", "2026-11-24", null, null, reference];
      assert.deepEqual(await moved(books), {
        ...before,
        OPEN: settled(open),
        TAKEN: settled(taken),
        OTHER: settled(other),
      });
      const news = await books.rows(BLOCK_NEWS, [books.tenant]);
      const told = (reference: string, ours: string) => [
        reference,
        "settled",
        0,
        "2026-11-24",
        ours,
        null,
        null,
      ];
      assert.deepEqual(
        news.map(({ has }) => has),
        [told("OPEN", open), told("OTHER", other), told("TAKEN", taken)],
      );
    },
  );

inBooks(
  "a block that is booked without a reference of the bank gives what was withdrawn from it the block's",
  async (books) => {
    await blocks(books);
    const to = {
      state: "settled",
      on: "2026-11-24",
      reasonCode: null,
      reasonMessage: null,
      bankReference: null,
      fileId: fileId("IN"),
    } as const;
    await moveBlock(books.tx, books.tenant, BOTH, BLOCK, to, NOW);
    assert.equal((await moved(books))["TAKEN"]?.[4], "PSB-7-1/TAKEN");
  },
);

inBooks(
  "a block that is rejected ends what waits of it, and nothing that was withdrawn from it",
  async (books) => {
    await blocks(books);
    await books.rows("update sepa_collections set gateway_reference = 'OLD' where reference = 'OPEN'");
    const before = await moved(books);
    await books.news("OPEN", "returned", { reason_code: "TOLD" }, null);
    const to = {
      state: "rejected",
      on: "2026-11-24",
      reasonCode: "AM05",
      reasonMessage: "twice",
      bankReference: null,
      fileId: fileId("IN"),
    } as const;
    assert.equal(await books.alone(() => moveBlock(books.tx, books.tenant, BOTH, BLOCK, to, NOW)), 1);
    assert.deepEqual(await moved(books), {
      ...before,
      OPEN: ["rejected", null, "2026-11-24", "AM05", "OLD"],
    });
    const news = await books.rows("select reference, kind, reason_code from sepa_news where tenant = $1", [
      books.tenant,
    ]);
    // Acknowledged news is not returned again.
    assert.deepEqual(
      news.map((row) => Object.values(row).join(" ")),
      ["OPEN returned TOLD"],
    );
  },
);

/** Bookings of a block that is booked on the 25th, in the file IN, with the bank's reference BK. */
const BOOKED_OTHERWISE: readonly (readonly [what: string, facts: Facts, counted: boolean])[] = [
  ["of the same day and reference", { bank_reference: "BOOKED-1" }, false],
  ["of the same day, under another reference", { bank_reference: "BOOKED-2" }, false],
  [
    "of another day, under the same reference",
    { booked_on: "2026-11-24", bank_reference: "BOOKED-1" },
    false,
  ],
  ["of another day, under another reference", { booked_on: "2026-11-24", bank_reference: "BOOKED-2" }, true],
  ["of another day, without a reference", { booked_on: "2026-11-24" }, true],
  ["of the same file, and the same in all else", { bank_reference: "BOOKED-1", file_id: "IN" }, true],
];

for (const [what, facts, counted] of BOOKED_OTHERWISE)
  inBooks(
    `a block whose payment has a booking ${what} is ${counted ? "" : "not "}booked by another entry`,
    async (books) => {
      await blocks(books);
      await books.booking("PAID", "credit", facts);
      await books.booking("BACK", "debit", { booked_on: "2026-11-01" });
      await books.booking("OPEN", "credit", { booked_on: "2026-11-01" });
      await books.booking("NO", "credit", { booked_on: "2026-11-01" });
      const booked = {
        movement: "credit",
        fileId: fileId("IN"),
        on: "2026-11-25",
        bankReference: "BOOKED-1",
        namedFile: "PSB-7",
      } as const;
      const count = await countBookedOtherwise(books.tx, books.tenant, BOTH, BLOCK, booked);
      assert.equal(count, counted ? 1 : 0);
      assert.equal(await countBookedOtherwise(books.tx, books.tenant, BOTH, FILE, booked), counted ? 1 : 0);
    },
  );

inBooks(
  "a block's booking is kept for what is settled of it, beside those that were kept before",
  async (books) => {
    await blocks(books);
    await books.rows("update sepa_collections set state = 'settled' where reference in ('TAKEN', 'READ')");
    await books.booking("PAID", "credit", { booked_on: "2026-11-20" });
    const booked = {
      movement: "credit",
      fileId: fileId("IN"),
      on: "2026-11-25",
      bankReference: "BK",
      namedFile: "PSB-7",
    } as const;
    await books.alone(() => insertBlockBookings(books.tx, books.tenant, BOTH, BLOCK, booked));
    const rows = await books.rows(
      "select reference, booked_on, bank_reference from sepa_bookings where tenant = $1 and gateway_id = $2 order by reference",
      [books.tenant, OWN],
    );
    assert.deepEqual(
      rows.map((row) => Object.values(row).join(" ")),
      ["BACK 2026-11-25 BK", "PAID 2026-11-20 ", "TAKEN 2026-11-25 BK"],
    );
  },
);

// Debits without an answer, and reports of the bank.

inBooks(
  "a debit without an answer counts as paid only if its file was sent and its due date has come, the oldest first",
  async (books) => {
    await books.file("SENT");
    await books.file("KEPT", { status: "unclear" });
    const batched = { state: "batched", file_id: "SENT", block_id: "SENT-1" };
    await books.collection({ reference: "B", ...batched, due_date: "2026-11-20" });
    await books.collection({ reference: "A", ...batched, due_date: "2026-11-20" });
    await books.collection({ reference: "C", ...batched, due_date: "2026-11-19" });
    await books.collection({ reference: "LATER", ...batched, due_date: "2026-11-21" });
    await books.collection({ reference: "KEPT", ...batched, file_id: "KEPT", due_date: "2026-11-19" });
    for (const state of STATES.filter((one) => one !== "batched"))
      await books.collection({ reference: state, ...batched, state, due_date: "2026-11-19" });
    const found = await findAssumable(books.tx, books.tenant, OWN, "2026-11-20", 10);
    assert.deepEqual(
      found.map(({ reference, due_date, gateway_reference }) => [reference, due_date, gateway_reference]),
      [
        ["C", "2026-11-19", "SENT/SENT-1/C"],
        ["A", "2026-11-20", "SENT/SENT-1/A"],
        ["B", "2026-11-20", "SENT/SENT-1/B"],
      ],
    );
    await books.alone(() => markAssumed(books.tx, books.tenant, OWN, ["A", "C"]));
    const assumed = await books.rows(
      "select reference from sepa_collections where assumed order by reference",
    );
    assert.deepEqual(referencesOf(assumed as never), ["A", "C"]);
  },
);

inBooks("a report is listed by its numbers after one, of one result or of all", async (books) => {
  const { tx, tenant } = books;
  for (const name of ["IN", "IN-2"]) {
    await books.file(name, { direction: "in" });
    await books.elsewhere(
      "sepa_entries",
      ...twice({ file_id: name, number: 9, result: "settled", detail: "" }),
    );
    const line = { reference: "R", amount: "1.00", reason_code: null, detail: "" };
    const lines = (["settled", "known", "settled"] as const).map((result, at) => ({
      ...line,
      number: at + 1,
      result,
    }));
    await books.alone(() => insertEntries(tx, tenant, fileId(name), lines));
  }
  const numbers = async (after: number, result: string | null, limit = 10) =>
    (await listReportLines(tx, tenant, fileId("IN"), { after, limit, result })).map(({ number }) => number);
  assert.deepEqual(await numbers(0, null), [1, 2, 3]);
  assert.deepEqual(await numbers(1, null), [2, 3]);
  assert.deepEqual(await numbers(0, "settled"), [1, 3]);
  assert.deepEqual(await numbers(0, null, 2), [1, 2]);
});

inBooks("the instructions of a file are listed in their order with the answer to each", async (books) => {
  const { tx, tenant } = books;
  await books.file("SENT");
  await books.file("NEXT");
  for (const [reference, state, file] of [
    ["B", "batched", "SENT"],
    ["A", "settled", "SENT"],
    ["C", "batched", "SENT"],
    ["D", "batched", "NEXT"],
  ])
    await books.collection({ reference, state, file_id: file, block_id: `${file}-1` });
  const listed = async (after: number, result: string | null) =>
    (await listInstructions(tx, tenant, fileId("SENT"), { after, limit: 10, result })).map(
      (one) => `${one.number} ${one.reference} ${one.result}`,
    );
  assert.deepEqual(await listed(0, null), ["1 A settled", "2 B unanswered", "3 C unanswered"]);
  assert.deepEqual(await listed(1, null), ["2 B unanswered", "3 C unanswered"]);
  assert.deepEqual(await listed(0, "unanswered"), ["2 B unanswered", "3 C unanswered"]);
});
