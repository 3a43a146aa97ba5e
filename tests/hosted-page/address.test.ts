/** Accounts whose banks ask for an address: the page asks the customer, and no attempt is spent on it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { lead } from "../support/merchant.ts";
import { openPage, pathOf, sendForm } from "../support/page.ts";
import { bankMerchant, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Service } from "../support/service.ts";

/** Examples of the public IBAN registry. */
const SWISS = "CH9300762011623852957";
const BRITISH = "GB29NWBK60161331926819";
const GERMAN = "DE89370400440532013000";

let service: Service;
let merchant: BankMerchant;

before(async () => {
  service = await startService();
  merchant = await bankMerchant(service);
});
after(() => service.close());

function session(changes: Record<string, unknown> = {}, gateway = merchant.accountId): Promise<string> {
  return merchant.session({ gateway_id: gateway, lead: lead(changes) });
}

async function attemptsLeft(token: string): Promise<number> {
  return (await merchant.retrieve(token)).body["attempts_remaining"];
}

for (const iban of [SWISS, BRITISH]) {
  test(`the page asks for the address of an account in ${iban.slice(0, 2)}, keeps the input, and uses no attempt`, async () => {
    const token = await session();
    const asked = await sendForm(service, token, { iban, street: "Main <Street> 1" });
    assert.equal(asked.status, 422);
    assert.match(asked.words, /outside the European Economic Area and asks for your address/);
    assert.match(asked.words, /Enter your town or city/);
    assert.match(asked.text, /<div id="address"\s*>/);
    assert.match(asked.text, /value="Main &#60;Street&#62; 1"/);
    assert.equal(await attemptsLeft(token), 3);
    const paid = await sendForm(service, token, {
      iban,
      street: "Main Street 1",
      postalCode: "8001",
      city: "Zürich",
    });
    assert.equal(paid.status, 303, paid.text);
    const { body } = await merchant.retrieve(token);
    assert.equal(body["status"], "COMPLETED");
    const [kept] = await service.rows(
      "select l.address, l.postal_code, l.city from leads l join sessions s on s.lead_id = l.id and s.tenant = l.tenant join transactions t on t.session_id = s.id and t.tenant = s.tenant where l.city = 'Zürich' and s.amount > 0 order by s.created_at desc limit 1",
    );
    assert.deepEqual(kept, { address: "Main Street 1", postal_code: "8001", city: "Zürich" });
  });
}

test("the page needs no address where it asks for none, and refuses a city without a letter", async () => {
  const token = await session();
  const page = await openPage(service, pathOf(token));
  assert.match(page.text, /<div id="address"\s+hidden/);
  const refused = await sendForm(service, token, { iban: SWISS, city: "…" });
  assert.equal(refused.status, 422);
  assert.equal((await sendForm(service, token, { iban: GERMAN })).status, 303);
});

test("the page of a merchant who has given the city, or of another gateway, does not ask", async () => {
  const known = await session({ city: "Bern", address: "Gasse 2" });
  assert.ok(!(await openPage(service, pathOf(known))).text.includes('id="address"'));
  assert.equal((await sendForm(service, known, { iban: SWISS })).status, 303);
  const sandbox = await session({}, merchant.gatewayId);
  assert.ok(!(await openPage(service, pathOf(sandbox))).text.includes('id="address"'));
});
