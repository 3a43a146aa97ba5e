/** Every state of a payment has its page, in a browser without scripts: real HTTP, the sandbox bank, real SQL. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { recoverJob } from "../../src/sessions/recover.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage, sendForm, textOf } from "../support/page.ts";
import { freshAddress, startService, type Service } from "../support/service.ts";

const START = new Date("2026-11-21T09:00:00Z");

let service: Service;
let merchant: Merchant;
let pageId: string;
const clock = manualClock(START);

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
  pageId = (
    await createRecord(service, merchant.key, "hosted-pages", {
      name: "Page",
      success_redirect_url: "https://shop.example.com/thanks?from=pay",
      failure_redirect_url: "https://shop.example.com/sorry",
    })
  )["id"];
});
after(() => service.close());

/** A session on the page of this file's merchant. */
function session(changes: Record<string, unknown> = {}): Promise<string> {
  return merchant.session({ hosted_page_id: pageId, ...changes });
}

test("a new session shows its form: amount, mandate, creditor and reference", async () => {
  const page = await openPage(service, pathOf(await session()));
  assert.equal(page.status, 200);
  assert.equal(page.state, "form");
  assert.match(page.words, /€19\.90/);
  assert.match(page.words, /You authorise Shop/);
  assert.match(page.words, /within 8 weeks/);
  assert.match(page.words, /Mandate reference MND-[2-9A-Z]{16}/);
});

test("an approved payment ends in a receipt with the way back to the shop", async () => {
  const token = await session();
  const page = await payOnPage(service, token, { iban: IBAN.approved });
  assert.equal(page.state, "receipt-paid");
  assert.match(page.words, /DE •••• 3000/);
  assert.doesNotMatch(page.text, /37040044/);
  const back = `https://shop.example.com/thanks?from=pay&#38;session_token=${token}&#38;status=COMPLETED`;
  assert.ok(page.text.includes(`href="${back}"`));
  assert.ok(page.text.includes(`data-url="${back}"`), "the script leads back after a while");
  const again = await openPage(service, pathOf(token));
  assert.equal(again.state, "receipt-paid");
  assert.ok(!again.text.includes("data-url"), "who comes back later stays");
});

test("a decline shows the reason in plain words and the attempts left, and the next attempt can succeed", async () => {
  const token = await session();
  const declined = await payOnPage(service, token, { iban: IBAN.insufficientFunds, holder: "Zoë d'Arc" });
  assert.equal(declined.state, "form");
  assert.match(declined.words, /not enough money in the account.*2 attempts left/);
  assert.match(declined.text, /value="Zoë d&#39;Arc"/, "the name is kept");
  assert.equal((await payOnPage(service, token, { iban: IBAN.approved })).state, "receipt-paid");
});

test("the last decline ends the session, with the way back", async () => {
  const token = await session({ max_payment_attempts: 1 });
  const page = await payOnPage(service, token, { iban: IBAN.declined });
  assert.equal(page.state, "failed");
  assert.match(page.words, /does not allow this direct debit/);
  assert.match(page.text, /href="https:\/\/shop\.example\.com\/sorry\?session_token=ps_[^"]+status=EXPIRED"/);
});

test("a gateway that cannot be reached charges nothing and takes no attempt", async () => {
  const page = await payOnPage(service, await session(), { iban: IBAN.unreachable });
  assert.equal(page.state, "form");
  assert.match(page.words, /Nothing was charged\. Please try again.*3 attempts left/);
});

test("an accepted instruction is shown as a submitted payment", async () => {
  const page = await payOnPage(service, await session(), { iban: IBAN.pending });
  assert.equal(page.state, "receipt-submitted");
});

test("an unknown outcome is never shown as an error, and the real outcome is shown once it is known", async () => {
  const token = await session();
  const page = await payOnPage(service, token, { iban: IBAN.answerLost });
  assert.equal(page.state, "unclear");
  assert.match(page.words, /may already have gone through\. Please do not pay again/);
  assert.match(page.text, /<noscript><meta http-equiv="refresh" content="15"/);
  const sent = await sendForm(service, token, { iban: IBAN.approved, reference: "MND-ANY" });
  assert.equal(sent.status, 303);
  clock.advance(11_000);
  await recoverJob(service.app.deps).runOnce(10);
  assert.equal((await openPage(service, pathOf(token))).state, "receipt-paid");
});

test("while the gateway works the page waits and asks again automatically", async () => {
  const token = await session();
  const paying = sendForm(service, token, { iban: IBAN.slow });
  let page = await openPage(service, pathOf(token));
  while (page.state === "form") page = await openPage(service, pathOf(token));
  assert.equal(page.state, "processing");
  assert.match(page.text, /<noscript><meta http-equiv="refresh" content="3"/);
  assert.equal((await paying).status, 303);
  assert.equal((await openPage(service, pathOf(token))).state, "receipt-paid");
});

test("a verification leads to the bank, back to the page, and is verified there automatically", async () => {
  const token = await session();
  const sent = await sendForm(service, token, { iban: IBAN.verification });
  assert.equal(sent.headers["location"], `${pathOf(token)}?to=bank`);
  const leaving = await openPage(service, sent.headers["location"]);
  const url = /<meta http-equiv="refresh" content="0; url=([^"]+)"/.exec(leaving.text)?.[1] ?? "";
  assert.match(url, /^http:\/\/pay\.example\.test\/sandbox\/verifications\//);

  const waiting = await openPage(service, pathOf(token));
  assert.equal(waiting.state, "verification");
  assert.ok(waiting.text.includes(`href="${url}"`), "the link again");
  assert.doesNotMatch(waiting.text, /http-equiv="refresh"/);

  const confirmed = await answerBank(url, "confirm");
  const back = new URL(String(confirmed.headers["location"]));
  const returned = await service.get(`${back.pathname}${back.search}`);
  assert.equal(returned.headers["location"], `${pathOf(token)}?done=1`);
  const receipt = await openPage(service, returned.headers["location"]);
  assert.equal(receipt.state, "receipt-paid");
  const again = await openPage(service, `${back.pathname}${back.search}`);
  assert.equal(again.state, "receipt-paid", "the return address once more, as by the back button");
});

test("a refused verification is shown as a decline", async () => {
  const token = await session();
  await sendForm(service, token, { iban: IBAN.verificationFails });
  const url = await bankUrl(token);
  await answerBank(url, "confirm");
  const sent = await service.post(`${pathOf(token)}verify/`);
  assert.equal(sent.status, 303);
  const page = await openPage(service, pathOf(token));
  assert.equal(page.state, "form");
  assert.match(page.words, /mandate was not confirmed.*2 attempts left/);
});

test("'I have confirmed it' asks the bank, and the link stays while the bank has no confirmation", async () => {
  const token = await session();
  await sendForm(service, token, { iban: IBAN.verification });
  const page = await openPage(service, `${pathOf(token)}?asked=1`);
  assert.equal(page.state, "verification");
  assert.match(page.words, /has not received your confirmation yet/);
  await answerBank(await bankUrl(token), "confirm");
  const sent = await service.post(`${pathOf(token)}verify/`);
  assert.equal(sent.headers["location"], `${pathOf(token)}?done=1`);
  assert.equal((await openPage(service, pathOf(token))).state, "receipt-paid");
});

test("another session's verification_id changes nothing", async () => {
  const token = await session();
  await sendForm(service, token, { iban: IBAN.verification });
  const sent = await service.get(`${pathOf(token)}?verification_id=01999999-0000-7000-8000-000000000000`);
  assert.equal(sent.status, 303);
  assert.equal((await openPage(service, pathOf(token))).state, "verification");
});

test("a verification that the merchant's own form began is left to the merchant, who gets its id", async () => {
  const token = await session();
  const paid = await merchant.pay(token, IBAN.verification);
  const confirmed = await answerBank(paid.body["verification_url"], "confirm");
  const back = new URL(String(confirmed.headers["location"]));
  const returned = await service.get(`${back.pathname}${back.search}`);
  const target = new URL(String(returned.headers["location"]));
  assert.equal(target.origin + target.pathname, "https://shop.example.com/thanks");
  assert.equal(target.searchParams.get("verification_id"), back.searchParams.get("verification_id"));
  assert.equal(target.searchParams.get("status"), "AWAITING_VERIFICATION");
  assert.equal((await merchant.verify(token)).body["status"], "completed");

  const plain = await merchant.session();
  const waiting = await merchant.pay(plain, IBAN.verification);
  const without = new URL(
    String((await answerBank(waiting.body["verification_url"], "confirm")).headers["location"]),
  );
  const page = await openPage(service, `${without.pathname}${without.search}`);
  assert.equal(page.state, "verified-elsewhere");
  assert.equal((await merchant.verify(plain)).body["status"], "completed");
});

test("a customer who never returns from the bank is found by recovery when the time is over", async () => {
  const token = await session();
  await sendForm(service, token, { iban: IBAN.verification });
  await answerBank(await bankUrl(token), "confirm");
  clock.advance(25 * HOUR_MS);
  await recoverJob(service.app.deps).runOnce(10);
  assert.equal((await openPage(service, pathOf(token))).state, "receipt-paid");
});

test("a cancelled or expired session charged nothing, and a form sent late does nothing", async () => {
  const cancelled = await session();
  const late = await openPage(service, pathOf(cancelled));
  await merchant.cancel(cancelled);
  const page = await openPage(service, pathOf(cancelled));
  assert.deepEqual([page.status, page.state], [410, "cancelled"]);
  const reference = /name="reference"\s+value="([^"]+)"/.exec(late.text)?.[1] ?? "";
  const sent = await sendForm(service, cancelled, { iban: IBAN.approved, reference });
  assert.equal(sent.status, 303);
  assert.equal((await openPage(service, pathOf(cancelled))).state, "cancelled");

  const expired = await session({ expires_in: 1_800 });
  clock.advance(HOUR_MS);
  const over = await openPage(service, pathOf(expired));
  assert.deepEqual([over.status, over.state], [410, "expired"]);
});

test("unknown, malformed and forged tokens get the same page", async () => {
  const token = await session();
  const forged = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  for (const unknown of [
    forged,
    "ps_short",
    "nonsense",
    `${token}x`,
    "%3Cscript%3E",
    "%zz",
    "x".repeat(300),
  ]) {
    const page = await openPage(service, `/pay/${unknown}/`);
    assert.deepEqual([page.status, page.state], [404, "unknown"], unknown);
    assert.ok(!page.text.includes(unknown));
  }
});

test("a rate-limited page says not to pay again, and checks the payment automatically", async () => {
  const token = await session();
  const from = freshAddress();
  const form = { iban: IBAN.approved, reference: "MND-OLD" };
  await sendForm(service, token, form, { from });
  const page = await sendForm(service, token, form, { from });
  assert.deepEqual([page.status, page.state], [429, "tooFast"]);
  assert.equal(page.headers["retry-after"], "1");
  assert.equal(page.headers["refresh"], `1; url=${pathOf(token)}`);
  assert.match(page.words, /please do not pay again/);
});

test("an unreadable request gets a page too", async () => {
  const token = await session();
  const json = await service.post(pathOf(token), { iban: IBAN.approved });
  assert.equal(json.status, 415);
  assert.match(json.text, /Nothing was charged/);
  const twice = await service.get(`${pathOf(token)}?lang=de&lang=fr`);
  assert.equal(twice.status, 400);
  assert.match(twice.text, /data-state="badRequest"/);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const large = await service.post(pathOf(token), `iban=${"1".repeat(300_000)}`, { headers });
  assert.equal(large.status, 413);
});

test("the sandbox bank's page speaks the page's language, looks like it, and leads back in it", async () => {
  const token = await session();
  const english = { "accept-language": "en" };
  await sendForm(service, token, { iban: IBAN.verification });
  const page = await service.get(`${pathOf(token)}?lang=pl`, { headers: english });
  const url = new URL(
    (/href="(http:\/\/pay\.example\.test\/sandbox[^"]+)"/.exec(page.text)?.[1] ?? "").replaceAll(
      "&#38;",
      "&",
    ),
  );
  assert.equal(url.searchParams.get("lang"), "pl");
  const bank = await service.get(url.pathname + url.search, { headers: english });
  assert.match(bank.text, /<html lang="pl"/);
  for (const shown of ["Bank testowy", "Potwierdź", "Odrzuć", "19,90", "MND-", "•••• 3010"])
    assert.ok(textOf(bank.text).includes(shown), shown);
  assert.match(bank.text, /class="summary"/);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const sent = await service.post(url.pathname + url.search, "decision=confirm", { headers });
  const back = new URL(String(sent.headers["location"]));
  assert.deepEqual([sent.status, back.searchParams.get("lang")], [303, "pl"]);
  const done = await openPage(service, url.pathname);
  assert.ok(done.words.includes("You have already answered."), done.words);
  const unknown = await openPage(service, "/sandbox/verifications/00000000-0000-7000-8000-000000000000");
  assert.deepEqual([unknown.status, unknown.state], [404, "unknown"]);
});

async function bankUrl(token: string): Promise<string> {
  const page = await openPage(service, pathOf(token));
  return /href="(http:\/\/pay\.example\.test\/sandbox[^"]+)"/.exec(page.text)?.[1] ?? "";
}

function answerBank(url: string, decision: "confirm" | "refuse") {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return service.post(new URL(url).pathname, `decision=${decision}`, { headers });
}
