/** Commands about an EBICS user that are repeated after their answer was lost, when others have followed. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loseAnswer } from "../support/lost-answer.ts";
import { bankMerchant, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Response, type Service } from "../support/service.ts";
import { accountOf, bankLetter, fileRow, storedFile, transportTo } from "./account.ts";
import { startTestBank, type TestBank } from "./bank.ts";

let service: Service;
let bank: TestBank;
let merchant: BankMerchant;

before(async () => {
  service = await startService();
  bank = await startTestBank();
  merchant = await bankMerchant(service, { transport: transportTo(bank) });
});
after(async () => {
  await bank.close();
  await service.close();
});

/** Every request has a key of its own: the command, or another word for a further one. */
function command(what: string, body?: object, key = what): Promise<Response> {
  return service.post(`management/ebics/${merchant.accountId}/${what}/`, body, {
    key: merchant.key,
    headers: { "idempotency-key": key },
  });
}

async function done(what: string, body?: object, key = what): Promise<unknown> {
  const { status, body: user, text } = await command(what, body, key);
  assert.equal(status, 200, text);
  await loseAnswer(service, key);
  return user["state"];
}

const set = (change: string) =>
  service.rows(`update ebics_users set ${change} where gateway_id = $1`, [merchant.accountId]);

/** Without the lease, which every command takes. */
async function stored(): Promise<readonly unknown[]> {
  const [user] = await service.rows("select * from ebics_users where gateway_id = $1", [merchant.accountId]);
  const { locked_until: _, lease_no: __, ...kept }: Json = user ?? {};
  return [kept, bank.user.state, await service.rows("select * from audit_log order by id")];
}

async function changesNothing(what: string, body?: object, key = what, status = 200): Promise<void> {
  const then = await stored();
  const again = await command(what, body, key);
  assert.equal(again.status, status, `${key}: ${again.text}`);
  if (status === 200) await loseAnswer(service, key);
  assert.deepEqual(await stored(), then, key);
}

test("commands about an EBICS user change nothing when they are repeated after others, and reach the bank once", async () => {
  assert.equal(await done("keys", {}), "sent");
  bank.user.state = "ready";
  assert.equal(await done("bank-keys"), "sent");
  assert.equal(await done("confirm", bankLetter()), "ready");
  await changesNothing("bank-keys");
  assert.equal(await done("resume"), "ready");

  await set("state = 'stopped', stop_reason = 'The bank refuses the user.', offered_bank_keys = bank_keys");
  const file = await storedFile(service, await accountOf(service, merchant), "<file/>");
  await service.rows("update sepa_files set due_at = '2040-01-01', error = 'refused' where id = $1", [file]);
  await changesNothing("resume");
  await changesNothing("confirm", bankLetter());
  const dueAt = async () => ((await fileRow(service, file))["due_at"] as Date).getUTCFullYear();
  assert.equal(await dueAt(), 2040, "no file is sent again");
  assert.equal(await done("resume", undefined, "resume once more"), "ready");
  assert.notEqual(await dueAt(), 2040);
  await changesNothing("resume", undefined, "resume once more");

  assert.equal(await done("change-keys"), "ready");
  await changesNothing("change-keys");
  assert.equal(await done("suspend"), "suspended");
  bank.user.state = "new";
  assert.equal(await done("keys", { anew: true }, "keys anew"), "sent");
  bank.user.state = "ready";
  assert.equal(await done("bank-keys", undefined, "bank-keys again"), "sent");
  assert.equal(await done("confirm", bankLetter(), "confirm again"), "ready");
  await changesNothing("suspend");
  // Even where the bank has reset the user since: the keys are in use.
  bank.user.state = "new";
  await changesNothing("keys", { anew: true }, "keys anew", 409);
});
