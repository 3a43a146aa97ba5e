/** What all lists of the console have: columns, saved views, and named periods. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { paidAt, wordsOf } from "../support/console.ts";
import { switchAccount } from "../support/billing.ts";
import { createSandbox, IBAN, lead } from "../support/merchant.ts";
import { createCompany, member, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";

// In Berlin it is 1 November already, in New York still October.
const clock = manualClock(new Date("2026-10-31T23:30:00Z"));
let service: Service;
let shop: Company;
let gateway: string;
let owner: Member;
let viewer: Member;

before(async () => {
  service = await startService({ clock });
  shop = await createCompany(service);
  gateway = await createSandbox(service, shop.key);
  owner = await member(service, shop, "owner");
  viewer = await member(service, shop, "viewer");
});
after(() => service.close());

/** For each list: a filter, some columns, and their names. */
const LISTS = [
  ["payments/", "type=sdd_sale", "order,amount", ["Order", "Amount"]],
  ["customers/", "country=DE", "changed,email", ["Changed", "E-mail"]],
  ["subscriptions/", "status=ACTIVE", "collected,amount", ["Collected", "Amount"]],
  ["mandates/", "scheme=CORE", "last_used,reference", ["Last used", "Reference"]],
  ["chargebacks/", "reason=MD06", "reference,amount,kind", ["Reference", "Amount", "Kind"]],
  ["bank/", "direction=out", "sent,name", []],
  ["bank/statements/", "gap=true", "closing,up_to", []],
  ["bank/unmatched/", "status=open", "booked,amount", []],
] as const;

function headings(text: string): readonly string[] {
  return [...text.matchAll(/<th scope="col"[^>]*>([^<]*)<\/th>/g)].map(([, title]) => title ?? "");
}

test("each list shows the columns of its address, offers the others, and names unknown ones", async () => {
  const { transaction } = await paidAt(service, shop.key, gateway);
  const given = { transaction_id: transaction.id, reason_code: "MD06" };
  assert.equal((await service.post("management/chargebacks/", given, { key: shop.key })).status, 201);
  await paidAt(service, shop.key, gateway);
  for (const [path, filter, columns, titles] of LISTS) {
    const page = await owner.browser.get(`/console/${path}?${filter}&columns=${columns}`);
    assert.equal(page.status, 200, page.text);
    if (titles.length > 0) {
      const found = headings(page.text);
      assert.equal(found.length, titles.length, path);
      for (const title of titles)
        assert.ok(
          found.some((one) => one.startsWith(title)),
          `${path} ${found.join()}`,
        );
    }
    for (const name of columns.split(","))
      assert.match(page.text, new RegExp(`name="columns\\.${name}"\\s+value="1"\\s+checked`), path);
    const unknown = await owner.browser.get(`/console/${path}?columns=iban_sealed`);
    assert.match(unknown.text, /columns: Must be a comma-separated list of /, path);
  }
});

test("a view of each list is saved, opened and deleted", async () => {
  for (const [number, [path, filter, columns]] of LISTS.entries()) {
    const list = `/console/${path}`;
    const { text } = await owner.browser.get(`${list}?${filter}&columns=${columns}`);
    const field = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(text)?.[1] ?? "";
    const form = {
      id: `018f0000-0000-7000-8000-00000000010${number}`,
      list: field("list"),
      query: field("query").replaceAll("&#38;", "&"),
      name: "Mine",
    };
    const saved = await owner.browser.submit(list, "/console/views/", form);
    assert.equal(saved.status, 303, `${path} ${saved.text}`);
    const opened = await owner.browser.get(String(saved.headers["location"]));
    assert.match(opened.text, /<a[^>]+aria-current="page"\s*>Mine/, path);
    const removed = await owner.browser.submit(list, `/console/views/${form.id}/remove/`);
    assert.deepEqual([removed.status, removed.headers["location"]], [303, list]);
  }
});

test("without the right to a list a person sees, saves and changes no view of it, shared ones included", async () => {
  const developer = await member(service, shop, "developer");
  const id = "018f0000-0000-7000-8000-000000000200";
  const form = { id, list: "bank_files", query: "direction=out", name: "To the bank", shared: "1" };
  assert.equal((await owner.browser.submit("/console/bank/", "/console/views/", form)).status, 303);
  const own = { ...form, id: "018f0000-0000-7000-8000-000000000201" };
  for (const [action, fields] of [
    ["/console/views/", own],
    [`/console/views/${id}/`, { name: "Taken" }],
    [`/console/views/${id}/remove/`, {}],
  ] as const)
    assert.equal((await developer.browser.submit("/console/payments/", action, fields)).status, 404, action);
  assert.deepEqual(await service.rows("select name from saved_views where id = $1", [id]), [
    { name: "To the bank" },
  ]);
});

test("filters about one customer are in no view of any list", async () => {
  const id = "018f0000-0000-7000-8000-000000000300";
  const query = "name=Ada&email=ada%40example.com&reference=M-1&country=DE";
  const form = { id, list: "customers", query, name: "Germans" };
  const saved = await owner.browser.submit("/console/customers/", "/console/views/", form);
  assert.equal(saved.headers["location"], "/console/customers/?country=DE");
});

test("a person's own views are listed however many the company has, which shares at most a hundred", async () => {
  const insert = `insert into saved_views (tenant, id, person, shared, list, name, query, created_at, updated_at)
     select tenant, gen_random_uuid(), id, $2, 'mandates', $3 || n, 'scheme=B2B&n=' || n, now() - n * interval '1 day', now()
       from people, generate_series(1, $4::integer) n where id = $1`;
  await service.rows(insert, [owner.id, true, "Shared ", 260]);
  await service.rows(insert, [viewer.id, false, "Own ", 50]);
  const { text } = await viewer.browser.get("/console/mandates/");
  assert.equal(text.match(/>\s*Own \d+/g)?.length, 50);
  const another = {
    id: "018f0000-0000-7000-8000-000000000400",
    list: "mandates",
    query: "scheme=CORE",
    name: "One more",
  };
  const finance = await member(service, shop, "finance");
  const refused = await finance.browser.submit("/console/mandates/", "/console/views/", {
    ...another,
    shared: "1",
  });
  assert.equal(refused.status, 409);
  assert.equal((await finance.browser.submit("/console/mandates/", "/console/views/", another)).status, 303);
});

/** The number of payments in the list and in its export. */
async function found(who: Member, query: string): Promise<readonly [rows: number, exported: number]> {
  const list = await who.browser.get(`/console/payments/?${query}`);
  const file = await who.browser.get(`/console/payments/export.csv?${query}`);
  return [list.text.match(/class="row"/g)?.length ?? 0, file.text.trim().split("\r\n").length - 1];
}

test("days are those of the person's time zone, by name or by date, in the list and in its export", async () => {
  const company = await createCompany(service, "Zones");
  const at = await createSandbox(service, company.key);
  const times = [
    // Times at the ends of September and October in Berlin and in UTC.
    "2026-09-30T21:59:59Z",
    "2026-09-30T22:00:00Z",
    "2026-10-31T22:59:59Z",
    "2026-10-31T23:10:00Z",
  ];
  for (const time of times) {
    const { transaction } = await paidAt(service, company.key, at, { lead: lead() });
    await service.rows("update transactions set created_at = $2 where id = $1 returning id", [
      transaction.id,
      time,
    ]);
  }
  const person = async (zone: string) => {
    const one = await member(service, company, "finance");
    await service.rows("update people set time_zone = $2, locale = 'en-GB' where id = $1 returning id", [
      one.id,
      zone,
    ]);
    return one;
  };
  const [berlin, newYork] = [await person("Europe/Berlin"), await person("America/New_York")];
  assert.deepEqual(await found(berlin, "period=last_month"), [2, 2]);
  assert.deepEqual(await found(berlin, "from=2026-10-01&to=2026-10-31"), [2, 2]);
  assert.deepEqual(await found(berlin, "period=today"), [1, 1]);
  assert.deepEqual(await found(berlin, "period=yesterday"), [1, 1]);
  assert.deepEqual(await found(newYork, "period=this_month"), [2, 2]);
  assert.deepEqual(await found(newYork, "period=last_month"), [2, 2]);
  assert.deepEqual(await found(newYork, "period=today"), [2, 2]);
  assert.deepEqual(await found(berlin, "period=last_30_days"), [2, 2]);

  const page = await berlin.browser.get("/console/payments/?period=last_month");
  assert.match(wordsOf(page), /Date: Last month \(October 2026\)/);
  assert.match(wordsOf(page), /Days in your time zone, Europe\/Berlin/);
  assert.match(page.text, /href="\/console\/payments\/\?period=yesterday"/);
  const typed = await berlin.browser.get("/console/payments/?from=2026-10-01&to=2026-10-31");
  assert.match(wordsOf(typed), /Date: October 2026/);
  const before = await berlin.browser.get("/console/payments/export/?period=last_month");
  assert.match(wordsOf(before), /Payments 2 Filters Date: Last month \(October 2026\)/);
  for (const [query, problem] of [
    ["period=last_month&from=2026-10-05", /period: Give either a period or from and to/],
    ["period=last_year", /period: Must be one of/],
  ] as const)
    assert.match(wordsOf(await berlin.browser.get(`/console/payments/?${query}`)), problem);
  const api = await service.get("management/transactions/?from=2026-10-01&to=2026-10-31", {
    key: company.key,
  });
  assert.equal(api.body["results"].length, 2, "to programs a day is one in UTC");
  assert.equal(
    (await service.get("management/transactions/?period=today", { key: company.key })).status,
    400,
  );
});

test("each list that is filtered by days takes a period by its name", async () => {
  for (const path of [
    "chargebacks/",
    "mandates/",
    "developers/deliveries/",
    "developers/events/",
    "developers/requests/",
    "setup/audit-log/",
  ]) {
    const { text, status } = await owner.browser.get(`/console/${path}?period=yesterday`);
    assert.equal(status, 200, path);
    assert.match(wordsOf({ text } as never), /Yesterday \(/, path);
    const rows = text.match(/class="row( code)?"/g)?.length ?? 0;
    assert.equal(rows, 0, `${path} has nothing of yesterday`);
  }
});

test("the calendar has each day's renewals, with links to their subscriptions", async () => {
  const company = await createCompany(service, "Calendar");
  const at = await createSandbox(service, company.key);
  await paidAt(service, company.key, at, { amount: "5.00" });
  const person = await member(service, company, "viewer");
  const [due] = (await service.get("management/subscriptions/", { key: company.key })).body["results"];
  const day: string = due["next_billing_date"];
  const page = await person.browser.get(`/console/subscriptions/due/?month=${day.slice(0, 7)}`);
  assert.match(wordsOf(page), /€5\.00 1 renewal/);
  const link = /href="(\/console\/subscriptions\/\?next_billing_date_from=[^"]+)"/.exec(page.text)?.[1] ?? "";
  const list = await person.browser.get(link.replaceAll("&#38;", "&"));
  assert.match(list.text, new RegExp(`class="row" href="/console/subscriptions/${due["id"]}/"`));
  const now = await person.browser.get("/console/subscriptions/due/?month=nonsense");
  assert.match(wordsOf(now), /October 2026/);
  assert.equal((now.text.match(/<time datetime="2026-10-/g) as Json | null)?.length, 31);
});

test("a month with nothing due says so above its days, not below today's", async () => {
  const company = await createCompany(service, "Nothing due");
  const person = await member(service, company, "viewer");
  const { text } = await person.browser.get("/console/subscriptions/due/");
  const at = text.indexOf("Nothing is with the bank");
  assert.ok(at > 0);
  assert.ok(at < text.indexOf('class="calendar'), "on a phone today is the only day that shows");
});

test("the calendar shows retries, also on a day without renewals", async () => {
  const company = await createCompany(service, "Tried again");
  const at = await createSandbox(service, company.key);
  await paidAt(service, company.key, at, { amount: "5.00" });
  const [due] = (await service.get("management/subscriptions/", { key: company.key })).body["results"];
  await switchAccount(service, due["id"], IBAN.insufficientFunds);
  const date = `${due["next_billing_date"]}T12:00:00Z`;
  const moved = await service.post("management/clock/", { date }, { key: company.key });
  assert.equal(moved.status, 200, moved.text);
  const { cycles } = (await service.get(`management/subscriptions/${due["id"]}/`, { key: company.key })).body;
  const day = String(cycles[0].next_attempt_at).slice(0, 10);
  const person = await member(service, company, "viewer");
  const { text } = await person.browser.get(`/console/subscriptions/due/?month=${day.slice(0, 7)}`);
  const cell = new RegExp(`<time datetime="${day}">.*?</li>`, "s").exec(text)?.[0] ?? "";
  assert.match(wordsOf({ text: cell } as never), /€5\.00/);
});
