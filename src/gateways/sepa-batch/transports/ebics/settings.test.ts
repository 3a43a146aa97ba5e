import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "../../../../lib/schema.ts";
import { schemaProblems } from "../../../records/schema-problems.ts";
import { orderName, type Order } from "./orders.ts";
import { EBICS_FIELDS, ebicsProblems, ebicsSettings, usualDownloads } from "./settings.ts";

type Given = Parameters<typeof ebicsSettings>[0];
const NEEDED = { url: "https://bank.example", host_id: "H", partner_id: "P", user_id: "U" };

/** The settings with orders by their names. */
function read(given: Given): Readonly<Record<string, unknown>> {
  const { url, subscriber, orders, downloads } = ebicsSettings({ ...NEEDED, ...given });
  const named = (order: Order | null) => (order === null ? null : orderName(order));
  return {
    url,
    ...subscriber,
    ...Object.fromEntries(Object.entries(orders).map(([use, order]) => [use, named(order)])),
    downloads: downloads.map(orderName),
  };
}

const OF_H005 = {
  url: "https://bank.example",
  version: "H005",
  hostId: "H",
  partnerId: "P",
  userId: "U",
  signatureVersion: "A006",
  signatureClass: "T",
  digestOf: "key",
  core: "SDD//COR//pain.008",
  b2b: "SDD//B2B//pain.008",
  transfer: "SCT////pain.001",
  reversal: null,
  downloads: [
    "REP/DE/SDD/ZIP/pain.002",
    "EOP/DE//ZIP/camt.053",
    "STM/DE//ZIP/camt.052",
    "STM/DE//ZIP/camt.054",
  ],
};
const OF_H004 = { version: "H004", core: "CDD", b2b: "CDB", transfer: "CCT" };

/** What is set, and what it changes of the settings of EBICS 3.0 at a German bank. */
const SET: readonly (readonly [given: Given, changes: object])[] = [
  [{}, {}],
  [{ ebics_version: "H005" }, {}],
  [{ ebics_version: "H004" }, { ...OF_H004, downloads: ["Z01", "C53", "C52", "C54"] }],
  [{ signature_version: "A006" }, {}],
  [{ signature_version: "A005" }, { signatureVersion: "A005" }],
  [{ signature_class: "T" }, {}],
  [{ signature_class: "E" }, { signatureClass: "E" }],
  [{ bank_key_hash: "key" }, {}],
  [{ bank_key_hash: "certificate" }, { digestOf: "certificate" }],
  [{ orders: { core: "SDD/AT/COR//pain.008" } }, { core: "SDD/AT/COR//pain.008" }],
  [{ orders: { b2b: "SDD/AT/B2B//pain.008" } }, { b2b: "SDD/AT/B2B//pain.008" }],
  [{ orders: { transfer: "SCT/AT///pain.001" } }, { transfer: "SCT/AT///pain.001" }],
  [{ orders: { reversal: "SDD//REV//pain.007" } }, { reversal: "SDD//REV//pain.007" }],
  [{ downloads: ["EOP/AT//ZIP/camt.053"] }, { downloads: ["EOP/AT//ZIP/camt.053"] }],
  [{ downloads: [] }, { downloads: [] }],
];

for (const [given, changes] of SET)
  test(`EBICS with ${JSON.stringify(given)} is ${JSON.stringify(changes)}, and the rest as usual`, () =>
    assert.deepEqual(read(given), { ...OF_H005, ...changes }));

test("the usual downloads of a bank abroad have its scope", () =>
  assert.deepEqual(usualDownloads("AT"), [
    "REP/AT/SDD/ZIP/pain.002",
    "EOP/AT//ZIP/camt.053",
    "STM/AT//ZIP/camt.052",
    "STM/AT//ZIP/camt.054",
  ]));

const REQUIRED = ["This field is required for EBICS."];
const NO_SERVICES = ["H004 has order types of three letters, and no services."];
const SERVICE = "SDD//COR//pain.008";

/** Settings, and the message at each field that is wrong. */
const PROBLEMS: readonly (readonly [what: string, given: Given, problems: object])[] = [
  ["everything that is needed", NEEDED, {}],
  ...(["url", "host_id", "partner_id", "user_id"] as const).map((name) => {
    const { [name]: _, ...others } = NEEDED;
    return [`no ${name}`, others, { [name]: REQUIRED }] as const;
  }),
  ["services of H005", { ...NEEDED, orders: { core: SERVICE }, downloads: ["EOP/DE//ZIP/camt.053"] }, {}],
  [
    "order types of H004",
    { ...NEEDED, ebics_version: "H004", orders: { core: "CDD" }, downloads: ["C53"] },
    {},
  ],
  ...(["core", "b2b", "transfer", "reversal"] as const).map(
    (use) =>
      [
        `a service of H004 for ${use}`,
        { ...NEEDED, ebics_version: "H004", orders: { [use]: SERVICE } },
        { orders: NO_SERVICES },
      ] as const,
  ),
  [
    "a service of H004 to download, after an order type",
    { ...NEEDED, ebics_version: "H004", downloads: ["C53", "EOP/DE//ZIP/camt.053"] },
    { orders: NO_SERVICES },
  ],
];

for (const [what, given, problems] of PROBLEMS)
  test(`EBICS with ${what}: ${Object.keys(problems).join() || "valid"}`, () =>
    assert.deepEqual(ebicsProblems(given), problems));

const FIELDS = Type.Object(EBICS_FIELDS);
const ORDER = "SDD//COR//pain.008";

/** The values that a field takes, and others that it refuses. */
for (const [field, taken, refused] of [
  ["url", ["x", "x".repeat(500)], ["", "x".repeat(501)]],
  ...(["host_id", "partner_id", "user_id"] as const).map(
    (name) => [name, ["a", "Az09,=", "x".repeat(35)], ["", "x".repeat(36), "a b", "a-b"]] as const,
  ),
  ["ebics_version", ["H005", "H004"], ["H003", ""]],
  ["signature_version", ["A006", "A005"], ["A004", ""]],
  ["signature_class", ["T", "E"], ["A", ""]],
  ["bank_key_hash", ["key", "certificate"], ["both", ""]],
  [
    "orders",
    [{}, ...["core", "b2b", "transfer", "reversal"].map((use) => ({ [use]: ORDER }))],
    [{ core: "nothing" }, { other: ORDER }],
  ],
  [
    "downloads",
    [[], Array.from({ length: 20 }, () => ORDER)],
    [Array.from({ length: 21 }, () => ORDER), ["nothing"]],
  ],
] as const)
  test(`${field} of EBICS takes its values up to their bounds, and no others`, () => {
    for (const value of taken) assert.equal(schemaProblems(FIELDS, { [field]: value }), null, String(value));
    for (const value of refused)
      assert.deepEqual(Object.keys(schemaProblems(FIELDS, { [field]: value }) ?? {}), [field], String(value));
  });
