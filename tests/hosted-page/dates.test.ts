/**
 * One debit, one day: on the form, on the receipt, in the message, on the account page, in the answer to retrieve, in the record of its file and in the
 * file, in the console and in the dossier. And the day of the signature: on the page, in the mandate's document, in the file and in the dossier.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fc } from "../support/properties.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { nextCutOff, windowsOf } from "../../src/sepa/windows.ts";
import { must } from "../../src/lib/assert.ts";
import { inWords, sendMessages, startMailing } from "../support/mail.ts";
import type { MailServer } from "../support/mail-server.ts";
import { createRecord, IBAN, lead } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage } from "../support/page.ts";
import { wordsOf } from "../support/console.ts";
import { member } from "../support/people.ts";
import {
  bankMerchant,
  content,
  dossierEntries,
  markSent,
  outgoing,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import type { Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { moveTo } from "../support/treasury.ts";

const FIRST = new Date("2026-11-23T08:00:00Z");
/** More runs than any notice and any holidays take. */
const RUNS_MAX = 30;

let service: Service;
let mail: MailServer;
let close: () => Promise<void>;

before(async () => {
  ({ service, mail, close } = await startMailing({ clock: manualClock(FIRST) }));
});
after(() => close());

/** The mandate's copy that the customer gets while the debit is pending. */
async function messageTo(email: string): Promise<string> {
  await sendMessages(service.app);
  return must(
    mail.taken.find(({ to }) => to === email),
    "a message",
  ).text;
}

const TERMS = fc.record({
  /** Around Christmas, Easter, both changes of the clock, a leap day. */
  at: fc.oneof(
    fc.date({ min: FIRST, max: new Date("2028-03-31T00:00:00Z"), noInvalidDate: true }),
    fc.date({ min: new Date("2026-12-23"), max: new Date("2027-01-05"), noInvalidDate: true }),
    fc.date({ min: new Date("2027-03-24"), max: new Date("2027-03-30"), noInvalidDate: true }),
  ),
  cutOff: fc.constantFrom("00:30", "09:00", "12:00", "16:45", "23:59"),
  zone: fc.constantFrom("Europe/Berlin", "Europe/Lisbon", "Europe/Athens", "Atlantic/Azores"),
  leadDays: fc.integer({ min: 1, max: 5 }),
  notice: fc.integer({ min: 0, max: 14 }),
  scheme: fc.constantFrom("CORE", "B2B"),
});
type Terms = typeof TERMS extends fc.Arbitrary<infer T> ? T : never;

async function merchantWith({ cutOff, zone, leadDays, notice, scheme }: Terms): Promise<BankMerchant> {
  return bankMerchant(service, {
    cut_off: cutOff,
    time_zone: zone,
    lead_days: leadDays,
    pre_notification_days: notice,
    scheme,
  });
}

/** The day of the file that takes the payment, and the file. */
async function fileOf(merchant: BankMerchant, { at, cutOff: time, zone }: Terms) {
  let now = at;
  for (let run = 0; run < RUNS_MAX; run += 1) {
    now = nextCutOff(now, { time, zone });
    await moveTo(service, merchant, now.toISOString());
    const file = (await outgoing(service, merchant)).at(-1);
    if (file !== undefined)
      return {
        id: String(file["id"]),
        due: String(file["due_date"]),
        xml: await content(service, merchant, file["id"]),
      };
  }
  throw new Error("no file was written");
}

for (const terms of fc.sample(TERMS, sized(3, 60))) {
  test(`the day of a debit is the same everywhere: ${JSON.stringify(terms)}`, async () => {
    const merchant = await merchantWith(terms);
    await moveTo(service, merchant, terms.at.toISOString());
    const told = { messages: ["mandate_copy"] };
    const set = await service.call("PATCH", "management/tenant/", told, { key: merchant.key });
    assert.equal(set.status, 200, set.text);
    const customer = lead();
    const token = await merchant.session({ gateway_id: merchant.accountId, lead: customer });
    const form = await openPage(service, pathOf(token));
    const receipt = await payOnPage(service, token, { iban: IBAN.approved });
    const payment = async () => (await merchant.retrieve(token)).body["payment"];
    const expected = await payment();
    const message = await messageTo(String(customer["email"]));

    const [row] = await service.rows(
      "select m.id, m.lead_id from mandates m join leads l on l.tenant = m.tenant and l.id = m.lead_id where l.email = $1",
      [customer["email"]],
    );
    const { id: mandate, lead_id: leadId } = must(row, "a mandate");
    const link = await service.post(
      `management/customers/${leadId}/account-link/`,
      { valid_minutes: 10_080 },
      merchant,
    );
    const account = () => openPage(service, new URL(link.body["url"]).pathname);
    const before = await account();

    const { id: file, due, xml } = await fileOf(merchant, terms);
    assert.ok(xml.includes(`<ReqdColltnDt>${due}</ReqdColltnDt>`), due);
    const pages = [form, receipt, before, await openPage(service, pathOf(token)), await account()];
    for (const { words } of pages)
      assert.ok(words.includes(`Debited on or after ${inWords(due)}`), `${due}: ${words}`);
    assert.ok(message.includes(inWords(due)), `${due}: ${message}`);
    assert.equal(expected.debit_date, due);
    assert.deepEqual(await payment(), expected, "a file that is written changes no date");

    const { lastCoreReturn, lastB2bReturn } = windowsOf(due);
    const until = terms.scheme === "B2B" ? lastB2bReturn : lastCoreReturn;
    assert.equal(expected.pending_until, until);
    assert.ok(receipt.words.includes(`Pending until ${inWords(until)}`), receipt.words);
    const [, remittance = ""] = /<Ustrd>([^<]*)<\/Ustrd>/.exec(xml) ?? [];
    assert.ok(receipt.words.includes(`Text on your bank statement ${remittance}`), receipt.words);
    assert.doesNotMatch(form.words + receipt.words, /[Dd]ue today|has received your payment/);

    await markSent(service, merchant, file);
    const company = { id: merchant.tenantId, tenant: 0, key: merchant.key };
    const { browser } = await member(service, company, "finance");
    const console = wordsOf(await browser.get(`/console/bank/files/${file}/`));
    assert.ok(console.includes(`Due ${shortWords(due)} `), `${due}: ${console}`);
    const entries = await dossierEntries(service, merchant, mandate);
    const inFile = entries.filter(({ kind }) => kind === "in_file").map(({ facts }) => facts["due_date"]);
    assert.deepEqual(inFile, [due], "the dossier");

    const [, signed = ""] = /<DtOfSgntr>([^<]*)<\/DtOfSgntr>/.exec(xml) ?? [];
    assert.ok(form.words.includes(`online, ${inWords(signed)}`), `${signed}: ${form.words}`);
    const document = await service.get(`management/mandates/${mandate}/document/`, merchant);
    assert.ok(document.text.includes(inWords(signed)), `${signed}: ${document.text}`);
    const [signature] = entries.filter(({ kind }) => kind === "signed");
    assert.equal(signature?.["at"].slice(0, 10), signed, "the dossier");
  });
}

/** As the console writes a day in English. */
const shortWords = (day: string) =>
  new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(`${day}T00:00:00Z`),
  );

test("a gateway that does not say when it debits gets no date, and a pending payment is not called received", async () => {
  const merchant = await bankMerchant(service);
  const token = await merchant.session();
  const form = await openPage(service, pathOf(token));
  assert.doesNotMatch(form.words, /due today|Debited on/i);
  const receipt = await payOnPage(service, token, { iban: IBAN.pending });
  assert.equal(receipt.state, "receipt-submitted");
  assert.doesNotMatch(receipt.words, /has received your payment|Debited on|Pending until/);
  assert.equal((await merchant.retrieve(token)).body["payment"].debit_date, undefined);
});

test("a page is shown without a date when the account's credentials cannot be opened", async () => {
  const merchant = await bankMerchant(service);
  const sftp = { kind: "sftp", host: "sftp.example", username: "shop", host_key: `SHA256:${"A".repeat(43)}` };
  const { id } = await createRecord(service, merchant.key, "gateways", {
    name: "SFTP",
    adapter: "sepa_batch",
    settings: {
      creditor_name: "Shop",
      creditor_iban: "DE89370400440532013000",
      creditor_identifier: "DE98ZZZ09999999999",
      transport: sftp,
    },
    credentials: { password: "hunter22" },
  });
  await service.rows("update gateways set credentials = '\\x00' where id = $1 returning id", [id]);
  const token = await merchant.session({ gateway_id: id, lead: lead() });
  const form = await openPage(service, pathOf(token));
  assert.equal(form.status, 200);
  assert.doesNotMatch(form.words, /Debited on/);
});
