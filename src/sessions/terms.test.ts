import assert from "node:assert/strict";
import test from "node:test";
import type { Adapters } from "../gateways/gateway.ts";
import { FieldErrors } from "../refusals.ts";
import type { SessionParts } from "./set-up.ts";
import { termsOf, type CreatableBody, type SessionTerms } from "./terms.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const ADAPTERS = new Map([["bank", { capabilities: { currencies: ["EUR"] } }]]) as unknown as Adapters;

const OFFER = {
  id: ID,
  name: "Plan",
  price: "29.90",
  currency: "EUR",
  billing_type: "TRIAL_RECURRING",
  billing_frequency: "MONTHLY",
  billing_day: "last",
  trial_interval_unit: "day",
  trial_period: 7,
  trial_price: "1.00",
  product_name: null,
  product_description: null,
} as const;

const DIRECT: SessionParts = {
  tenant: {
    id: ID,
    name: "Shop",
    country: "DE",
    creditor_identifier: "DE98ZZZ09999999999",
    session_lifetime_seconds: 1_800,
    default_locale: "de",
    redirect_hosts: ["shop.example.com"],
  },
  campaign: null,
  offer: null,
  gateway: { id: ID, name: "G", adapter: "bank", descriptor: null, test_mode: false, settings: {} },
  hostedPage: null,
  webhookProfile: null,
};
const CAMPAIGN: SessionParts = {
  ...DIRECT,
  campaign: { id: ID, name: "C", max_payment_attempts: 5, stopped: false },
  offer: OFFER,
};

const BODY: CreatableBody = { gateway_id: ID, amount: "10.00", currency: "EUR", billing_type: "ONE_OFF" };
const OF_CAMPAIGN: CreatableBody = { campaign_id: ID };

function terms(body: CreatableBody, parts: SessionParts, allowPrivateTargets = false): SessionTerms {
  return termsOf({ adapters: ADAPTERS, allowPrivateTargets }, body, parts);
}

/** The messages with which a body is refused; empty if it is accepted. */
function wrong(body: CreatableBody, parts: SessionParts, allowPrivateTargets = false): object {
  try {
    terms(body, parts, allowPrivateTargets);
    return {};
  } catch (error) {
    if (error instanceof FieldErrors) return error.fields;
    throw error;
  }
}

test("a request alone has what it gives, three attempts, and nothing of a trial", () => {
  assert.deepEqual(terms(BODY, DIRECT), {
    amount: 1_000,
    currency: "EUR",
    billingType: "ONE_OFF",
    billingFrequency: null,
    billingDay: null,
    trialIntervalUnit: null,
    trialPeriod: null,
    trialPrice: null,
    gatewayId: ID,
    attemptsMax: 3,
  });
});

test("a campaign's session has its offer's terms and the campaign's attempts", () => {
  assert.deepEqual(terms(OF_CAMPAIGN, CAMPAIGN), {
    amount: 2_990,
    currency: "EUR",
    billingType: "TRIAL_RECURRING",
    billingFrequency: "MONTHLY",
    billingDay: "last",
    trialIntervalUnit: "day",
    trialPeriod: 7,
    trialPrice: 100,
    gatewayId: ID,
    attemptsMax: 5,
  });
});

for (const [given, name, value] of [
  [{ amount: "5.00" }, "amount", 500],
  [{ amount: 5 }, "amount", 500],
  [{ billing_type: "recurring" }, "billingType", "RECURRING"],
  [{ billing_frequency: "yearly" }, "billingFrequency", "YEARLY"],
  [{ billing_day: "LAST" }, "billingDay", "last"],
  [{ trial_interval_unit: "WEEK" }, "trialIntervalUnit", "week"],
  [{ trial_period: 14 }, "trialPeriod", 14],
  [{ trial_price: "0.00" }, "trialPrice", 0],
  [{ max_payment_attempts: 1 }, "attemptsMax", 1],
] as const)
  test(`a campaign's session that gives ${JSON.stringify(given)} has ${name} ${value}`, () =>
    assert.equal(terms({ ...OF_CAMPAIGN, ...given } as CreatableBody, CAMPAIGN)[name], value));

test("an offer without a trial's price has none", () => {
  const parts = { ...CAMPAIGN, offer: { ...OFFER, trial_price: null } };
  assert.equal(terms(OF_CAMPAIGN, parts).trialPrice, null);
});

test("a request and an offer without terms mean one payment, without a frequency, a day or a trial", () => {
  const { billing_type: _, ...without } = BODY;
  assert.equal(terms(without, DIRECT).billingType, "ONE_OFF");
});

const NO_HOST = ["The host is not one of the tenant's redirect_hosts."];
const REFUSED: readonly (readonly [
  what: string,
  body: CreatableBody,
  parts: SessionParts,
  messages: object,
])[] = [
  ["an unknown campaign", OF_CAMPAIGN, DIRECT, { campaign_id: ["No such campaign."] }],
  [
    "a campaign whose offer is archived",
    { ...OF_CAMPAIGN, amount: "5.00", currency: "EUR" },
    { ...CAMPAIGN, offer: null },
    { campaign_id: ["The campaign's offer is archived."] },
  ],
  [
    "a campaign whose gateway is archived",
    OF_CAMPAIGN,
    { ...CAMPAIGN, gateway: null },
    { campaign_id: ["The campaign's gateway is archived or not active."] },
  ],
  ["an unknown gateway", BODY, { ...DIRECT, gateway: null }, { gateway_id: ["No such gateway."] }],
  ["an unknown page", { ...BODY, hosted_page_id: ID }, DIRECT, { hosted_page_id: ["No such hosted page."] }],
  [
    "an unknown profile",
    { ...BODY, webhook_profile_id: ID },
    DIRECT,
    { webhook_profile_id: ["No such webhook profile."] },
  ],
  [
    "a currency that the gateway does not collect",
    { ...BODY, currency: "CHF" },
    DIRECT,
    { currency: ["The gateway does not collect CHF."] },
  ],
  [
    "an adapter that is not there any more",
    BODY,
    { ...DIRECT, gateway: { ...DIRECT.gateway, adapter: "gone" } as SessionParts["gateway"] },
    { currency: ["The gateway does not collect EUR."] },
  ],
  [
    "a live gateway without a creditor identifier",
    BODY,
    { ...DIRECT, tenant: { ...DIRECT.tenant, creditor_identifier: null } },
    { gateway_id: ["A live account needs a creditor identifier: set the gateway's or the tenant's."] },
  ],
  [
    "a last day without months",
    { ...BODY, billing_type: "RECURRING", billing_frequency: "WEEKLY", billing_day: "last" },
    DIRECT,
    { billing_day: ["Needs a billing_frequency of months."] },
  ],
  [
    "a trial without its length",
    { ...BODY, billing_type: "TRIAL_RECURRING" },
    DIRECT,
    {
      trial_interval_unit: ["This field is required with TRIAL_RECURRING."],
      trial_period: ["This field is required with TRIAL_RECURRING."],
    },
  ],
  [
    "a foreign host",
    { ...BODY, success_redirect_url: "https://other.example.com/" },
    DIRECT,
    { success_redirect_url: NO_HOST },
  ],
  [
    "a foreign host for failures",
    { ...BODY, failure_redirect_url: "https://shop.example.com.other.example/" },
    DIRECT,
    { failure_redirect_url: NO_HOST },
  ],
  [
    "a foreign host for those who cancel",
    { ...BODY, cancel_redirect_url: "https://example.com/" },
    DIRECT,
    { cancel_redirect_url: NO_HOST },
  ],
  [
    "a language that is none",
    { ...BODY, locale: "???" },
    DIRECT,
    { locale: ["Enter a language tag such as de-AT."] },
  ],
  [
    "several at once",
    { ...BODY, hosted_page_id: ID, currency: "CHF" },
    DIRECT,
    { hosted_page_id: ["No such hosted page."], currency: ["The gateway does not collect CHF."] },
  ],
];

for (const [what, body, parts, messages] of REFUSED)
  test(`a session with ${what} is refused with each field`, () =>
    assert.deepEqual(wrong(body, parts), messages));

test("a plain http address is taken of this machine only, and only where private targets are allowed", () => {
  const body = { ...BODY, success_redirect_url: "http://localhost:3000/" };
  const parts = { ...DIRECT, tenant: { ...DIRECT.tenant, redirect_hosts: ["localhost"] } };
  assert.deepEqual(Object.keys(wrong(body, parts)), ["success_redirect_url"]);
  assert.deepEqual(wrong(body, parts, true), {});
});

test("a test account needs no creditor identifier, and existing records are accepted", () => {
  const parts: SessionParts = {
    ...DIRECT,
    tenant: { ...DIRECT.tenant, creditor_identifier: null },
    gateway: { ...DIRECT.gateway, test_mode: true } as SessionParts["gateway"],
    hostedPage: { id: ID, name: "P", mandate_acceptance_mode: "checkbox", locale: null, offer_overrides: {} },
    webhookProfile: { id: ID, name: "W", active: false },
  };
  const body = { ...BODY, hosted_page_id: ID, webhook_profile_id: ID, locale: "de-at" };
  assert.deepEqual(wrong(body, parts), {});
});
