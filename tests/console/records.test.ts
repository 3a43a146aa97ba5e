/** The forms of records are made from the API's schemas, with a name for each field in each language. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf } from "../../src/console/records/fields.ts";
import { asForm, givenBy, messagesByField } from "../../src/console/records/given.ts";
import { de } from "../../src/console/texts/de.ts";
import { en } from "../../src/console/texts/en.ts";
import { gatewayKind } from "../../src/gateways/records/gateway-record.ts";
import { SEPA_CREDENTIALS, SEPA_SETTINGS } from "../../src/gateways/sepa-batch/settings.ts";
import { integrationKind } from "../../src/integrations/settings/integration.ts";
import type { TSchema } from "../../src/lib/schema.ts";
import { FieldErrors } from "../../src/refusals.ts";
import { hostedPageKind } from "../../src/payment-page/settings.ts";
import { campaignKind } from "../../src/sessions/campaigns/campaign.ts";
import { paymentLinkKind } from "../../src/sessions/links/link.ts";
import { offerKind } from "../../src/sessions/offers/offer.ts";
import { tenantKind } from "../../src/tenants/tenant.ts";
import { apiKeyKind } from "../../src/tenants/api-keys/api-key.ts";
import { webhookProfileKind } from "../../src/webhooks/profiles/profile.ts";

const FORMS: Readonly<Record<string, readonly [form: TSchema, answered: TSchema | null]>> = {
  keys: [apiKeyKind.schemas.create, apiKeyKind.schemas.record],
  webhooks: [webhookProfileKind.schemas.create, webhookProfileKind.schemas.record],
  company: [tenantKind.schemas.create, tenantKind.schemas.record],
  gateways: [gatewayKind.schemas.create, gatewayKind.schemas.record],
  "sepa_batch settings": [SEPA_SETTINGS, null],
  "sepa_batch credentials": [SEPA_CREDENTIALS, null],
  integrations: [integrationKind.schemas.create, integrationKind.schemas.record],
  links: [paymentLinkKind.schemas.create, paymentLinkKind.schemas.record],
  offers: [offerKind.schemas.create, offerKind.schemas.record],
  campaigns: [campaignKind.schemas.create, campaignKind.schemas.record],
  pages: [hostedPageKind.schemas.create, hostedPageKind.schemas.record],
};

test("each field of each form, and each group of them, has a name in each language", () => {
  for (const [form, [schema, answered]] of Object.entries(FORMS))
    for (const { name } of fieldsOf(schema, answered)) {
      const parts = name.split(".");
      const names = parts.map((part, at) => [parts.slice(0, at + 1).join("."), part] as const);
      for (const { fields, languageName } of [en, de])
        for (const [path, part] of names)
          assert.ok(fields[path] ?? fields[part], `${form}: ${path} in ${languageName}`);
    }
});

const SCHEMA = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    price: { type: "string", format: "amount" },
    trial: { type: ["integer", "null"] },
    on: { type: "boolean" },
    kind: { type: "string", pattern: "in any case" },
    tags: { type: "array", items: { type: "string" } },
    days: { type: "array", items: { anyOf: [{ type: "integer" }, { const: "payday" }] } },
    events: { type: "array", items: { enum: ["a", "b"] } },
    more: { type: "object", patternProperties: {} },
    ends_at: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
    look: {
      type: "object",
      required: ["colour"],
      properties: {
        colour: { type: "string" },
        dark: { type: "boolean" },
        fonts: { type: "array", items: { type: "string" } },
      },
    },
  },
} as unknown as TSchema;
const ANSWERED = { properties: { kind: { enum: ["X", "Y", null] } } } as unknown as TSchema;

test("a form is made from a schema, and sends the same as a call of the API", () => {
  const fields = fieldsOf(SCHEMA, ANSWERED);
  assert.deepEqual(
    fields.map(({ name, kind }) => `${name}: ${kind}`),
    [
      "name: text",
      "price: amount",
      "trial: integer",
      "on: yes",
      "kind: one",
      "tags: lines",
      "days: numbers",
      "events: some",
      "more: json",
      "ends_at: time",
      "look.colour: text",
      "look.dark: yes",
      "look.fonts: lines",
    ],
  );
  assert.deepEqual(fields.find(({ name }) => name === "kind")?.values, ["X", "Y"]);
  const given = {
    name: "N",
    price: "19.90",
    trial: 7,
    on: true,
    kind: "X",
    tags: ["one", "two"],
    days: [3, "payday"],
    events: ["b"],
    more: { a: { b: 1 } },
    ends_at: "2026-11-23T10:00:00.000Z",
    look: { colour: "#fff" },
  };
  assert.deepEqual(givenBy(fields, asForm(fields, given)), given);
  assert.deepEqual(givenBy(fields, { name: " ", price: "1,50", trial: "seven", look: "x" }), {
    name: "",
    price: "1.50",
    trial: "seven",
    on: false,
    tags: [],
    days: [],
    events: [],
    more: {},
    ends_at: null,
    look: {},
  });
  assert.throws(() => givenBy(fields, { more: "{" }), FieldErrors);
});

test("a form cannot set fields that its schema does not name", () => {
  const sent = JSON.parse('{"name":"N","__proto__":"x","constructor.prototype.a":"1","tenant":"1"}');
  const given = givenBy(fieldsOf(SCHEMA), sent) as Record<string, unknown>;
  assert.equal("tenant" in given, false);
  assert.equal(Object.getPrototypeOf(given), Object.prototype);
  assert.equal("a" in {}, false);
});

test("error messages are shown at their fields, however deeply nested", () => {
  assert.deepEqual(messagesByField({ name: ["A"], look: { colour: ["B", "C"] } }), {
    name: "A",
    "look.colour": "B",
  });
});
