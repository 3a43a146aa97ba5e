/** Rules of a bank as settings of an account. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { givenForEbics, sepaSettings, sepaSettingsProblems } from "../../src/gateways/sepa-batch/settings.ts";
import { ebicsSettings } from "../../src/gateways/sepa-batch/transports/ebics/settings.ts";
import { orderName, orderOf } from "../../src/gateways/sepa-batch/transports/ebics/orders.ts";
import { BANK_PROFILES, notPublic, PROFILE_FIELDS, profileOf } from "../../src/sepa/bank-profiles.ts";

const OWN = {
  creditor_name: "Shop",
  creditor_iban: "DE89370400440532013000",
  creditor_identifier: "DE98ZZZ09999999999",
};

test("every fact of every bank has a source, and every download is an order", () => {
  for (const name of BANK_PROFILES.filter((one) => one !== "generic")) {
    const { name: shown, notes = [], downloads, ...facts } = profileOf(name);
    assert.ok(shown.length > 0);
    for (const { from } of [...notes, ...Object.values(facts)]) assert.ok(from.length > 10, name);
    for (const text of downloads?.value ?? []) assert.equal(orderOf(text).kind, "service");
    assert.ok(notPublic(profileOf(name)).length < PROFILE_FIELDS.length, `something is known of ${name}`);
    assert.equal(sepaSettingsProblems({ ...OWN, bank_profile: name }), null, name);
  }
});

test("a bank's rule is the default of a setting, and the setting takes precedence", () => {
  const at = (settings: object) => sepaSettings({ ...OWN, ...settings });
  assert.deepEqual([at({}).cutOff, at({}).maxBlocksPerFile], ["12:00", 10]);
  assert.equal(at({ bank_profile: "deutsche_bank" }).cutOff, "11:30");
  assert.equal(at({ bank_profile: "deutsche_bank", cut_off: "10:00" }).cutOff, "10:00");
  assert.equal(at({ bank_profile: "volksbank" }).maxBlocksPerFile, 1);
  const fetched = (transport: object) =>
    ebicsSettings(
      givenForEbics({ ...OWN, bank_profile: "postfinance", transport: { kind: "ebics", ...transport } }),
    ).downloads.length;
  assert.equal(fetched({}), 4);
  assert.equal(fetched({ downloads: ["EOP/CH//ZIP/camt.053"] }), 1);
  const german = ebicsSettings({ ebics_version: "H004" }).downloads.length;
  assert.equal(fetched({ ebics_version: "H004" }), german);
});

test("an account without a profile has the generic one", () => {
  assert.deepEqual(sepaSettings({ ...OWN, bank_profile: "generic" }), sepaSettings(OWN));
});

test("a setting is refused if the bank is known to refuse it", () => {
  const problems = sepaSettingsProblems({
    ...OWN,
    bank_profile: "volksbank",
    message_version: "pain.008.001.02",
    max_blocks_per_file: 2,
  });
  assert.deepEqual(problems, {
    message_version: ["Volksbank takes it until 2026-11-13."],
    max_blocks_per_file: ["Volksbank takes 1 block in a file."],
  });
});

const EBICS = { kind: "ebics", url: "https://bank.example/", host_id: "H", partner_id: "P", user_id: "U" };
const ORDERS = { orders: { core: "SDD/FR/COR//pain.008" }, downloads: ["EOP/FR//ZIP/camt.053"] };

for (const [bank, settings, field, words] of [
  ["erste", { transport: { ...EBICS, ebics_version: "H004" } }, "bank_profile", /EBICS 3\.0 \(H005\) only/],
  [
    "erste",
    { transport: { ...EBICS, downloads: ["EOP/DE//ZIP/camt.053"] } },
    "bank_profile",
    /the scope AT: EOP\/DE/,
  ],
  ["erste", { transport: EBICS }, null, null],
  ["ubs", { transport: { ...EBICS, orders: { core: "SDD/DE/COR//pain.008" } } }, "bank_profile", /scope CH/],
  ["ubs", { transport: EBICS }, null, null],
  ["bnp_paribas", { transport: EBICS }, "bank_profile", /set transport\.orders/],
  [
    "bnp_paribas",
    { transport: { ...EBICS, orders: ORDERS.orders } },
    "bank_profile",
    /set transport\.downloads/,
  ],
  ["bnp_paribas", { transport: { ...EBICS, ...ORDERS } }, null, null],
  [
    "bnp_paribas",
    { transport: { ...EBICS, ebics_version: "H004", orders: { core: "FUL" }, downloads: ["FDL"] } },
    "bank_profile",
    /EBICS 3\.0/,
  ],
  ["rabobank", { lead_days: 1, cut_off: "07:30" }, "cut_off", /for the next bank day until 07:00/],
  ["rabobank", { lead_days: 2, cut_off: "12:00" }, null, null],
  ["rabobank", { lead_days: 1 }, null, null],
] as const) {
  const said = field === null ? "is taken" : `is refused at ${field}`;
  test(`${bank} with ${JSON.stringify(settings).replaceAll('"', "")} ${said}`, () => {
    const problems = sepaSettingsProblems({ ...OWN, bank_profile: bank, ...settings });
    if (field === null) assert.equal(problems, null);
    else assert.match(String(problems?.[field]), words);
  });
}

test("banks abroad have their own country's EBICS services, and Rabobank books blocks as sums", () => {
  const at = (bank: string, more: object = {}) => sepaSettings({ ...OWN, bank_profile: bank, ...more });
  const downloads = (bank: string) =>
    ebicsSettings(givenForEbics({ ...OWN, bank_profile: bank, transport: { kind: "ebics" } })).downloads.map(
      orderName,
    );
  assert.deepEqual(downloads("erste"), [
    "REP/AT/SDD/ZIP/pain.002",
    "EOP/AT//ZIP/camt.053",
    "STM/AT//ZIP/camt.052",
    "STM/AT//ZIP/camt.054",
  ]);
  assert.ok(downloads("ubs").includes("REP/CH//ZIP/camt.054:04"));
  assert.equal(at("rabobank").batchBooking, true);
  assert.equal(at("rabobank", { batch_booking: false }).batchBooking, false);
  assert.equal(at("rabobank").cutOff, "12:00");
  assert.equal(at("rabobank", { lead_days: 1 }).cutOff, "07:00");
});

test("a profile lists each field without public rules", () => {
  assert.deepEqual(notPublic(profileOf("rabobank")), ["address form"]);
  assert.deepEqual(notPublic(profileOf(null)), PROFILE_FIELDS);
});
