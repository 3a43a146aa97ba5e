import assert from "node:assert/strict";
import test from "node:test";
import { schemaProblems } from "../records/schema-problems.ts";
import {
  givenForEbics,
  SEPA_CREDENTIALS,
  SEPA_SETTINGS,
  sepaCredentialsServer,
  sepaSettings,
  sepaSettingsProblems,
  takesReversals,
  transportOf,
} from "./settings.ts";

const NEEDED = {
  creditor_name: "Example Shop GmbH",
  creditor_identifier: "DE98ZZZ09999999999",
  creditor_iban: "DE89370400440532013000",
};
const SFTP = { kind: "sftp", host: "bank.example", username: "shop", host_key: `SHA256:${"A".repeat(43)}` };
const EBICS = { kind: "ebics", url: "https://bank.example", host_id: "H", partner_id: "P", user_id: "U" };

const read = (more: object = {}) => sepaSettings({ ...NEEDED, ...more });

test("an account with only the required settings has the defaults", () => {
  assert.deepEqual(read(), {
    creditorName: "Example Shop GmbH",
    creditorIban: "DE89370400440532013000",
    creditorBic: null,
    creditorIdentifier: "DE98ZZZ09999999999",
    scheme: "CORE",
    messageVersion: "pain.008.001.08",
    leadDays: 2,
    cutOff: "12:00",
    timeZone: "Europe/Berlin",
    preNotificationDays: 14,
    firstSequenceType: "RCUR",
    batchBooking: false,
    b2bConfirmedDays: null,
    instantRefunds: false,
    reversalDays: null,
    approvalsRequired: 0,
    maxAmount: null,
    maxTransactionsPerBlock: 50_000,
    maxBlocksPerFile: 10,
    assumeSettledAfter: null,
  });
});

/** Each field with its value, the setting and value that result, and the values that the schema accepts and refuses. */
const FIELDS: readonly (readonly [
  field: string,
  given: unknown,
  name: keyof ReturnType<typeof sepaSettings>,
  as: unknown,
  taken: readonly unknown[],
  refused: readonly unknown[],
])[] = [
  ["creditor_bic", "COBADEFFXXX", "creditorBic", "COBADEFFXXX", ["COBADEFF"], ["COBADE"]],
  ["scheme", "B2B", "scheme", "B2B", ["CORE"], ["COR1"]],
  [
    "message_version",
    "pain.008.001.02",
    "messageVersion",
    "pain.008.001.02",
    ["pain.008.001.08"],
    ["pain.008"],
  ],
  ["lead_days", 1, "leadDays", 1, [10], [0, 11]],
  ["cut_off", "09:30", "cutOff", "09:30", ["00:00", "23:59"], ["24:00", "9:30", "09:60"]],
  ["time_zone", "Europe/Zurich", "timeZone", "Europe/Zurich", [], []],
  ["pre_notification_days", 0, "preNotificationDays", 0, [30], [-1, 31]],
  ["first_sequence_type", "FRST", "firstSequenceType", "FRST", ["RCUR"], ["OOFF"]],
  ["batch_booking", true, "batchBooking", true, [], []],
  ["b2b_confirmed_days", 0, "b2bConfirmedDays", 0, [30], [-1, 31]],
  ["instant_refunds", true, "instantRefunds", true, [], []],
  ["reversal_days", 1, "reversalDays", 1, [5], [0, 6]],
  ["approvals_required", 2, "approvalsRequired", 2, [0, 1], [-1, 3]],
  ["max_amount", "0.01", "maxAmount", 1, ["99999999.99"], ["1", "01.00", "100000000.00"]],
  ["max_transactions_per_block", 1, "maxTransactionsPerBlock", 1, [1_000_000], [0, 1_000_001]],
  ["max_blocks_per_file", 1, "maxBlocksPerFile", 1, [10_000], [0, 10_001]],
  ["assume_settled_after", 1, "assumeSettledAfter", 1, [30], [0, 31]],
];

for (const [field, given, name, as, taken, refused] of FIELDS)
  test(`${field} is read as it is set, and taken up to its bounds`, () => {
    assert.equal(read({ [field]: given })[name], as);
    for (const value of [given, ...taken])
      assert.equal(schemaProblems(SEPA_SETTINGS, { ...NEEDED, [field]: value }), null, JSON.stringify(value));
    for (const value of refused)
      assert.deepEqual(
        Object.keys(schemaProblems(SEPA_SETTINGS, { ...NEEDED, [field]: value }) ?? {}),
        [field],
        JSON.stringify(value),
      );
  });

test("an IBAN is read in the form of bank files, however it was typed", () => {
  for (const creditor_iban of ["de89 3704 0044 0532 0130 00", "IBAN: DE89-3704-0044-0532-0130-00"])
    assert.equal(read({ creditor_iban }).creditorIban, "DE89370400440532013000");
});

for (const [what, given, name, as] of [
  ["a cut-off that is known of the bank", { bank_profile: "deutsche_bank" }, "cutOff", "11:30"],
  [
    "its own cut-off before the bank's",
    { bank_profile: "deutsche_bank", cut_off: "10:00" },
    "cutOff",
    "10:00",
  ],
  ["the bank's cut-off for the next bank day", { bank_profile: "rabobank", lead_days: 1 }, "cutOff", "07:00"],
  ["no such cut-off with more days", { bank_profile: "rabobank", lead_days: 2 }, "cutOff", "12:00"],
  ["the bank's way of booking", { bank_profile: "rabobank" }, "batchBooking", true],
  ["its own way of booking", { bank_profile: "rabobank", batch_booking: false }, "batchBooking", false],
  ["as many blocks in a file as the bank takes", { bank_profile: "volksbank" }, "maxBlocksPerFile", 1],
] as const)
  test(`an account has ${what}`, () => assert.equal(read(given)[name], as));

test("by default files are delivered by hand, and SFTP uses the login's folder and port 22", () => {
  const none = { host: "", port: 22, username: "", hostKey: "", outbox: ".", inbox: ".", archive: null };
  assert.deepEqual(transportOf(NEEDED), { kind: "manual", ...none });
  const all = { host: "b", port: 23, username: "u", outbox: "o", inbox: "i", archive: "a" };
  assert.deepEqual(transportOf({ transport: { kind: "sftp", ...all, host_key: "k" } }), {
    kind: "sftp",
    ...all,
    hostKey: "k",
  });
});

test("credentials belong to one server, port, login and key of SFTP", () => {
  const of = (transport: object) => sepaCredentialsServer({ ...NEEDED, transport });
  assert.equal(sepaCredentialsServer(NEEDED), null);
  assert.equal(of(EBICS), null);
  const others = [{ host: "b" }, { port: 23 }, { username: "u" }, { host_key: "SHA256:B" }];
  const all = [{}, ...others].map((one) => of({ ...SFTP, ...one }));
  assert.equal(new Set(all).size, 5);
  assert.equal(of({ ...SFTP, inbox: "other" }), of(SFTP));
});

for (const [reversal_days, message_version, takes] of [
  [undefined, undefined, false],
  [3, undefined, true],
  [3, "pain.008.001.08", true],
  [3, "pain.008.001.02", false],
] as const)
  test(`reversals within ${reversal_days ?? "no"} days of ${message_version ?? "the usual version"}: ${takes}`, () =>
    assert.equal(takesReversals(read({ reversal_days, message_version })), takes));

const PROBLEMS: readonly (readonly [what: string, given: object, fields: readonly string[]])[] = [
  ["only what is needed", {}, []],
  ["a wrong IBAN", { creditor_iban: "DE89370400440532013001" }, ["creditor_iban"]],
  ["an IBAN from outside SEPA", { creditor_iban: "BR1800360305000010009795493C1" }, ["creditor_iban"]],
  ["a wrong identifier", { creditor_identifier: "DE97ZZZ09999999999" }, ["creditor_identifier"]],
  ["no time zone", { time_zone: "Mars/Olympus" }, ["time_zone"]],
  [
    "a version that the bank gives up",
    { bank_profile: "volksbank", message_version: "pain.008.001.02" },
    ["message_version"],
  ],
  ["the bank's version", { bank_profile: "volksbank", message_version: "pain.008.001.08" }, []],
  [
    "more blocks than the bank takes",
    { bank_profile: "volksbank", max_blocks_per_file: 2 },
    ["max_blocks_per_file"],
  ],
  ["as many blocks as the bank takes", { bank_profile: "volksbank", max_blocks_per_file: 1 }, []],
  ["a cut-off after the bank's", { bank_profile: "rabobank", lead_days: 1, cut_off: "07:01" }, ["cut_off"]],
  ["the bank's cut-off", { bank_profile: "rabobank", lead_days: 1, cut_off: "07:00" }, []],
  ["a later cut-off with more days", { bank_profile: "rabobank", lead_days: 2, cut_off: "12:00" }, []],
  [
    "reversals of another version",
    { reversal_days: 3, message_version: "pain.008.001.02" },
    ["reversal_days"],
  ],
  ["reversals", { reversal_days: 3 }, []],
  ["reversals over EBICS without their order", { reversal_days: 3, transport: EBICS }, ["reversal_days"]],
  [
    "reversals over EBICS",
    { reversal_days: 3, transport: { ...EBICS, orders: { reversal: "SDR//COR//pain.007" } } },
    [],
  ],
  ["SFTP", { transport: SFTP }, []],
  ["SFTP without a host key", { transport: { ...SFTP, host_key: undefined } }, ["transport"]],
  ["EBICS", { transport: EBICS }, []],
  ["EBICS without a user", { transport: { ...EBICS, user_id: undefined } }, ["transport"]],
  ["files in a directory", { transport: { kind: "directory" } }, []],
];

for (const [what, given, fields] of PROBLEMS)
  test(`settings with ${what}: ${fields.join() || "valid"}`, () =>
    assert.deepEqual(Object.keys(sepaSettingsProblems({ ...NEEDED, ...given }) ?? {}), fields));

test("settings of reversals that are wrong in two ways are refused with both errors at once", () => {
  const given = { ...NEEDED, reversal_days: 3, message_version: "pain.008.001.02", transport: EBICS };
  const { reversal_days: messages } = sepaSettingsProblems(given) ?? {};
  assert.equal(Array.isArray(messages) && messages.length, 2);
});

test("what SFTP and EBICS need is named, field by field", () => {
  const of = (kind: string) => sepaSettingsProblems({ ...NEEDED, transport: { kind } })?.["transport"] ?? {};
  assert.deepEqual(Object.keys(of("sftp")), ["host", "username", "host_key"]);
  assert.deepEqual(Object.keys(of("ebics")), ["url", "host_id", "partner_id", "user_id"]);
});

/** Settings that each bank is known to refuse over EBICS. */
const BANKS: readonly (readonly [bank: string, transport: object, wrong: RegExp | null])[] = [
  ["bnp_paribas", { ebics_version: "H004" }, /has EBICS 3\.0 \(H005\) only/],
  ["bnp_paribas", {}, /set transport\.orders/],
  [
    "bnp_paribas",
    { orders: { transfer: "SCT//pain.001" }, downloads: ["STM//camt.053"] },
    /set transport\.orders/,
  ],
  ["bnp_paribas", { orders: { core: "SDD//pain.008" } }, /set transport\.downloads/],
  ["bnp_paribas", { orders: { b2b: "SDD//pain.008" } }, /set transport\.downloads/],
  ["bnp_paribas", { orders: { core: "SDD/FR/pain.008" }, downloads: ["STM/FR/camt.053"] }, null],
  ["erste", { ebics_version: "H004" }, /has EBICS 3\.0 \(H005\) only/],
  ["erste", { orders: { core: "SDD/DE/COR/pain.008" } }, /the scope AT: SDD\/DE\/COR\/pain\.008/],
  [
    "erste",
    { downloads: ["STM/AT//ZIP/camt.053", "STM/DE//ZIP/camt.052"] },
    /the scope AT: STM\/DE\/\/ZIP\/camt\.052/,
  ],
  ["erste", { orders: { core: "SDD/AT/COR/pain.008", b2b: "SDD//B2B/pain.008" }, downloads: ["C53"] }, null],
  ["erste", {}, null],
  ["generic", { ebics_version: "H004" }, null],
];

for (const [bank_profile, transport, wrong] of BANKS)
  test(`${bank_profile} with ${JSON.stringify(transport)}: ${wrong?.source ?? "taken"}`, () => {
    const given = { ...NEEDED, bank_profile, transport: { ...EBICS, ...transport } };
    const found = sepaSettingsProblems(given)?.["bank_profile"];
    if (wrong === null) assert.equal(found, undefined);
    else assert.match(String(found), wrong);
  });

test("orders of another scope are accepted where files do not go by EBICS", () => {
  const transport = { kind: "directory", orders: { core: "SDD/DE/COR/pain.008" } };
  assert.equal(sepaSettingsProblems({ ...NEEDED, bank_profile: "erste", transport }), null);
});

for (const [what, bank_profile, more, downloads] of [
  ["no bank: nothing", undefined, {}, undefined],
  ["what is set", "ubs", { downloads: ["C53"] }, ["C53"]],
  [
    "the bank's own",
    "ubs",
    {},
    ["PSR/CH//ZIP/pain.002", "EOP/CH//ZIP/camt.053", "STM/CH//ZIP/camt.052", "REP/CH//ZIP/camt.054:04"],
  ],
  [
    "the usual ones with its scope",
    "erste",
    {},
    ["REP/AT/SDD/ZIP/pain.002", "EOP/AT//ZIP/camt.053", "STM/AT//ZIP/camt.052", "STM/AT//ZIP/camt.054"],
  ],
  ["of order types nothing", "ubs", { ebics_version: "H004" }, undefined],
  ["of a bank without any nothing", "ing", {}, undefined],
] as const)
  test(`what is fetched over EBICS, ${what}`, () => {
    const given = givenForEbics({ ...NEEDED, bank_profile, transport: { ...EBICS, ...more } });
    assert.deepEqual([given.downloads, given.url], [downloads, EBICS.url]);
  });

test("a login's password, key and passphrase have bounds", () => {
  for (const [field, most] of [
    ["password", 1_000],
    ["private_key", 20_000],
    ["passphrase", 1_000],
  ] as const) {
    for (const length of [1, most])
      assert.equal(schemaProblems(SEPA_CREDENTIALS, { [field]: "x".repeat(length) }), null);
    assert.deepEqual(Object.keys(schemaProblems(SEPA_CREDENTIALS, { [field]: "x".repeat(most + 1) }) ?? {}), [
      field,
    ]);
  }
  assert.deepEqual(
    ["password", "private_key"].filter((field) => schemaProblems(SEPA_CREDENTIALS, { [field]: "" }) === null),
    [],
  );
});
