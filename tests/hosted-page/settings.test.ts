/** The page shows the merchant's settings, and all of its texts as plain text. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { after, before, test } from "node:test";
import { html } from "../../src/files/html.ts";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { createMerchant, createRecord, createTenantKey, IBAN, type Merchant } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage, sendForm } from "../support/page.ts";
import { freshAddress, startService, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;
const clock = manualClock(new Date("2026-11-21T09:00:00Z"));

before(async () => {
  service = await startService({ clock, config: { publicUrl: "https://pay.example.test/shop" } });
  merchant = await createMerchant(service);
});
after(() => service.close());

async function pageWith(
  settings: Record<string, unknown>,
  session: Record<string, unknown> = {},
): Promise<string> {
  const { id } = await createRecord(service, merchant.key, "hosted-pages", { name: "Page", ...settings });
  return pathOf(await merchant.session({ hosted_page_id: id, ...session }));
}

test("logo, colours, headline, content and overrides show; the amount is always that of the session", async () => {
  const path = await pageWith({
    branding: {
      logo_url: "https://shop.example.com/logo.png",
      primary_color: "#ffee00",
      accent_color: "#0a0",
    },
    content: { headline: "Nearly yours", note: "Ships on Monday", nested: { not: "shown" }, count: 3 },
    offer_overrides: { product_name: "The good one", price: "0.01" },
  });
  const page = await openPage(service, path);
  assert.match(page.text, /<img src="https:\/\/shop\.example\.com\/logo\.png" alt=""/);
  assert.match(page.text, /--primary:#ffee00;--on-primary:#111827;--accent:#00aa00/);
  assert.match(page.words, /Nearly yours .*€19\.90.* The good one .*Ships on Monday/);
  assert.doesNotMatch(page.words, /shown|0\.01/);
  assert.match(
    String(page.headers["content-security-policy"]),
    /img-src data: https:\/\/shop\.example\.com\/logo\.png;/,
  );
});

test("product name, price and description can be left out", async () => {
  const { id: offerId } = await createRecord(service, merchant.key, "offers", {
    name: "Plan",
    price: "10.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
    product_name: "Secret product",
    product_description: "Secret description",
  });
  const campaign = async (settings: Record<string, unknown>) => {
    const { id: hosted_page_id } = await createRecord(service, merchant.key, "hosted-pages", {
      name: "P",
      ...settings,
    });
    const { id } = await createRecord(service, merchant.key, "campaigns", {
      name: "C",
      offer_id: offerId,
      gateway_id: merchant.gatewayId,
      hosted_page_id,
    });
    return openPage(
      service,
      pathOf(
        await merchant.session({
          campaign_id: id,
          amount: undefined,
          currency: undefined,
          billing_type: undefined,
          gateway_id: undefined,
        }),
      ),
    );
  };
  assert.match((await campaign({})).words, /€10\.00 Secret product €10\.00 Details Secret description/);
  const bare = await campaign({
    show_product_name: false,
    show_product_price: false,
    show_product_description: false,
  });
  assert.doesNotMatch(bare.words, /Secret/);
  assert.match(bare.words, /Amount €10\.00/);
});

test("the shop's words are in the page's language where it has them, and its links are at the foot", async () => {
  const path = await pageWith({
    content: { headline: { en: "Fresh beans", fr: "Café frais" }, note: { de: "Nur deutsch" } },
    links: {
      imprint_url: "https://shop.example.com/imprint",
      privacy_url: "https://shop.example.com/privacy",
      support_email: "help@shop.example.com",
    },
  });
  const french = await openPage(service, `${path}?lang=fr`);
  assert.match(french.words, /Café frais/);
  assert.doesNotMatch(french.words, /Fresh beans/);
  assert.match(french.words, /Nur deutsch.*Mentions légales Confidentialité Contact$/);
  assert.match(french.text, /href="mailto:help@shop\.example\.com"/);
});

test("links are stored one by one, and only addresses that a page may link to are accepted", async () => {
  const { id } = await createRecord(service, merchant.key, "hosted-pages", {
    name: "Page",
    links: { imprint_url: "https://shop.example.com/imprint", terms_url: "https://shop.example.com/terms" },
  });
  const patch = (links: object) =>
    service.call("PATCH", `management/hosted-pages/${id}/`, { links }, { key: merchant.key });
  const changed = await patch({ imprint_url: null });
  assert.deepEqual(changed.body["links"], { imprint_url: null, terms_url: "https://shop.example.com/terms" });
  const refused = await patch({ privacy_url: "javascript:alert(1)", support_email: "nobody" });
  assert.deepEqual(Object.keys(refused.body["links"]), ["support_email"]);
  const unsafe = await patch({ privacy_url: "javascript:alert(1)" });
  assert.deepEqual(Object.keys(unsafe.body["links"]), ["privacy_url"]);
});

test("the form has a way back to the shop", async () => {
  const path = await pageWith({ cancel_redirect_url: "https://shop.example.com/cart" });
  const { text } = await openPage(service, path);
  assert.match(text, /href="https:\/\/shop\.example\.com\/cart\?session_token=ps_[^"]+&#38;status=PENDING"/);
});

test("the receipt leads to the customer's own copy of the mandate; before the payment there is none", async () => {
  const path = await pageWith({});
  const [, token = ""] = /(ps_[^/]+)/.exec(path) ?? [];
  assert.equal((await openPage(service, `${path}mandate/`)).status, 404);
  await sendForm(service, token, { iban: IBAN.approved });
  const receipt = await openPage(service, path);
  assert.ok(receipt.text.includes(`href="/shop${path}mandate/"`), receipt.text);
  const copy = await openPage(service, `${path}mandate/`);
  assert.equal(copy.status, 200);
  assert.match(copy.words, /^SEPA direct debit mandate .*Mandate reference MND-.*Ada Example/);
  assert.match(String(copy.headers["content-security-policy"]), /default-src 'none'/);
  assert.equal(copy.headers["cache-control"], "no-store");
});

test("hostile names, content and overrides are text", async () => {
  const hostile = [
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `</style><style>*{display:none}`,
    `javascript:alert(1)`,
    "{{7*7}}${7*7}",
  ];
  const path = await pageWith(
    {
      content: Object.fromEntries([
        ["headline", hostile[0]],
        ...hostile.map((text, at) => [`text_${at}`, text]),
      ]),
      offer_overrides: { product_name: hostile[1], product_description: hostile[2] },
    },
    { lead: { first_name: hostile[1], last_name: hostile[2], email: "hostile@example.com", country: "DE" } },
  );
  const page = await openPage(service, path);
  assert.equal(page.status, 200);
  for (const text of hostile) assert.ok(page.text.includes(html`${text}`.text), text);
  assert.doesNotMatch(page.text, /<script>alert|<img src=x|<style>\*/);
  assert.equal(page.text.match(/<script/g)?.length, 1);
  assert.equal(page.text.match(/<style/g)?.length, 1);
});

test("addresses that could run or leak are refused when they are saved", async () => {
  for (const [field, value] of [
    ["success_redirect_url", "javascript:alert(1)"],
    ["success_redirect_url", "http://shop.example.com/"],
    ["failure_redirect_url", "https://user:password@shop.example.com/"],
    ["frame_origins", ["https://shop.example.com/path"]],
    ["frame_origins", ["https://a.example.com; script-src *"]],
    ["frame_origins", ["*"]],
  ] as const) {
    const made = await service.post(
      "management/hosted-pages/",
      { name: "P", [field]: value },
      { key: merchant.key },
    );
    assert.equal(made.status, 400, `${field} ${String(value)}`);
    assert.ok(field in made.body);
  }
});

test("the query cannot choose where the customer goes", async () => {
  const path = await pageWith({ success_redirect_url: "https://shop.example.com/thanks" });
  const token = path.split("/")[2] ?? "";
  await payOnPage(service, token, { iban: IBAN.approved });
  const evil = "https://evil.example";
  const page = await openPage(
    service,
    `${path}?success_redirect_url=${evil}&redirect=${evil}&url=${evil}&done=1&to=${evil}&lang=${evil}`,
  );
  assert.equal(page.state, "receipt-paid");
  assert.ok(!page.text.includes("evil.example"));
});

test("every page has a content security policy, requires https, and is not framed, cached or sent as referrer", async () => {
  const { headers, text } = await openPage(service, await pageWith({}));
  const policy = String(headers["content-security-policy"]);
  assert.match(
    policy,
    /^default-src 'none'; script-src 'nonce-[\w+/=]+'; style-src 'nonce-[\w+/=]+'; img-src data:;/,
  );
  assert.match(policy, /form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  assert.equal(headers["x-frame-options"], "DENY");
  assert.equal(headers["strict-transport-security"], "max-age=31536000");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.equal(headers["cache-control"], "no-store");
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
  assert.equal(text.split(`nonce="${nonce}"`).length, 3);
  assert.doesNotMatch(text, /\son\w+=|style=/);
  for (const address of text.matchAll(/(?:src|href|action)="([^"#]+)"/g)) {
    assert.match(address[1] ?? "", /^(data:,|\/shop\/pay\/)/, "our own, below the public URL");
  }
  const unknown = await service.get("/pay/ps_none/");
  assert.match(String(unknown.headers["content-security-policy"]), /^default-src 'none'/);
});

test("a page may be framed by the origins that its settings list, and by no others", async () => {
  const { headers } = await openPage(
    service,
    await pageWith({ frame_origins: ["https://shop.example.com", "http://localhost:3000"] }),
  );
  assert.match(
    String(headers["content-security-policy"]),
    /frame-ancestors https:\/\/shop\.example\.com http:\/\/localhost:3000$/,
  );
  assert.equal(headers["x-frame-options"], undefined);
});

test("the script is the one that the page names, cacheable for ever, and compressed for browsers that accept it", async () => {
  const page = await openPage(service, await pageWith({}));
  const [, src = "", integrity = ""] = /src="\/shop([^"]+)" integrity="([^"]+)"/.exec(page.text) ?? [];
  const script = await service.get(src);
  assert.equal(script.status, 200);
  assert.match(String(script.headers["cache-control"]), /immutable/);
  const digest = Buffer.from(await crypto.subtle.digest("SHA-384", Buffer.from(script.text)));
  assert.equal(integrity, `sha384-${digest.toString("base64")}`);
  const zipped = await fetch(service.url + src, { headers: { "accept-encoding": "gzip" } });
  assert.equal(zipped.headers.get("content-encoding"), "gzip");
  assert.equal(await zipped.text(), script.text);
  assert.equal(script.text, await readFile(new URL("../../web/pay/pay.js", import.meta.url), "utf8"));
});

test("page and script together are lighter than 15 kB, in every language", async () => {
  const path = await pageWith({});
  const { raw: script } = await zippedBytes(`/pay/assets/pay.js`);
  for (const language of ["en", "bg", "el", "ga", "mt"]) {
    const { raw, text } = await zippedBytes(`${path}?lang=${language}`);
    assert.match(text, new RegExp(`<html lang="${language}"`));
    assert.ok(raw + script < 15_000, `${language}: ${raw + script} bytes`);
  }
});

test("the language follows the switch, the browser, the page and the country", async () => {
  const path = await pageWith(
    { locale: "it" },
    { lead: { first_name: "A", last_name: "B", email: "lang@example.com", country: "FR" } },
  );
  const language = async (search: string, accept?: string) => {
    const headers = accept === undefined ? {} : { "accept-language": accept };
    return /<html lang="([^"]+)" dir="ltr">/.exec(
      (await openPage(service, path + search, { headers })).text,
    )?.[1];
  };
  assert.equal(await language("?lang=pl", "de"), "pl");
  assert.equal(await language("", "de-CH, en;q=0.5"), "de");
  assert.equal(await language(""), "it");
  const error = await service.get("/pay/ps_none/", { headers: { "accept-language": "de" } });
  assert.match(error.text, /<html lang="de"/);
});

test("a preview link shows every state with sample data, for an hour", async () => {
  const { id } = await createRecord(service, merchant.key, "hosted-pages", {
    name: "P",
    content: { headline: "Preview me" },
  });
  const made = await service.post(`management/hosted-pages/${id}/preview-link/`, undefined, {
    key: merchant.key,
  });
  assert.equal(made.status, 201);
  assert.equal(made.body["expires_at"], new Date(clock.now().getTime() + HOUR_MS).toISOString());
  const url = new URL(made.body["url"]);
  assert.equal(url.origin + url.pathname, `https://pay.example.test/shop/preview/hosted-pages/${id}`);
  const path = url.pathname.replace("/shop", "") + url.search;
  for (const [state, shown] of [
    ["form", "form"],
    ["declined", "form"],
    ["verification", "verification"],
    ["processing", "processing"],
    ["unclear", "unclear"],
    ["paid", "receipt-paid"],
    ["submitted", "receipt-submitted"],
    ["failed", "failed"],
    ["cancelled", "cancelled"],
    ["expired", "expired"],
    ["nonsense", "form"],
  ] as const) {
    const page = await openPage(service, `${path}&state=${state}`);
    assert.equal(page.state, shown, state);
    assert.match(page.words, /Preview with sample data/);
  }
  const { words } = await openPage(service, path);
  assert.match(words, /Preview me/);
  assert.match(words, /Notice before each debit 14 days/);
  const day = /Debited on or after (\d+ \w+ \d{4})/.exec(words)?.[1] ?? "";
  assert.ok(
    Date.parse(`${day} UTC`) >= clock.now().getTime() + 13 * 24 * HOUR_MS,
    `${day}: after the notice`,
  );

  const other = await createRecord(service, merchant.key, "hosted-pages", { name: "Other" });
  const altered = path.replace(/link=./, path.includes("link=A") ? "link=B" : "link=A");
  for (const wrong of [
    altered,
    path.replace(id, String(other["id"])),
    url.pathname.replace("/shop", ""),
    path.replace("hosted-pages/", "hosted-pages/x"),
  ]) {
    assert.equal((await service.get(wrong)).status, 404, wrong);
  }
  const stranger = await createTenantKey(service);
  const refused = await service.post(`management/hosted-pages/${id}/preview-link/`, undefined, {
    key: stranger,
  });
  assert.equal(refused.status, 404);
  clock.advance(HOUR_MS);
  assert.equal((await service.get(path)).status, 404);
});

/** The length of the compressed body, and its text. */
async function zippedBytes(path: string): Promise<{ readonly raw: number; readonly text: string }> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const options = { headers: { "accept-encoding": "gzip" }, localAddress: freshAddress(), agent: false };
    request(service.url + path, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks);
        resolve({ raw: body.length, text: gunzipSync(body).toString() });
      });
    })
      .on("error", reject)
      .end();
  });
}
