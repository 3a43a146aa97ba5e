/** After a file: payments that still have to be updated, and instructions without a report. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { readFigures } from "../../src/operator/figures.ts";
import { assertBooksAgree } from "../support/books.ts";
import { camt, followed } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { booked, DUE_DAY, moveTo, sent, statuses } from "../support/treasury.ts";
import { adHoc } from "../../tools/ad-hoc.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

test("the response to an upload comes once the file is in the books, with the number of payments that are updated afterwards", async () => {
  const one = await sent(service, 3);
  const [holder] = await service.rows("select tenant from gateways where id = $1", [one.merchant.accountId]);
  const xml = camt(
    "camt.053",
    DUE_DAY,
    one.references.map((endToEndId) => ["collection", { amount: "19.90", endToEndId }] as const),
  );
  let answer: Json = {};
  // The response does not wait for the payments, which are locked.
  await service.db.transaction(async (tx) => {
    const text = "select 1 from transactions where tenant = $1 for update";
    await tx.query(...adHoc(text, [holder?.["tenant"]]));
    const form = new FormData();
    form.append("gateway_id", one.merchant.accountId);
    form.append("file", new Blob([xml]), "statement.xml");
    const upload = await globalThis.fetch(`${service.url}/api/v1/management/sepa-files/`, {
      method: "POST",
      headers: { authorization: `Bearer ${one.merchant.key}` },
      body: form,
    });
    answer = ((await upload.json()) as Json)["files"][0];
    await assert.rejects(followed(service, { withinMs: 50 }), /not taken these notices: settled of/);
  });
  assert.deepEqual([answer["status"], answer["report"].settled, answer["following"]], ["applied", 3, 3]);
  await followed(service);
  const path = `management/sepa-files/${answer["id"]}/`;
  assert.equal((await service.get(path, { key: one.merchant.key })).body["following"], 0);
  assert.deepEqual(await statuses(service, one), ["approved", "approved", "approved"]);
});

test("debits that the bank has not answered days after their due date are listed until it answers", async () => {
  const one = await sent(service, 2);
  await booked(service, one.merchant, [
    ["collection", { amount: "19.90", endToEndId: one.references[0] ?? "" }],
  ]);
  const overdue = async (days: number) => {
    const { body, text } = await service.get(`management/sepa-files/?overdue=${days}`, {
      key: one.merchant.key,
    });
    assert.ok(Array.isArray(body["results"]), text);
    return (body["results"] as Json[]).map(({ id, unanswered }) => [id, unanswered] as const);
  };
  await moveTo(service, one.merchant, "2026-11-27T12:00:00Z");
  assert.deepEqual(await overdue(3), [], "two TARGET days after the due date");
  await moveTo(service, one.merchant, "2026-11-30T12:00:00Z");
  assert.deepEqual(await overdue(3), [[one.file["id"], 1]]);
  const entries = `management/sepa-files/${one.file["id"]}/entries/?result=unanswered`;
  const open = await service.get(entries, { key: one.merchant.key });
  assert.deepEqual(
    (open.body["results"] as Json[]).map(({ reference, amount }) => [reference, amount]),
    [[one.references[1], "19.90"]],
  );
  await booked(
    service,
    one.merchant,
    [["collection", { amount: "19.90", endToEndId: one.references[1] ?? "" }]],
    "2026-11-30",
  );
  assert.deepEqual(await overdue(3), []);
});

test("debits count as overdue in the figures of the service from the eighth day after their due date", async () => {
  const one = await sent(service, 1);
  const overdue = async (dueDate: string) => {
    const changed = `update sepa_collections set due_date = ${dueDate} where reference = $1`;
    await service.rows(changed, [one.references[0]]);
    return (await readFigures(service.db)).bank.overdue;
  };
  const before = await overdue("current_date");
  assert.equal(await overdue("current_date - 7"), before);
  assert.equal(await overdue("current_date - 8"), before + 1);
  await overdue(`'${DUE_DAY}'`);
});
