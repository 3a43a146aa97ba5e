/**
 * A person's decisions about a bank's entry. Each takes effect once, also with files and other people at the same time.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { News } from "../../src/gateways/gateway.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  bankMerchant,
  camt,
  markSent,
  outgoing,
  pageOf,
  pain002,
  payAt,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { statusReport } from "./messages.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import {
  booked,
  chargebacks,
  moveTo,
  orderStatuses,
  read,
  resolve,
  sent,
  sentBy,
  statuses,
  unmatched,
  type Entries,
  type Sent,
} from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
/** Runs after a decision was committed, and may prevent the response. */
let afterDecision: (() => Promise<void>) | null = null;
/** The transaction of this statement fails once, as after a conflict with another one. */
let inConflict: string | null = null;

before(async () => {
  service = await startService({
    clock,
    between: (db) => ({
      ...db,
      async transaction(work) {
        let decision = false;
        const result = await db.transaction((tx) =>
          work({
            ...tx,
            write(statement, values) {
              decision ||= statement.name === "sepa_unmatched.resolve";
              if (statement.name === inConflict) {
                inConflict = null;
                throw Object.assign(new Error("a conflict"), { code: "40001" });
              }
              return tx.write(statement, values);
            },
          }),
        );
        if (decision) await afterDecision?.();
        return result;
      },
    }),
  });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const credit = (endToEndId: string, amount = "19.90") => ["collection", { amount, endToEndId }] as const;
const back = (endToEndId: string, amount = "19.90", reason = "AM04") =>
  ["return", { amount, endToEndId, reason }] as const;
const takenBack = (endToEndId: string) => ["withdrawn", { amount: "19.90", endToEndId }] as const;

/** The only waiting entry. */
async function waiting(merchant: BankMerchant, status = "open"): Promise<Json> {
  const [entry, ...more] = await unmatched(service, merchant, status);
  assert.ok(entry !== undefined && more.length === 0, JSON.stringify([entry, ...more]));
  return entry;
}

async function resolved(merchant: BankMerchant, body: object): Promise<Response> {
  return resolve(service, merchant, (await waiting(merchant))["id"], body);
}

function done(answer: Response, status = "applied"): void {
  assert.deepEqual([answer.status, answer.body["status"]], [200, status], answer.text);
}

function refused(answer: Response, says: RegExp): void {
  assert.equal(answer.status, 409, answer.text);
  assert.match(answer.body["detail"], says);
}

/** A payment that was charged back, and whose return the bank has withdrawn. */
async function withdrawn(settings: object = {}): Promise<Sent & { readonly reference: string }> {
  const one = await sent(service, 1, settings);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference)], "2026-11-27");
  await booked(service, one.merchant, [takenBack(reference)], "2026-11-30");
  return { ...one, reference };
}

test("when the bank withdraws a return, the payment is approved again and the chargeback is marked as withdrawn", async () => {
  const one = await withdrawn();
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(
    [await statuses(service, one), await orderStatuses(service, one)],
    [["approved"], ["COMPLETED"]],
  );
  const [chargeback] = await chargebacks(service, one.merchant);
  assert.deepEqual(
    [chargeback?.["status"], chargeback?.["report_info"]],
    ["charged_back", "The bank took it back on 2026-11-30."],
  );
  await assertBooksAgree(service.db);
});

test("the books agree after a chargeback and a reinstatement by instances whose clocks differ", async () => {
  const one = await withdrawn();
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  const ahead = await service.rows(
    `update sepa_news n set acknowledged_at = r.acknowledged_at + interval '20 seconds' from sepa_news r
      where n.tenant = r.tenant and n.reference = r.reference and n.reference = $1 and n.kind = 'charged_back' and r.kind = 'reinstated'
      returning n.number`,
    [one.reference],
  );
  assert.equal(ahead.length, 1);
  await assertBooksAgree(service.db);
});

// Holds MONEY-12.
test("a reinstated payment can be returned again and again, each time with a new chargeback next to the withdrawn ones", async () => {
  const one = await withdrawn();
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  for (const [day, next] of [
    ["2026-12-01", "2026-12-02"],
    ["2026-12-03", "2026-12-04"],
  ] as const) {
    await booked(service, one.merchant, [back(one.reference, "19.90", "MD06")], day);
    assert.deepEqual(await statuses(service, one), ["charged_back"]);
    const copy = camt("camt.054", day, [back(one.reference, "19.90", "MD06")]);
    assert.equal((await read(service, one.merchant, copy))["report"].known, 1);
    await assertBooksAgree(service.db);
    await booked(service, one.merchant, [takenBack(one.reference)], next);
    done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
    assert.deepEqual(await statuses(service, one), ["approved"]);
  }
  assert.equal((await chargebacks(service, one.merchant)).length, 3);
});

/** A return without any of our references. */
const unnamed = [["return", { amount: "19.90", endToEndId: "NOTPROVIDED", reason: "AM04" }]] as const;

const inAnyOrder = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  all.length < 2
    ? [all]
    : all.flatMap((one, at) => inAnyOrder(all.toSpliced(at, 1)).map((rest) => [one, ...rest]));

/**
 * A person decides each open entry once, oldest first: applies returns, reinstates payments, and confirms rejections.
 */
async function clerkLooks(one: Sent): Promise<void> {
  for (const entry of await unmatched(service, one.merchant)) {
    const action = String(entry["kind"]).startsWith("return") ? "apply" : "reinstate";
    const answer = await resolve(service, one.merchant, entry["id"], {
      action,
      transaction_id: one.ids[0],
    });
    if (answer.status === 200 || /reinstate the payment with that entry first/.test(answer.body["detail"]))
      continue;
    assert.match(answer.body["detail"], /dismiss/);
    if (action === "apply")
      done(await resolve(service, one.merchant, entry["id"], { action: "dismiss" }), "dismissed");
  }
}

const ORDERS = inAnyOrder(["the first return", "the money again", "the second return"] as const);
for (const [which, naming] of (["names it", "names nothing"] as const).entries()) {
  for (const order of sized(
    ORDERS.filter((_, n) => n % 2 === which),
    ORDERS,
  )) {
    // Holds MONEY-2.
    test(`returned, credited again and returned once more, the first ${naming}, reported as ${order.join(", ")}: charged back`, async () => {
      const one = await sent(service);
      const reference = one.references[0] ?? "";
      await booked(service, one.merchant, [credit(reference)]);
      const countNews = {
        "the first return": ["2026-11-27", naming === "names it" ? [back(reference)] : unnamed],
        "the money again": ["2026-11-30", [credit(reference)]],
        "the second return": ["2026-12-02", [back(reference, "19.90", "MS03")]],
      } as const;
      for (const what of order) await booked(service, one.merchant, countNews[what][1], countNews[what][0]);
      for (let looks = 0; looks < 3; looks += 1) await clerkLooks(one);
      assert.deepEqual(await statuses(service, one), ["charged_back"]);
      for (const [day, entries] of Object.values(countNews))
        await read(service, one.merchant, camt("camt.054", day, entries));
      assert.deepEqual(await statuses(service, one), ["charged_back"]);
      await assertBooksAgree(service.db);
    });
  }
}

test("a return of another day is another return, even without a reference of the bank", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference)], "2026-12-02");
  const nameless = camt("camt.053", "2026-11-27", unnamed).replaceAll(
    /<AcctSvcrRef>[^<]*<\/AcctSvcrRef>/g,
    "",
  );
  await read(service, one.merchant, nameless);
  refused(
    await resolved(one.merchant, { transaction_id: one.ids[0] }),
    /2026-12-02 already, and this is another return/,
  );
});

test("a status report of the day of the credit takes the money back", async () => {
  const one = await sent(service);
  const [reference = ""] = one.references;
  await booked(service, one.merchant, [credit(reference)], "2026-11-25");
  const refusedThen = { id: one.block, transactions: [{ endToEndId: reference, reason: "AM04" }] };
  const about = { messageId: one.file["message_id"] as string };
  await read(service, one.merchant, pain002("2026-11-25", about, [refusedThen]));
  assert.deepEqual(await statuses(service, one), ["charged_back"]);
});

test("a return of another day than the recorded one is refused as another return, not as known", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference)], "2026-12-02");
  await booked(service, one.merchant, unnamed, "2026-11-27");
  refused(
    await resolved(one.merchant, { transaction_id: one.ids[0] }),
    /2026-12-02 already, and this is another return/,
  );
  refused(
    await resolved(one.merchant, { transaction_id: one.ids[0], bank_fee: "3.00", accept_amount: true }),
    /another return/,
  );
  done(await resolved(one.merchant, { action: "dismiss" }), "dismissed");
  await booked(service, one.merchant, unnamed, "2026-12-02");
  refused(await resolved(one.merchant, { transaction_id: one.ids[0] }), /already reflects this: dismiss/);
});

test("a return that was booked after its reinstatement is known from every file", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [credit(reference)], "2026-11-30");
  await booked(service, one.merchant, [back(reference)], "2026-12-02");
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  const copy = await read(service, one.merchant, camt("camt.054", "2026-12-02", [back(reference)]));
  assert.equal(copy["report"].known, 1);
  assert.deepEqual(await statuses(service, one), ["approved"]);
});

// Holds FILE-3.
test("a second movement of the same day needs a person, also when another file had reported the first", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  const results = async (day: string, kind: "camt.052" | "camt.053" | "camt.054", entries: Entries) => {
    const { known = 0, unmatched: open = 0 } = (await read(service, one.merchant, camt(kind, day, entries)))[
      "report"
    ];
    return [known, open];
  };
  const twice = (entry: Entries[number]): Entries => [entry, entry];
  await booked(service, one.merchant, [credit(reference)]);
  assert.deepEqual(await results("2026-11-25", "camt.054", twice(credit(reference))), [1, 1], "credits");
  await booked(service, one.merchant, [back(reference)], "2026-11-27");
  assert.deepEqual(await results("2026-11-27", "camt.054", twice(back(reference))), [1, 1], "returns");
  for (const { id } of await unmatched(service, one.merchant))
    done(await resolve(service, one.merchant, id, { action: "dismiss" }), "dismissed");
  await booked(service, one.merchant, [credit(reference)], "2026-11-30");
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(
    await results("2026-11-30", "camt.054", twice(credit(reference))),
    [1, 1],
    "money that came again",
  );
  // A file with all bookings so far contains nothing new.
  const all: Entries = [credit(reference), back(reference)];
  assert.deepEqual(await results("2026-11-25", "camt.052", all.slice(0, 1)), [1, 0]);
  assert.deepEqual(await statuses(service, one), ["approved"]);
});

// Holds FILE-3.
test("a second movement of the same day needs a person, however far from the first it is in a file", async () => {
  const one = await sent(service, 2);
  const [first = "", second = ""] = one.references;
  // More entries than the service looks up at once, so the second movement is read long after the first.
  const between: Entries = Array.from({ length: 600 }, () => ["transferOut", { amount: "1.00" }] as const);
  const results = async (day: string, kind: "camt.052" | "camt.054", told: Entries) => {
    const all = [...told, ...between, ...told];
    const { known = 0, unmatched: open = 0 } = (await read(service, one.merchant, camt(kind, day, all)))[
      "report"
    ];
    return [known, open];
  };
  await booked(service, one.merchant, [credit(first), credit(second)]);
  assert.deepEqual(await results("2026-11-25", "camt.054", [credit(first), credit(second)]), [2, 2]);
  await booked(service, one.merchant, [back(first)], "2026-11-27");
  assert.deepEqual(await results("2026-11-27", "camt.054", [back(first)]), [1, 1], "returns");
  for (const { id } of await unmatched(service, one.merchant))
    done(await resolve(service, one.merchant, id, { action: "dismiss" }), "dismissed");
  await booked(service, one.merchant, [credit(first)], "2026-11-30");
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(await results("2026-11-30", "camt.054", [credit(first)]), [1, 1], "money that came again");
});

/** The number of known entries of a file, and of those that wait for a person. */
async function knownAndOpen(merchant: BankMerchant, xml: string): Promise<readonly [number, number]> {
  const { known = 0, unmatched: open = 0 } = (await read(service, merchant, xml))["report"];
  return [known, open];
}

// Holds FILE-3.
test("a file whose transaction is repeated after a conflict does not take its own lines for other movements", async () => {
  const one = await sent(service);
  const [reference = ""] = one.references;
  await booked(service, one.merchant, [credit(reference)]);
  inConflict = "sepa_files.finish_read";
  const again = camt("camt.054", "2026-11-25", [credit(reference)]);
  assert.deepEqual(await knownAndOpen(one.merchant, again), [1, 0]);
  assert.equal(inConflict, null, "it was repeated");
});

/** The first file with the statement of the second one as well. */
const inOneFile = (first: string, second: string) =>
  first.replace("</Stmt>", `</Stmt>${/<Stmt>.*<\/Stmt>/s.exec(second)?.[0]}`);

const PAGED = [
  ["camt.053", undefined],
  ["camt.052", undefined],
  ["camt.054", undefined],
  ["camt.053", "MsgPgntn"],
] as const;

// Holds FILE-3.
for (const [family, where] of PAGED)
  test(`a movement on the same page of a ${family} is known, and on another page it is another one${where === undefined ? "" : " of the message"}`, async () => {
    const one = await sent(service);
    const [reference = ""] = one.references;
    const page = (number: number, entries: Entries, day = "2026-11-25", statement = day) =>
      knownAndOpen(one.merchant, pageOf(camt(family, day, entries), statement, number, where));
    const other = family === "camt.052" ? "camt.054" : "camt.052";
    assert.deepEqual(await page(1, [credit(reference)]), [0, 0], "settles it");
    assert.deepEqual(await page(2, [credit(reference)]), [0, 1], "another credit");
    assert.deepEqual(await page(1, [credit(reference)]), [1, 0], "the first page again");
    assert.deepEqual(await page(2, [credit(reference)]), [1, 0], "the second page again");
    const both = camt(other, "2026-11-25", [credit(reference), credit(reference)]);
    assert.deepEqual(await knownAndOpen(one.merchant, both), [2, 0], "both, in another kind of file");
    assert.deepEqual(await page(1, [credit(reference)], "2026-11-25", "another"), [1, 0]);
    assert.deepEqual(await page(3, [credit(reference)]), [0, 1], "a third credit");
    for (const { id } of await unmatched(service, one.merchant))
      done(await resolve(service, one.merchant, id, { action: "dismiss" }), "dismissed");
    await read(service, one.merchant, camt(other, "2026-11-27", [back(reference)]));
    assert.deepEqual(await page(1, [back(reference)], "2026-11-27"), [1, 0], "another file told of it first");
    assert.deepEqual(await page(2, [back(reference)], "2026-11-27"), [0, 1], "another return");
    assert.deepEqual(await statuses(service, one), ["charged_back"]);
  });

// Holds FILE-3.
test("a person's decision about a movement on one page does not make a movement on another page known", async () => {
  const one = await sent(service);
  const [reference = ""] = one.references;
  const page = (number: number, day: string, entry: Entries[number]) =>
    knownAndOpen(one.merchant, pageOf(camt("camt.053", day, [entry]), day, number));
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference)], "2026-11-27");
  assert.deepEqual(await page(1, "2026-11-30", credit(reference)), [0, 1]);
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(await page(1, "2026-11-30", credit(reference)), [1, 0], "the first page again");
  assert.deepEqual(await page(2, "2026-11-30", credit(reference)), [0, 1], "more money");
  done(await resolved(one.merchant, { action: "dismiss" }), "dismissed");
  const other = await sentBy(service, one.merchant, 2, "2026-12-01");
  const [ofSum = ""] = other.references;
  const less = ["collection", { amount: "39.00", blockId: other.block }] as const;
  assert.deepEqual(await page(1, "2026-12-03", less), [0, 1], "a sum less a fee");
  done(await resolved(one.merchant, { action: "settle", block_id: other.block, bank_fee: "0.80" }));
  assert.deepEqual(await page(2, "2026-12-03", credit(ofSum)), [0, 1], "one of its credits again");
});

// Holds FILE-3.
test("a credit on one page and the sum of its block on another are two credits, in either order", async () => {
  const one = await sent(service, 2);
  const sum = ["collection", { amount: "39.80", blockId: one.block }] as const;
  const singles = one.references.map((reference) => credit(reference));
  const page = (number: number, entries: Entries, statement: string) =>
    knownAndOpen(one.merchant, pageOf(camt("camt.053", "2026-11-25", entries), statement, number));
  assert.deepEqual(await page(1, [sum], "1"), [0, 0], "settles both");
  assert.deepEqual(await page(2, singles, "1"), [0, 2], "each of them again");
  assert.deepEqual(await page(2, [sum], "1"), [0, 1], "the sum again");
  assert.deepEqual(await page(1, singles, "2"), [2, 0], "in another statement");
  assert.deepEqual(await page(2, [sum], "2"), [1, 0], "another file tells of it: a person has the sum");
  assert.deepEqual(await page(1, [sum], "1"), [1, 0], "the first page again");
  const two = await sent(service, 2);
  const first = pageOf(
    camt("camt.053", "2026-11-25", [credit(two.references[0] ?? ""), credit(two.references[1] ?? "")]),
    "3",
    1,
  );
  const second = pageOf(
    camt("camt.053", "2026-11-25", [["collection", { amount: "39.80", blockId: two.block }]]),
    "3",
    2,
  );
  assert.deepEqual(await knownAndOpen(two.merchant, first), [0, 0], "settles both");
  assert.deepEqual(await knownAndOpen(two.merchant, second), [0, 1], "the sum of both again");
  const three = await sent(service, 2);
  const single = three.references.map((reference) => credit(reference));
  const onPage1 = (entries: Entries) =>
    knownAndOpen(three.merchant, pageOf(camt("camt.053", "2026-11-25", entries), "4", 1));
  assert.deepEqual(await onPage1(single), [0, 0], "settles both");
  const ofBlock = ["collection", { amount: "39.80", blockId: three.block }] as const;
  assert.deepEqual(await onPage1([ofBlock]), [1, 0], "the same page, which now has their sum");
});

// Holds FILE-3.
test("the sums of a block and of its whole file on two pages are two sums, in either order", async () => {
  for (const order of [
    ["block", "file"],
    ["file", "block"],
  ] as const) {
    const one = await sent(service, 2, { max_transactions_per_block: 1 });
    const sum = {
      block: () => camt("camt.053", "2026-11-25", [["collection", { amount: "19.90", blockId: one.block }]]),
      file: () =>
        camt("camt.053", "2026-11-25", [
          ["collection", { amount: "39.80", blockId: one.file["message_id"] as string }],
        ]).replaceAll("PmtInfId", "MsgId"),
    };
    const comes = (n: 0 | 1) => knownAndOpen(one.merchant, pageOf(sum[order[n]](), "1", n + 1));
    assert.deepEqual(await comes(0), [0, 0], `settles the ${order[0]}`);
    assert.deepEqual(await comes(1), [0, 1], `the ${order[1]} as well`);
    for (const n of [0, 1] as const) assert.deepEqual(await comes(n), [1, 0], `page ${n + 1} again`);
  }
});

// Holds FILE-3.
test("an entry that waits for a person is listed once, however often its page is delivered, alone or with other pages in a file", async () => {
  const one = await sent(service);
  const [reference = ""] = one.references;
  const page = (number: number, statement: string) =>
    pageOf(camt("camt.053", "2026-11-25", [credit(reference)]), statement, number);
  const comes = (xml: string) => knownAndOpen(one.merchant, xml);
  assert.deepEqual(await comes(page(1, "1")), [0, 0], "settles it");
  assert.deepEqual(await comes(page(2, "1")), [0, 1], "a second credit");
  assert.deepEqual(await comes(page(3, "1")), [0, 1], "a third one");
  for (const number of [2, 3, 2, 3])
    assert.deepEqual(await comes(page(number, "1")), [1, 0], `page ${number} again`);
  const other = await sent(service);
  const [another = ""] = other.references;
  const pageOfOther = (number: number) =>
    pageOf(camt("camt.053", "2026-11-25", [credit(another)]), "2", number);
  const both = () => inOneFile(pageOfOther(2), pageOfOther(3));
  assert.deepEqual(await knownAndOpen(other.merchant, pageOfOther(1)), [0, 0], "settles it");
  assert.deepEqual(await knownAndOpen(other.merchant, both()), [0, 2], "two more credits");
  for (const number of [2, 3])
    assert.deepEqual(await knownAndOpen(other.merchant, pageOfOther(number)), [1, 0], `page ${number} alone`);
  assert.deepEqual(await knownAndOpen(other.merchant, both()), [2, 0], "both again");
});

// Holds FILE-3.
test("of a file with several statements each page is remembered with its own movements, whatever comes after it", async () => {
  const one = await sent(service, 3);
  const [first = "", second = "", third = ""] = one.references;
  const unpaged = (entries: Entries) => camt("camt.053", "2026-11-25", entries);
  const page = (number: number, reference: string, statement = "1") =>
    pageOf(unpaged([credit(reference)]), statement, number);
  const comes = (xml: string) => knownAndOpen(one.merchant, xml);
  assert.deepEqual(await comes(inOneFile(page(1, first), page(2, second))), [0, 0], "settles both");
  assert.deepEqual(await comes(page(1, first)), [1, 0], "page 1 alone");
  assert.deepEqual(await comes(page(2, second)), [1, 0], "page 2 alone");
  assert.deepEqual(await comes(page(2, first)), [0, 1], "a second credit");
  const later = inOneFile(page(1, third, "2"), unpaged([["transferOut", { amount: "1.00" }]]));
  assert.deepEqual(await comes(later), [0, 0], "settles the third");
  assert.deepEqual(await comes(page(2, third, "2")), [0, 1], "a second credit");
});

// Holds FILE-3.
test("the withdrawal of a return on two pages counts twice, and a person decides the second one, too", async () => {
  const one = await sent(service);
  const [reference = ""] = one.references;
  const page = (number: number) =>
    knownAndOpen(one.merchant, pageOf(camt("camt.053", "2026-11-30", [takenBack(reference)]), "1", number));
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference)], "2026-11-27");
  assert.deepEqual(await page(1), [0, 1]);
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(await page(1), [1, 0], "the first page again");
  assert.deepEqual(await page(2), [0, 1], "another page");
});

// Holds FILE-3.
for (const [what, day, entry] of [
  ["an earlier return", "2026-11-27", back],
  ["a withdrawn return", "2026-11-30", takenBack],
] as const)
  test(`${what} that is twice in a file or on two pages, after the payment was reinstated, needs one decision of a person`, async () => {
    const one = await withdrawn();
    done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
    const told = entry(one.reference);
    const twice = () => knownAndOpen(one.merchant, camt("camt.054", day, [told, told]));
    assert.deepEqual(await twice(), [1, 1]);
    assert.deepEqual(await twice(), [2, 0], "a person has it");
    done(await resolved(one.merchant, { action: "dismiss" }), "dismissed");
    assert.deepEqual(await twice(), [2, 0], "a person has decided");
    assert.deepEqual(await statuses(service, one), ["approved"]);

    const other = await withdrawn();
    done(await resolved(other.merchant, { action: "reinstate", transaction_id: other.ids[0] }));
    const page = (number: number) =>
      knownAndOpen(other.merchant, pageOf(camt("camt.053", day, [entry(other.reference)]), "1", number));
    assert.deepEqual(await page(1), [1, 0]);
    assert.deepEqual(await page(2), [0, 1]);
    for (const number of [1, 2]) assert.deepEqual(await page(number), [1, 0], `page ${number} again`);
  });

/** A debit whose file the bank has rejected. */
async function rejected(): Promise<Sent & { readonly reference: string }> {
  const one = await sent(service);
  const report = { messageId: one.file["message_id"], groupStatus: "RJCT" };
  await read(service, one.merchant, pain002("2026-11-24", report));
  return { ...one, reference: one.references[0] ?? "" };
}

/** The bank credits it nevertheless, and a person reinstates it. */
async function paidThoughRejected(): Promise<Sent & { readonly reference: string }> {
  const one = await rejected();
  await booked(service, one.merchant, [credit(one.reference)]);
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  return one;
}

// Holds FILE-3.
test("a further movement like one that a person has applied needs a person, too", async () => {
  const one = await paidThoughRejected();
  const { reference } = one;
  const twice = (day: string, entry: Entries[number]) =>
    knownAndOpen(one.merchant, camt("camt.054", day, [entry, entry]));
  assert.deepEqual(await twice("2026-11-25", credit(reference)), [1, 1], "money for what was rejected");
  assert.deepEqual(await twice("2026-11-25", credit(reference)), [2, 0], "a person has it");
  done(await resolved(one.merchant, { action: "dismiss" }), "dismissed");
  await booked(service, one.merchant, [back(reference)], "2026-11-25");
  done(await resolved(one.merchant, { transaction_id: one.ids[0] }));
  assert.deepEqual(await twice("2026-11-25", back(reference)), [1, 1], "a return");
  assert.deepEqual(await twice("2026-11-25", back(reference)), [2, 0], "a person has it");
});

// Holds FILE-3.
test("each of two further movements like one that a person has applied needs a person", async () => {
  const one = await paidThoughRejected();
  const { reference } = one;
  const thrice = () =>
    knownAndOpen(
      one.merchant,
      camt("camt.054", "2026-11-25", [credit(reference), credit(reference), credit(reference)]),
    );
  assert.deepEqual(await thrice(), [1, 2], "one is on record");
  assert.deepEqual(await thrice(), [3, 0], "a person has the others");
});

// Holds FILE-3.
test("a third movement like two of which a person has applied the second needs a person, too", async () => {
  const one = await rejected();
  const { reference } = one;
  const alike = (count: number) =>
    knownAndOpen(
      one.merchant,
      camt(
        "camt.054",
        "2026-11-25",
        Array.from({ length: count }, () => credit(reference)),
      ),
    );
  assert.deepEqual(await alike(2), [0, 2], "money for what was rejected, twice");
  const second = (await unmatched(service, one.merchant)).find(({ entry }) => entry === 2);
  done(
    await resolve(service, one.merchant, second?.["id"], { action: "reinstate", transaction_id: one.ids[0] }),
  );
  assert.deepEqual(await alike(2), [2, 0], "one is on record, and a person has the other");
  assert.deepEqual(await alike(3), [2, 1], "a third one");
  assert.deepEqual(await alike(3), [3, 0], "a person has it");
});

// Holds FILE-3.
test("a second credit needs a person, also if the sum of a block is between the two", async () => {
  const one = await sent(service, 2);
  const other = await sentBy(service, one.merchant, 2, "2026-11-24");
  const credits = one.references.map((reference) => credit(reference));
  const sum = ["collection", { amount: "39.80", blockId: other.block }] as const;
  await booked(service, one.merchant, credits);
  const { report } = await read(
    service,
    one.merchant,
    camt("camt.054", "2026-11-25", [...credits, sum, ...credits]),
  );
  assert.deepEqual([report.known, report.settled, report.unmatched], [2, 1, 2]);
});

test("files about a withdrawn return change nothing after a person has decided, in any order", async () => {
  const one = await withdrawn();
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  const late = await read(service, one.merchant, camt("camt.054", "2026-11-27", [back(one.reference)]));
  assert.equal(late["report"].known, 1);
  const again = await read(service, one.merchant, camt("camt.054", "2026-11-30", [takenBack(one.reference)]));
  assert.equal(again["report"].known, 1);
  assert.deepEqual(await statuses(service, one), ["approved"]);
  assert.equal((await chargebacks(service, one.merchant)).length, 1);
});

test("a return on the day of the reinstatement waits for a person, who can record it", async () => {
  const one = await withdrawn();
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  await booked(service, one.merchant, [back(one.reference, "19.90", "MD06")], "2026-11-30");
  assert.deepEqual(await statuses(service, one), ["approved"], "it may be another day of the first return");
  assert.match((await waiting(one.merchant))["why"], /reinstated on 2026-11-30: check whether/);
  done(await resolved(one.merchant, { transaction_id: one.ids[0] }));
  assert.deepEqual(await statuses(service, one), ["charged_back"]);
  assert.equal((await chargebacks(service, one.merchant)).length, 2);
  await assertBooksAgree(service.db);
});

test("if a payment is returned and reinstated on one day, another file with that return is known", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference), takenBack(reference)], "2026-11-27");
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  const copy = await read(service, one.merchant, camt("camt.054", "2026-11-27", [back(reference)]));
  assert.equal(copy["report"].known, 1);
  assert.deepEqual(await statuses(service, one), ["approved"]);
});

test("a refund is refused while the payment is charged back, and sent once it is reinstated", async () => {
  const one = await withdrawn();
  const path = `management/transactions/${one.ids[0]}/refunds/`;
  assert.equal((await service.post(path, {}, { key: one.merchant.key })).status, 409);
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  await moveTo(service, one.merchant, "2026-12-07T08:00:00Z");
  const refund = await service.post(path, {}, { key: one.merchant.key });
  assert.equal(refund.body["status"], "pending", refund.text);
});

// Holds MONEY-7.
for (const [decision, becomes, transfers] of [
  ["apply", "charged_back", 0],
  ["dismiss", "refunded", 1],
] as const)
  test(`a refund waits while a return of its debit is on the list, and is ${transfers === 0 ? "declined when that is applied" : "sent when that is dismissed"}`, async () => {
    const one = await sent(service);
    const reference = one.references[0] ?? "";
    const reject = { id: one.block, transactions: [{ endToEndId: reference, reason: "AM04" }] };
    await read(service, one.merchant, pain002("2026-11-24", { messageId: one.file["message_id"] }, [reject]));
    await booked(service, one.merchant, [back(reference)], "2026-11-26");
    const returned = await waiting(one.merchant);
    await booked(service, one.merchant, [credit(reference)], "2026-11-25");
    const entries = await unmatched(service, one.merchant, "open");
    const money = entries.find(({ id }) => id !== returned["id"]);
    const reinstate = { action: "reinstate", transaction_id: one.ids[0] };
    done(await resolve(service, one.merchant, money?.["id"], reinstate));

    await moveTo(service, one.merchant, "2026-12-08T08:00:00Z");
    const path = `management/transactions/${one.ids[0]}/refunds/`;
    const refund = await service.post(path, {}, { key: one.merchant.key });
    assert.equal(refund.body["status"], "pending", refund.text);
    const kinds = async () =>
      (await outgoing(service, one.merchant)).filter(({ kind }) => kind === "pain.001").length;
    await moveTo(service, one.merchant, "2026-12-08T12:00:00Z");
    assert.equal(await kinds(), 0, "nobody has decided about the return yet");

    const body =
      decision === "apply" ? { action: "apply", transaction_id: one.ids[0] } : { action: decision };
    done(
      await resolve(service, one.merchant, returned["id"], body),
      decision === "apply" ? "applied" : "dismissed",
    );
    await moveTo(service, one.merchant, "2026-12-09T12:00:00Z");
    assert.equal(await kinds(), transfers);
    if (becomes === "charged_back") assert.deepEqual(await statuses(service, one), ["charged_back"]);
    const [refunded] = (await service.get(path, { key: one.merchant.key })).body["results"];
    assert.equal(refunded.status, becomes === "charged_back" ? "declined" : "pending");
  });

test("a person can settle a rejected collection whose money has arrived", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  const reject = { id: one.block, transactions: [{ endToEndId: reference, reason: "AM04" }] };
  const report = pain002("2026-11-24", { messageId: one.file["message_id"] }, [reject]);
  await read(service, one.merchant, report);
  await booked(service, one.merchant, [credit(reference)]);
  assert.deepEqual(await statuses(service, one), ["declined"]);
  refused(await resolved(one.merchant, { transaction_id: one.ids[0] }), /action reinstate/);
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(
    [await statuses(service, one), await orderStatuses(service, one)],
    [["approved"], ["COMPLETED"]],
  );
  // The same rejection in another report counts as older than the money.
  const late = pain002("2026-11-24", { messageId: one.file["message_id"] }, [reject]);
  assert.equal((await read(service, one.merchant, late))["report"].known, 1);
  await booked(service, one.merchant, [back(reference)], "2026-11-27");
  assert.deepEqual(await statuses(service, one), ["charged_back"]);
});

/** Rejected by a report of 2026-11-27, paid on the given day, which is reported later, and reinstated by a person. */
async function refusedThenPaid(paidOn: string): Promise<Sent & { readonly reference: string }> {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  const reject = { id: one.block, transactions: [{ endToEndId: reference, reason: "AM04" }] };
  await read(service, one.merchant, pain002("2026-11-27", { messageId: one.file["message_id"] }, [reject]));
  await booked(service, one.merchant, [credit(reference)], paidOn);
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(await statuses(service, one), ["approved"]);
  return { ...one, reference };
}

test("a return on the day of the report that rejected the debit takes back the earlier money", async () => {
  const one = await refusedThenPaid("2026-11-26");
  await booked(service, one.merchant, [back(one.reference)], "2026-11-27");
  assert.deepEqual(await statuses(service, one), ["charged_back"]);
  assert.equal((await chargebacks(service, one.merchant)).length, 1);
  const copy = await read(service, one.merchant, camt("camt.054", "2026-11-27", [back(one.reference)]));
  assert.equal(copy["report"].known, 1);
});

test("after a rejection and a credit on one day, a person decides a return of the same day", async () => {
  const one = await refusedThenPaid("2026-11-27");
  await booked(service, one.merchant, [back(one.reference)], "2026-11-27");
  assert.match((await waiting(one.merchant))["why"], /reinstated on 2026-11-27: check whether/);
  done(await resolved(one.merchant, { transaction_id: one.ids[0] }));
  assert.deepEqual(await statuses(service, one), ["charged_back"]);
});

test("a renewal that was rejected and then paid is not retried, and counts as paid", async () => {
  const merchant = await bankMerchant(service);
  const first = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  await moveTo(service, merchant, "2026-11-23T12:00:00Z");
  await booked(service, merchant, [credit(first["transaction"].merchant_transaction_id)]);
  await moveTo(service, merchant, "2026-12-23T08:00:00Z");
  await moveTo(service, merchant, "2026-12-23T12:00:00Z");
  const [renewal] = await service.rows(
    `select t.id, t.merchant_transaction_id as reference, t.subscription_id, c.block_id from transactions t
       join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
      where t.gateway_id = $1 and t.type = 'sdd_rebill'`,
    [merchant.accountId],
  );
  const reference: string = renewal?.["reference"];
  const reject = { id: renewal?.["block_id"], transactions: [{ endToEndId: reference, reason: "AM04" }] };
  await read(service, merchant, pain002("2026-12-24", { messageId: "x" }, [reject]));
  await moveTo(service, merchant, "2026-12-25T08:00:00Z");
  const subscription = async () => {
    const [row] = await service.rows(
      `select u.status, u.successful_billing_count as paid, u.failed_billing_count as failed, u.total_revenue as revenue,
              c.status as cycle
         from subscriptions u join billing_cycles c on c.subscription_id = u.id where u.id = $1`,
      [renewal?.["subscription_id"]],
    );
    return { ...row };
  };
  assert.deepEqual(await subscription(), {
    status: "PAST_DUE",
    paid: 0,
    failed: 1,
    revenue: "19.90",
    cycle: "retry",
  });
  await booked(service, merchant, [credit(reference)], "2026-12-28");
  done(await resolved(merchant, { action: "reinstate", transaction_id: renewal?.["id"] }));
  assert.deepEqual(await subscription(), {
    status: "ACTIVE",
    paid: 1,
    failed: 0,
    revenue: "39.80",
    cycle: "paid",
  });
  await moveTo(service, merchant, "2026-12-31T12:00:00Z");
  const tries = await service.rows(
    "select 1 from transactions where gateway_id = $1 and type = 'sdd_rebill'",
    [merchant.accountId],
  );
  assert.equal(tries.length, 1, "the customer is not debited again for the month");
  await assertBooksAgree(service.db);
});

for (const follows of [true, false]) {
  test(`the cycle of a renewal whose return was withdrawn is paid again, charged back ${follows ? "after" : "before"} it counted as paid`, async () => {
    const merchant = await bankMerchant(service);
    const first = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
    await moveTo(service, merchant, "2026-11-23T12:00:00Z");
    await booked(service, merchant, [credit(first["transaction"].merchant_transaction_id)]);
    await moveTo(service, merchant, "2026-12-23T08:00:00Z");
    await moveTo(service, merchant, "2026-12-23T12:00:00Z");
    const [renewal] = await service.rows(
      `select id, merchant_transaction_id as reference, subscription_id from transactions
        where gateway_id = $1 and type = 'sdd_rebill'`,
      [merchant.accountId],
    );
    const reference: string = renewal?.["reference"];
    const subscription = async () => {
      const [row] = await service.rows(
        `select u.successful_billing_count as paid, u.failed_billing_count as failed, u.total_revenue as revenue, c.status as cycle
           from subscriptions u join billing_cycles c on c.subscription_id = u.id where u.id = $1`,
        [renewal?.["subscription_id"]],
      );
      return { ...row };
    };
    await booked(service, merchant, [credit(reference)], "2026-12-28");
    if (follows) await moveTo(service, merchant, "2026-12-29T08:00:00Z");
    await booked(service, merchant, [back(reference, "19.90", "AM04")], "2026-12-29");
    assert.deepEqual(await subscription(), { paid: 0, failed: 0, revenue: "19.90", cycle: "charged_back" });
    await booked(service, merchant, [takenBack(reference)], "2026-12-30");
    done(await resolved(merchant, { action: "reinstate", transaction_id: renewal?.["id"] }));
    assert.deepEqual(await subscription(), { paid: 1, failed: 0, revenue: "39.80", cycle: "paid" });
    await assertBooksAgree(service.db);
  });
}

test("a credit of 10.00 settles a debit of 19.90 only if the person accepts the amount, and the refusal lists the possible decisions", async () => {
  const one = await sent(service);
  await booked(service, one.merchant, [credit("LOST", "10.00")]);
  const id = one.ids[0];
  refused(
    await resolved(one.merchant, { transaction_id: id }),
    /booked 10\.00.*but 19\.90.*bank_fee.*part.*accept_amount/,
  );
  refused(await resolved(one.merchant, { transaction_id: id, bank_fee: "9.00" }), /fee of 9\.00/);
  assert.deepEqual(await statuses(service, one), ["pending"]);
  done(await resolved(one.merchant, { transaction_id: id, accept_amount: true }));
  assert.deepEqual(await statuses(service, one), ["approved"]);
});

test("a block that is booked less a fee is settled with the fee on record", async () => {
  const one = await sent(service, 3);
  await booked(service, one.merchant, [["collection", { amount: "59.20", blockId: one.block }]]);
  refused(await resolved(one.merchant, { action: "settle", block_id: one.block }), /59\.20.*59\.70/);
  const settled = await resolved(one.merchant, { action: "settle", block_id: one.block, bank_fee: "0.50" });
  done(settled);
  assert.equal(settled.body["bank_fee"], "0.50");
  assert.deepEqual(await statuses(service, one), ["approved", "approved", "approved"]);
});

test("a block that is booked in two sums settles once both are applied; until then the first is listed", async () => {
  const one = await sent(service, 3);
  await booked(service, one.merchant, [["collection", { amount: "30.00", blockId: one.block }]]);
  done(await resolved(one.merchant, { action: "part", block_id: one.block }), "part");
  assert.deepEqual(await statuses(service, one), ["pending", "pending", "pending"]);
  assert.equal((await waiting(one.merchant, "part"))["amount"], "30.00");
  await booked(
    service,
    one.merchant,
    [["collection", { amount: "29.20", blockId: one.block }]],
    "2026-11-26",
  );
  done(await resolved(one.merchant, { action: "part", block_id: one.block, bank_fee: "0.50" }));
  assert.deepEqual(await statuses(service, one), ["approved", "approved", "approved"]);
  assert.deepEqual(await unmatched(service, one.merchant, "part"), []);
  assert.equal((await unmatched(service, one.merchant, "applied")).length, 2);
});

test("the fee that the bank kept from a part counts towards the block's sum", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("LOST", "29.70")]);
  const first = await resolved(one.merchant, { action: "part", block_id: one.block, bank_fee: "0.30" });
  done(first, "part");
  await booked(service, one.merchant, [credit("LOST-2", "9.80")], "2026-11-26");
  done(await resolved(one.merchant, { action: "part", block_id: one.block }));
  assert.deepEqual(await statuses(service, one), ["approved", "approved"]);
});

test("a part that was kept by mistake can be dismissed, and no longer counts", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("LOST", "30.00")]);
  done(await resolved(one.merchant, { action: "part", block_id: one.block }), "part");
  const part = await waiting(one.merchant, "part");
  done(await resolve(service, one.merchant, part["id"], { dismiss: true }), "dismissed");
  await booked(service, one.merchant, [credit("LOST-2", "9.80")], "2026-11-26");
  refused(await resolved(one.merchant, { action: "settle", block_id: one.block }), /9\.80/);
});

test("the parts of a block never exceed its sum", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("LOST", "40.00")]);
  refused(await resolved(one.merchant, { action: "part", block_id: one.block }), /40\.00.*39\.80/);
});

test("a decision that names an unknown block or file, or that of another account, is refused with words at the field", async () => {
  const one = await sent(service);
  const other = await sent(service);
  await booked(service, one.merchant, [credit("LOST", "19.90")]);
  const words = ["Nothing with this id was sent to this account."];
  for (const [field, value] of [
    ["block_id", `${one.block}0`],
    ["block_id", other.block],
    ["file_id", other.file["id"]],
  ] as const) {
    const answer = await resolved(one.merchant, { action: "settle", [field]: value });
    assert.deepEqual([answer.status, answer.body], [400, { [field]: words, status_code: 400 }]);
  }
});

for (const [what, target] of [
  ["a block", (one: Sent) => ({ block_id: one.block })],
  ["a file", (one: Sent) => ({ file_id: one.file["id"] as string })],
  ["a list of transactions", (one: Sent) => ({ transaction_ids: one.ids })],
  [
    "a list that names one of them twice, in other letters",
    ({ ids }: Sent) => ({ transaction_ids: [...ids, String(ids[0]).toUpperCase()] }),
  ],
] as const) {
  test(`a collective credit whose id stands only in free text is assigned by hand to ${what}`, async () => {
    const one = await sent(service, 2);
    await booked(service, one.merchant, [["collection", { amount: "39.80" }]]);
    done(await resolved(one.merchant, { action: "settle", ...target(one) }));
    assert.deepEqual(await statuses(service, one), ["approved", "approved"]);
    const [row] = await service.rows(
      "select count(distinct gateway_reference)::int as n from transactions where id = any ($1)",
      [one.ids],
    );
    assert.equal(row?.["n"], 2, "each has a reference of its own");
  });
}

test("a list of payments may contain a rejected one, which is reinstated with the others", async () => {
  const one = await sent(service, 2);
  const reject = { id: one.block, transactions: [{ endToEndId: one.references[1] ?? "", reason: "AM04" }] };
  await read(service, one.merchant, pain002("2026-11-24", { messageId: one.file["message_id"] }, [reject]));
  await booked(service, one.merchant, [["collection", { amount: "39.80", blockId: one.block }]]);
  refused(await resolved(one.merchant, { action: "settle", block_id: one.block }), /39\.80.*19\.90/);
  done(await resolved(one.merchant, { action: "settle", transaction_ids: one.ids }));
  assert.deepEqual(await statuses(service, one), ["approved", "approved"]);
});

test("a partial return is recorded with its own amount, and the rest is still revenue", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  await moveTo(service, merchant, "2026-11-23T12:00:00Z");
  const reference: string = payment["transaction"].merchant_transaction_id;
  await booked(service, merchant, [credit(reference)]);
  await booked(service, merchant, [back(reference, "5.00")], "2026-11-27");
  const id: string = payment["transaction"].id;
  refused(await resolved(merchant, { transaction_id: id }), /5\.00.*19\.90/);
  done(await resolved(merchant, { transaction_id: id, accept_amount: true }));
  const [chargeback] = await chargebacks(service, merchant);
  assert.equal(chargeback?.["amount"], "5.00");
  const [row] = await service.rows(
    "select total_revenue as revenue from subscriptions where gateway_id = $1",
    [merchant.accountId],
  );
  assert.equal(row?.["revenue"], "14.90");
  await assertBooksAgree(service.db);
});

test("a return in one sum with its fee is a full return with that fee", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await booked(service, one.merchant, [back(reference, "22.90")], "2026-11-27");
  done(await resolved(one.merchant, { transaction_id: one.ids[0], bank_fee: "3.00" }));
  const [chargeback] = await chargebacks(service, one.merchant);
  assert.deepEqual([chargeback?.["amount"], chargeback?.["cb_bank_fee"]], ["19.90", "3.00"]);
});

function orders<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first) => orders(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

for (const when of ["as soon as it can be", "once all files are read"] as const) {
  test(`a rejection and a credit in any order, reinstated ${when}, end as approved without a chargeback`, async () => {
    const all = orders(["report", "camt.054", "camt.053"] as const);
    const one = await sent(service, all.length);
    const reinstate = async (n: number) => {
      const [status] = await statuses(service, { ids: [one.ids[n] ?? ""] });
      const money = (await unmatched(service, one.merchant)).filter(
        ({ references }) => references[0] === one.references[n],
      );
      for (const entry of money) {
        const about = { action: "reinstate", transaction_id: one.ids[n] };
        if (entry["kind"] !== "reject" && status === "declined") {
          done(await resolve(service, one.merchant, entry["id"], about));
        } else if (when === "once all files are read") {
          done(await resolve(service, one.merchant, entry["id"], { dismiss: true }), "dismissed");
        }
      }
    };
    for (const [n, order] of all.entries()) {
      const endToEndId = one.references[n] ?? "";
      const reject = { id: one.block, transactions: [{ endToEndId, reason: "AM04" }] };
      for (const kind of order) {
        const xml =
          kind === "report"
            ? pain002("2026-11-24", { messageId: one.file["message_id"] }, [reject])
            : camt(kind, "2026-11-25", [credit(endToEndId)]);
        await read(service, one.merchant, xml);
        if (when === "as soon as it can be") await reinstate(n);
      }
      await reinstate(n);
    }
    assert.deepEqual(
      await statuses(service, one),
      all.map(() => "approved"),
    );
    assert.deepEqual(await chargebacks(service, one.merchant), []);
  });
}

test("a return and its withdrawal, each in two files and in any order, end as reinstated with one chargeback", async () => {
  const every = orders(["return 054", "return 053", "withdrawal 054", "withdrawal 053"] as const);
  const all = sized(
    every.filter((_, n) => n % 4 === 0),
    every,
  );
  const one = await sent(service, all.length);
  await booked(
    service,
    one.merchant,
    one.references.map((reference) => credit(reference)),
  );
  for (const [n, order] of all.entries()) {
    const reference = one.references[n] ?? "";
    for (const what of order) {
      const kind = what.endsWith("054") ? "camt.054" : "camt.053";
      const xml = what.startsWith("return")
        ? camt(kind, "2026-11-27", [back(reference)])
        : camt(kind, "2026-11-30", [takenBack(reference)]);
      await read(service, one.merchant, xml);
    }
    for (const entry of await unmatched(service, one.merchant)) {
      const about = { action: "reinstate", transaction_id: one.ids[n] };
      const answer = await resolve(service, one.merchant, entry["id"], about);
      if (answer.status === 409) await resolve(service, one.merchant, entry["id"], { dismiss: true });
    }
  }
  assert.deepEqual(
    await statuses(service, one),
    all.map(() => "approved"),
  );
  assert.equal((await chargebacks(service, one.merchant)).length, all.length);
});

test("news that a slower instance records late does not undo later news", async () => {
  const one = await withdrawn();
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  const [row] = await service.rows("select tenant from gateways where id = $1", [one.merchant.accountId]);
  const late = (
    news: Pick<News, "round"> &
      ({ kind: "reinstated" } | { kind: "charged_back"; reasonCode: string; reasonMessage: null }),
  ) =>
    applyNews(service.app.deps, row?.["tenant"], one.merchant.accountId, {
      ...news,
      reference: one.reference,
      at: new Date("2026-11-30T00:00:00Z"),
    });
  const returned = { kind: "charged_back", round: 0, reasonCode: "AM04", reasonMessage: null } as const;
  assert.equal(await late(returned), "taken", "it is not reported again");
  assert.deepEqual(await statuses(service, one), ["approved"]);
  await booked(service, one.merchant, [back(one.reference)], "2026-12-01");
  assert.equal(await late({ kind: "reinstated", round: 1 }), "taken", "it is not reported again");
  assert.deepEqual(await statuses(service, one), ["charged_back"]);
});

test("a payment that was refunded before its return was withdrawn is refunded again, not approved", async () => {
  const one = await sent(service);
  const reference = one.references[0] ?? "";
  await booked(service, one.merchant, [credit(reference)]);
  await moveTo(service, one.merchant, "2026-12-07T08:00:00Z");
  const path = `management/transactions/${one.ids[0]}/refunds/`;
  const refund = await service.post(path, {}, { key: one.merchant.key });
  assert.equal(refund.body["status"], "pending", refund.text);
  await moveTo(service, one.merchant, "2026-12-07T12:00:00Z");
  const out = { amount: "19.90", endToEndId: refund.body["merchant_transaction_id"] as string };
  await booked(service, one.merchant, [["transferOut", out]], "2026-12-08");
  assert.deepEqual(await statuses(service, one), ["refunded"]);
  await booked(service, one.merchant, [back(reference, "19.90", "MD06")], "2026-12-09");
  await booked(service, one.merchant, [takenBack(reference)], "2026-12-10");
  done(await resolved(one.merchant, { action: "reinstate", transaction_id: one.ids[0] }));
  assert.deepEqual(
    [await statuses(service, one), await orderStatuses(service, one)],
    [["refunded"], ["REFUNDED"]],
  );
});

test("an order with a charged-back renewal stays CHARGEDBACK when the first payment is reinstated", async () => {
  const merchant = await bankMerchant(service);
  const first = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const reference: string = first["transaction"].merchant_transaction_id;
  await moveTo(service, merchant, "2026-11-23T12:00:00Z");
  await booked(service, merchant, [credit(reference)]);
  await moveTo(service, merchant, "2026-12-23T08:00:00Z");
  await moveTo(service, merchant, "2026-12-23T12:00:00Z");
  const [renewal] = await service.rows(
    "select merchant_transaction_id as reference from transactions where gateway_id = $1 and type = 'sdd_rebill'",
    [merchant.accountId],
  );
  const second: string = renewal?.["reference"];
  await booked(service, merchant, [credit(second)], "2026-12-28");
  await booked(service, merchant, [back(second), back(reference)], "2026-12-29");
  await booked(service, merchant, [takenBack(reference)], "2026-12-30");
  const about = { ids: [first["transaction"].id as string] };
  done(await resolved(merchant, { action: "reinstate", transaction_id: about.ids[0] }));
  assert.deepEqual(
    [await statuses(service, about), await orderStatuses(service, about)],
    [["approved"], ["CHARGEDBACK"]],
  );
  await assertBooksAgree(service.db);
});

test("an entry in another currency never matches, and a payment that was never at the bank is never reinstated", async () => {
  const one = await sent(service);
  const xml = camt("camt.053", "2026-11-25", [
    ["collection", { amount: "19.90", endToEndId: "LOST", currency: "USD" }],
  ]);
  await read(service, one.merchant, xml);
  refused(await resolved(one.merchant, { transaction_id: one.ids[0] }), /19\.90 USD.*19\.90 EUR/);
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  await service.rows(
    "update mandates set status = 'cancelled' where id = (select mandate_id from transactions where id = $1)",
    [id],
  );
  await moveTo(service, merchant, "2026-11-23T12:00:00Z");
  await booked(service, merchant, [credit(reference)]);
  refused(await resolved(merchant, { action: "reinstate", transaction_id: id }), /rejected or returned/);
});

test("a part counts for its own block only", async () => {
  const one = await sent(service, 2);
  const other = await sentBy(service, one.merchant, 2, "2026-11-24");
  await booked(service, one.merchant, [credit("A", "30.00")]);
  done(await resolved(one.merchant, { action: "part", block_id: one.block }), "part");
  await booked(service, one.merchant, [credit("B", "9.80")], "2026-11-26");
  refused(await resolved(one.merchant, { action: "settle", block_id: other.block }), /9\.80/);
  done(await resolved(one.merchant, { action: "settle", block_id: one.block }));
  assert.deepEqual(
    [await statuses(service, one), await statuses(service, other)],
    [
      ["approved", "approved"],
      ["pending", "pending"],
    ],
  );
});

test("of two people who decide at once, one is refused, and nothing is applied twice", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("LOST")]);
  const { id } = (await waiting(one.merchant)) as { id: string };
  const both = await Promise.all(
    one.ids.map((transactionId) => resolve(service, one.merchant, id, { transaction_id: transactionId })),
  );
  const answers = both.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(answers, [200, 409], JSON.stringify(both.map(({ text }) => text)));
  const approved = (await statuses(service, one)).filter((status) => status === "approved");
  assert.equal(approved.length, 1);
});

/** The effect of each decision about these entries, from the audit log. */
async function decisions(entries: readonly Json[]): Promise<readonly string[]> {
  const rows = await service.rows(
    "select after ->> 'status' as status from audit_log where resource = 'unmatched' and resource_id = any ($1)",
    [entries.map((entry) => entry["id"] as string)],
  );
  return rows.map((row) => row["status"] as string).toSorted((a, b) => a.localeCompare(b));
}

/** The number of news items about money for each payment. */
async function told({ references }: Sent): Promise<readonly number[]> {
  return Promise.all(
    references.map(
      async (reference) =>
        (await service.rows("select 1 from sepa_news where reference = $1", [reference])).length,
    ),
  );
}

/** Two payments of a block. The bank has credited one of them, and then rejects the block. */
async function halfRefused(settings: object = {}): Promise<readonly [Sent, string]> {
  const one = await sent(service, 2, settings);
  await markSent(service, one.merchant, one.file["id"]);
  await booked(service, one.merchant, [credit(one.references[0] ?? "")]);
  const report = statusReport({ messageId: one.file["message_id"] }, [
    { id: one.block, status: "RJCT", reason: "AM05" },
  ]);
  assert.equal((await read(service, one.merchant, report))["status"], "applied");
  const [entry] = await unmatched(service, one.merchant);
  return [one, entry?.["id"]];
}

test("when the bank rejects a block after crediting a part of it, the rest is rejected and credited debits stay", async () => {
  for (const target of [{}, { block: true }, { file: true }, { transaction: true }]) {
    const [one, entry] = await halfRefused();
    const named = {
      ...("block" in target ? { block_id: one.block } : {}),
      ...("file" in target ? { file_id: one.file["id"] } : {}),
      ...("transaction" in target ? { transaction_id: one.ids[1] } : {}),
    };
    const answer = await resolve(service, one.merchant, entry, { action: "reject", ...named });
    assert.deepEqual([answer.status, answer.body["status"]], [200, "applied"], answer.text);
    assert.deepEqual(await statuses(service, one), ["approved", "declined"]);
    const [row] = await service.rows("select gateway_code from transactions where id = $1", [one.ids[1]]);
    assert.equal(row?.["gateway_code"], "AM05");
    assert.equal((await resolve(service, one.merchant, entry, { action: "reject" })).status, 409);
  }
});

test("what a rejected block contains does not settle by silence until a person has decided about the rejection", async () => {
  for (const action of ["reject", "dismiss"]) {
    const [one, entry] = await halfRefused({ assume_settled_after: 2 });
    await moveTo(service, one.merchant, "2026-12-07T12:00:00Z");
    assert.deepEqual(await statuses(service, one), ["approved", "pending"]);
    const answer = await resolve(service, one.merchant, entry, { action });
    assert.equal(answer.status, 200, answer.text);
    await moveTo(service, one.merchant, "2026-12-07T13:00:00Z");
    assert.deepEqual(await statuses(service, one), [
      "approved",
      action === "reject" ? "declined" : "approved",
    ]);
  }
});

test("what a rejected file contains does not settle by silence while the rejection waits for a person", async () => {
  const one = await sent(service, 2, { assume_settled_after: 2 });
  await markSent(service, one.merchant, one.file["id"]);
  await booked(service, one.merchant, [credit(one.references[0] ?? "")]);
  const report = statusReport({ messageId: one.file["message_id"], status: "RJCT", reason: "AM05" });
  await read(service, one.merchant, report);
  await moveTo(service, one.merchant, "2026-12-07T12:00:00Z");
  assert.deepEqual(await statuses(service, one), ["approved", "pending"]);
});

const byItself = (reference: string) => ({ names: { OrgnlEndToEndId: reference }, amount: "19.00" });
const byMandate = (_: string, mandate: string) => ({ mandate: mandate.toLowerCase() });
for (const [what, kind, said] of [
  ["a rejection", "reject", byItself],
  ["a rejection that names only its mandate", "reject", byMandate],
  ["a return", "return", byItself],
] as const) {
  test(`a debit does not settle by silence while ${what} waits for a person`, async () => {
    const one = await sent(service, 1, { assume_settled_after: 2 });
    await markSent(service, one.merchant, one.file["id"]);
    const [reference = ""] = one.references;
    const [row = {}] = await service.rows(
      "select mandate_reference from sepa_collections where reference = $1",
      [reference],
    );
    const transaction = { status: "RJCT", reason: "AC04", ...said(reference, row["mandate_reference"]) };
    if (kind === "reject")
      await read(
        service,
        one.merchant,
        statusReport({ messageId: one.file["message_id"] }, [{ id: one.block, transactions: [transaction] }]),
      );
    else
      await booked(service, one.merchant, [
        ["return", { amount: "19.00", reason: "AC04", endToEndId: reference }],
      ]);
    const [entry, ...more] = await unmatched(service, one.merchant);
    assert.deepEqual([entry?.["kind"], more.length], [kind, 0]);
    await moveTo(service, one.merchant, "2026-12-07T12:00:00Z");
    assert.deepEqual(await statuses(service, one), ["pending"]);
    const decided = await resolve(service, one.merchant, entry?.["id"], {
      transaction_id: one.ids[0],
      accept_amount: true,
    });
    assert.equal(decided.status, 200, decided.text);
    assert.deepEqual(await statuses(service, one), [kind === "reject" ? "declined" : "charged_back"]);
  });
}

test("a debit settles by silence once a person has dismissed its rejection, and while another debit's rejection waits", async () => {
  const one = await sent(service, 2, { assume_settled_after: 2 });
  await markSent(service, one.merchant, one.file["id"]);
  const report = statusReport({ messageId: one.file["message_id"] }, [
    { id: one.block, transactions: [{ status: "RJCT", ...byItself(one.references[0] ?? "") }] },
  ]);
  await read(service, one.merchant, report);
  await moveTo(service, one.merchant, "2026-12-07T12:00:00Z");
  assert.deepEqual(await statuses(service, one), ["pending", "approved"]);
  const [entry] = await unmatched(service, one.merchant);
  await resolve(service, one.merchant, entry?.["id"], { action: "dismiss" });
  await moveTo(service, one.merchant, "2026-12-07T14:00:00Z");
  assert.deepEqual(await statuses(service, one), ["approved", "approved"]);
});

test("a person cannot reject credited debits, debits with a kept part of the money, or debits without a rejection", async () => {
  const [one, entry] = await halfRefused();
  const credited = await resolve(service, one.merchant, entry, {
    action: "reject",
    transaction_ids: [...one.ids],
  });
  assert.equal(credited.status, 409, credited.text);
  assert.match(credited.text, /is settled: leave it out/);
  await booked(service, one.merchant, [credit("A", "5.00")]);
  const money = (await unmatched(service, one.merchant)).find(({ kind }) => kind === "collection")?.["id"];
  const part = { action: "part", block_id: one.block };
  assert.equal((await resolve(service, one.merchant, money, part)).body["status"], "part");
  const kept = await resolve(service, one.merchant, entry, { action: "reject", block_id: one.block });
  assert.match(kept.text, /A part of the money for these is kept/);
  const wrong = await resolve(service, one.merchant, money, { action: "reject", block_id: one.block });
  assert.match(wrong.text, /Only a status report that rejects/);
  assert.deepEqual(await statuses(service, one), ["approved", "pending"]);
});

for (const count of [1, 2]) {
  test(`a rejection that names only the file, with ${count === 1 ? "one debit" : "two debits"}, is refused while a part of the money for the file is kept`, async () => {
    const one = await sent(service, count);
    await booked(service, one.merchant, [credit("A", "5.00")]);
    done(await resolved(one.merchant, { action: "part", file_id: one.file["id"] }), "part");
    // The bank rejects the file and lists, without a status, a transaction that is not in it: a person decides.
    const report = statusReport({ messageId: one.file["message_id"], status: "RJCT", reason: "AM05" }, [
      { id: one.block, transactions: [{ names: { OrgnlEndToEndId: "another" } }] },
    ]);
    await read(service, one.merchant, report);
    const entry = (await unmatched(service, one.merchant)).find(({ kind }) => kind === "block")?.["id"];
    const reject = () => resolve(service, one.merchant, entry, { action: "reject" });
    refused(await reject(), /A part of the money for these is kept/);
    const [part] = await unmatched(service, one.merchant, "part");
    done(await resolve(service, one.merchant, part?.["id"], { action: "dismiss" }), "dismissed");
    done(await reject());
    assert.deepEqual(
      await statuses(service, one),
      one.ids.map(() => "declined"),
    );
  });
}

test("when the rest of a block is rejected while its money arrives, only one of both takes effect and the other waits or is refused", async () => {
  const [one, entry] = await halfRefused();
  const [answer] = await Promise.all([
    resolve(service, one.merchant, entry, { action: "reject" }),
    booked(service, one.merchant, [credit(one.references[1] ?? "")], "2026-11-26"),
  ]);
  const [, second] = await statuses(service, one);
  const waits = (await unmatched(service, one.merchant)).map(({ kind }) => kind);
  if (answer.status === 200) assert.deepEqual([second, waits], ["declined", ["collection"]], answer.text);
  else assert.deepEqual([answer.status, second, waits], [409, "approved", ["block"]], answer.text);
});

test("two parts that are applied at once settle the block once", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("A", "30.00"), credit("B", "9.80")]);
  const entries = await unmatched(service, one.merchant);
  const both = await Promise.all(
    entries.map((entry) =>
      resolve(service, one.merchant, entry["id"], { action: "part", block_id: one.block }),
    ),
  );
  assert.deepEqual(
    both.map(({ body }) => body["status"] as string).toSorted((a, b) => a.localeCompare(b)),
    ["applied", "part"],
  );
  assert.deepEqual(await decisions(entries), ["applied", "part"]);
  assert.deepEqual(await statuses(service, one), ["approved", "approved"]);
  assert.deepEqual(await told(one), [1, 1]);
});

test("the response to a decision describes that decision, even if the next one is made before the response", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("A", "30.00"), credit("B", "9.80")]);
  const [first, second] = await unmatched(service, one.merchant);
  const part = (entry: Json | undefined) =>
    resolve(service, one.merchant, entry?.["id"], { action: "part", block_id: one.block });
  afterDecision = async () => {
    afterDecision = null;
    done(await part(second), "applied");
  };
  done(await part(first), "part");
  assert.equal(afterDecision, null, "the second decision was taken");
  assert.deepEqual(await told(one), [1, 1]);
});

test("a payment is settled once if a file with it arrives while a person decides", async () => {
  const one = await sent(service);
  await booked(service, one.merchant, [credit("LOST")]);
  const entry = await waiting(one.merchant);
  const [answer] = await Promise.all([
    resolve(service, one.merchant, entry["id"], { transaction_id: one.ids[0] }),
    booked(service, one.merchant, [credit(one.references[0] ?? "")], "2026-11-26"),
  ]);
  assert.ok(answer.status === 200 || /dismiss the entry/.test(answer.text), answer.text);
  assert.deepEqual(await statuses(service, one), ["approved"]);
  const news = await service.rows("select 1 from sepa_news where reference = $1", [one.references[0]]);
  assert.equal(news.length, 1);
});

test("a repeated request with its Idempotency-Key changes nothing and gets the same response; each decision is in the audit log", async () => {
  const one = await withdrawn();
  const entry = await waiting(one.merchant);
  const again = () =>
    service.post(
      `management/unmatched/${entry["id"]}/resolve/`,
      { action: "reinstate", transaction_id: one.ids[0], note: "letter of the bank" },
      { key: one.merchant.key, headers: { "idempotency-key": `resolve-${entry["id"]}` } },
    );
  const first = await again();
  // As after a crash between the commit and the response.
  await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = created_at where key = $1 returning 1",
    [`resolve-${entry["id"]}`],
  );
  done(first);
  done(await again());
  const log = await service.get(`management/audit-log/?resource=unmatched`, { key: one.merchant.key });
  const entries = (log.body["results"] as Json[]).filter((line) => line["resource_id"] === entry["id"]);
  assert.deepEqual(
    entries.map((line) => [line["after"].action, line["after"].amount, line["after"].transaction_id]),
    [["reinstate", "19.90", one.ids[0]]],
  );
});

test("another tenant's entry is not found, and a decision cannot name another tenant's records", async () => {
  const [ours, theirs] = [await sent(service), await sent(service)];
  await booked(service, ours.merchant, [credit("LOST")]);
  const { id } = (await waiting(ours.merchant)) as { id: string };
  for (const body of [{ dismiss: true }, { action: "settle", block_id: theirs.block }]) {
    assert.equal((await resolve(service, theirs.merchant, id, body)).status, 404);
  }
  for (const target of [
    { transaction_ids: theirs.ids },
    { block_id: theirs.block },
    { file_id: theirs.file["id"] as string },
  ]) {
    assert.equal((await resolve(service, ours.merchant, id, { action: "settle", ...target })).status, 400);
  }
  assert.deepEqual(await statuses(service, theirs), ["pending"]);
});

test("an action that does not fit its target is refused with an explanation, and the entry stays open", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [credit("LOST")]);
  const { id } = (await waiting(one.merchant)) as { id: string };
  for (const body of [
    {},
    { action: "settle" },
    { action: "apply", block_id: one.block },
    { action: "dismiss", transaction_id: one.ids[0] },
    { transaction_id: one.ids[0], dismiss: true },
    { action: "settle", block_id: one.block, file_id: one.file["id"] },
    { action: "apply", transaction_ids: one.ids },
    { action: "forget" },
  ]) {
    const answer = await resolve(service, one.merchant, id, body);
    assert.equal(answer.status, 400, JSON.stringify(body) + answer.text);
  }
  refused(
    await resolve(service, one.merchant, id, { action: "reinstate", transaction_id: one.ids[0] }),
    /batched/,
  );
  await waiting(one.merchant);
});
