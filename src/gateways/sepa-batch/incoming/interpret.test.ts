import assert from "node:assert/strict";
import test from "node:test";
import type {
  AccountStatement,
  BankRecord,
  Batch,
  Detail,
  Entry,
  GroupStatus,
  Reason,
  ReportedStatus,
} from "../../../sepa/messages/reading/bank-records.ts";
import { code, detail, entry, euros, reason } from "../../../../tests/sepa/records.ts";
import { chunksOf } from "./interpret.ts";
import type { Chunk, Item } from "./items.ts";

const IBAN = "DE89370400440532013000";
const ANOTHER_IBAN = "AT483200000012345864";
const CREATED = "2026-11-27";

type Message = Extract<BankRecord, { kind: "message" }>;
type Family = Message["type"]["family"];

function message(family: Family, facts: Partial<Message> = {}): BankRecord {
  const type = { family, version: 8, namespace: "" };
  return {
    kind: "message",
    type,
    messageId: "BK-1",
    createdOn: CREATED,
    page: null,
    lastPage: null,
    ...facts,
  };
}

function statement(iban: string | null = IBAN, number = 1): AccountStatement {
  return {
    kind: "statement",
    number,
    statementId: `S-${number}`,
    electronicSequenceNumber: null,
    legalSequenceNumber: null,
    createdOn: null,
    page: null,
    lastPage: null,
    account: { iban, otherId: null, currency: "EUR" },
    balances: [],
    opening: null,
    closing: null,
  };
}

type Balance = Extract<BankRecord, { kind: "statement_end" }>["balance"];

function statementEnd(of: AccountStatement, balance: Balance = "agrees"): BankRecord {
  return { kind: "statement_end", statement: of, entries: 0, balance };
}

async function chunks(records: readonly BankRecord[]): Promise<readonly Chunk[]> {
  // oxlint-disable-next-line typescript/require-await -- records come from a stream
  async function* all(): AsyncGenerator<BankRecord> {
    yield* records;
  }
  return Array.fromAsync(chunksOf(all(), [IBAN]));
}

async function itemsOf(records: readonly BankRecord[]): Promise<readonly Item[]> {
  return (await chunks(records)).flatMap(({ items }) => items);
}

/**
 * The item that results from one entry of our account.
 * @param facts of its transaction; null for an entry without a transaction.
 */
async function booked(
  ofEntry: Partial<Entry>,
  facts: Partial<Detail> | null = {},
  iban: string | null = IBAN,
): Promise<Item> {
  const one = entry(ofEntry);
  const records: BankRecord[] = [message("camt.053"), statement(iban), one];
  if (facts !== null) records.push(detail(facts));
  records.push(
    { kind: "entry_end", entry: one, details: facts === null ? 0 : 1 },
    statementEnd(statement(iban)),
  );
  const [item, ...more] = await itemsOf(records);
  assert.deepEqual(more, []);
  assert.ok(item !== undefined);
  return item;
}

/** The given members of an item. */
function only(item: Item, names: readonly string[]): Readonly<Record<string, unknown>> {
  const all = item as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

// The kind of a booking.

const KINDS: readonly (readonly [
  what: string,
  entry: Partial<Entry>,
  detail: Partial<Detail> | null,
  expected: Readonly<Record<string, unknown>>,
])[] = [
  ["a collection", { code: code("PMNT/IDDT/ESDD") }, {}, { kind: "credit", sure: true }],
  ["a sum of collections", { code: code("PMNT/IDDT/ESDD") }, null, { kind: "block_credit", sure: true }],
  ["money without a code", {}, {}, { kind: "credit", sure: false }],
  ["a sum without a code", {}, null, { kind: "block_credit", sure: false }],
  ["a debit without a code", { sign: "DBIT" }, {}, { kind: "return", sure: false, reversal: undefined }],
  ["a reversal without a code", { reversal: true }, {}, { kind: "withdrawn_return", sure: false }],
  [
    "a return",
    { sign: "DBIT", code: code("PMNT/IDDT/UPDD") },
    {},
    { kind: "return", sure: true, reversal: undefined },
  ],
  [
    "the creditor's reversal",
    { sign: "DBIT", code: code("PMNT/IDDT/PRDD") },
    {},
    { kind: "return", reversal: true },
  ],
  [
    "a return that is reversed",
    { code: code("PMNT/IDDT/UPDD"), reversal: true },
    {},
    { kind: "withdrawn_return", sure: true },
  ],
  ["a fee", { sign: "DBIT", code: code("PMNT/IDDT/CHRG") }, {}, { kind: "fee" }],
  [
    "a fee that comes back",
    { sign: "CRDT", code: code("PMNT/IDDT/CHRG") },
    {},
    { kind: "note", words: "a fee that was refunded", understood: false },
  ],
  ["a transfer that goes out", { sign: "DBIT", code: code("PMNT/ICDT/ESCT") }, {}, { kind: "transfer_out" }],
  ["a transfer that comes in", { sign: "CRDT", code: code("PMNT/RCDT/ESCT") }, {}, { kind: "transfer_back" }],
  [
    "the transaction's sign counts",
    { sign: "CRDT", code: code("PMNT/ICDT/ESCT") },
    { sign: "DBIT" },
    { kind: "transfer_out" },
  ],
  [
    "no sign",
    { sign: null },
    {},
    { kind: "note", words: "booked without a credit or debit indicator", understood: false },
  ],
  ["not booked yet", { state: "PDNG" }, {}, { kind: "note", words: "not booked (PDNG)", understood: true }],
  [
    "a state of no standard",
    { state: null },
    {},
    { kind: "note", words: "not booked (no status)", understood: false },
  ],
];

for (const [what, ofEntry, ofDetail, expected] of KINDS)
  test(`${what} is taken as: ${JSON.stringify(expected)}`, async () =>
    assert.deepEqual(only(await booked(ofEntry, ofDetail), Object.keys(expected)), expected));

for (const iban of [ANOTHER_IBAN, null])
  test(`an entry of ${iban ?? "an account without an IBAN"} is a note, whatever it says`, async () =>
    assert.deepEqual(only(await booked({}, {}, iban), ["kind", "words", "understood"]), {
      kind: "note",
      words: "another account",
      understood: false,
    }));

test("an entry's day is its booking's, else the day of its value, else the day of the file", async () => {
  const days: string[] = [];
  for (const facts of [{}, { bookingDate: null }, { bookingDate: null, valueDate: null }])
    days.push(
      (await booked({ bookingDate: "2026-11-25", valueDate: "2026-11-26", ...facts })).bookedOn ?? "",
    );
  assert.deepEqual(days, ["2026-11-25", "2026-11-26", CREATED]);
});

test("the bank's reference is the transaction's, else the entry's", async () => {
  const both = await booked({ servicerReference: "E" }, { servicerReference: "D" });
  const ofEntry = await booked({ servicerReference: "E" });
  assert.deepEqual(
    [only(both, ["bankReference"]), only(ofEntry, ["bankReference"])],
    [{ bankReference: "D" }, { bankReference: "E" }],
  );
});

// The references in a booking.

const batch = (facts: Partial<Batch>): Batch => ({
  messageId: null,
  paymentInformationId: null,
  transactions: null,
  amount: null,
  sign: null,
  ...facts,
});

test("a transaction names each of its ids once: ours apart from the others, and those of its own batch only", async () => {
  const { ids } = await booked(
    { servicerReference: "ACCT", batches: [batch({ messageId: "OTHER" })] },
    {
      endToEndId: "E2E",
      instructionId: "INSTR",
      transactionId: "E2E",
      mandateId: "M",
      paymentInformationId: "P",
      messageId: "MSG",
      servicerReference: "SVC",
      batch: batch({ messageId: "MSG", paymentInformationId: "BP" }),
    },
  );
  assert.deepEqual(ids, {
    references: ["E2E", "INSTR"],
    endToEndId: "E2E",
    mandateReference: "M",
    others: ["P", "MSG", "SVC", "ACCT", "BP"],
  });
});

test("an entry without transactions names its batches", async () => {
  const { ids } = await booked(
    {
      servicerReference: "ACCT",
      batches: [batch({ messageId: "B1" }), batch({ paymentInformationId: "B2" })],
    },
    null,
  );
  assert.deepEqual(ids, {
    references: [],
    endToEndId: null,
    mandateReference: null,
    others: ["ACCT", "B1", "B2"],
  });
});

const BLOCKS: readonly (readonly [
  what: string,
  batches: readonly Batch[],
  detail: Partial<Detail> | null,
  block: { readonly blockId: string | null; readonly messageId: string | null } | null,
])[] = [
  ["nothing is named", [], {}, null],
  [
    "the batch names a block",
    [],
    { batch: batch({ paymentInformationId: "P" }) },
    { blockId: "P", messageId: null },
  ],
  ["the batch names a file", [], { batch: batch({ messageId: "F" }) }, { blockId: null, messageId: "F" }],
  ["the transaction names a block", [], { paymentInformationId: "P" }, { blockId: "P", messageId: null }],
  ["the transaction names a file", [], { messageId: "F" }, { blockId: null, messageId: "F" }],
  [
    "block and file are named: the block counts",
    [],
    { batch: batch({ paymentInformationId: "P", messageId: "F" }) },
    { blockId: "P", messageId: null },
  ],
  [
    "the batch counts before the transaction",
    [],
    { batch: batch({ paymentInformationId: "P" }), paymentInformationId: "Q" },
    { blockId: "P", messageId: null },
  ],
  [
    "the batch's file counts before the transaction's",
    [],
    { batch: batch({ messageId: "F" }), messageId: "G" },
    { blockId: null, messageId: "F" },
  ],
  ["an entry without transactions", [batch({ messageId: "F" })], null, { blockId: null, messageId: "F" }],
  [
    "the transaction's batch counts before the entry's",
    [batch({ messageId: "F" })],
    { batch: batch({ messageId: "G" }) },
    { blockId: null, messageId: "G" },
  ],
];

for (const [what, batches, ofDetail, block] of BLOCKS)
  test(`the block of a booking, ${what}: ${JSON.stringify(block)}`, async () =>
    assert.deepEqual(only(await booked({ batches }, ofDetail), ["block"]), { block }));

// Amounts.

const AMOUNTS: readonly (readonly [
  what: string,
  detail: Partial<Detail> | null,
  amount: number | null,
  currency: string | null,
])[] = [
  ["its own", { amount: euros("3.00"), transactionAmount: euros("4.00") }, 300, "EUR"],
  [
    "the transaction's before the instructed one",
    { transactionAmount: euros("4.00"), instructedAmount: euros("5.00") },
    400,
    "EUR",
  ],
  ["the instructed one", { instructedAmount: euros("5.00") }, 500, "EUR"],
  [
    "one in the entry's currency before one in another",
    { amount: euros("3.00", "CHF"), instructedAmount: euros("5.00") },
    500,
    "EUR",
  ],
  [
    "one in another currency, where there is no other",
    { alone: false, amount: euros("3.00", "CHF") },
    300,
    "CHF",
  ],
  ["the entry's, as it is alone", {}, 1_000, "EUR"],
  ["none, as it is not alone", { alone: false }, null, "EUR"],
  ["none, as it is not in cents", { amount: euros("3.001") }, null, "EUR"],
  ["the entry's, without a transaction", null, 1_000, "EUR"],
];

for (const [what, ofDetail, amount, currency] of AMOUNTS)
  test(`the amount of a credit: ${what}`, async () =>
    assert.deepEqual(only(await booked({}, ofDetail), ["amount", "currency"]), { amount, currency }));

test("an amount without a currency has that of the account", async () => {
  const item = await booked({ amount: { ...euros("10.00"), currency: null } });
  assert.deepEqual(only(item, ["amount", "currency"]), { amount: 1_000, currency: "EUR" });
});

const RETURNED = { sign: "DBIT", code: code("PMNT/IDDT/UPDD") } as const;
const SPLITS: readonly (readonly [
  what: string,
  detail: Partial<Detail>,
  amount: number | null,
  fee: number | null,
  currency: string,
])[] = [
  ["nothing but the amount", {}, 1_000, null, "EUR"],
  ["what was collected, and a fee on top", { instructedAmount: euros("7.00") }, 700, 300, "EUR"],
  ["amounts that contradict each other", { instructedAmount: euros("11.00") }, null, null, "EUR"],
  ["another currency", { alone: false, amount: euros("3.00", "CHF") }, 300, null, "CHF"],
];

for (const [what, ofDetail, amount, fee, currency] of SPLITS)
  test(`the amount and fee of a return: ${what}`, async () =>
    assert.deepEqual(only(await booked(RETURNED, ofDetail), ["amount", "fee", "currency"]), {
      amount,
      fee,
      currency,
    }));

const WHYS: readonly (readonly [
  what: string,
  detail: Partial<Detail>,
  code: string | null,
  message: string | null,
])[] = [
  ["none", {}, null, null],
  ["a code", { returnReason: reason("MD06") }, "MD06", null],
  [
    "a code of the bank's",
    { returnReason: { code: null, proprietary: "X1", additionalInformation: null } },
    "X1",
    null,
  ],
  [
    "both, and words",
    {
      returnReason: { code: "AC04", proprietary: "X1", additionalInformation: "closed" },
      additionalInformation: "of the entry",
    },
    "AC04",
    "closed",
  ],
  [
    "words of the transaction",
    { returnReason: reason("AC04"), additionalInformation: "closed" },
    "AC04",
    "closed",
  ],
  ["words with an account", { additionalInformation: `to ${IBAN} of` }, null, "to [redacted] of"],
  ["long words", { additionalInformation: "x".repeat(501) }, null, "x".repeat(500)],
];

for (const [what, ofDetail, wanted, words] of WHYS)
  test(`the reason of a return: ${what}`, async () =>
    assert.deepEqual(only(await booked(RETURNED, ofDetail), ["why"]), {
      why: { code: wanted, message: words },
    }));

// Status reports.

interface Reported {
  readonly group?: Partial<GroupStatus>;
  /** Null: transactions are outside any block. */
  readonly block?: {
    readonly id?: string | null;
    readonly status?: string | null;
    readonly reasons?: readonly Reason[];
  } | null;
  readonly transactions?: readonly Partial<ReportedStatus>[];
  /** Whether an accepted block follows. */
  readonly next?: boolean;
}

function reported({ group, block = null, transactions = [], next = false }: Reported): readonly BankRecord[] {
  const records: BankRecord[] = [message("pain.002")];
  records.push({
    kind: "group_status",
    originalMessageId: "PSB-7",
    originalMessageName: "pain.008.001.08",
    status: null,
    reasons: [],
    ...group,
  });
  const blockOf = (number: number, id: string | null, status: string | null, reasons: readonly Reason[]) =>
    ({ kind: "block_status", number, originalPaymentInformationId: id, status, reasons }) as const;
  const first =
    block === null
      ? null
      : blockOf(1, block.id === undefined ? "PSB-7-1" : block.id, block.status ?? null, block.reasons ?? []);
  if (first !== null) records.push(first);
  for (const [at, facts] of transactions.entries()) records.push(transaction(at + 1, facts));
  if (first !== null) records.push({ kind: "block_end", block: first, transactions: transactions.length });
  const second = blockOf(2, "PSB-7-2", "ACCP", []);
  if (next) records.push(second, { kind: "block_end", block: second, transactions: 0 });
  records.push({
    kind: "message_end",
    blocks: Number(first !== null) + Number(next),
    transactions: transactions.length,
  } as unknown as BankRecord);
  return records;
}

function transaction(number: number, facts: Partial<ReportedStatus>): ReportedStatus {
  return {
    kind: "transaction_status",
    blockNumber: 1,
    number,
    originalInstructionId: null,
    originalEndToEndId: `R${number}`,
    originalTransactionId: null,
    status: null,
    reasons: [],
    servicerReference: null,
    amount: null,
    mandateId: null,
    creditorId: null,
    requestedCollectionDate: null,
    debtor: { name: null, iban: null },
    ...facts,
  };
}

/** An item of a report as text. */
function inWords(item: Item): string {
  switch (item.kind) {
    case "note":
      return `${item.understood ? "" : "? "}${item.words}`;
    case "reject":
      return `rejects ${item.ids.references.join()} ${item.why.code ?? "-"}`;
    case "block_reject":
      return `rejects ${item.block.blockId ?? item.block.messageId ?? ""} ${item.why.code ?? "-"}${item.listed ? ", some are listed" : ""}`;
    default:
      return item.kind;
  }
}

const RJCT = "RJCT";
const REPORTS: readonly (readonly [what: string, report: Reported, items: readonly string[]])[] = [
  // The status of the file.
  ["the file is accepted", { group: { status: "ACCP" } }, ["file: ACCP"]],
  ["the file waits", { group: { status: "PDNG" } }, ["file: PDNG"]],
  ["the file is partly accepted, and nothing more is said", { group: { status: "PART" } }, ["? file: PART"]],
  ["the file has a code of no standard", { group: { status: "XXXX" } }, ["? file: XXXX"]],
  ["the file has no status", {}, ["? file: without status"]],
  [
    "the file is rejected",
    { group: { status: RJCT, reasons: [reason("FF01") as Reason] } },
    ["rejects PSB-7 FF01"],
  ],
  [
    "a file without an id is rejected",
    { group: { status: RJCT, originalMessageId: null } },
    ["? a file without an id"],
  ],
  // Blocks.
  [
    "the block is rejected",
    { block: { status: RJCT, reasons: [reason("AC01") as Reason] } },
    ["rejects PSB-7-1 AC01"],
  ],
  ["a block without an id is rejected", { block: { status: RJCT, id: null } }, ["? a block without an id"]],
  ["the block is accepted", { block: { status: "ACSP" } }, ["block: ACSP"]],
  [
    "the block has the file's status and reason, as it has none",
    { group: { status: RJCT, reasons: [reason("FF01") as Reason] }, block: {} },
    ["rejects PSB-7-1 FF01", "rejects PSB-7 FF01, some are listed"],
  ],
  [
    "the block's own reason counts before the file's",
    {
      group: { reasons: [reason("FF01") as Reason] },
      block: { status: RJCT, reasons: [reason("AC01") as Reason] },
    },
    ["rejects PSB-7-1 AC01"],
  ],
  [
    "the block's own status counts before the file's",
    { group: { status: RJCT }, block: { status: "ACCP" } },
    ["block: ACCP"],
  ],
  // Transactions.
  [
    "a transaction of an accepted block is rejected",
    {
      group: { status: "PART" },
      block: { status: "PART" },
      transactions: [{ status: RJCT, reasons: [reason("MD01") as Reason] }],
    },
    ["rejects R1 MD01"],
  ],
  [
    "a transaction of a rejected block has a status of its own: the others are not meant",
    { block: { status: RJCT }, transactions: [{ status: "ACCP" }] },
    ["transaction: ACCP"],
  ],
  [
    "a transaction without a status has its block's, and its reason: the others may be meant",
    { block: { status: RJCT, reasons: [reason("AC01") as Reason] }, transactions: [{}] },
    ["rejects R1 AC01", "rejects PSB-7-1 AC01, some are listed"],
  ],
  [
    "a transaction's own reason counts before its block's",
    {
      block: { status: RJCT, reasons: [reason("AC01") as Reason] },
      transactions: [{ reasons: [reason("MD01") as Reason] }],
    },
    ["rejects R1 MD01", "rejects PSB-7-1 AC01, some are listed"],
  ],
  [
    "a transaction has the file's status and reason, as neither it nor its block has one",
    { group: { status: RJCT, reasons: [reason("FF01") as Reason] }, block: {}, transactions: [{}] },
    ["rejects R1 FF01", "rejects PSB-7 FF01, some are listed"],
  ],
  [
    "a transaction's own status counts before the file's: the other ones are not meant",
    { group: { status: RJCT }, block: {}, transactions: [{ status: "ACCP" }] },
    ["transaction: ACCP"],
  ],
  [
    "a transaction's block's status counts before the file's",
    { group: { status: RJCT }, block: { status: "ACCP" }, transactions: [{}] },
    ["transaction: ACCP"],
  ],
  [
    "a transaction outside of any block",
    { group: { status: "PART" }, transactions: [{ status: RJCT }] },
    ["rejects R1 -"],
  ],
  ["no status at all", { block: {}, transactions: [{}] }, ["? transaction: without status"]],
  [
    "a rejected file with an accepted block says no more than the block does",
    { group: { status: RJCT }, next: true },
    ["block: ACCP"],
  ],
  [
    "what a block's transactions said is not of the next block",
    { block: { status: "PART" }, transactions: [{ status: RJCT }], next: true },
    ["rejects R1 -", "block: ACCP"],
  ],
];

for (const [what, report, expected] of REPORTS)
  test(`a status report, ${what}`, async () =>
    assert.deepEqual((await itemsOf(reported(report))).map(inWords), expected));

test("the statuses of one block's transactions do not apply to a later block", async () => {
  const [head, group, ...first] = reported({ block: { status: "ACCP" }, transactions: [{ status: "ACCP" }] });
  const [, , ...second] = reported({ block: { status: RJCT, id: "PSB-7-3" }, transactions: [{}] });
  assert.ok(head !== undefined && group !== undefined);
  const items = await itemsOf([head, group, ...first.slice(0, -1), ...second]);
  assert.deepEqual(items.map(inWords), [
    "transaction: ACCP",
    "rejects R1 -",
    "rejects PSB-7-3 -, some are listed",
  ]);
});

test("a transaction after a block does not have that block's status", async () => {
  const records = [...reported({ block: { status: RJCT } })];
  const end = records.pop();
  assert.ok(end !== undefined);
  const items = await itemsOf([...records, transaction(1, {}), end]);
  assert.deepEqual(items.map(inWords), ["rejects PSB-7-1 -", "? transaction: without status"]);
});

test("a transaction of a report names each of its ids, its mandate, its block, its file and the bank's reference", async () => {
  const [item] = await itemsOf(
    reported({
      block: { status: "PART" },
      transactions: [
        {
          status: RJCT,
          originalEndToEndId: "E2E",
          originalInstructionId: "INSTR",
          originalTransactionId: "TX",
          mandateId: "M",
          servicerReference: "SVC",
          amount: euros("3.00"),
        },
      ],
    }),
  );
  assert.ok(item !== undefined);
  assert.deepEqual(only(item, ["bookedOn", "ids", "amount", "currency"]), {
    bookedOn: CREATED,
    ids: {
      references: ["E2E", "INSTR", "TX"],
      endToEndId: "E2E",
      mandateReference: "M",
      others: ["PSB-7-1", "PSB-7", "SVC"],
    },
    amount: 300,
    currency: "EUR",
  });
});

test("a transaction without an amount has the amount null", async () => {
  const [item] = await itemsOf(reported({ block: { status: RJCT }, transactions: [{}] }));
  assert.ok(item !== undefined);
  assert.deepEqual(only(item, ["amount", "currency"]), { amount: null, currency: null });
});

test("a block and a file of a report are named with the day of the report", async () => {
  const items = await itemsOf(reported({ group: { status: RJCT }, block: {} }));
  const none = { references: [], endToEndId: null, mandateReference: null };
  assert.deepEqual(
    items.map((item) => only(item, ["bookedOn", "ids", "block"])),
    [
      {
        bookedOn: CREATED,
        ids: { ...none, others: ["PSB-7-1", "PSB-7"] },
        block: { blockId: "PSB-7-1", messageId: null },
      },
      {
        bookedOn: CREATED,
        ids: { ...none, others: ["PSB-7"] },
        block: { blockId: null, messageId: "PSB-7" },
      },
    ],
  );
});

const ORDERS: readonly (readonly [name: string | null, sure: boolean, reversal: true | undefined])[] = [
  ["pain.008.001.08", true, undefined],
  ["pain.001.001.09", true, undefined],
  ["pain.007.001.09", true, true],
  [null, false, undefined],
];

for (const [name, sure, reversal] of ORDERS)
  test(`a rejection of ${name ?? "an order without a name"} is ${sure ? "certainly" : "perhaps"} of ours${reversal === true ? ", a reversal" : ""}, on each level`, async () => {
    const group = { status: RJCT, originalMessageName: name };
    const items = await itemsOf(reported({ group, block: {}, transactions: [{}] }));
    const alone = await itemsOf(reported({ group, block: {} }));
    const all = [...items, ...alone];
    assert.equal(all.length, 4);
    for (const one of all) assert.deepEqual(only(one, ["sure", "reversal"]), { sure, reversal });
  });

test("a report on another kind of order rejects nothing of ours, and names that kind", async () => {
  const originalMessageName = `camt.055 ${"x".repeat(50)}`;
  const items = await itemsOf(reported({ group: { status: RJCT, originalMessageName } }));
  assert.deepEqual(items.map(inWords), [`? about another kind of order (camt.055 ${"x".repeat(31)})`]);
});

test("a report without a status of its file gives no item", async () => {
  assert.deepEqual(
    await itemsOf([
      message("pain.002"),
      { kind: "message_end", blocks: 0, transactions: 0 } as unknown as BankRecord,
    ]),
    [],
  );
});

// Chunks.

test("a file's kind, id and day are read, and how many of its statements are ours", async () => {
  const all = [statement(IBAN, 1), statement(ANOTHER_IBAN, 2), statement(null, 3)];
  const [chunk, ...more] = await chunks([
    message("camt.053"),
    ...all.flatMap((one) => [one, statementEnd(one)]),
  ]);
  assert.deepEqual(more, []);
  assert.deepEqual(chunk, {
    items: [],
    page: null,
    notes: [],
    statements: [all[0]],
    facts: { kind: "camt.053", messageId: "BK-1", createdOn: CREATED, statements: 3, ourStatements: 1 },
  });
  const [nothing] = await chunks([]);
  assert.deepEqual(nothing?.facts, {
    kind: "unknown",
    messageId: null,
    createdOn: null,
    statements: 0,
    ourStatements: 0,
  });
});

test("only a camt.053 has statements to keep", async () => {
  for (const family of ["camt.052", "camt.054"] as const) {
    const [chunk] = await chunks([message(family), statement(), statementEnd(statement())]);
    assert.deepEqual(chunk?.statements, [], family);
  }
});

const DIFFERS = ["statement 1: its entries do not add up to its closing balance"];
const PAGES: readonly (readonly [
  page: number | null,
  lastPage: boolean | null,
  balance: Balance,
  notes: readonly string[],
])[] = [
  [null, null, "differs", DIFFERS],
  [1, true, "differs", DIFFERS],
  [1, null, "differs", DIFFERS],
  [1, false, "differs", []],
  [null, false, "differs", []],
  [2, true, "differs", []],
  [2, null, "differs", []],
  [null, null, "agrees", []],
  [null, null, "not_possible", []],
];

for (const [page, lastPage, balance, notes] of PAGES)
  test(`a statement whose balance ${balance}, page ${page ?? "-"}, last ${lastPage ?? "-"}: ${notes.length} notes`, async () => {
    const [chunk] = await chunks([
      message("camt.053", { page, lastPage }),
      statement(),
      statementEnd(statement(), balance),
    ]);
    assert.deepEqual(chunk?.notes, notes);
  });

test("a chunk is of one page, which its statement numbers or else its message", async () => {
  const paged = (number: number, page: number | null, facts: Partial<AccountStatement> = {}) => {
    const one = { ...statement(IBAN, number), page, lastPage: page === null ? null : false, ...facts };
    return [one, statementEnd(one)];
  };
  const all = await chunks([
    message("camt.053", { page: 7, lastPage: true }),
    ...paged(1, 2, { electronicSequenceNumber: "44", legalSequenceNumber: "5" }),
    ...paged(2, 3, { legalSequenceNumber: "5" }),
    ...paged(3, null),
    ...paged(4, 1, { lastPage: true }),
    ...paged(5, 100_000),
    ...paged(6, 2, { account: { iban: null, otherId: "7", currency: "EUR" } }),
    ...paged(7, 2, { statementId: null }),
    ...paged(8, 99_999),
    ...paged(9, 2, { lastPage: null }),
    ...paged(10, null, { lastPage: false }),
  ]);
  const kept = (numbers: readonly number[]) => numbers.map((number) => `S-${number}`);
  assert.deepEqual(
    all.map(({ page, statements }) => [page, statements.map(({ statementId }) => statementId)]),
    [
      [{ statement: `camt.053 ${IBAN} 44`, number: 2 }, kept([1])],
      [{ statement: `camt.053 ${IBAN} 5`, number: 3 }, kept([2])],
      [{ statement: `camt.053 ${IBAN} S-3`, number: 7 }, kept([3])],
      [null, [...kept([4, 5]), null]],
      [{ statement: `camt.053 ${IBAN} S-8`, number: 99_999 }, kept([8])],
      [{ statement: `camt.053 ${IBAN} S-9`, number: 2 }, kept([9])],
      [null, kept([10])],
    ],
  );
});

test("items and statements come in chunks of five hundred, and the rest in one more", async () => {
  const rejected = (count: number): readonly Partial<ReportedStatus>[] =>
    Array.from({ length: count }, () => ({ status: RJCT }));
  const sizes = async (count: number) =>
    (await chunks(reported({ transactions: rejected(count) }))).map(({ items }) => items.length);
  assert.deepEqual(await sizes(499), [499]);
  assert.deepEqual(await sizes(501), [500, 1]);
  const statements = Array.from({ length: 500 }, (_, at) => statement(IBAN, at + 1));
  const all = await chunks([message("camt.053"), ...statements.flatMap((one) => [one, statementEnd(one)])]);
  assert.deepEqual(
    all.map((chunk) => chunk.statements.length),
    [500, 0],
  );
});

test("a detail without an entry, and the end of an entry with details, give no item", async () => {
  const one = entry();
  const items = await itemsOf([
    message("camt.053"),
    statement(),
    detail(),
    { kind: "entry_end", entry: one, details: 2 },
  ]);
  assert.deepEqual(items, []);
});
