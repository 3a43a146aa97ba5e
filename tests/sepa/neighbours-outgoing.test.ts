/** Statements about waiting instructions, files and their transport affect only their own account. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  acknowledgeNews,
  fenceReference,
  findInstruction,
  openInstruction,
  openNews,
  openRefund,
  withdrawInstruction,
} from "../../src/gateways/sepa-batch/books-store.ts";
import {
  decideUnclear,
  releaseMailbox,
  findAccounts,
  findFileScope,
  findRead,
  listFiles,
  markSent,
  pollSoon,
  rememberAccount,
  sumWaiting,
  leaseMailbox,
} from "../../src/gateways/sepa-batch/files-store.ts";
import {
  claimUpload,
  setLastNumber,
  findAmendments,
  findScheme,
  findWaiting,
  findWaits,
  markBatched,
  moveUpload,
  postponeUpload,
  skipMessageNumbers,
  lockForRun,
  tenantsToSend,
  type Placed,
} from "../../src/gateways/sepa-batch/outgoing/store.ts";
import {
  findUnsent,
  lockUnsent,
  readUnsentState,
  writeWithdrawal,
} from "../../src/gateways/sepa-batch/outgoing/withdraw-store.ts";
import { findParts, lockTarget, markParts } from "../../src/gateways/sepa-batch/unmatched/store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import {
  BOTH,
  fileId,
  idOf,
  makeTenants,
  NOW,
  OWN,
  SISTER,
  undone,
  type Facts,
  type Neighbours,
} from "./neighbours.ts";

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

const LATER = new Date("2026-11-25T11:00:00Z");
const EARLIER = new Date("2026-11-25T09:00:00Z");
const UNSENT = ["ready", "stored", "to_approve", "uploading"];
const STATUSES = [
  "applied",
  "ready",
  "refused",
  "renaming",
  "sent",
  "stored",
  "to_approve",
  "unclear",
  "uploading",
  "withdrawn",
];
/** When a file that is to be uploaded is due. */
const dueOf = (status: string): Facts =>
  ["stored", "uploading", "renaming"].includes(status) ? { due_at: NOW } : {};

const referencesOf = (rows: readonly { readonly reference: string }[]): readonly string[] =>
  rows.map(({ reference }) => reference);
const place = (tenant: number) => ({ tenant, gatewayId: OWN });

// Files that were not sent to the bank.

inBooks("a file may be withdrawn as long as the bank cannot see it, the oldest first", async (books) => {
  const { tx, tenant } = books;
  for (const status of STATUSES)
    await books.file(status, {
      status,
      due_date: "2026-11-27",
      created_at: status === "uploading" ? EARLIER : NOW,
      ...dueOf(status),
    });
  await books.file("IN", { direction: "in", status: "ready" });
  await books.insert("sepa_files", { tenant, gateway: SISTER }, sisterFile());
  const found = (await findUnsent(tx, tenant, OWN)).map(({ status }) => status);
  assert.equal(found[0], "uploading");
  assert.deepEqual(found.toSorted(), UNSENT);
  const held: string[] = [];
  for (const status of [...STATUSES, "IN"]) {
    const file = await lockUnsent(tx, tenant, fileId(status));
    if (file !== null) held.push(file.status);
    if (file !== null) assert.equal(file.settings["creditor_iban"], "DE89370400440532013000");
  }
  assert.deepEqual(held, UNSENT);
});

const sisterFile = (): Facts => ({
  id: "S",
  message_id: "S",
  direction: "out",
  kind: "pain.008",
  name: "s.xml",
  sha256: `\\x${"00".repeat(32)}`,
  content: "\\x00",
  size: 1,
  status: "ready",
  created_at: NOW,
  updated_at: NOW,
});

inBooks(
  "the contents of a withdrawn file wait again, except for those that the bank has answered",
  async (books) => {
    const { tx, tenant } = books;
    for (const name of ["F", "G", "W"])
      await books.file(name, { status: "stored", due_at: NOW, locked_until: LATER });
    const batched = {
      state: "batched",
      file_id: "F",
      block_id: "F-1",
      due_date: "2026-11-27",
      sequence_type: "RCUR",
      amended_up_to: 2,
    };
    await books.collection({ reference: "FIRST", ...batched });
    await books.collection({ reference: "AGAIN", ...batched, block_id: "F-2" });
    await books.collection({ reference: "DONE", ...batched, state: "settled" });
    await books.collection({ reference: "OTHER", ...batched, file_id: "G", block_id: "G-1" });
    await books.withdrawn("AGAIN", 1, "W");
    await books.withdrawn("OTHER", 1, "W");
    await books.alone(() =>
      writeWithdrawal(tx, tenant, fileId("F"), { why: "by hand", missedApproval: true }, NOW),
    );
    const waits = ["accepted", null, null, null, null, null];
    const stays = (state: string, file: string) => [
      state,
      fileId(file),
      `${file}-1`,
      "2026-11-27",
      "RCUR",
      2,
    ];
    assert.deepEqual(
      await books.collections("state, file_id, block_id, due_date, sequence_type, amended_up_to"),
      {
        AGAIN: waits,
        DONE: stays("settled", "F"),
        FIRST: waits,
        OTHER: stays("batched", "G"),
      },
    );
    const withdrawn = await books.rows(
      "select reference, number, block_id from sepa_withdrawn where tenant = $1 and gateway_id = $2 and file_id = $3 order by reference",
      [tenant, OWN, fileId("F")],
    );
    assert.deepEqual(
      withdrawn.map((row) => Object.values(row).join(" ")),
      ["AGAIN 2 F-2", "FIRST 1 F-1"],
    );
    const files = await books.rows(
      `select name, status, error, missed_approval, due_at is null and locked_until is null as free
       from sepa_files where tenant = $1 and gateway_id = $2 and id = any ($3::uuid[]) order by id`,
      [tenant, OWN, [fileId("F"), fileId("G")]],
    );
    assert.deepEqual(
      files.map(({ status, error, missed_approval, free }) => [status, error, missed_approval, free]),
      [
        ["withdrawn", "by hand", true, true],
        ["stored", null, false, false],
      ],
    );
  },
);

/** A file F, not sent, contains R. R was withdrawn from the file W before, and X was in W, too. */
async function takenOnce(books: Neighbours): Promise<void> {
  for (const name of ["W", "V"]) await books.file(name, { status: "withdrawn" }, null);
  await books.file("F", { status: "ready" }, null);
  await books.file("SENT", {}, null);
  await books.collection({ reference: "R", state: "batched", file_id: "F", block_id: "F-1" }, null);
  await books.withdrawn("R", 1, "W", { withdrawn_at: EARLIER }, null);
}

const X = { reference: "X", state: "settled", updated_at: NOW };
const part = (block: Facts, facts: Facts = {}): Facts => ({
  facts: { kind: "credit", block },
  file_id: "W",
  ...facts,
});

/** Reports of the bank, and whether the file then has to wait for a person. */
const ANSWERS: readonly (readonly [
  what: string,
  said: (books: Neighbours) => Promise<void>,
  answered: boolean,
])[] = [
  ["nothing", () => Promise.resolve(), false],
  ...(["settled", "returned", "rejected"] as const).map(
    (state) =>
      [
        `that one of it is ${state}`,
        (books: Neighbours) =>
          books.collection({ reference: "Y", state, file_id: "F", block_id: "F-1" }, null),
        true,
      ] as const,
  ),
  [
    "that one of another file is settled",
    (books) =>
      books.collection({ reference: "Y", state: "settled", file_id: "SENT", block_id: "SENT-1" }, null),
    false,
  ],
  ...(
    [
      ["settled", {}, {}, true],
      ["returned", { state: "returned" }, {}, true],
      ["rejected", { state: "rejected" }, {}, false],
      ["settled since it was sent in another file", { file_id: "SENT", block_id: "SENT-1" }, {}, false],
      ["settled, and is in a file that was not sent", { file_id: "V", block_id: "V-1" }, {}, true],
      ["settled, and was in another file with it", {}, { file_id: "V" }, false],
    ] as const
  ).map(
    ([what, facts, from, answered]) =>
      [
        `that one which was withdrawn with it is ${what}`,
        async (books: Neighbours) => {
          await books.collection({ ...X, ...facts }, null);
          await books.withdrawn("X", 1, "W", from, null);
        },
        answered,
      ] as const,
  ),
  ...(
    [
      ["after that", LATER, 2, false],
      ["before that", EARLIER, 2, true],
      ["in that moment", NOW, 2, true],
      ["before the first time, by its number", LATER, 0, true],
    ] as const
  ).map(
    ([what, at, number, answered]) =>
      [
        `that one which was withdrawn with it is settled, and it was withdrawn once more ${what}`,
        async (books: Neighbours) => {
          await books.collection(X, null);
          await books.withdrawn("X", 1, "W", {}, null);
          await books.withdrawn("R", number, "V", { withdrawn_at: at }, null);
        },
        answered,
      ] as const,
  ),
  [
    "that one which was withdrawn with it is settled, and another one was withdrawn once more after that",
    async (books) => {
      await books.collection(X, null);
      await books.withdrawn("X", 1, "W", {}, null);
      await books.withdrawn("X", 2, "V", { withdrawn_at: LATER }, null);
    },
    true,
  ],
  ...(
    [
      ["its block", part({ blockId: "W-1" }), true],
      [
        "its block, kept as a part",
        part({ blockId: "W-1" }, { status: "part", target: { block: "W-1" } }),
        true,
      ],
      ["its file", part({ messageId: "W" }), true],
      ["another block", part({ blockId: "W-2" }), false],
      ["another file", part({ messageId: "V" }), false],
      [
        "its block, and a person has dismissed it",
        part({ blockId: "W-1" }, { status: "dismissed", resolved_at: NOW }),
        false,
      ],
      [
        "its block, and a person has applied it",
        part({ blockId: "W-1" }, { status: "applied", resolved_at: NOW }),
        false,
      ],
      [
        "its block as one that it rejects",
        part({ blockId: "W-1" }, { facts: { kind: "block_reject", block: { blockId: "W-1" } } }),
        false,
      ],
    ] as const
  ).map(
    ([what, facts, answered]) =>
      [
        `in an entry for a person that names ${what}`,
        (books: Neighbours) => books.unmatched("U", facts, null),
        answered,
      ] as const,
  ),
  [
    "in an entry that names its block, before it was withdrawn once more",
    async (books) => {
      await books.unmatched("U", part({ blockId: "W-1" }), null);
      await books.withdrawn("R", 2, "V", { withdrawn_at: LATER }, null);
    },
    false,
  ],
];

for (const [what, said, answered] of ANSWERS)
  inBooks(
    `a file that was not sent is ${answered ? "" : "not "}held when the bank has said ${what}`,
    async (books) => {
      await takenOnce(books);
      await said(books);
      const state = await readUnsentState(books.tx, books.tenant, { id: fileId("F"), gateway_id: OWN });
      assert.deepEqual({ ...state }, { answered, downloaded: false, stopped: false, not_owed: false });
      assert.equal(await markSent(books.tx, books.tenant, fileId("F"), NOW), !answered);
    },
  );

inBooks("only the download of the file itself shows that it may be at the bank", async (books) => {
  const { tx, tenant } = books;
  await takenOnce(books);
  const look = async () =>
    (await readUnsentState(tx, tenant, { id: fileId("F"), gateway_id: OWN })).downloaded;
  const done = (action: string, resource: string, id: string, of = tenant) =>
    books.rows(
      `insert into audit_log (tenant, id, at, actor, actor_name, action, resource, resource_id)
       values ($1, gen_random_uuid(), $2, 'a', 'a', $3, $4, $5)`,
      [of, NOW, action, resource, id],
    );
  await done("export", "sepa-files", fileId("W"));
  await done("update", "sepa-files", fileId("F"));
  await done("export", "mandates", fileId("F"));
  await done("export", "sepa-files", fileId("F"), tenants[1]);
  assert.equal(await look(), false);
  await books.collection({ reference: "Y", state: "settled", file_id: "F", block_id: "F-1" }, null);
  assert.equal(await markSent(tx, tenant, fileId("F"), NOW), false);
  await done("export", "sepa-files", fileId("F"));
  assert.equal(await look(), true);
  assert.equal(await markSent(tx, tenant, fileId("F"), NOW), true);
});

inBooks("a file with the refund of a debit that came back is stopped, and no other", async (books) => {
  const { tx, tenant } = books;
  await books.file("F", { status: "ready" });
  await books.file("G", { status: "ready" });
  await books.collection({ reference: "D1", state: "settled" }, { state: "returned" });
  await books.collection({ reference: "D2", state: "returned" });
  await books.collection({
    reference: "R1",
    refund_of: "D1",
    state: "batched",
    file_id: "F",
    block_id: "F-1",
  });
  await books.collection({
    reference: "R2",
    refund_of: "D2",
    state: "batched",
    file_id: "G",
    block_id: "G-1",
  });
  const stopped = async (name: string) =>
    (await readUnsentState(tx, tenant, { id: fileId(name), gateway_id: OWN })).stopped;
  assert.deepEqual([await stopped("F"), await stopped("G")], [false, true]);
});

// Runs, and the instructions that they write into files.

inBooks("an account has one last run a day, and any number before it", async (books) => {
  const { tx, tenant } = books;
  const run = (day: string, isFinal: boolean) =>
    books.alone(() => lockForRun(tx, tenant, OWN, { day, isFinal }, NOW));
  const at = async () =>
    (
      await books.rows(
        "select last_run_on, last_run_at is not null as timed from sepa_accounts where tenant = $1 and gateway_id = $2",
        [tenant, OWN],
      )
    ).map((row) => Object.values(row));
  assert.equal(await run("2026-11-25", false), 0);
  assert.deepEqual(await at(), [[null, false]]);
  assert.equal(await run("2026-11-25", true), 0);
  assert.deepEqual(await at(), [["2026-11-25", true]]);
  assert.equal(await run("2026-11-25", false), null);
  assert.equal(await run("2026-11-24", true), null);
  await books.elsewhere("sepa_accounts", {}, {});
  await books.alone(() => setLastNumber(tx, tenant, OWN, 7));
  assert.equal(await run("2026-11-26", false), 7);
  assert.deepEqual(await at(), [["2026-11-25", true]]);
  await skipMessageNumbers(tx);
  const numbers = await books.rows("select last_number from sepa_accounts order by last_number");
  assert.deepEqual(
    numbers.map(({ last_number: number }) => number),
    [10_000, 10_000, 10_007],
  );
});

inBooks(
  "what waits and may be due goes into a file, debits apart from refunds, the oldest first",
  async (books) => {
    const { tx, tenant } = books;
    const waits = { not_before: "2026-11-27" };
    await books.collection({ reference: "B", ...waits });
    await books.collection({ reference: "A", ...waits });
    await books.collection({ reference: "C", ...waits, created_at: EARLIER });
    await books.collection({ reference: "LATER", not_before: "2026-11-28" });
    for (const state of ["batched", "settled", "returned", "rejected", "fenced", "refused"])
      await books.collection({ reference: state, ...waits, state });
    await books.collection({ reference: "D", state: "settled", file_id: null });
    await books.collection({ reference: "REFUND", ...waits, refund_of: "D" });
    await books.collection({ reference: "STOPPED", ...waits, refund_of: "returned" });
    await books.sister({ reference: "S", ...waits });
    const given = { due: "2026-11-27", limit: 10, confirmedBy: null };
    assert.deepEqual(referencesOf(await findWaiting(tx, tenant, OWN, { ...given, refunds: false })), [
      "C",
      "A",
      "B",
    ]);
    assert.deepEqual(referencesOf(await findWaiting(tx, tenant, OWN, { ...given, refunds: true })), [
      "REFUND",
    ]);
    assert.deepEqual(
      referencesOf(await findWaiting(tx, tenant, OWN, { ...given, refunds: false, limit: 2 })),
      ["C", "A"],
    );
    assert.deepEqual({ ...(await findWaits(tx, tenant, OWN, null)) }, { due: "2026-11-27", unconfirmed: 0 });
  },
);

inBooks(
  "a B2B debit whose mandate is not confirmed waits, and neither CORE nor a refund does",
  async (books) => {
    const { tx, tenant } = books;
    await books.collection({ reference: "CORE", scheme: "CORE", not_before: "2026-11-27" });
    await books.collection({ reference: "B2B", scheme: "B2B", not_before: "2026-11-26" });
    await books.collection({ reference: "D", state: "settled" });
    await books.collection({ reference: "REFUND", scheme: "B2B", refund_of: "D", not_before: "2026-11-28" });
    const given = { due: "2026-11-30", limit: 10 };
    const waiting = async (confirmedBy: string | null) =>
      referencesOf(await findWaiting(tx, tenant, OWN, { ...given, refunds: false, confirmedBy }));
    assert.deepEqual(await waiting("2026-11-20"), ["CORE"]);
    assert.deepEqual(await waiting(null), ["B2B", "CORE"]);
    assert.deepEqual(
      { ...(await findWaits(tx, tenant, OWN, "2026-11-20")) },
      { due: "2026-11-27", unconfirmed: 1 },
    );
  },
);

inBooks("a change of a mandate is announced until a collection with it was paid", async (books) => {
  const { tx, tenant } = books;
  for (const name of ["M1", "M2", "M3"]) {
    await books.mandate(name);
    await books.amendment(name, 1, { original_reference: `${name}-a` });
    await books.amendment(name, 2, { kind: "holder" });
    await books.amendment(name, 3, { original_reference: `${name}-c` });
  }
  const announced = { amended_up_to: 1 };
  await books.collection({ reference: "A", mandate_id: idOf("M1"), ...announced, state: "settled" });
  for (const state of ["batched", "rejected", "accepted"]) {
    const told = { mandate_id: idOf("M2"), amended_up_to: 3 };
    await books.collection({ reference: state, ...told, state }, null);
    await books.elsewhere(
      "sepa_collections",
      { reference: state },
      { reference: state, ...told, state: "settled" },
    );
  }
  const found = async () =>
    (await findAmendments(tx, tenant, [idOf("M2"), idOf("M1")])).map((one) => one.original_reference);
  assert.deepEqual(await found(), ["M1-c", "M2-a", "M2-c"]);
  await books.rows("update sepa_collections set state = 'returned' where reference = 'batched'");
  assert.deepEqual(await found(), ["M1-c"]);
});

const PLACED: Placed = {
  reference: "A",
  block_id: "F-1",
  sequence_type: "RCUR",
  mandate_id: null,
  mandate_reference: "M-now",
  amended_up_to: 3,
  debtor_name: "Now",
  scheme: null,
  creditor_name: "Shop",
  creditor_identifier: "DE98ZZZ09999999999",
  debtor: null,
};

inBooks(
  "what is written into a file is marked with it as the bank knows it from then on, and is written into one only",
  async (books) => {
    const { tx, tenant } = books;
    await books.file("F", { status: "ready" });
    for (const reference of ["A", "B", "C"])
      await books.collection({ reference, scheme: "CORE", debtor: "\\x01" });
    const file = { id: fileId("F"), dueDate: "2026-11-27" };
    const placed = [
      PLACED,
      {
        ...PLACED,
        reference: "B",
        block_id: "F-2",
        debtor: "\\x02",
        scheme: "B2B",
        amended_up_to: null,
      } as const,
    ];
    await books.alone(() => markBatched(tx, tenant, OWN, file, placed, NOW));
    const columns =
      "state, file_id, block_id, due_date, sequence_type, mandate_reference, amended_up_to, debtor_name, debtor, scheme, creditor_name";
    const common = (block: string) => ["batched", fileId("F"), block, "2026-11-27", "RCUR", "M-now"];
    assert.deepEqual(await books.collections(columns), {
      A: [...common("F-1"), 3, "Now", "\\x01", "CORE", "Shop"],
      B: [...common("F-2"), null, "Now", "\\x02", "B2B", "Shop"],
      C: ["accepted", null, null, null, null, "", null, "Somebody", "\\x01", "CORE", null],
    });
    await assert.rejects(markBatched(tx, tenant, OWN, file, [PLACED], NOW), /did not wait any more/);
    assert.equal((await findScheme(tx, tenant, fileId("F"))) === null, false);
    assert.equal(await findScheme(tx, tenant, fileId("G")), null);
  },
);

// Uploads.

inBooks(
  "an upload is claimed when it is due and free, the longest due first, and only by one at a time",
  async (books) => {
    const { db, tenant } = books;
    await books.file("A", { status: "stored", due_at: NOW, lease_no: 4, attempts: 2 }, null);
    await books.file("B", { status: "renaming", due_at: EARLIER }, null);
    await books.file("C", { status: "stored", due_at: LATER }, null);
    await books.file(
      "D",
      { status: "uploading", due_at: EARLIER, locked_until: "2999-01-01T00:00:00Z" },
      null,
    );
    const long = new Date("2026-11-25T08:00:00Z");
    const other = { id: "B", message_id: "B", status: "stored", due_at: long };
    await books.elsewhere("sepa_files", { id: "E", message_id: "E" }, other);
    assert.deepEqual(await tenantsToSend(db, long, 10), [tenants[1]]);
    assert.deepEqual(
      [...(await tenantsToSend(db, EARLIER, 10))].toSorted((a, b) => a - b),
      [...tenants],
    );
    const claim = async () => {
      const file = await books.alone(() => claimUpload(db, tenant, NOW, 60_000));
      return file === null ? null : [file.status, file.lease_no, file.attempts, file.locked_until === null];
    };
    assert.deepEqual(await claim(), ["renaming", "1", 1, false]);
    assert.deepEqual(await claim(), ["stored", "5", 3, false]);
    assert.equal(await claim(), null);
  },
);

const MOVES = { error: null, dueAt: null, keep: false } as const;

inBooks("a step of an upload counts under its lease only, and when it was sent stays", async (books) => {
  const { db, tenant } = books;
  const file = (name: string, lease: string) => ({ tenant, id: fileId(name), lease_no: lease });
  for (const status of STATUSES)
    await books.file(status, { status, lease_no: 5, locked_until: LATER, ...dueOf(status) });
  const shown = async (name: string) => {
    const [row] = await books.rows(
      "select status, error, due_at is null as done, locked_until is null as free, sent_at from sepa_files where tenant = $1 and id = $2",
      [tenant, fileId(name)],
    );
    return Object.values(row ?? {});
  };
  for (const status of STATUSES) {
    const isOpen = ["stored", "uploading", "renaming"].includes(status);
    const to = { ...MOVES, status: "unclear" as const, error: "?" };
    assert.equal(await moveUpload(db, file(status, "4"), to, NOW), false, status);
    await books.alone(() => postponeUpload(db, file(status, "4"), "later", LATER, NOW));
    if (!isOpen)
      assert.equal(await books.alone(() => moveUpload(db, file(status, "5"), to, NOW)), false, status);
    if (!isOpen) await postponeUpload(db, file(status, "5"), "later", LATER, NOW);
    if (!isOpen) assert.deepEqual((await shown(status)).slice(0, 2), [status, null]);
  }
  await books.alone(() =>
    moveUpload(db, file("stored", "5"), { ...MOVES, status: "uploading", dueAt: NOW, keep: true }, NOW),
  );
  assert.deepEqual(await shown("stored"), ["uploading", null, false, false, null]);
  await books.alone(() => postponeUpload(db, file("renaming", "5"), "later", LATER, NOW));
  assert.deepEqual(await shown("renaming"), ["renaming", "later", false, true, null]);
  await books.alone(() =>
    moveUpload(db, file("uploading", "5"), { ...MOVES, status: "sent", error: "note" }, NOW),
  );
  assert.deepEqual(await shown("uploading"), ["sent", "note", true, true, NOW]);
});

inBooks(
  "what may have arrived is sent, or tried again at once, as a person says; nothing else is",
  async (books) => {
    const { tx, tenant } = books;
    for (const status of STATUSES) await books.file(status, { status, ...dueOf(status) });
    await books.file("AGAIN", { status: "unclear", error: "?" });
    for (const status of STATUSES.filter((one) => one !== "unclear"))
      assert.equal(await decideUnclear(tx, tenant, fileId(status), true, NOW), false, status);
    for (const status of STATUSES.filter((one) => one !== "ready"))
      assert.equal(await markSent(tx, tenant, fileId(status), NOW), false, status);
    assert.equal(await books.alone(() => decideUnclear(tx, tenant, fileId("unclear"), true, LATER)), true);
    assert.equal(await books.alone(() => decideUnclear(tx, tenant, fileId("AGAIN"), false, LATER)), true);
    assert.equal(await books.alone(() => markSent(tx, tenant, fileId("ready"), EARLIER)), true);
    const rows = await books.rows(
      "select status, sent_at, due_at, error from sepa_files where tenant = $1 and id = any ($2::uuid[]) order by id",
      [tenant, [fileId("unclear"), fileId("AGAIN"), fileId("ready")]],
    );
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ["stored", null, LATER, null],
        // A process whose clock is behind records no time of sending before the file was written.
        ["sent", NOW, null, null],
        ["sent", LATER, null, null],
      ],
    );
  },
);

// Accounts.

inBooks(
  "a statement concerns every account of the tenant that has or had its IBAN, in whatever way it is written",
  async (books) => {
    const { tx, tenant } = books;
    assert.deepEqual(await findFileScope(tx, tenant, OWN), {
      ibans: ["DE89370400440532013000"],
      gatewayIds: BOTH,
    });
    const foreign = "cccccccc-0000-4000-8000-000000000000";
    assert.deepEqual(await findFileScope(tx, tenant, foreign), {
      ibans: ["AT483200000012345864"],
      gatewayIds: [foreign],
    });
    await rememberAccount(tx, { tenant: tenants[1], id: OWN }, "FR7630006000011234567890189", NOW);
    await rememberAccount(tx, { tenant, id: OWN }, "AT483200000012345864", NOW);
    assert.deepEqual(await findFileScope(tx, tenant, OWN), {
      ibans: ["AT483200000012345864", "DE89370400440532013000"],
      gatewayIds: [...BOTH, foreign],
    });
    const used = async () =>
      (
        await books.rows("select first_used_at, last_used_at from sepa_creditor_accounts where tenant = $1", [
          tenant,
        ])
      ).map((row) => Object.values(row));
    await books.alone(() => rememberAccount(tx, { tenant, id: OWN }, "AT483200000012345864", LATER));
    assert.deepEqual(await used(), [[NOW, LATER]]);
    await rememberAccount(tx, { tenant, id: OWN }, "AT483200000012345864", EARLIER);
    assert.deepEqual(await used(), [[EARLIER, LATER]]);
  },
);

inBooks(
  "the accounts of a tenant, of one of them, or of all are found, and no gateway of another kind",
  async (books) => {
    const { tx, tenant } = books;
    await books.rows("update gateways set adapter = 'sandbox' where id = $1", [SISTER]);
    const found = async (of: number | null, gateway: string | null = null) =>
      (await findAccounts(tx, of, gateway)).map(
        (one) => `${one.tenant === tenant ? "own" : "other"} ${one.id.slice(0, 1)}`,
      );
    assert.deepEqual(await found(null), ["own a", "own c", "other a", "other c"]);
    assert.deepEqual(await found(tenant), ["own a", "own c"]);
    assert.deepEqual(await found(tenant, OWN), ["own a"]);
    const { gatewayIds } = await findFileScope(tx, tenant, OWN);
    assert.deepEqual(gatewayIds, [OWN]);
  },
);

inBooks("a mailbox is looked into by one at a time, and not before its pause is over", async (books) => {
  const { db, tx, tenant } = books;
  const take = (since: Date) => books.alone(() => leaseMailbox(db, tenant, OWN, 60_000, since));
  assert.equal(await take(NOW), "1");
  assert.equal(await take(NOW), null);
  await books.elsewhere(
    "sepa_accounts",
    { lease_no: 1, locked_until: LATER },
    { lease_no: 1, locked_until: LATER },
  );
  await books.alone(() => releaseMailbox(db, tenant, OWN, "2", NOW, "not ours"));
  assert.equal(await take(NOW), null);
  await books.alone(() => releaseMailbox(db, tenant, OWN, "1", NOW, "no answer"));
  const [row] = await books.rows(
    "select polled_at, poll_error from sepa_accounts where tenant = $1 and gateway_id = $2",
    [tenant, OWN],
  );
  assert.deepEqual(Object.values(row ?? {}), [NOW, "no answer"]);
  assert.equal(await take(EARLIER), null);
  assert.equal(await take(NOW), "2");
  await releaseMailbox(db, tenant, OWN, "2", LATER, null);
  await books.alone(() => pollSoon(tx, tenant, OWN));
  assert.equal(await take(EARLIER), "3");
});

inBooks("what waits is added up by account and currency", async (books) => {
  await books.collection({ reference: "A", amount: "1.00" }, null);
  await books.collection({ reference: "B", amount: "2.50" }, null);
  await books.collection({ reference: "C", currency: "CHF" }, null);
  await books.collection({ reference: "D", state: "batched" }, null);
  await books.sister({ reference: "S" });
  await books.elsewhere("sepa_collections", { reference: "F", amount: "4.00" }, { reference: "T" });
  assert.deepEqual(
    (await sumWaiting(books.tx, books.tenant)).map(
      (one) => `${one.gateway_id.slice(0, 1)} ${one.currency} ${one.count} ${one.amount}`,
    ),
    ["a CHF 1 10.00", "a EUR 2 3.50", "b EUR 1 10.00", "c EUR 1 4.00"],
  );
});

inBooks(
  "bytes are known when they came in and were applied at one of the accounts, and as the first file with them",
  async (books) => {
    const { tx, tenant } = books;
    const sha256 = Buffer.alloc(32, 7);
    const same = { sha256: `\\x${sha256.toString("hex")}` };
    const known = async () => (await findRead(tx, tenant, BOTH, sha256))?.id ?? null;
    await books.file("OUT", { ...same, status: "sent" });
    await books.file("NO", { ...same, direction: "in", status: "refused" });
    await books.file("ELSE", { direction: "in", status: "applied" });
    await books.elsewhere(
      "sepa_files",
      ...twice({ ...same, id: "THERE", direction: "in", status: "applied" }),
    );
    assert.equal(await known(), null);
    await books.insert(
      "sepa_files",
      { tenant, gateway: SISTER },
      { ...sisterFile(), ...same, direction: "in", status: "applied", created_at: LATER },
    );
    assert.equal(await known(), fileId("S", SISTER));
    await books.file("IN", { ...same, direction: "in", status: "applied" }, null);
    assert.equal(await known(), fileId("IN"));
  },
);

function twice<One extends Facts>(facts: One): [One, One] {
  return [facts, facts];
}

inBooks(
  "files are listed by direction, status, account, whether they wait for a person, and their age without an answer",
  async (books) => {
    const { tx, tenant } = books;
    const due = { due_date: "2026-11-20" };
    await books.file("OUT", { ...due, status: "sent" }, null);
    await books.file("NEXT", { due_date: "2026-11-21", status: "sent" }, null);
    await books.file("DONE", { ...due, status: "sent" }, null);
    await books.file("IN", { direction: "in", status: "applied" }, null);
    await books.file("HELD", { status: "ready" }, null);
    await books.elsewhere("sepa_files", ...twice({ id: "ELSE", message_id: "ELSE", ...due }));
    const notTaken = { status: "stored", due_at: NOW, error: "no", attempts: 4 };
    await books.file("TRIED", notTaken, null);
    await books.file("THRICE", { ...notTaken, attempts: 3 }, null);
    await books.file("FINE", { ...notTaken, error: null }, null);
    await books.file("LATE", { ...notTaken, attempts: 1, due_at: "2026-11-25T11:00:01Z" }, null);
    await books.file("SOON", { ...notTaken, attempts: 1, due_at: LATER }, null);
    for (const [reference, state, file] of [
      ["A", "batched", "OUT"],
      ["B", "batched", "NEXT"],
      ["C", "settled", "DONE"],
      ["D", "settled", "HELD"],
    ])
      await books.collection({ reference, state, file_id: file, block_id: `${file}-1` }, null);
    const none = {
      direction: null,
      status: null,
      gatewayId: OWN,
      held: null,
      notTaken: null,
      unansweredSince: null,
    };
    const names = async (filters: Partial<typeof none> | Facts) =>
      (
        await listFiles(
          tx,
          tenant,
          { ...none, ...filters },
          { towards: "older", at: "infinity", id: fileId("x"), limit: 20 },
        )
      )
        .map((one) => Buffer.from(one.id.slice(-12), "hex").toString().replaceAll("\0", ""))
        .toSorted((a, b) => a.localeCompare(b));
    assert.deepEqual(await names({ direction: "in" }), ["IN"]);
    assert.deepEqual(await names({ status: "ready" }), ["HELD"]);
    assert.deepEqual(await names({ held: true }), ["HELD"]);
    assert.deepEqual(await names({ notTaken: true }), ["LATE", "TRIED"]);
    assert.deepEqual(await names({ notTaken: false, status: "stored" }), ["FINE", "SOON", "THRICE"]);
    assert.deepEqual(await names({ unansweredSince: "2026-11-20" }), ["OUT"]);
    assert.deepEqual(await names({ unansweredSince: "2026-11-21" }), ["NEXT", "OUT"]);
    assert.deepEqual(await names({ unansweredSince: "2026-11-21", gatewayId: SISTER }), []);
    assert.equal((await names({ gatewayId: null })).length, 11);
  },
);

// Instructions and news of them.

const INSTRUCTION = {
  reference: "NEW",
  refundOf: null,
  state: "accepted",
  amount: "10.00",
  currency: "EUR",
  recurring: true,
  scheme: "CORE",
  mandateReference: "M",
  mandateSignedOn: "2026-11-01",
  debtorName: "Somebody",
  debtor: null,
  remittance: "words",
  notBefore: "2026-11-27",
  reasonCode: null,
  now: NOW,
} as const;

inBooks(
  "the first instruction under a reference stays, however often and with whatever it is asked for",
  async (books) => {
    const { db, tenant } = books;
    await books.elsewhere("sepa_collections", ...twice({ reference: "NEW", amount: "7.00" }));
    await books.alone(() => openInstruction(db, place(tenant), INSTRUCTION));
    const again = await books.alone(() =>
      openInstruction(db, place(tenant), { ...INSTRUCTION, amount: "99.00" }),
    );
    assert.deepEqual([again.amount, again.asked_count, again.remittance], ["10.00", 2, "words"]);
    assert.equal((await findInstruction(db, place(tenant), "NEW"))?.amount, "10.00");
    assert.equal(await findInstruction(db, place(tenant), "OTHER"), null);
    const fenced = await books.alone(() => fenceReference(db, place(tenant), "NEW", NOW));
    assert.deepEqual([fenced.state, fenced.asked_count], ["accepted", 2]);
    const never = await books.alone(() => fenceReference(db, place(tenant), "NEVER", NOW));
    assert.deepEqual([never.state, never.asked_count], ["fenced", 0]);
  },
);

inBooks("an instruction is withdrawn as long as it is in no file", async (books) => {
  const { db, tenant } = books;
  for (const state of ["accepted", "batched", "settled", "returned", "rejected", "fenced", "refused"]) {
    await books.collection({ reference: state, state });
    const isOpen = state === "accepted" || state === "fenced";
    assert.equal(await books.alone(() => withdrawInstruction(db, place(tenant), state, NOW)), isOpen, state);
    const expected = isOpen ? "fenced" : state;
    assert.deepEqual((await books.collections("state"))[state], [expected]);
  }
});

/** A debit of 50 EUR, settled on the 20th. 20 EUR were refunded, and a refund of 5 EUR failed. */
async function refundable(books: Neighbours, facts: Facts): Promise<void> {
  await books.file("F", { status: "sent" });
  await books.collection({
    reference: "D",
    state: "settled",
    file_id: "F",
    block_id: "F-1",
    amount: "50.00",
    settled_on: "2026-11-20",
    scheme: "B2B",
    ...facts,
  });
  for (const [reference, state, amount] of [
    ["R1", "accepted", "10.00"],
    ["R2", "batched", "6.00"],
    ["R3", "settled", "4.00"],
    ["R4", "rejected", "5.00"],
    ["R5", "returned", "5.00"],
    ["R6", "refused", "5.00"],
  ])
    await books.collection({ reference, state, amount, refund_of: "D" }, { amount: "1.00" });
  await books.collection({ reference: "R7", amount: "7.00", refund_of: "OTHER" });
  await books.elsewhere("sepa_collections", ...twice({ reference: "R8", amount: "3.00", refund_of: "D" }));
}

const REFUNDS: readonly (readonly [what: string, debit: Facts, asked: Facts, code: string | null])[] = [
  ["all that is left", {}, { amount: "30.00" }, null],
  ["a cent more than is left", {}, { amount: "30.01" }, "AM02"],
  ["what settled on the last day", { settled_on: "2026-11-22" }, {}, null],
  ["what settled the day after", { settled_on: "2026-11-23" }, {}, "DT01"],
  ["what came back", { state: "returned" }, {}, "ARDT"],
  ["what is with the bank", { state: "batched" }, {}, "ARDT"],
  ["another currency", {}, { currency: "CHF" }, "NOOR"],
  ["what is a refund itself", { refund_of: "E" }, {}, "NOOR"],
  ["what is not known", {}, { refundOf: "UNKNOWN" }, "NOOR"],
  [
    "a reversal of a debit that is in no file",
    { file_id: null, block_id: null, amount: "50.00" },
    { amount: "50.00", reversibleUntil: "2026-12-01" },
    "AG02",
  ],
  ["a reversal, which gives it back whole", {}, { amount: "30.00", reversibleUntil: "2026-12-01" }, "AM09"],
  [
    "a reversal of a debit that was only assumed to be paid",
    { assumed: true, amount: "50.00" },
    { reversibleUntil: "2026-12-01" },
    "ARDT",
  ],
  ["a transfer for a debit that was only assumed to be paid", { assumed: true }, {}, null],
];

for (const [what, debit, asked, code] of REFUNDS)
  inBooks(`a refund of ${what}: ${code ?? "taken"}`, async (books) => {
    await refundable(books, debit);
    const given = {
      reference: "NEW",
      refundOf: "D",
      amount: "1.00",
      currency: "EUR",
      remittance: "words",
      settledBy: "2026-11-22",
      reversibleUntil: null,
      notBefore: "2026-11-27",
      now: NOW,
    };
    const opened = await books.alone(() => openRefund(books.db, place(books.tenant), { ...given, ...asked }));
    assert.deepEqual([opened.state, opened.reason_code], [code === null ? "accepted" : "refused", code]);
    const again = await books.alone(() =>
      openRefund(books.db, place(books.tenant), { ...given, ...asked, amount: "0.01" }),
    );
    assert.deepEqual([again.amount, again.asked_count], [opened.amount, 2]);
  });

inBooks("a whole debit is reversed after its last day for a transfer, too", async (books) => {
  await books.file("F", { status: "sent" });
  await books.collection({
    reference: "D",
    state: "settled",
    file_id: "F",
    block_id: "F-1",
    amount: "50.00",
    settled_on: "2026-11-23",
    scheme: "B2B",
    mandate_reference: "M",
  });
  const opened = await openRefund(books.db, place(books.tenant), {
    reference: "NEW",
    refundOf: "D",
    amount: "50.00",
    currency: "EUR",
    remittance: "words",
    settledBy: "2026-11-22",
    reversibleUntil: "2026-12-01",
    notBefore: "2026-11-27",
    now: NOW,
  });
  assert.deepEqual(
    [opened.state, opened.collected_on, opened.scheme, opened.mandate_reference, opened.reversible_until],
    ["accepted", "2026-11-23", "B2B", "M", "2026-12-01"],
  );
});

inBooks("news is returned in its order until it is acknowledged", async (books) => {
  const { db, tenant } = books;
  await books.collection({ reference: "R" });
  for (const kind of ["settled", "charged_back", "fee"])
    await books.news("R", kind, {}, kind === "settled" ? {} : null);
  await books.news("R", "reinstated", { acknowledged_at: EARLIER }, null);
  const open = async (limit = 10, skip = 0) =>
    (await openNews(db, place(tenant), limit, skip)).map(({ kind }) => kind);
  assert.deepEqual(await open(), ["settled", "charged_back", "fee"]);
  assert.deepEqual(await open(1, 1), ["charged_back"]);
  const [first] = await openNews(db, place(tenant), 1, 0);
  assert.ok(first !== undefined);
  await books.alone(() => acknowledgeNews(db, place(tenant), { id: first.number }, NOW));
  await acknowledgeNews(db, place(tenant), { id: first.number }, LATER);
  assert.deepEqual(await open(), ["charged_back", "fee"]);
  const [row] = await books.rows("select acknowledged_at from sepa_news where tenant = $1 and number = $2", [
    tenant,
    first.number,
  ]);
  assert.deepEqual(row?.["acknowledged_at"], NOW);
});

// Entries that wait for a person.

inBooks("the parts of a target are added up with their fees, and end together", async (books) => {
  const { tx, tenant } = books;
  await books.file("IN", { direction: "in" });
  const target = { block: "PSB-7-1" };
  const kept = { file_id: "IN", status: "part", target };
  await books.unmatched("A", { ...kept, amount: "10.00" });
  await books.unmatched("B", { ...kept, amount: "20.00", bank_fee: "0.50" });
  await books.unmatched("C", { ...kept, amount: "40.00", target: { block: "PSB-7-2" } });
  await books.unmatched("D", { ...kept, amount: "80.00", status: "open" });
  await books.unmatched("E", { ...kept, amount: "160.00", status: "applied", resolved_at: EARLIER });
  // Only of this account: the tenant's other account calls the target differently.
  await books.rows(
    "update sepa_unmatched set target = '{}' where tenant = $1 and gateway_id <> $2 and target is not null",
    [tenant, OWN],
  );
  assert.deepEqual(
    [...(await findParts(tx, tenant, target, fileId("none")))].toSorted((a, b) => a - b),
    [1_000, 2_050],
  );
  assert.deepEqual(await findParts(tx, tenant, target, fileId("B")), [1_000]);
  await books.alone(() => markParts(tx, tenant, target, "applied", NOW));
  const rows = await books.rows(
    "select status, resolved_at from sepa_unmatched where tenant = $1 and gateway_id = $2 order by id",
    [tenant, OWN],
  );
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ["applied", NOW],
      ["applied", NOW],
      ["part", null],
      ["open", null],
      ["applied", EARLIER],
    ],
  );
});

inBooks(
  "the target of an entry is its block, its file or the file of its message, with its refunds where they are meant",
  async (books) => {
    const { tx, tenant } = books;
    await books.file("F", { message_id: "PSB-7" });
    await books.file("G", { message_id: "PSB-8" });
    await books.file("IN", { message_id: "PSB-7", direction: "in" });
    for (const [reference, file, block] of [
      ["B", "F", "F-1"],
      ["A", "F", "F-1"],
      ["C", "F", "F-2"],
      ["D", "G", "G-1"],
      ["E", "IN", "IN-1"],
    ])
      await books.collection({ reference, state: "batched", file_id: file, block_id: block });
    await books.collection({
      reference: "REFUND",
      refund_of: "X",
      state: "batched",
      file_id: "F",
      block_id: "F-1",
    });
    const none = { blockId: null, fileId: null, messageId: null, refundsToo: false };
    const named = async (names: Partial<typeof none> | Facts) =>
      referencesOf(await lockTarget(tx, tenant, BOTH, { ...none, ...names }));
    assert.deepEqual(await named({ blockId: "F-1" }), ["A", "B"]);
    assert.deepEqual(await named({ fileId: fileId("F") }), ["A", "B", "C"]);
    assert.deepEqual(await named({ messageId: "PSB-7" }), ["A", "B", "C"]);
    assert.deepEqual(await named({ blockId: "F-1", refundsToo: true }), ["A", "B", "REFUND"]);
    assert.deepEqual(await named({}), []);
  },
);
