/**
 * The console's pages of mandates over HTTP: a mandate is found, printed, amended and cancelled, each once, by people
 * of its company with the rights.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { paidAt, UNKNOWN, wordsOf } from "../support/console.ts";
import { createSandbox, IBAN, lead } from "../support/merchant.ts";
import { createCompany, member, tokenIn, type Company, type Member } from "../support/people.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const PATH = "/console/mandates/";
const OTHER_IBAN = "DE62370400440532013001";
let service: Service;
let shop: Company;
let gateway: string;
let support: Member;
let viewer: Member;
let stranger: Member;

before(async () => {
  service = await startService();
  shop = await createCompany(service);
  gateway = await createSandbox(service, shop.key);
  support = await member(service, shop, "support");
  viewer = await member(service, shop, "viewer");
  stranger = await member(service, await createCompany(service, "Other shop"), "owner");
});
after(() => service.close());

/** The mandate of a new customer's subscription. */
async function signed(changes: Record<string, unknown> = {}): Promise<Json> {
  const paid = await paidAt(service, shop.key, gateway, { lead: lead(changes) });
  const path = `management/transactions/${paid["transaction"].id}/`;
  const { body: transaction } = await service.get(path, { key: shop.key });
  return { ...(await read(transaction["mandate_id"])), transaction, subscription: paid["subscription"] };
}

const read = async (id: string): Promise<Json> =>
  (await service.get(`management/mandates/${id}/`, { key: shop.key })).body;

/** The fields of the dialog's form. */
async function form(who: Member, id: string, act: "amend" | "cancel") {
  const page = await who.browser.get(`${PATH}${id}/?act=${act}`);
  return { csrf: tokenIn(page) ?? "", id: /name="id" value="([^"]+)"/.exec(page.text)?.[1] ?? "" };
}

test("mandates are listed by status, reference, scheme and customer as in the API, and only the company's own", async () => {
  const one = await signed({ email: "one@example.com" });
  const two = await signed({ email: "two@example.com" });
  const shown = async (query: string) => {
    const page = await viewer.browser.get(`${PATH}?${query}`);
    const api = await service.get(`management/mandates/?${query}`, { key: shop.key });
    const ids = [...page.text.matchAll(/class="row"[^>]*\/mandates\/([^/]+)\//g)].map(([, id]) => id);
    assert.deepEqual(
      ids,
      api.body["results"].map(({ id }: Json) => id),
      query,
    );
    return ids;
  };
  assert.deepEqual(await shown(""), [two["id"], one["id"]]);
  assert.deepEqual(await shown("email=ONE%40example.com"), [one["id"]]);
  assert.deepEqual(await shown(`reference=${one["reference"].toLowerCase()}`), [one["id"]]);
  assert.deepEqual(await shown(`lead_id=${two["lead"].id}`), [two["id"]]);
  assert.deepEqual(await shown("scheme=B2B"), []);
  assert.deepEqual(await shown("status=active&scheme=CORE"), [two["id"], one["id"]]);
  assert.deepEqual(await shown("lapsing=true"), []);
  await service.rows(
    "update mandates set last_used_at = null, accepted_at = now() - interval '35 months' where id = $1",
    [one["id"]],
  );
  assert.deepEqual(await shown("lapsing=true"), [one["id"]]);
  assert.deepEqual(await shown("lapsing=false"), [two["id"]]);
  assert.deepEqual(await shown("lapsing=true&email=two%40example.com"), []);
  assert.deepEqual(await shown("lapsing=true&status=active&email=one%40example.com"), [one["id"]]);
  const lapsing = async () =>
    (await service.get("management/needs-attention/", { key: shop.key })).body["results"].find(
      ({ kind }: Json) => kind === "lapsing_mandates",
    )?.["count"];
  assert.equal(await lapsing(), 1);
  const lastUsed = (sooner: string) =>
    service.rows(
      `update mandates set last_used_at = now() - interval '36 months' + interval '60 days' + interval '${sooner}'
        where id = $1`,
      [two["id"]],
    );
  await lastUsed("1 hour");
  assert.deepEqual([await shown("lapsing=true"), await lapsing()], [[one["id"]], 1], "not within 60 days");
  await lastUsed("-1 hour");
  assert.deepEqual(
    [await shown("lapsing=true"), await lapsing()],
    [[two["id"], one["id"]], 2],
    "within 60 days",
  );
  assert.deepEqual(await shown("lapsing=true&page_size=1"), [two["id"]]);
  assert.match(wordsOf(await viewer.browser.get(`${PATH}?status=GONE&nonsense=1`)), /status: .*nonsense:/);
  assert.match(wordsOf(await stranger.browser.get(PATH)), /No mandates yet/);
  const home = await viewer.browser.get("/console/");
  assert.match(home.text, /href="\/console\/mandates\/\?lapsing=true"/, "home leads to it");
});

test("a mandate's page shows the signed data and links to its customer, payment and subscription, which link back", async () => {
  const { id, reference, lead: customer, transaction, subscription } = await signed();
  const page = await viewer.browser.get(`${PATH}${id}/`);
  assert.match(wordsOf(page), new RegExp(`${reference} .*Active .*Ada Example .*By paying`));
  const paths = [
    `/console/customers/${customer.id}/`,
    `/console/payments/${transaction.id}/`,
    `/console/subscriptions/${subscription.id}/`,
  ];
  for (const path of paths) {
    assert.ok(page.text.includes(`href="${path}"`), path);
    assert.ok((await viewer.browser.get(path)).text.includes(`href="${PATH}${id}/"`), `back from ${path}`);
  }
  assert.ok(
    !page.text.includes(IBAN.approved) && !page.text.includes("act=amend"),
    "a viewer changes nothing",
  );
  const paper = await viewer.browser.get(`${PATH}${id}/document/`);
  assert.match(String(paper.headers["content-disposition"]), /^inline; filename="mandate_/);
  assert.match(String(paper.headers["content-security-policy"]), /default-src 'none'/);
  const api = await service.get(`management/mandates/${id}/document/`, { key: shop.key });
  assert.equal(paper.text, api.text);
  const dossier = await viewer.browser.get(`${PATH}${id}/dossier/`);
  assert.equal(dossier.headers["content-type"], "application/pdf");
  assert.match(
    String(dossier.headers["content-disposition"]),
    /^attachment; filename="mandate_.*_dossier\.pdf"/,
  );
  assert.match(page.text, new RegExp(`href="${PATH}${id}/dossier/"`));
  for (const path of [`${PATH}${id}/`, `${PATH}${id}/document/`, `${PATH}${id}/dossier/`]) {
    const unknown = path.replace(id, UNKNOWN);
    assert.equal((await stranger.browser.get(path)).status, 404, path);
    assert.equal((await stranger.browser.get(unknown)).status, 404, unknown);
  }
});

test("a mandate is amended once however often the form is sent; errors are shown at their fields, without the account", async () => {
  const { id, reference } = await signed();
  const other = await signed();
  const send = (fields: Record<string, string>, who = support) =>
    who.browser.post(`${PATH}${id}/amend/`, fields);
  const wrong = await send({ ...(await form(support, id, "amend")), iban: "DE62370400440532013002" });
  assert.deepEqual([wrong.status, /id="iban-error"/.test(wrong.text)], [422, true]);
  assert.ok(!wrong.text.includes("DE62370400440532013002"));
  const long = await send({ ...(await form(support, id, "amend")), reference: "not a / reference ÄÖÜ" });
  assert.match(long.text, /id="reference-error"/);
  const taken = await send({ ...(await form(support, id, "amend")), reference: other["reference"] });
  assert.deepEqual([taken.status, /role="alert"/.test(taken.text)], [422, true], taken.text);
  assert.deepEqual((await read(id))["amendments"], []);

  const evil = `<img src=x onerror=alert(1)>`;
  const fields = {
    ...(await form(support, id, "amend")),
    iban: OTHER_IBAN,
    holder_name: evil,
    reference,
  };
  const answers = await Promise.all([1, 2, 3].map(() => send(fields)));
  for (const { status, headers } of answers)
    assert.deepEqual([status, headers["location"]], [303, `${PATH}${id}/?done=amend`]);
  const { amendments, iban_last4, holder_name } = await read(id);
  assert.deepEqual(
    [amendments.map(({ kind }: Json) => kind), iban_last4, holder_name],
    [["account", "holder"], "3001", evil],
  );
  const page = await support.browser.get(`${PATH}${id}/?done=amend`);
  assert.match(wordsOf(page), /The account was DE •••• 3000 Not reported to the bank yet/);
  assert.ok(!page.text.includes("<img"), "as text");
  for (const path of [PATH, `${PATH}${id}/?act=amend`, `${PATH}${id}/?act=cancel`, `${PATH}${id}/document/`])
    assert.ok(!(await support.browser.get(path)).text.includes("<img src=x"), path);
  const audit = await service.rows("select actor_name from audit_log where resource_id = $1", [id]);
  assert.deepEqual(audit, [{ actor_name: "Ada support" }]);

  const { csrf } = await form(viewer, id, "amend");
  assert.equal((await send({ ...fields, csrf }, viewer)).status, 403);
  const foreign = tokenIn(await stranger.browser.get(PATH)) ?? "";
  assert.equal((await send({ ...fields, csrf: foreign }, stranger)).status, 404);
});

test("a mandate is cancelled with its subscriptions, and the audit log names the person; it cannot be during a payment", async () => {
  const { id, subscription } = await signed();
  const dialog = await support.browser.get(`${PATH}${id}/?act=cancel`);
  assert.match(wordsOf(dialog), /Nothing more is collected from Ada Example .*1 subscription ends with it\./);
  const fields = {
    ...(await form(support, id, "cancel")),
    cancelled_by: "debtor",
    reason: "Moved away",
  };
  const send = () => support.browser.post(`${PATH}${id}/cancel/`, fields);
  await service.rows("update mandates set status = 'pending' where id = $1", [id]);
  const early = await send();
  assert.equal(early.status, 422);
  await service.rows("update mandates set status = 'active' where id = $1", [id]);
  const answers = await Promise.all([send(), send()]);
  assert.deepEqual(
    answers.map(({ headers }) => headers["location"]),
    [1, 2].map(() => `${PATH}${id}/?done=cancel`),
  );
  const ended = await read(id);
  assert.deepEqual(
    [ended["status"], ended["cancelled_by"], ended["status_reason"]],
    ["cancelled", "debtor", "Moved away"],
  );
  const { body } = await service.get(`management/subscriptions/${subscription.id}/`, { key: shop.key });
  assert.deepEqual([body["status"], body["mandate_id"]], ["CANCELLED", id]);
  const page = await support.browser.get(`${PATH}${id}/?act=cancel`);
  assert.match(wordsOf(page), /ended by the customer · Moved away/);
  assert.ok(!page.text.includes('role="dialog"'), "nothing is left to end");
  const audit = await service.rows("select actor_name from audit_log where resource_id = $1", [id]);
  assert.deepEqual(audit, [{ actor_name: "Ada support" }]);
});
