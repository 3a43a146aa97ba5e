/**
 * EBICS as the transport of an account: from the bank's letter to the statement, with every possible end of an upload.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Deps, Step } from "../../src/deps.ts";
import { HOUR_MS, manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  bankMerchant,
  bankOf,
  camt,
  followed,
  outgoing,
  payAt,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { member } from "../support/people.ts";
import { sized } from "../support/sized.ts";
import { zipArchive } from "../sepa/zip-archive.ts";
import * as treasury from "../support/treasury.ts";
import {
  accountOf,
  bankLetter,
  ebicsMerchant,
  ebicsPost,
  fetchNow,
  fileRow,
  send,
  storedFile,
  transportTo,
} from "./account.ts";
import { initialise } from "../../src/gateways/sepa-batch/transports/ebics/initialise.ts";
import { changeKeys } from "../../src/gateways/sepa-batch/transports/ebics/users.ts";
import {
  releaseUser,
  saveUser,
  leaseUser,
} from "../../src/gateways/sepa-batch/transports/ebics/users-store.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { readFigures } from "../../src/operator/figures.ts";
import { hexNumbers, sha256 } from "../../tools/ebics-host/crypto.ts";
import { startTestBank, type TestBank } from "./bank.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let bank: TestBank;
let merchant: BankMerchant;

before(async () => {
  service = await startService({ clock });
  bank = await startTestBank({ now: () => clock.now() });
  merchant = await ebicsMerchant(service, bank);
});
afterEach(() => {
  bank.fault = () => null;
});
after(async () => {
  await bank.close();
  await assertBooksAgree(service.db).finally(() => service.close());
});

const get = (path: string) => service.get(`management/${path}`, { key: merchant.key });

async function stored(content = `<file n="${bank.books.orders}"/>`): Promise<string> {
  return storedFile(service, await accountOf(service, merchant), content);
}

/** What a command adds to the audit log about an EBICS user: the state before, and what is said of it afterwards. */
async function audited(of: BankMerchant, command: () => Promise<unknown>): Promise<readonly unknown[]> {
  const entries = async () => {
    const path = `management/audit-log/?resource=ebics&resource_id=${of.accountId}`;
    return (await service.get(path, { key: of.key })).body["results"] as readonly Json[];
  };
  const before = new Set((await entries()).map(({ id }) => id));
  await command();
  const added = (await entries()).filter(({ id }) => !before.has(id));
  // Those of one instant have no order.
  const byAction = added.toSorted((a, b) => (a["action"] < b["action"] ? -1 : 1));
  return byAction.map(({ action, before: from, after: to }) => [action, from, to]);
}

/** Advances the clock by an hour, after which a postponed file is retried. */
async function later(ms = HOUR_MS): Promise<void> {
  clock.advance(ms);
  await service.rows("update sepa_files set locked_until = null");
}

test("from the letter to the statement: paid, sent, in the bank's protocol, settled", async () => {
  const payment = await payAt(merchant, {}, "DE89370400440532013000");
  await treasury.moveTo(service, merchant, "2026-11-23T12:00:00Z");
  await send(service.app.deps);
  const [file] = await outgoing(service, merchant);
  assert.deepEqual([file?.["status"], file?.["error"]], ["sent", null]);
  const taken = bank.books.taken.at(-1);
  assert.equal(taken?.order, "SDD//COR//pain.008");
  assert.ok(taken !== undefined);
  const reference = payment["transaction"]["merchant_transaction_id"];
  assert.match(String(taken.data), new RegExp(reference));
  const statement = camt("camt.053", "2026-11-24", [
    ["collection", { amount: "19.90", endToEndId: reference }],
  ]);
  // Some banks send archives with folders.
  const delivered = zipArchive([
    { name: "2026-11/", content: "" },
    { name: "2026-11/statement.xml", content: statement },
  ]);
  bank.books.waiting.set("EOP/DE//ZIP/camt.053", [delivered]);
  await later();
  assert.equal(await fetchNow(service, merchant), 1);
  await followed(service);
  assert.equal(bank.books.waiting.get("EOP/DE//ZIP/camt.053")?.length, 0);
  const history = (await get(`sepa-files/${file?.["id"]}/history/`)).body["results"] as Json[];
  assert.deepEqual(
    history.map(({ action, reason }) => [action, reason]),
    [
      ["FILE_UPLOAD", "TS01"],
      ["ES_VERIFICATION", "DS01"],
      ["ORDER_HAC_FINAL_POS", "DS07"],
    ],
  );
  const { body } = await service.get("reconciliation/transactions/?start_date=2026-11-20", {
    key: merchant.key,
  });
  assert.equal((body["results"] as Json[])[0]?.["status"], "approved");
});

test("the bank's protocol as text (PTK) is kept and shown next to the other one, and decides nothing", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const downloads = ["PTK", "C53"];
    const other = await ebicsMerchant(service, own, { ebics_version: "H004", downloads });
    const account = await accountOf(service, other);
    const id = await storedFile(service, account, "<file/>");
    // The response to the upload is lost, and only the text names the order.
    own.fault = ({ direction, phase }) =>
      direction === "upload" && phase === "Transfer" ? { kind: "cut_after" } : null;
    await send(service.app.deps);
    own.fault = () => null;
    const [order] = await service.rows("select order_id from ebics_orders where file_id = $1", [id]);
    const number = order?.["order_id"] as string;
    const text = `Auftrag ${number} CDD DE89370400440532013000: ausgef\xfchrt\nKonto DE89370400440532013000 ${number}\nAuftrag ZZ99 CCT\n`;
    own.books.protocolFetched = own.books.protocol.length;
    own.books.waiting.set("PTK", [Buffer.from(text, "latin1"), Buffer.from(text, "latin1")]);
    const { status: before } = await fileRow(service, id);
    await later();
    await service.rows("update sepa_accounts set locked_until = null, polled_at = null");
    await fetchNow(service, other);
    const ask = (path: string) => service.get(`management/sepa-files/${path}`, { key: other.key });
    const steps = ((await ask(`${id}/history/`)).body["results"] as Json[]).filter(
      ({ action }) => action === "PTK",
    );
    assert.deepEqual(
      steps.map(({ order_id, text: line }) => [order_id, line]),
      [[number, `Auftrag ${number} CDD [redacted]: ausgeführt`]],
    );
    const kept = ((await ask("?direction=in")).body["results"] as Json[]).filter(
      ({ kind }) => kind === "PTK",
    );
    assert.equal(kept.length, 1, "the same text again is known");
    const content = await ask(`${kept[0]?.["id"]}/content/`);
    assert.equal(content.headers["content-type"], "text/plain");
    assert.match(content.text, /ZZ99 CCT/);
    assert.equal((await fileRow(service, id)).status, before, "nothing was decided");
  } finally {
    await own.close();
  }
});

test("a file of reversals is never sent under another order: it waits for orders.reversal", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const other = await ebicsMerchant(service, own);
    // Such settings are refused when they are saved. These were stored before there was a check.
    await service.rows(`update gateways set settings = settings || '{"reversal_days": 5}' where id = $1`, [
      other.accountId,
    ]);
    const id = await storedFile(service, await accountOf(service, other), "<file/>");
    await service.rows("update sepa_files set kind = 'pain.007' where id = $1", [id]);
    await send(service.app.deps);
    const { status, error } = await fileRow(service, id);
    assert.match(error, /transport\.orders\.reversal is not set/);
    assert.notEqual(status, "sent");
    assert.deepEqual(await service.rows("select 1 from ebics_orders where file_id = $1", [id]), []);
  } finally {
    await own.close();
  }
});

test("the bank's keys are used only when a person has confirmed both hashes of the letter, and the audit log has each step", async () => {
  const own = await startTestBank();
  try {
    const other = await bankMerchant(service, { transport: transportTo(own) });
    const call = (what: string, body?: object) =>
      service.post(`management/ebics/${other.accountId}/${what}/`, body, { key: other.key });
    assert.equal((await call("bank-keys")).status, 409);
    const made = await audited(other, async () => {
      assert.equal((await call("keys", {})).body["state"], "sent");
    });
    assert.deepEqual(made, [["create", null, { state: "made" }]]);
    const refused = await audited(other, async () => {
      assert.equal((await call("keys", {})).status, 409, "not twice");
      assert.match((await call("bank-keys")).text, /091002/);
    });
    assert.deepEqual(refused, []);
    own.user.state = "ready";
    const fetched = await audited(other, async () => {
      assert.equal((await call("bank-keys")).body["state"], "sent");
    });
    assert.deepEqual(fetched, [["update", { state: "sent" }, { state: "sent", fetched: "bank_keys" }]]);
    const { authentication_hash, encryption_hash } = bankLetter();
    for (const [given, fields] of [
      [{ authentication_hash, encryption_hash: authentication_hash }, ["encryption_hash"]],
      [{ authentication_hash: encryption_hash, encryption_hash }, ["authentication_hash"]],
      [
        { authentication_hash: encryption_hash, encryption_hash: authentication_hash },
        ["authentication_hash", "encryption_hash"],
      ],
    ] as const) {
      const { body } = await call("confirm", given);
      const words = ["This is not the hash of the key that the bank's host has sent."];
      assert.deepEqual(body, {
        ...Object.fromEntries(fields.map((field) => [field, words])),
        status_code: 400,
      });
    }
    assert.equal((await call("resume")).status, 409, "there is no way around");
    const confirmed = await audited(other, async () => {
      assert.equal((await call("confirm", bankLetter())).body["state"], "ready");
    });
    const digits = (hash: string) => hash.replaceAll(" ", "").toLowerCase();
    assert.deepEqual(confirmed, [
      [
        "update",
        { state: "sent" },
        {
          state: "ready",
          authentication_hash: digits(authentication_hash),
          encryption_hash: digits(encryption_hash),
        },
      ],
    ]);
    const letter = await service.get(`management/ebics/${other.accountId}/letter/?language=de`, {
      key: other.key,
    });
    const { body } = await service.get(`management/ebics/${other.accountId}/`, { key: other.key });
    for (const { hash } of body["keys"] as Json[]) {
      assert.ok(letter.text.replaceAll(" ", "").includes(String(hash).toUpperCase()));
    }
    assert.doesNotMatch(JSON.stringify(body) + letter.text, /PRIVATE KEY/);
  } finally {
    await own.close();
  }
});

test("after a lost response to INI or HIA, a repetition of the other order shows that the bank knows the user, and each has the time at which the bank has accepted it", async () => {
  for (const [lost, minutes] of [
    ["INI", { ini: 1, hia: 1 }],
    ["HIA", { ini: 0, hia: 1 }],
  ] as const) {
    const own = await startTestBank();
    try {
      const other = await bankMerchant(service, { transport: transportTo(own) });
      own.fault = ({ order }) => (order === lost ? { kind: "cut_after" } : null);
      const path = `management/ebics/${other.accountId}/keys/`;
      const from = clock.now().getTime();
      assert.equal((await service.post(path, {}, { key: other.key })).status, 409);
      own.fault = () => null;
      clock.advance(MINUTE_MS);
      assert.equal((await service.post(path, {}, { key: other.key })).body["state"], "sent", lost);
      assert.equal(own.user.state, "both");
      const [row] = await service.rows(
        "select ini_sent_at as ini, hia_sent_at as hia from ebics_users where gateway_id = $1",
        [other.accountId],
      );
      const after = (at: unknown) => ((at as Date).getTime() - from) / MINUTE_MS;
      assert.deepEqual({ ini: after(row?.["ini"]), hia: after(row?.["hia"]) }, minutes, lost);
    } finally {
      await own.close();
    }
  }
});

for (const hadKeys of [false, true])
  test(`if answers were lost and the bank then refuses INI and HIA, a person of a user ${hadKeys ? "with" : "without"} former keys is told which keys the bank may have`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const other = hadKeys
        ? await ebicsMerchant(service, own)
        : await bankMerchant(service, { transport: transportTo(own) });
      const path = `management/ebics/${other.accountId}/`;
      const keys = (body: object) => service.post(`${path}keys/`, body, { key: other.key });
      if (hadKeys) own.user.state = "suspended";
      for (const lost of hadKeys ? ["INI"] : ["INI", "HIA"]) {
        own.fault = ({ order }) => (order === lost ? { kind: "cut_after" } : null);
        assert.equal((await keys(lost === "INI" ? { anew: hadKeys } : {})).status, 409, lost);
      }
      own.fault = () => null;
      const { status, body, text } = await keys({});
      assert.deepEqual([status, body["state"]], [200, "sent"], text);
      assert.match(
        body["stop_reason"],
        hadKeys
          ? /one of its answers was lost\. It has these keys or, if it has not reset the user, the previous ones/
          : /one of its answers was lost\. Send the letter/,
      );
    } finally {
      await own.close();
    }
  });

test("after a lost response to the last segment nothing is sent again, and the bank's protocol decides", async () => {
  for (const kind of ["cut_before", "cut_after"] as const) {
    const before = bank.books.taken.length;
    const id = await stored(`<lost kind="${kind}"/>`);
    bank.fault = (about) => (about.last ? { kind } : null);
    await send(service.app.deps);
    bank.fault = () => null;
    assert.equal((await fileRow(service, id)).status, "renaming");
    await later(10 * MINUTE_MS);
    await send(service.app.deps);
    assert.equal((await fileRow(service, id)).status, "renaming", "it waits");
    await later(10 * MINUTE_MS);
    await fetchNow(service, merchant);
    const arrived = kind === "cut_after";
    assert.equal(bank.books.taken.length - before, arrived ? 1 : 0);
    assert.equal((await fileRow(service, id)).status, arrived ? "sent" : "renaming");
    await later(5 * HOUR_MS);
    await send(service.app.deps);
    assert.equal((await fileRow(service, id)).status, arrived ? "sent" : "unclear", "a person decides");
    if (arrived) continue;
    const path = `management/sepa-files/${id}/confirm/`;
    assert.equal((await service.post(path, { arrived: false }, { key: merchant.key })).status, 200);
    await send(service.app.deps);
    assert.deepEqual([(await fileRow(service, id)).status, bank.books.taken.length - before], ["sent", 1]);
  }
});

test("a lost response to the last segment of an order without a number needs a person: its protocol cannot be found", async () => {
  const id = await stored("<unnumbered/>");
  bank.fault = (about) => (about.last ? { kind: "cut_after" } : null);
  await send(service.app.deps);
  bank.fault = () => null;
  await service.rows("update ebics_orders set order_id = null where file_id = $1", [id]);
  await later(10 * MINUTE_MS);
  await send(service.app.deps);
  const { status, error } = await fileRow(service, id);
  assert.equal(status, "unclear");
  assert.match(error ?? "", /the bank has given no order number/);
  const path = `management/sepa-files/${id}/confirm/`;
  assert.equal((await service.post(path, { arrived: true }, { key: merchant.key })).status, 200);
});

test("the protocol is fetched often while an upload has no answer, and at the usual interval once a person has to decide", async () => {
  const id = await stored("<looked-for/>");
  const visited = async (minutes = 4) => {
    clock.advance(minutes * MINUTE_MS);
    const requests = bank.server.messages.length;
    await fetchNow(service, merchant);
    return bank.server.messages.length > requests;
  };
  await later();
  await fetchNow(service, merchant);
  assert.equal(await visited(), false, "nothing is awaited");
  assert.equal(await visited(10), false);
  assert.equal(await visited(1), true, "fifteen minutes after the last visit");
  await service.rows("update sepa_files set status = 'renaming' where id = $1", [id]);
  assert.equal(await visited(2), false);
  assert.equal(await visited(1), true, "three minutes after the last visit");
  await service.rows("update sepa_files set status = 'unclear', due_at = null where id = $1", [id]);
  assert.equal(await visited(), false);
  await service.rows("update sepa_files set status = 'withdrawn' where id = $1", [id]);
});

test("a visit fetches at most fifty deliveries of an order, and the next one the rest", async () => {
  bank.books.waiting.set(
    "EOP/DE//ZIP/camt.053",
    Array.from({ length: 51 }, (_, n) => Buffer.from(`<not-a-statement n="${n}"/>`)),
  );
  const counts: number[] = [];
  for (let visit = 1; visit <= 2; visit += 1) {
    await later();
    counts.push(await fetchNow(service, merchant));
  }
  assert.deepEqual(counts, [50, 1]);
});

test("the protocol reports an aborted upload: the file is sent again, and only entries about the last upload count", async () => {
  const id = await stored("<aborted/>");
  bank.fault = (about) => (about.last ? { kind: "cut_before" } : null);
  await send(service.app.deps);
  bank.fault = () => null;
  const [order] = await service.rows("select order_id from ebics_orders where file_id = $1", [id]);
  const said = (orderId: string) => ({
    action: "FILE_UPLOAD",
    reason: "TA01",
    orderId,
    userId: "USER1",
    at: clock.now(),
    text: "aborted",
  });
  await service.rows(
    `insert into ebics_orders (tenant, file_id, number, gateway_id, transaction_id, order_id, started_at)
     select tenant, file_id, 0, gateway_id, 'AA', 'OLD1', started_at from ebics_orders where file_id = $1`,
    [id],
  );
  bank.books.protocol.push(said("OLD1"));
  await later();
  await fetchNow(service, merchant);
  assert.equal((await fileRow(service, id)).status, "renaming", "an upload before it");
  bank.books.protocol.push({ ...said(String(order?.["order_id"])), reason: "XX99" });
  await later();
  await fetchNow(service, merchant);
  assert.equal((await fileRow(service, id)).status, "renaming", "a word that says neither");
  bank.books.protocol.push(said(String(order?.["order_id"])));
  await later();
  await fetchNow(service, merchant);
  assert.equal((await fileRow(service, id)).status, "stored");
  const before = bank.books.taken.length;
  await send(service.app.deps);
  assert.deepEqual([(await fileRow(service, id)).status, bank.books.taken.length - before], ["sent", 1]);
});

test("an entry of the bank's protocol without an order, a reason or a time is kept with the time of the visit, and those after it still count", async () => {
  const about = { action: "FILE_UPLOAD", userId: "USER1", text: "of no order" };
  bank.books.protocol.push({ ...about, reason: null, orderId: null, at: null });
  const id = await stored("<after-an-entry-of-no-order/>");
  bank.fault = ({ last }) => (last ? { kind: "cut_after" } : null);
  await send(service.app.deps);
  bank.fault = () => null;
  assert.equal((await fileRow(service, id)).status, "renaming");
  await later();
  await fetchNow(service, merchant);
  assert.equal((await fileRow(service, id)).status, "sent");
  const kept = await service.rows(
    "select order_id, reason, file_id, at, read_at from ebics_events where text = 'of no order'",
  );
  const now = clock.now();
  assert.deepEqual(kept, [{ order_id: "", reason: "", file_id: null, at: now, read_at: now }]);
});

test("a sent file that the bank's protocol rejects shows what the bank says of it", async () => {
  for (const action of ["ORDER_HAC_FINAL_NEG", "VEU_CANCEL_ORDER"]) {
    const id = await stored(`<rejected-by action="${action}"/>`);
    await send(service.app.deps);
    const [order] = await service.rows("select order_id from ebics_orders where file_id = $1", [id]);
    const orderId = String(order?.["order_id"]);
    bank.books.protocol.push({
      action,
      reason: "DS0H",
      orderId,
      userId: "USER1",
      at: clock.now(),
      text: "no",
    });
    await later();
    await fetchNow(service, merchant);
    const { status, error } = await fileRow(service, id);
    assert.deepEqual([status, error], ["sent", `The bank will not execute this file: ${action} DS0H no`]);
  }
});

for (const [name, executedAgain, status] of [
  ["never counts as settled by silence", false, "pending"],
  ["counts as settled by silence if it was sent again in an order that the bank executes", true, "approved"],
] as const) {
  test(`a debit of a file that the bank's protocol rejects ${name}`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const other = await ebicsMerchant(service, own, {}, { assume_settled_after: 2 });
      const payment = await payAt(other, {}, "DE89370400440532013000");
      await treasury.moveTo(service, other, "2026-11-24T12:00:00Z");
      await send(service.app.deps);
      const [file] = await outgoing(service, other);
      const [order] = await service.rows("select order_id from ebics_orders where file_id = $1", [
        file?.["id"],
      ]);
      const about = { reason: "DS0H", userId: "USER1", at: clock.now(), text: "no" };
      const orderId = executedAgain ? "OLD2" : String(order?.["order_id"]);
      if (executedAgain)
        await service.rows(
          `insert into ebics_orders (tenant, file_id, number, gateway_id, transaction_id, order_id, started_at)
           select tenant, file_id, 0, gateway_id, 'AA', $2, started_at from ebics_orders where file_id = $1`,
          [file?.["id"], orderId],
        );
      own.books.protocol.push({ ...about, action: "ORDER_HAC_FINAL_NEG", orderId });
      await later();
      await fetchNow(service, other);
      assert.match(String((await fileRow(service, file?.["id"])).error), /will not execute/);
      await treasury.moveTo(service, other, "2026-12-07T12:00:00Z");
      assert.deepEqual(await treasury.statuses(service, { ids: [payment["transaction"]["id"]] }), [status]);
    } finally {
      await own.close();
    }
  });
}

test("an account's protocol does not affect another account's order with the same number", async () => {
  const other = await bankOf(service, merchant, { transport: transportTo(bank) });
  const id = await storedFile(service, await accountOf(service, other), "<other-account/>");
  await service.rows("update sepa_files set status = 'renaming', due_at = $2 where id = $1", [
    id,
    new Date("2040-01-01"),
  ]);
  await service.rows(
    `insert into ebics_orders (tenant, file_id, number, gateway_id, transaction_id, order_id, started_at)
     select tenant, id, 1, gateway_id, 'BB', 'SAME', $2 from sepa_files where id = $1`,
    [id, clock.now()],
  );
  const about = { orderId: "SAME", userId: "USER1", at: clock.now(), text: "" };
  bank.books.protocol.push({ ...about, action: "FILE_UPLOAD", reason: "TS01" });
  await later();
  await fetchNow(service, merchant);
  assert.equal((await fileRow(service, id)).status, "renaming");
  const [event] = await service.rows("select file_id from ebics_events where order_id = 'SAME'");
  assert.deepEqual(event, { file_id: null });
});

test("a step of the bank's protocol is of the one file whose order has its number and type, and of none if it may be of two", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const other = await ebicsMerchant(service, own);
    const account = await accountOf(service, other);
    const found: string[] = [];
    const cases = [
      ["CDD", "CCT", "CDD"],
      ["CDD", "CCT", "HVE"],
      ["CDD", "CCT", null],
      ["CDD", "CDD", "CDD"],
      [null, "CCT", "CCT"],
      [null, "CCT", "CDD"],
    ] as const;
    for (const [number, [first, second, named]] of cases.entries()) {
      const orderId = `T00${number}`;
      const ids = [await storedFile(service, account, "<1/>"), await storedFile(service, account, "<2/>")];
      for (const [at, id] of ids.entries())
        await service.rows(
          `with taken as (
             insert into ebics_orders (tenant, file_id, number, gateway_id, transaction_id, order_id, order_type, started_at)
             select tenant, id, 1, gateway_id, 'CC', $2, $3, $4 from sepa_files where id = $1
           )
           update sepa_files set status = 'renaming', due_at = '2040-01-01' where id = $1`,
          [id, orderId, at === 0 ? first : second, clock.now()],
        );
      const about = { orderId, orderType: named, userId: "USER1", at: clock.now(), text: "" };
      own.books.protocol.push({ ...about, action: "FILE_UPLOAD", reason: "TS01" });
      await later();
      await fetchNow(service, other);
      const statuses = await Promise.all(ids.map(async (id) => (await fileRow(service, id)).status));
      found.push(`${first} ${second}, ${named}: ${statuses.join(" ")}`);
    }
    assert.deepEqual(found, [
      "CDD CCT, CDD: sent renaming",
      "CDD CCT, HVE: renaming renaming",
      "CDD CCT, null: renaming renaming",
      "CDD CDD, CDD: renaming renaming",
      "null CCT, CCT: renaming renaming",
      "null CCT, CDD: sent renaming",
    ]);
  } finally {
    await own.close();
  }
});

test("a refused file waits for a person, who resumes or withdraws it; other files are sent", async () => {
  const id = await stored("<refused/>");
  bank.fault = () => ({ kind: "code", injected: { code: "090003" } });
  await send(service.app.deps);
  bank.fault = () => null;
  const row = await fileRow(service, id);
  assert.equal(row.status, "stored");
  assert.match(row.error, /090003/);
  const other = await stored("<other/>");
  await later();
  await send(service.app.deps);
  assert.deepEqual(
    [(await fileRow(service, other)).status, (await fileRow(service, id)).status],
    ["sent", "stored"],
  );
  await ebicsPost(service, merchant, "resume");
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("a file that the bank refuses, or that four attempts could not send, is on Home for people who may see the bank until it is sent", async () => {
  const stranger = await bankMerchant(service);
  const waiting = async (of: BankMerchant) => {
    const { body } = await service.get("management/needs-attention/", { key: of.key });
    return (body["results"] as Json[]).find(({ kind }) => kind === "files_not_taken");
  };
  const listed = async (query: string) =>
    ((await get(`sepa-files/?direction=out&${query}`)).body["results"] as Json[]).map((row) => row["id"]);
  const refused = await stored("<refused-at-home/>");
  bank.fault = () => ({ kind: "code", injected: { code: "090003" } });
  await send(service.app.deps);
  // A file that cannot be sent now is retried. At first it needs no person.
  const silent = await stored("<silent/>");
  bank.fault = () => ({ kind: "cut_before" });
  for (let tries = 1; tries <= 3; tries += 1) {
    await send(service.app.deps);
    await later();
  }
  assert.deepEqual([(await fileRow(service, silent)).attempts, (await waiting(merchant))?.["count"]], [3, 1]);
  await send(service.app.deps);
  const found = await waiting(merchant);
  assert.deepEqual([found?.["count"], found?.["list"]], [2, "/api/v1/management/sepa-files/?not_taken=true"]);
  assert.deepEqual(new Set(await listed("not_taken=true")), new Set([refused, silent]));
  assert.equal((await listed("not_taken=false")).includes(refused), false);
  assert.equal(await waiting(stranger), undefined, "another tenant's is not counted");

  const person = (role: "finance" | "support") =>
    member(service, { id: merchant.tenantId, tenant: 0, key: merchant.key }, role);
  const [finance, support] = [await person("finance"), await person("support")];
  const home = (await finance.browser.get("/console/")).text;
  assert.match(home, /2 files could not be sent to the bank/);
  const link = "/console/bank/?not_taken=true";
  assert.ok(home.includes(`href="${link}"`), home);
  const page = (await finance.browser.get(link)).text;
  assert.ok([refused, silent].every((id) => page.includes(id)));
  await service.rows("update people set locale = 'de-DE' where id = $1 returning id", [finance.id]);
  assert.match((await finance.browser.get("/console/")).text, /2 Dateien konnten nicht an die Bank gesendet/);
  const other = (await support.browser.get("/console/")).text;
  assert.equal(other.includes(link), false, "who may not see the bank has no link");
  bank.fault = () => null;
  await ebicsPost(service, merchant, "resume");
  await send(service.app.deps);
  await send(service.app.deps);
  assert.deepEqual(
    [(await fileRow(service, refused)).status, (await fileRow(service, silent)).status],
    ["sent", "sent"],
  );
  assert.equal(await waiting(merchant), undefined);
});

test("a refused user stops everything until a person resumes, which the audit log says", async () => {
  const id = await stored("<stopped/>");
  bank.fault = () => ({ kind: "code", injected: { code: "091002" } });
  await send(service.app.deps);
  bank.fault = () => null;
  const requests = bank.server.messages.length;
  await later(2 * HOUR_MS);
  await send(service.app.deps);
  await fetchNow(service, merchant);
  assert.equal(bank.server.messages.length, requests, "the bank is left alone");
  const { body } = await get(`ebics/${merchant.accountId}/`);
  assert.deepEqual([body["state"], /091002/.test(body["stop_reason"])], ["stopped", true]);
  assert.deepEqual(await audited(merchant, () => ebicsPost(service, merchant, "resume")), [
    ["update", { state: "stopped" }, { state: "ready" }],
  ]);
  const [account] = await service.rows("select polled_at from sepa_accounts where gateway_id = $1", [
    merchant.accountId,
  ]);
  assert.equal(account?.["polled_at"], null, "the next pass also fetches");
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("a user whom the bank refuses at the first order of a visit is asked for no other order, and is stopped", async () => {
  await later(2 * HOUR_MS);
  const requests = bank.server.messages.length;
  bank.fault = () => ({ kind: "code", injected: { code: "091002" } });
  await fetchNow(service, merchant);
  bank.fault = () => null;
  assert.equal(bank.server.messages.length, requests + 1);
  const { body } = await get(`ebics/${merchant.accountId}/`);
  assert.deepEqual([body["state"], /091002/.test(body["stop_reason"])], ["stopped", true]);
  assert.equal((await ebicsPost(service, merchant, "resume")).state, "ready");
});

test("the bank changes its keys: nothing is sent until a person has compared the new ones", async () => {
  bank.books.generation = 1;
  const id = await stored("<changed/>");
  await send(service.app.deps);
  assert.notEqual((await fileRow(service, id)).status, "sent", "its answers are not believed");
  await ebicsPost(service, merchant, "bank-keys");
  await later();
  await send(service.app.deps);
  assert.notEqual((await fileRow(service, id)).status, "sent", "fetched is not compared");
  await ebicsPost(service, merchant, "confirm", bankLetter(1));
  await later();
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("when the response to a change of our keys is lost, a further request finds out which keys the bank has, and the audit log says which", async () => {
  for (const [kind, before, keys, questions] of [
    ["cut_before", "stopped", "kept", 2],
    ["cut_after", "stopped", "changed", 1],
    [null, "stopped", "changed", 0],
  ] as const) {
    let asked = 0;
    const said = await audited(merchant, async () => {
      bank.fault = (about) => (kind !== null && about.last && about.order === "HCS" ? { kind } : null);
      const path = `management/ebics/${merchant.accountId}/change-keys/`;
      const first = await service.post(path, undefined, { key: merchant.key });
      bank.fault = ({ order }) => {
        if (order === "HPB") asked += 1;
        return null;
      };
      assert.equal(first.status, kind === null ? 200 : 409, first.text);
      if (kind !== null) assert.equal((await ebicsPost(service, merchant, "change-keys")).state, "ready");
    });
    assert.equal(asked, questions, "the new keys first: banks lock users that sign with former ones");
    assert.deepEqual(said, [["update", { state: before }, { state: "ready", keys }]], String(kind));
    const id = await stored(`<with-new-keys n="${kind}"/>`);
    await send(service.app.deps);
    assert.equal((await fileRow(service, id)).status, "sent", String(kind));
  }
});

test("both key pairs are kept if the bank answers with an error, or refuses the user, when it is asked which one it has", async () => {
  const path = `management/ebics/${merchant.accountId}/change-keys/`;
  bank.fault = (about) => (about.last && about.order === "HCS" ? { kind: "cut_after" } : null);
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 409);
  const faults = [
    { kind: "code", injected: { code: "061099" } },
    { kind: "code", injected: { code: "091119" } },
    { kind: "code", injected: { code: "091002" } },
    { kind: "code", injected: { code: "061011" } },
    { kind: "cut_after" },
  ] as const;
  for (const fault of faults) {
    bank.fault = (about) => (about.order === "HPB" ? fault : null);
    const asked = await service.post(path, undefined, { key: merchant.key });
    assert.equal(asked.status >= 400, true, asked.text);
    assert.equal((await get(`ebics/${merchant.accountId}/`)).body["state"], "stopped");
  }
  bank.fault = () => null;
  assert.equal((await ebicsPost(service, merchant, "change-keys")).state, "ready");
  const id = await stored("<with-the-keys-that-were-asked-for/>");
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("while it is unknown which keys the bank has, the former ones sign nothing, whatever a person asks for", async () => {
  const path = `management/ebics/${merchant.accountId}/`;
  const call = (what: string, body?: object) => service.post(`${path}${what}/`, body, { key: merchant.key });
  await ebicsPost(service, merchant, "bank-keys");
  bank.fault = (about) => (about.last && about.order === "HCS" ? { kind: "cut_after" } : null);
  assert.equal((await call("change-keys")).status, 409);
  bank.fault = () => null;
  const letter = bankLetter(bank.books.generation);
  const requests = bank.server.messages.length;
  for (const [what, body] of [["resume"], ["bank-keys"], ["confirm", letter]] as const) {
    const { status, text } = await call(what, body);
    assert.equal(status, 409, what);
    assert.match(text, /change them again/);
  }
  assert.equal(bank.server.messages.length, requests, "the bank is not asked");
  const waiting = (await get("needs-attention/")).body["results"] as Json[];
  assert.equal(waiting.find(({ kind }) => kind === "stopped_bank_users")?.["count"], 1);
  assert.equal((await readFigures(service.db)).bank.stopped_users, 1, "an alert is on it");
  assert.equal((await ebicsPost(service, merchant, "change-keys")).state, "ready");
  assert.equal((await ebicsPost(service, merchant, "confirm", letter)).state, "ready");
});

test("killed while new keys are being sent: afterwards it is unknown which keys the bank has", async () => {
  const account = await accountOf(service, merchant);
  const dead = { is: false };
  bank.fault = (about) => {
    if (about.order !== "HCS") return null;
    dead.is = true;
    return { kind: "cut_after" };
  };
  await assert.rejects(changeKeys(dying(dead), { account, ...BY_HAND() }), /dead/);
  bank.fault = () => null;
  await service.rows("update ebics_users set locked_until = null");
  assert.equal((await get(`ebics/${merchant.accountId}/`)).body["state"], "stopped");
  assert.equal((await ebicsPost(service, merchant, "change-keys")).state, "ready");
});

test("new keys are not stored during a session, and a worker that has lost its lease writes nothing", async () => {
  const account = await accountOf(service, merchant);
  const keysPath = `management/ebics/${merchant.accountId}/keys/`;
  const before = (
    await service.rows("select keys, state from ebics_users where gateway_id = $1", [account.id])
  )[0];
  const { db, clock: now } = service.app.deps;
  const turn = await leaseUser(db, account.tenant, account.id, HOUR_MS);
  assert.ok(turn !== null);
  const anew = await service.post(keysPath, { anew: true }, { key: merchant.key });
  assert.equal(anew.status, 409, anew.text);
  await service.rows("update ebics_users set locked_until = null where gateway_id = $1", [account.id]);
  const later = await leaseUser(db, account.tenant, account.id, HOUR_MS);
  assert.ok(later !== null);
  await assert.rejects(
    db.transaction((tx) => saveUser(tx, turn, { state: "suspended" }, now.now())),
    /taken over/,
  );
  await db.transaction((tx) => saveUser(tx, later, { state: "ready" }, now.now()));
  await releaseUser(db, later);
  const after = (
    await service.rows("select keys, state from ebics_users where gateway_id = $1", [account.id])
  )[0];
  assert.deepEqual(after, before);
});

test("new keys that the bank rejects replace nothing: the bank's keys are still used to sign, and the change can be repeated", async () => {
  const keysPath = `management/ebics/${merchant.accountId}/keys/`;
  const user = () => get(`ebics/${merchant.accountId}/`).then(({ body: { updated_at: _, ...rest } }) => rest);
  const before = await user();
  assert.equal(before["state"], "ready");
  const refused = await service.post(keysPath, { anew: true }, { key: merchant.key });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /The bank has not reset the user.*the previous keys stay in use/);
  assert.deepEqual(await user(), before);
  const id = await stored("<after-the-refusal/>");
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("new keys for a user that was not reset replace nothing, even if the bank cannot be reached", async () => {
  const before = (await get(`ebics/${merchant.accountId}/`)).body;
  const anew = () =>
    service.post(`management/ebics/${merchant.accountId}/keys/`, { anew: true }, { key: merchant.key });
  const faults = [{ kind: "cut_before" }, { kind: "code", injected: { code: "061099" } }] as const;
  for (const orders of [["INI"], ["HIA"], ["HPB"], ["INI", "HIA", "HPB"]]) {
    for (const fault of faults) {
      bank.fault = (about) => (orders.includes(about.order) ? fault : null);
      assert.equal((await anew()).status, 409, orders.join());
      assert.deepEqual((await get(`ebics/${merchant.accountId}/`)).body, before, orders.join());
    }
  }
  // The same holds while it is unknown which of two key pairs the bank has.
  bank.fault = (about) => (about.last && about.order === "HCS" ? { kind: "cut_after" } : null);
  await service.post(`management/ebics/${merchant.accountId}/change-keys/`, undefined, { key: merchant.key });
  bank.fault = (about) => (about.order === "INI" ? { kind: "cut_before" } : null);
  assert.equal((await anew()).status, 409);
  bank.fault = () => null;
  assert.equal((await ebicsPost(service, merchant, "change-keys")).state, "ready");
  const id = await stored("<although-new-keys-were-asked-for/>");
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("if the bank has locked the user and it is unknown which keys it has, a request for new keys keeps both pairs, and the audit log says so", async () => {
  bank.fault = (about) => (about.last && about.order === "HCS" ? { kind: "cut_after" } : null);
  const post = (what: string, body?: object) =>
    service.post(`management/ebics/${merchant.accountId}/${what}/`, body, { key: merchant.key });
  assert.equal((await post("change-keys")).status, 409);
  bank.fault = () => null;
  bank.user.state = "suspended";
  const refused = await post("keys", { anew: true });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /091002.*The bank has not reset the user.*the previous keys stay in use/);
  bank.fault = ({ order }) => (order === "INI" ? { kind: "code", injected: { code: "090003" } } : null);
  const other = await post("keys", { anew: true });
  bank.fault = () => null;
  assert.match(
    other.text,
    /090003.*the previous keys stay in use/,
    "a code that says nothing about the user",
  );
  assert.equal((await get(`ebics/${merchant.accountId}/`)).body["state"], "stopped");
  const audit = (await get(`audit-log/?resource=ebics&resource_id=${merchant.accountId}`)).body["results"];
  const kept = (audit as Json[]).filter(({ after: to }) => to?.keys === "kept" && to.state === "stopped");
  assert.equal(kept.length, 2, JSON.stringify(audit));
  bank.user.state = "ready";
  assert.equal((await ebicsPost(service, merchant, "change-keys")).state, "ready");
  const id = await stored("<after-the-lock/>");
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

/** A merchant whose first keys got no response from the bank. */
async function unansweredMerchant(at: TestBank): Promise<BankMerchant> {
  const other = await bankMerchant(service, { transport: transportTo(at) });
  at.fault = ({ order }) => (order === "INI" ? { kind: "cut_after" } : null);
  const path = `management/ebics/${other.accountId}/keys/`;
  assert.equal((await service.post(path, {}, { key: other.key })).status, 409);
  return other;
}

test("keys whose answers were lost stay those of their user and partner, and another one gets keys of its own", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const other = await unansweredMerchant(own);
    const call = (what: string, body?: object) =>
      service.post(`management/ebics/${other.accountId}/${what}/`, body, { key: other.key });
    const path = `management/gateways/${other.accountId}/`;
    const { settings } = (await service.get(path, { key: other.key })).body;
    const made: string[] = [];
    for (const changes of [{}, { partner_id: "PARTNER2" }, { partner_id: "PARTNER2", user_id: "USER2" }]) {
      const changed = { settings: { ...settings, transport: transportTo(own, changes) } };
      assert.equal((await service.call("PATCH", path, changed, { key: other.key })).status, 200);
      assert.equal((await call("keys", { anew: true })).status, 409, "the answer is lost");
      const { body } = await service.get(`management/ebics/${other.accountId}/`, { key: other.key });
      made.push(`${body["partner_id"]} ${body["user_id"]} ${body["keys"][0].hash}`);
      const resumed = await call("resume");
      assert.deepEqual([resumed.status, resumed.body["detail"]], [409, "The user is made."]);
    }
    const users = made.map((one) => one.split(" ").slice(0, 2).join(" "));
    assert.deepEqual(users, ["PARTNER1 USER1", "PARTNER2 USER1", "PARTNER2 USER2"]);
    assert.equal(new Set(made.map((one) => one.split(" ")[2])).size, 3);
  } finally {
    await own.close();
  }
});

for (const wasAnswered of [true, false])
  test(`when the bank rejects new keys for another user, the former user's keys, which ${wasAnswered ? "the bank has" : "had no answer"}, are not used again`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const other = wasAnswered ? await ebicsMerchant(service, own) : await unansweredMerchant(own);
      const path = `management/gateways/${other.accountId}/`;
      const { settings } = (await service.get(path, { key: other.key })).body;
      const changed = { settings: { ...settings, transport: transportTo(own, { user_id: "USER2" }) } };
      assert.equal((await service.call("PATCH", path, changed, { key: other.key })).status, 200);
      own.fault = ({ order }) =>
        order === "INI" || order === "HIA" ? { kind: "code", injected: { code: "091002" } } : null;
      const refused = await service.post(
        `management/ebics/${other.accountId}/keys/`,
        { anew: true },
        { key: other.key },
      );
      assert.equal(refused.status, 409, refused.text);
      const { body } = await service.get(`management/ebics/${other.accountId}/`, { key: other.key });
      assert.equal(body["state"], "made");
    } finally {
      await own.close();
    }
  });

/** How the response to an earlier change of keys was lost; null: there was no earlier change. */
for (const change of [null, "cut_before", "cut_after"] as const)
  test(`former keys that the bank has after all, ${change === null ? "one pair" : `of two whose change was ${change}`}, sign nothing until a person has compared the bank's keys`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const other = await ebicsMerchant(service, own);
      const call = (what: string, body?: object) =>
        service.post(`management/ebics/${other.accountId}/${what}/`, body, { key: other.key });
      if (change !== null) {
        own.fault = (about) => (about.last && about.order === "HCS" ? { kind: change } : null);
        assert.equal((await call("change-keys")).status, 409);
      }
      // The bank has locked the user when new keys are requested, and does not say that it refuses the keys.
      own.user.state = "suspended";
      own.fault = ({ order }) => (order === "INI" ? { kind: "cut_before" } : null);
      assert.equal((await call("keys", { anew: true })).status, 409);
      own.fault = () => null;
      assert.equal((await call("keys", {})).body["state"], "sent");
      own.user.state = "ready";
      const fetched = await call("bank-keys");
      assert.equal(fetched.status, 200, fetched.text);
      assert.equal(hashShown(fetched.body["keys"]), hashAt(own));
      assert.deepEqual([fetched.body["state"], fetched.body["former_keys"]], ["sent", []]);
      const id = await storedFile(service, await accountOf(service, other), "<with-the-keys-of-before/>");
      await send(service.app.deps);
      assert.equal((await fileRow(service, id)).status, "stored");
      assert.equal((await ebicsPost(service, other, "confirm", bankLetter())).state, "ready");
      await later();
      await send(service.app.deps);
      assert.equal((await fileRow(service, id)).status, "sent");
    } finally {
      await own.close();
    }
  });

for (const bankHas of ["the keys of before", "the new ones"] as const)
  test(`new keys whose answers were lost, and two pairs of before them: the bank has ${bankHas}, all letters can be printed, and what a person is told to do goes on`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const other = await ebicsMerchant(service, own);
      const path = `management/ebics/${other.accountId}/`;
      const call = (what: string, body?: object) => service.post(`${path}${what}/`, body, { key: other.key });
      own.fault = (about) => (about.last && about.order === "HCS" ? { kind: "cut_before" } : null);
      assert.equal((await call("change-keys")).status, 409);
      const isNew = bankHas === "the new ones";
      own.user.state = isNew ? "new" : "suspended";
      own.fault = ({ order }) => (order === "INI" ? { kind: isNew ? "cut_after" : "cut_before" } : null);
      assert.equal((await call("keys", { anew: true })).status, 409);
      own.fault = ({ order }) => (order === "HIA" ? { kind: "cut_after" } : null);
      if (isNew) assert.equal((await call("keys", {})).status, 409);
      own.fault = () => null;
      own.user.state = "ready";
      const { body: shown } = await service.get(path, { key: other.key });
      assert.equal(shown["state"], "made");
      const letters = await service.get(`${path}letter/?keys=former`, { key: other.key });
      const printed = letters.text.replaceAll(" ", "");
      const hashes = (shown["former_keys"] as Json[]).map(({ hash }) => String(hash).toUpperCase());
      assert.equal(new Set(hashes).size, 6);
      assert.deepEqual(
        hashes.filter((hash) => !printed.includes(hash)),
        [],
      );
      assert.equal(letters.text.match(/\([12]\/2\)/g)?.length, 2);
      const anew = await call("keys", { anew: true });
      assert.deepEqual(
        [anew.status, /Fetch the bank's own keys \(bank-keys\)/.test(anew.text)],
        [409, true],
        anew.text,
      );
      const fetched = await call("bank-keys");
      assert.deepEqual(
        [fetched.status, fetched.body["state"], fetched.body["former_keys"]],
        [200, "sent", []],
        fetched.text,
      );
      assert.equal(hashShown(fetched.body["keys"]), hashAt(own));
      assert.equal((await ebicsPost(service, other, "confirm", bankLetter())).state, "ready");
    } finally {
      await own.close();
    }
  });

test("once the bank has accepted the first of the new keys, the former keys are deleted, even if the response to the other new keys was lost", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const other = await ebicsMerchant(service, own);
    const path = `management/ebics/${other.accountId}/`;
    const call = (what: string, body?: object) => service.post(`${path}${what}/`, body, { key: other.key });
    own.user.state = "new";
    own.fault = ({ order }) => (order === "HIA" ? { kind: "cut_before" } : null);
    assert.equal((await call("keys", { anew: true })).status, 409);
    const { body: shown } = await service.get(path, { key: other.key });
    assert.deepEqual([shown["state"], shown["former_keys"]], ["made", []]);
    own.fault = () => null;
    assert.equal((await call("keys", {})).body["state"], "sent");
  } finally {
    await own.close();
  }
});

/**
 * How the responses to INI and HIA are lost in each attempt; `dead`: the process ends after the bank has handled the
 * request.
 */
const LOST_ANSWERS: readonly (readonly ("INI" | "HIA" | "cut_before" | "cut_after" | "dead" | "vague")[])[] =
  [
    ["INI", "cut_before"],
    ["INI", "cut_after", "HIA", "cut_after"],
    ["HIA", "dead"],
    ["INI", "cut_after"],
    ["INI", "dead", "HIA", "dead"],
    ["INI", "dead", "INI", "cut_before", "HIA", "cut_after"],
    ["HIA", "cut_before"],
    ["HIA", "cut_after"],
    ["INI", "vague"],
    ["INI", "vague", "HIA", "vague"],
  ];
for (const reset of [false, true]) {
  test(`after new keys with lost responses, at a bank that ${reset ? "has" : "has not"} reset the user, one of the letters matches the bank's keys, and those are used`, async () => {
    const own = await startTestBank({ now: () => clock.now() });
    try {
      const other = await bankMerchant(service, { transport: transportTo(own) });
      const path = `management/ebics/${other.accountId}/`;
      const call = (what: string, body?: object) => service.post(`${path}${what}/`, body, { key: other.key });
      assert.equal((await call("keys", {})).body["state"], "sent");
      const [row] = await service.rows("select * from ebics_users where gateway_id = $1", [other.accountId]);
      const first = { ...own.user };
      for (const lost of sized(LOST_ANSWERS.slice(0, 3), LOST_ANSWERS)) {
        const about = `${lost.join()} ${reset}`;
        await service.rows(
          `update ebics_users set keys = $2, state = 'sent', ini_sent_at = $3, hia_sent_at = $3, former = null,
                  unanswered_since = null, confirmed_at = null, bank_keys = null where gateway_id = $1`,
          [other.accountId, row?.["keys"], clock.now()],
        );
        Object.assign(own.user, reset ? { ...first, state: "new", signature: null } : first);
        for (let index = 0; index < lost.length; index += 2) {
          const [order, how] = lost.slice(index);
          const dead = { is: false };
          own.fault = (request) => {
            if (request.order !== order) return null;
            if (how === "cut_before" || how === "cut_after") return { kind: how };
            if (how === "vague") return { kind: "code", injected: { code: "061099", processed: true } };
            dead.is = true;
            return { kind: "cut_after" };
          };
          await initialise(
            dying(dead),
            { account: await accountOf(service, other), ...BY_HAND() },
            true,
          ).catch(() => {});
          own.fault = () => null;
          await service.rows("update ebics_users set locked_until = null where gateway_id = $1", [
            other.accountId,
          ]);
          const shown = (await service.get(path, { key: other.key })).body;
          assert.notEqual(shown["state"], "ready", about);
          await assertALetterFits(other, own, about);
        }
        const again = await call("keys", {});
        assert.ok(again.status === 200 || /has keys of this user/.test(again.text), about + again.text);
        await assertALetterFits(other, own, about);
        own.user.state = "ready";
        const fetched = await call("bank-keys");
        assert.equal(fetched.status, 200, about + fetched.text);
        assert.deepEqual([fetched.body["former_keys"], fetched.body["stop_reason"]], [[], null], about);
        assert.equal(hashShown(fetched.body["keys"]), hashAt(own), about);
        const { state } = await ebicsPost(service, other, "confirm", bankLetter());
        assert.equal(state, "ready", about);
      }
      const id = await storedFile(service, await accountOf(service, other), "<with-the-keys-it-has/>");
      await send(service.app.deps);
      assert.equal((await fileRow(service, id)).status, "sent");
    } finally {
      await own.close();
    }
  });
}

/** The hash of the signature key that the bank has for us; null: none. */
function hashAt({ user }: TestBank): string | null {
  if (user.signature === null) return null;
  return sha256(hexNumbers(user.signature.key).join(" ")).toString("hex");
}

function hashShown(keys: Json[]): unknown {
  return keys.find(({ use }) => use === "signature")?.["hash"];
}

async function assertALetterFits(of: BankMerchant, at: TestBank, about: string): Promise<void> {
  const path = `management/ebics/${of.accountId}/letter/?keys=`;
  const letters = await Promise.all(
    ["newest", "former"].map((keys) => service.get(path + keys, { key: of.key })),
  );
  const hash = hashAt(at);
  if (hash === null) return;
  const fits = letters.some(
    ({ status, text }) => status === 200 && text.replaceAll(" ", "").includes(hash.toUpperCase()),
  );
  assert.ok(fits, about);
}

test("new keys replace keys that were never sent, and leave those that the bank may have: these are used again after another request for new keys, or for the bank's", async () => {
  const own = await startTestBank({ now: () => clock.now() });
  try {
    const other = await bankMerchant(service, { transport: transportTo(own) });
    await ebicsPost(service, other, "keys", {});
    const path = `management/ebics/${other.accountId}/`;
    const before = (await service.get(path, { key: other.key })).body["keys"];
    const account = await accountOf(service, other);
    // The first of two people has created new keys, and their process ends before the keys are sent. The bank has not
    // reset the user.
    const { deps } = service.app;
    for (const [what, body, status] of [
      ["keys", { anew: true }, 409],
      ["bank-keys", undefined, 200],
    ] as const) {
      const dead = { is: false };
      const db: Deps["db"] = {
        ...dying(dead).db,
        transaction: async (work, ...more) => {
          const made = await deps.db.transaction(work, ...more);
          dead.is = true;
          return made;
        },
      };
      await assert.rejects(initialise({ ...deps, db }, { account, ...BY_HAND() }, true), /dead/);
      await service.rows("update ebics_users set locked_until = null where gateway_id = $1", [
        other.accountId,
      ]);
      const left = (await service.get(path, { key: other.key })).body;
      assert.deepEqual([left["state"], left["former_keys"]], ["made", before]);
      if (what === "bank-keys") own.user.state = "ready";
      const second = await service.post(`${path}${what}/`, body, { key: other.key });
      assert.equal(second.status, status, second.text);
      const after = (await service.get(path, { key: other.key })).body;
      assert.deepEqual([after["state"], after["keys"], after["former_keys"]], ["sent", before, []], what);
    }
  } finally {
    await own.close();
  }
});

test("if two people create the first keys at once, the bank gets the keys of one of them", async () => {
  const own = await startTestBank();
  try {
    const other = await bankMerchant(service, { transport: transportTo(own) });
    const make = () => service.post(`management/ebics/${other.accountId}/keys/`, {}, { key: other.key });
    const made = await Promise.all([make(), make()]);
    assert.ok(made.some(({ status }) => status === 200));
    own.user.state = "ready";
    const { status, text } = await service.post(`management/ebics/${other.accountId}/bank-keys/`, undefined, {
      key: other.key,
    });
    assert.equal(status, 200, text);
  } finally {
    await own.close();
  }
});

/** A service process that dies at a step and writes nothing after that. */
function dyingAt(step: Step): Deps {
  const dead = { is: false };
  return {
    ...dying(dead),
    reached(at) {
      if (at !== step) return;
      dead.is = true;
      throw new Error("dead");
    },
  };
}

/** A service process that writes nothing once `dead.is` is true. */
function dying(dead: { readonly is: boolean }): Deps {
  const { deps } = service.app;
  const alive = <Args extends unknown[], T>(work: (...args: Args) => T) => {
    return (...args: Args): T => {
      if (dead.is) throw new Error("dead");
      return work(...args);
    };
  };
  return {
    ...deps,
    db: {
      ...deps.db,
      query: alive(deps.db.query.bind(deps.db)),
      commit: alive(deps.db.commit.bind(deps.db)),
      transaction: alive(deps.db.transaction.bind(deps.db)),
    },
  };
}

/** The operation of a command on the server. */
const BY_HAND = () => ({ operationId: randomIds.uuid(), author: COMMAND_LINE });

const SENDING = [
  "sepa.claimed",
  "ebics.started",
  "ebics.before_last",
  "ebics.answered",
  "sepa.sent",
] as const;
for (const step of SENDING) {
  test(`killed at ${step}: the file is at the bank exactly once`, async () => {
    const content = `<dead at="${step}"/>`;
    const id = await stored(content);
    const arrivals = () => bank.books.taken.filter(({ data }) => data.toString() === content).length;
    await send(dyingAt(step)).catch(() => {});
    await later();
    await service.rows("update ebics_users set locked_until = null");
    await send(service.app.deps);
    await later();
    await fetchNow(service, merchant);
    await later(5 * HOUR_MS);
    await send(service.app.deps);
    const { status } = await fileRow(service, id);
    if (step === "ebics.before_last") {
      // The process has died without recording whether the file was sent, and the bank's protocol does not name it, so
      // a person decides.
      assert.deepEqual([status, arrivals()], ["unclear", 0]);
    } else {
      assert.deepEqual([status, arrivals()], ["sent", 1]);
    }
  });
}

test("killed between storing a statement and its receipt: the bank sends it again, and it is in the books once", async () => {
  const statement = camt("camt.053", "2026-11-24", [["collection", { amount: "1.00" }]]).replace(
    "</BkToCstmrStmt>",
    "<!-- once --></BkToCstmrStmt>",
  );
  const name = "EOP/DE//ZIP/camt.053";
  bank.books.waiting.set(name, [Buffer.from(statement)]);
  await later();
  await fetchNow(service, merchant, dyingAt("ebics.stored")).catch(() => 0);
  assert.equal(bank.books.waiting.get(name)?.length, 1);
  await later();
  await service.rows("update ebics_users set locked_until = null");
  await service.rows("update sepa_accounts set locked_until = null");
  await fetchNow(service, merchant);
  assert.equal(bank.books.waiting.get(name)?.length, 0);
  const files = (await get("sepa-files/?direction=in")).body["results"] as Json[];
  const hashes = files.map(({ sha256 }) => sha256);
  assert.equal(new Set(hashes).size, hashes.length);
});

test("after the settings name another user, the former user's keys sign nothing for it", async () => {
  const path = `management/gateways/${merchant.accountId}/`;
  const { settings } = (await service.get(path, { key: merchant.key })).body;
  const set = async (changes: object) => {
    const changed = { settings: { ...settings, transport: transportTo(bank, changes) } };
    const { status, text } = await service.call("PATCH", path, changed, { key: merchant.key });
    assert.equal(status, 200, text);
  };
  await set({ user_id: "USER2" });
  const id = await stored("<of-another-user/>");
  const requests = bank.server.messages.length;
  await send(service.app.deps);
  assert.equal(bank.server.messages.length, requests, "the bank is not asked");
  assert.match((await fileRow(service, id)).error, /another user/);
  await set({});
  await later();
  await send(service.app.deps);
  assert.equal((await fileRow(service, id)).status, "sent");
});

test("a suspended user sends nothing, and continues with new keys once the bank has reset it; the audit log has both", async () => {
  const locked = await audited(merchant, async () => {
    assert.equal((await ebicsPost(service, merchant, "suspend")).state, "suspended");
  });
  assert.deepEqual(locked, [["update", { state: "ready" }, { state: "suspended" }]]);
  assert.equal(bank.user.state, "suspended");
  const id = await stored("<late/>");
  const requests = bank.server.messages.length;
  await send(service.app.deps);
  assert.deepEqual([bank.server.messages.length, (await fileRow(service, id)).status], [requests, "stored"]);
  const keysPath = `management/ebics/${merchant.accountId}/keys/`;
  const early = await audited(merchant, async () => {
    const { status, text } = await service.post(keysPath, { anew: true }, { key: merchant.key });
    assert.equal(status, 409, text);
  });
  assert.deepEqual(early, [
    ["create", null, { state: "made" }],
    ["update", { state: "made" }, { state: "suspended", keys: "kept" }],
  ]);
  assert.equal((await get(`ebics/${merchant.accountId}/`)).body["state"], "suspended");
  bank.user.state = "new";
  const anew = await audited(merchant, async () => {
    const { status, body, text } = await service.post(keysPath, { anew: true }, { key: merchant.key });
    assert.deepEqual([status, body["state"]], [200, "sent"], text);
  });
  assert.deepEqual(anew, [["create", null, { state: "made" }]]);
});
