/** What is known of a bank, as the settings of an account at it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sepaSettings, sepaSettingsProblems } from "../../src/gateways/sepa-batch/settings.ts";
import { ebicsSettings } from "../../src/gateways/sepa-batch/transports/ebics/settings.ts";
import { orderOf } from "../../src/gateways/sepa-batch/transports/ebics/orders.ts";
import { BANK_PROFILES, profileOf } from "../../src/sepa/bank-profiles.ts";

const OWN = {
  creditor_name: "Shop",
  creditor_iban: "DE89370400440532013000",
  creditor_identifier: "DE98ZZZ09999999999",
};

test("every fact of every bank has a source, and every download is an order", () => {
  for (const name of BANK_PROFILES) {
    const { name: shown, notes = [], downloads, ...facts } = profileOf(name);
    assert.ok(shown.length > 0);
    for (const { from } of [...notes, ...Object.values(facts)]) assert.ok(from.length > 10, name);
    for (const text of downloads?.value ?? []) assert.equal(orderOf(text).kind, "service");
    assert.equal(sepaSettingsProblems({ ...OWN, bank_profile: name }), null, name);
  }
});

test("what is known of the bank is the default, and what is set counts", () => {
  const at = (settings: object) => sepaSettings({ ...OWN, ...settings });
  assert.deepEqual([at({}).cutOff, at({}).maxBlocksPerFile], ["12:00", 10]);
  assert.equal(at({ bank_profile: "deutsche_bank" }).cutOff, "11:30");
  assert.equal(at({ bank_profile: "deutsche_bank", cut_off: "10:00" }).cutOff, "10:00");
  assert.equal(at({ bank_profile: "volksbank" }).maxBlocksPerFile, 1);
  const fetched = (transport: object) =>
    ebicsSettings(
      at({ bank_profile: "postfinance", transport: { kind: "ebics", ...transport } }).transport.ebics,
    ).downloads.length;
  assert.equal(fetched({}), 4);
  assert.equal(fetched({ downloads: ["EOP/CH//ZIP/camt.053"] }), 1);
  const german = ebicsSettings({ ebics_version: "H004" }).downloads.length;
  assert.equal(fetched({ ebics_version: "H004" }), german);
});

test("a setting that the bank is known to refuse is refused", () => {
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
