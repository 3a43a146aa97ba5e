/** The console's pages of the bank over HTTP: files carried by hand, statements, and unmatched entries. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { UNKNOWN, wordsOf } from "../support/console.ts";
import { createCompany, member, tokenIn, type Member } from "../support/people.ts";
import { statusReport } from "../sepa/messages.ts";
import { followed, markSent, outgoing, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

const PATH = "/console/bank/";
let service: Service;
let desk: ReturnType<typeof deskOf>;
let stranger: Member;

before(async () => {
  service = await startService({ clock: manualClock(new Date("2026-11-23T08:00:00Z")) });
  desk = deskOf(service);
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(() => service.close());

const person = (merchant: BankMerchant, role: "finance" | "viewer") =>
  member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, role);

const waiting = async (merchant: BankMerchant): Promise<readonly Json[]> =>
  treasury.unmatched(service, merchant);

/** The hidden fields of a page's forms. */
async function form(who: Member, path: string) {
  const page = await who.browser.get(path);
  return { csrf: tokenIn(page) ?? "", id: /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? UNKNOWN };
}

test("a file is downloaded and marked as sent once, by people with the right, and the audit log names the person", async () => {
  const { merchant, file } = await desk.batched(2);
  const [finance, viewer] = [await person(merchant, "finance"), await person(merchant, "viewer")];
  const path = `${PATH}files/${file["id"]}/`;
  const list = wordsOf(await finance.browser.get(PATH));
  assert.match(list, /Next files .*House bank •••• 3000 Nov 24, 11:00 AM .* By hand/);
  assert.match(list, /Ready to be sent .*Direct debits 2 entries .*€39\.80/);
  assert.match(wordsOf(await finance.browser.get("/console/")), /1 file is ready to be sent/);
  assert.match((await finance.browser.get("/console/")).text, /href="\/console\/bank\/\?status=ready"/);
  assert.equal((await viewer.browser.get(path)).status, 403);
  assert.ok(!(await viewer.browser.get("/console/")).text.includes("/console/bank/"));
  for (const id of [file["id"], UNKNOWN, "x"])
    assert.equal((await stranger.browser.get(`${PATH}files/${id}/`)).status, 404);

  const downloaded = await finance.browser.post(`${path}content/`, await form(finance, path));
  assert.match(String(downloaded.headers["content-disposition"]), /^attachment; filename="/);
  assert.match(downloaded.text, /pain\.008\.001\.08/);
  const dialog = wordsOf(await finance.browser.get(`${path}?act=sent`));
  assert.match(dialog, /You delivered this file of 2 entries over €39\.80/);
  const fields = await form(finance, `${path}?act=sent`);
  const answers = await Promise.all([1, 2].map(() => finance.browser.post(`${path}sent/`, fields)));
  for (const { status, headers } of answers)
    assert.deepEqual([status, headers["location"]], [303, `${path}?done=sent`]);
  assert.equal((await outgoing(service, merchant))[0]?.["status"], "sent");
  const late = await finance.browser.post(`${path}withdraw/`, await form(finance, path));
  assert.deepEqual([late.status, /role="alert"/.test(late.text)], [409, true]);
  const audit = await service.rows(
    "select action, actor_name from audit_log where resource_id = $1 order by at, action",
    [file["id"]],
  );
  assert.deepEqual(
    audit.map((row) => `${row["action"]} ${row["actor_name"]}`),
    ["export Ada finance", "update Ada finance"],
  );
  const foreign = await form(stranger, PATH);
  assert.equal((await stranger.browser.post(`${path}sent/`, foreign)).status, 404);
});

test("a file that was not sent is withdrawn, and its contents wait for the next one", async () => {
  const { merchant, file } = await desk.batched(1);
  const finance = await person(merchant, "finance");
  const path = `${PATH}files/${file["id"]}/`;
  const dialogs = ["sent", "withdraw"].map((act) => finance.browser.get(`${path}?act=${act}`));
  const [sending, takingBack] = (await Promise.all(dialogs)).map(wordsOf);
  assert.match(sending ?? "", /this file of 1 entry over €19\.90/);
  assert.match(takingBack ?? "", /What is in it \(1 entry, €19\.90\) goes into the next file/);
  const unapproved = await desk.batched(1, { approvals_required: 1 });
  const approver = await person(unapproved.merchant, "finance");
  assert.match(
    wordsOf(await approver.browser.get(`${PATH}files/${unapproved.file["id"]}/?act=withdraw`)),
    /\(1 entry, €19\.90\) goes into the next file\. The bank does not have this one\./,
  );
  const taken = await finance.browser.post(`${path}withdraw/`, await form(finance, `${path}?act=withdraw`));
  assert.equal(taken.headers["location"], `${path}?done=withdraw`, taken.text);
  assert.match(wordsOf(await finance.browser.get(PATH)), /€19\.90 1 entry By hand .*Withdrawn/);
  const { body } = await service.get("management/sepa-accounts/", { key: merchant.key });
  assert.deepEqual(body["results"][0].waiting, [{ currency: "EUR", count: 1, amount: "19.90" }]);
  assert.deepEqual(
    [body["results"][0].next_file_at, body["results"][0].due_from],
    ["2026-11-24T11:00:00.000Z", "2026-11-26"],
  );
});

test("bank pages ask for the second factor again before anything is sent or decided", async () => {
  const { merchant, file } = await desk.batched(1);
  const finance = await person(merchant, "finance");
  const path = `${PATH}files/${file["id"]}/`;
  const fields = await form(finance, `${path}?act=sent`);
  await service.rows(
    "update console_sessions set proved_at = proved_at - interval '1 hour' where person = $1",
    [finance.id],
  );
  const sent = await finance.browser.post(`${path}sent/`, fields);
  assert.match(String(sent.headers["location"]), /^\/console\/step-up\//);
  assert.equal((await outgoing(service, merchant))[0]?.["status"], "ready");
});

test("an entry of a statement is decided with one click on the suggested payment", async () => {
  const { merchant, references, payments } = await desk.batched(2);
  const finance = await person(merchant, "finance");
  await treasury.booked(service, merchant, [
    ["collection", { amount: "18.90", endToEndId: references[0] ?? "" }],
  ]);
  const [entry] = await waiting(merchant);
  const path = `${PATH}unmatched/${entry?.["id"]}/`;
  assert.match(wordsOf(await finance.browser.get(`${PATH}unmatched/`)), /€18\.90 Money for a payment Open/);
  const api = await service.get(`management/unmatched/${entry?.["id"]}/suggestions/`, { key: merchant.key });
  assert.deepEqual(
    api.body["results"].map((one: Json) => [
      one["reference"],
      one["clue"],
      one["action"],
      one["amount_differs"],
    ]),
    [[references[0], "reference", "apply", true]],
  );
  const german = await person(merchant, "finance");
  await service.rows("update people set locale = 'de-DE' where id = $1 returning id", [german.id]);
  assert.match(
    wordsOf(await german.browser.get(path)),
    /Geld für eine Zahlung · die Bank meldet 18,90\s€, in der Datei stehen 19,90\s€/,
  );
  const page = await finance.browser.get(path);
  assert.match(
    wordsOf(page),
    /€19\.90 Ada Example .*Reference Apply to this payment although the amounts differ/,
  );
  assert.equal((await stranger.browser.get(path)).status, 404);
  const fields = {
    ...(await form(finance, path)),
    action: "apply",
    transaction_id: payments[0]?.["transaction"].id as string,
  };
  const refused = await finance.browser.post(`${path}resolve/`, fields);
  assert.deepEqual([refused.status, /role="alert"/.test(refused.text)], [422, true]);
  const inGerman = await german.browser.post(`${path}resolve/`, {
    ...fields,
    ...(await form(german, path)),
  });
  assert.match(wordsOf(inGerman), /Die Bank hat 18,90\s€ gebucht, erwartet sind 19,90\s€\. Geben Sie/);
  const accepted = { ...fields, accept_amount: "yes" };
  const answers = await Promise.all([1, 2].map(() => finance.browser.post(`${path}resolve/`, accepted)));
  for (const { headers } of answers) assert.equal(headers["location"], `${path}?done=resolve`);
  assert.deepEqual(await waiting(merchant), []);
  assert.equal((await desk.instruction(payments[0]))["state"], "settled");
  const decided = await finance.browser.get(path);
  assert.ok(!decided.text.includes("/resolve/"), "nothing is left to decide");
  assert.match(decided.text, new RegExp(`href="/console/search/\\?text=${references[0]}"`));
  const audit = await service.rows("select actor_name from audit_log where resource_id = $1", [
    entry?.["id"],
  ]);
  assert.deepEqual(audit, [{ actor_name: "Ada finance" }]);
});

test("a payment is suggested by amount for an entry without a reference, an entry that fits nothing is dismissed with a note, and hostile texts are shown as text", async () => {
  const { merchant, references } = await desk.batched(2);
  const finance = await person(merchant, "finance");
  await treasury.booked(service, merchant, [
    ["return", { amount: "19.90", endToEndId: "PSS-OTHER-1", reason: "MS03" }],
    ["return", { amount: "77.00", endToEndId: "PSS-OTHER-2", reason: "MS03" }],
  ]);
  const entries = await waiting(merchant);
  const of = (amount: string) => entries.find((one) => one["amount"] === amount)?.["id"] as string;
  const api = await service.get(`management/unmatched/${of("19.90")}/suggestions/`, { key: merchant.key });
  assert.deepEqual(
    api.body["results"].map((one: Json) => `${one["clue"]} ${one["reference"]}`).toSorted(),
    references.map((reference) => `amount ${reference}`).toSorted(),
  );
  const path = `${PATH}unmatched/${of("77.00")}/`;
  assert.match(wordsOf(await finance.browser.get(path)), /No payment fits/);
  const wrong = await finance.browser.post(`${path}resolve/`, {
    ...(await form(finance, path)),
    transaction_id: "nonsense",
  });
  assert.equal(wrong.status, 422);
  const evil = "<img src=x onerror=alert(1)>";
  const done = await finance.browser.post(`${path}resolve/`, {
    ...(await form(finance, path)),
    action: "dismiss",
    note: evil,
  });
  assert.equal(done.headers["location"], `${path}?done=resolve`, done.text);
  const page = await finance.browser.get(path);
  assert.match(wordsOf(page), /Dismissed/);
  assert.ok(page.text.includes("&lt;img") || page.text.includes("&#60;img"));
  assert.ok(!page.text.includes("<img"));
  assert.match(wordsOf(await finance.browser.get(`${PATH}statements/`)), /Nov 25, 2026 .*•••• 3000/);
  assert.match(wordsOf(await finance.browser.get(`${PATH}?status=GONE&nonsense=1`)), /status: .*nonsense:/);
});

test("a debit can be reversed from its refund's dialog in time, and a person decides its booking if that has no code", async () => {
  const { merchant, payments, references, file } = await desk.batched(1, { reversal_days: 5 });
  await markSent(service, merchant, file["id"]);
  await treasury.booked(service, merchant, [
    ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }],
  ]);
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  const finance = await person(merchant, "finance");
  const path = `/console/payments/${payments[0]?.["transaction"].id}/`;
  const dialog = await finance.browser.get(`${path}?act=refund`);
  assert.match(
    wordsOf(dialog),
    /How to refund .* By reversing the debit, in full; at the bank by Dec 2, 2026/,
  );
  assert.match(dialog.text, /type="radio" name="way" value="transfer" {1,2}checked/);
  const id = /action="[^"]*\/refund\/"[^]*?name="id" value="([^"]+)"/.exec(dialog.text)?.[1] ?? "";
  const fields = { csrf: tokenIn(dialog) ?? "", id, amount: "19.90", way: "reversal" };
  const sent = await finance.browser.post(`${path}refund/`, fields);
  assert.deepEqual([sent.status, sent.headers["location"]], [303, `${path}?done=refund`], sent.text);
  const changed = await finance.browser.post(`${path}refund/`, { ...fields, way: "transfer" });
  assert.equal(changed.status, 422);
  const [refund, ...others] = await desk.refunds(merchant, payments[0]);
  assert.deepEqual(others, []);
  assert.deepEqual([refund?.["way"], refund?.["status"]], ["reversal", "pending"]);
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  assert.match(wordsOf(await finance.browser.get(PATH)), /Reversals 1 entry/);
  const later = await desk.batched(1, { reversal_days: 1 });
  await markSent(service, later.merchant, later.file["id"]);
  await treasury.booked(service, later.merchant, [
    ["collection", { amount: "19.90", endToEndId: later.references[0] ?? "" }],
  ]);
  await desk.moveTo(later.merchant, "2026-11-27T08:00:00Z");
  const other = await person(later.merchant, "finance");
  const closed = await other.browser.get(
    `/console/payments/${later.payments[0]?.["transaction"].id}/?act=refund`,
  );
  assert.ok(!wordsOf(closed).includes("How to refund"), "its time is over");
});

test("a refund that is too high, or that the gateway declines at once, is an error in the form, and another can be sent", async () => {
  const { merchant, payments, references, file } = await desk.batched(1);
  await markSent(service, merchant, file["id"]);
  await treasury.booked(service, merchant, [
    ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }],
  ]);
  const finance = await person(merchant, "finance");
  const path = `/console/payments/${payments[0]?.["transaction"].id}/`;
  const send = async (amount: string) => {
    const dialog = await finance.browser.get(`${path}?act=refund`);
    const id = /action="[^"]*\/refund\/"[^]*?name="id" value="([^"]+)"/.exec(dialog.text)?.[1] ?? "";
    return {
      id,
      answer: await finance.browser.post(`${path}refund/`, { csrf: tokenIn(dialog) ?? "", id, amount }),
    };
  };
  const { answer: tooMuch } = await send("20.00");
  assert.deepEqual(
    [tooMuch.status, /At most €19\.90 can still be refunded/.test(wordsOf(tooMuch))],
    [422, true],
  );
  const early = await send("1.50");
  assert.equal(early.answer.status, 422);
  assert.match(
    wordsOf(early.answer),
    /Nothing was given back\. The customer's bank can still return this debit/,
  );
  assert.ok(!early.answer.text.includes(early.id), "the next one is another refund");
  assert.deepEqual(
    (await desk.refunds(merchant, payments[0])).map(({ status }) => status),
    ["declined"],
  );
  await desk.moveTo(merchant, "2026-12-04T08:00:00Z");
  assert.equal((await send("1.50")).answer.headers["location"], `${path}?done=refund`);
});

test("a person settles by a form a sum for a whole file, for a block less the bank's fee, or for listed payments in two parts", async () => {
  const open = async (amounts: readonly string[]) => {
    const made = await desk.batched(2);
    await markSent(service, made.merchant, made.file["id"]);
    await treasury.booked(
      service,
      made.merchant,
      amounts.map((amount) => ["collection", { amount }] as const),
    );
    const finance = await person(made.merchant, "finance");
    const decide = async (entry: Json | undefined, fields: Readonly<Record<string, string>>) => {
      const path = `${PATH}unmatched/${entry?.["id"]}/`;
      const page = await finance.browser.get(path);
      const given = {
        action: "settle",
        block_id: "",
        file_id: "",
        transaction_ids: "",
        bank_fee: "",
        ...fields,
      };
      const answer = await finance.browser.post(`${path}resolve/`, {
        csrf: tokenIn(page) ?? "",
        id: /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? UNKNOWN,
        ...given,
      });
      return { page, answer, isDone: answer.headers["location"] === `${path}?done=resolve` };
    };
    const states = async () => {
      await followed(service);
      return Promise.all(made.payments.map(async (one) => (await desk.transaction(one))["status"]));
    };
    const entries = (await waiting(made.merchant)).toSorted(
      (a, b) => Number(a["amount"]) - Number(b["amount"]),
    );
    return { ...made, entries, decide, states };
  };
  const whole = await open(["39.80"]);
  const nothing = await whole.decide(whole.entries[0], {});
  assert.equal(nothing.answer.status, 422);
  assert.match(wordsOf(nothing.answer), /choose or name one of the three/);
  assert.match(nothing.answer.text, /<details class="panel raw"\s+open/);
  const both = { file_id: String(whole.file["id"]), block_id: "x" };
  assert.equal((await whole.decide(whole.entries[0], both)).answer.status, 422);
  const settled = await whole.decide(whole.entries[0], { file_id: String(whole.file["id"]) });
  assert.match(settled.page.text, new RegExp(`<option\\s+value="${whole.file["id"]}"\\s+selected`));
  assert.ok(settled.isDone, settled.answer.text);
  assert.deepEqual(await whole.states(), ["approved", "approved"]);

  const less = await open(["39.30"]);
  const block = { block_id: ` ${less.file["message_id"]}-1 ` };
  assert.match(wordsOf((await less.decide(less.entries[0], block)).answer), /39\.30.*39\.80/);
  assert.equal((await less.decide(less.entries[0], { ...block, bank_fee: "half" })).answer.status, 422);
  assert.ok((await less.decide(less.entries[0], { ...block, bank_fee: "0,50" })).isDone);
  assert.deepEqual(await less.states(), ["approved", "approved"]);

  const parts = await open(["15.00", "24.80"]);
  const ids = { transaction_ids: parts.payments.map((one) => one["transaction"].id).join("\n") };
  assert.ok((await parts.decide(parts.entries[0], { ...ids, action: "part" })).isDone);
  assert.deepEqual(await parts.states(), ["pending", "pending"]);
  assert.ok((await parts.decide(parts.entries[1], ids)).isDone);
  assert.deepEqual(await parts.states(), ["approved", "approved"]);
  assert.deepEqual(await waiting(parts.merchant), []);
});

test("a person rejects the rest of a block that the bank rejects after crediting a part of it", async () => {
  const { merchant, references, file } = await desk.batched(2);
  await treasury.booked(service, merchant, [
    ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }],
  ]);
  const block = { id: `${file["message_id"]}-1`, status: "RJCT", reason: "AM05" };
  await treasury.read(service, merchant, statusReport({ messageId: file["message_id"] }, [block]));
  const [entry] = await waiting(merchant);
  const finance = await person(merchant, "finance");
  const path = `${PATH}unmatched/${entry?.["id"]}/`;
  assert.match(
    wordsOf(await finance.browser.get(path)),
    /The bank has rejected the rest .*no answer yet becomes rejected/,
  );
  const fields = { ...(await form(finance, path)), action: "reject", note: "Asked the bank." };
  const answers = await Promise.all([1, 2].map(() => finance.browser.post(`${path}resolve/`, fields)));
  for (const { headers } of answers) assert.equal(headers["location"], `${path}?done=resolve`);
  await followed(service);
  const rows = await service.rows(
    "select status from transactions where merchant_transaction_id = any ($1::text[]) order by status",
    [references],
  );
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["approved", "declined"],
  );
});

test("if the bank rejects a reversal under the block of its debits, a person names the refund, and none of the debits is rejected", async () => {
  const { merchant, payments, references, file } = await desk.batched(2, { reversal_days: 5 });
  await markSent(service, merchant, file["id"]);
  await desk.booked(merchant, [["collection", { amount: "19.90", endToEndId: references[0] ?? "" }]]);
  await desk.moveTo(merchant, "2026-11-26T08:00:00Z");
  await desk.refund(merchant, payments[0], { way: "reversal" });
  await desk.moveTo(merchant, "2026-11-26T12:00:00Z");
  const group = { messageId: file["message_id"], name: "pain.007.001.09" };
  const block = { id: `${file["message_id"]}-1`, status: "RJCT" };
  await treasury.read(service, merchant, statusReport(group, [block]));
  const [entry] = await waiting(merchant);
  const finance = await person(merchant, "finance");
  const path = `${PATH}unmatched/${entry?.["id"]}/`;
  const [refund] = await desk.refunds(merchant, payments[0]);
  const shown = wordsOf(await finance.browser.get(`/console/payments/${refund?.["id"]}/`));
  assert.match(shown, /How to refund Reversal of the debit/);
  const decide = async (ids: string) =>
    finance.browser.post(`${path}resolve/`, {
      ...(await form(finance, path)),
      action: "reject",
      transaction_ids: ids,
    });
  const all = await decide("");
  assert.equal(all.status, 422);
  assert.match(wordsOf(all), /name the transactions of the refunds/);
  const wrong = await decide(`${refund?.["id"]}, <b>no id</b>`);
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /&#60;b&#62;no id.*<\/textarea/, "what was typed stays");
  const none = await decide(" , ;");
  assert.match(wordsOf(none), /Copy it from the payment's page/, "no id is not all of them");
  const named = await decide(`\n ${refund?.["id"]}\n`);
  assert.equal(named.headers["location"], `${path}?done=resolve`, named.text);
  await followed(service);
  assert.equal((await desk.refunds(merchant, payments[0]))[0]?.["status"], "declined");
  const states = await Promise.all(
    payments.map(async (payment) => (await desk.transaction(payment))["status"]),
  );
  assert.deepEqual(states, ["approved", "pending"]);
});

test("a missing statement is counted on Home, and the linked list shows it", async () => {
  const { merchant, references } = await desk.batched(1);
  const finance = await person(merchant, "finance");
  await treasury.booked(service, merchant, [
    ["collection", { amount: "19.90", endToEndId: references[0] ?? "" }],
  ]);
  await service.rows("update sepa_statements set gap = 'number 2 of 2026' where gateway_id = $1", [
    merchant.accountId,
  ]);
  const attention = await service.get("management/needs-attention/", { key: merchant.key });
  const found = attention.body["results"].find(({ kind }: Json) => kind === "statement_gaps");
  const list = await service.get(found.list.replace("/api/v1/", ""), { key: merchant.key });
  assert.deepEqual([list.status, list.body["results"]?.length], [200, 1], list.text);
  const path = /href="(\/console\/bank\/statements\/[^"]*)"/.exec(
    (await finance.browser.get("/console/")).text,
  );
  const page = await finance.browser.get(path?.[1] ?? "");
  assert.match(wordsOf(page), /One before it is missing number 2 of 2026/);
});

test("the bank page of a company without a bank account says what the page is for", async () => {
  const page = async (path: string) => wordsOf(await stranger.browser.get(path));
  assert.match(await page(PATH), /No bank files yet/);
  assert.match(await page(`${PATH}statements/`), /No statements yet/);
  assert.match(await page(`${PATH}unmatched/`), /Nothing is unmatched/);
});
