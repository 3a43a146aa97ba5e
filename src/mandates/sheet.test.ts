import assert from "node:assert/strict";
import test from "node:test";
import { NOTICE, SHOWN, SIGNED } from "../../tests/support/signed-mandate.ts";
import { mandateSheet, timeInWords, type ShownWords } from "./sheet.ts";
import type { MandateDetailRow, ShownAmendment } from "./store.ts";

const of = (row: Partial<MandateDetailRow>, shown: Partial<ShownWords> = {}) =>
  mandateSheet({ ...SIGNED, ...row }, { ...SHOWN, ...shown });

const FACTS = [
  ["mandateReference", "MND-1"],
  ["creditor", "Shop, Street 1, 10115 Berlin, country DE"],
  ["creditorIdentifier", "DE98ZZZ09999999999"],
  ["accountHolder", "Ada"],
  ["account", "DE****************3000"],
  ["BIC", "COBADEFFXXX"],
  ["bank", "Bank"],
  ["noticePeriod", "5 day"],
  ["placeAndDate", "placeOnline, 2026-03-04"],
] as const;

/** Facts that differ from those above; null: left out. */
for (const [what, row, changes] of [
  ["has the parties, the account and the day", {}, {}],
  [
    "has no creditor identifier where there is none",
    { creditor_identifier: null },
    { creditorIdentifier: null },
  ],
  ["has the creditor's name alone without a city", { creditor_city: null }, { creditor: "Shop" }],
  ["has no BIC where it is unknown", { bic: null }, { BIC: null }],
  ["has no bank where it is unknown", { bank_name: null }, { bank: null }],
  ["has no notice period where none was agreed", { pre_notification_days: null }, { noticePeriod: null }],
  ["has a notice period of no days", { pre_notification_days: 0 }, { noticePeriod: "0 day" }],
] as const) {
  test(`a mandate's page ${what}`, () => {
    const values: Readonly<Record<string, string | null>> = changes;
    const expected = FACTS.map(([label, value]) => [label, label in values ? values[label] : value] as const);
    assert.deepEqual(
      of(row).facts,
      expected.filter(([, value]) => value !== null),
    );
  });
}

test("the page of a mandate that was signed elsewhere has its day, and no place", () =>
  assert.deepEqual(of({ acceptance_mode: null }).facts.at(-1), ["date", "2026-03-04"]));

for (const [scheme, type, heading, paragraphs] of [
  ["CORE", "recurrent", "mandateHeading", ["mandateRefund", "mandateRights", "mandateRecurring"]],
  ["CORE", "one_off", "mandateHeading", ["mandateRefund", "mandateRights", "mandateOneOff"]],
  ["B2B", "recurrent", "businessHeading", ["businessTerms", "mandateRights", "mandateRecurring"]],
  ["B2B", "one_off", "businessHeading", ["businessTerms", "mandateRights", "mandateOneOff"]],
] as const)
  test(`the text of a mandate of the scheme ${scheme}, ${type}: ${heading}, ${paragraphs.join()}`, () => {
    const sheet = of({ scheme, type });
    assert.deepEqual(
      [sheet.heading, sheet.paragraphs],
      [heading, ["mandateAuthorise of Shop", ...paragraphs]],
    );
    const own = "{creditor} {identifier} {reference} {type}\n\n{address} {notice} {date}";
    assert.deepEqual(of({ scheme, type }, { ownText: own }).paragraphs, [
      `Shop DE98ZZZ09999999999 MND-1 ${paragraphs[2]}`,
      "Street 1, 10115 Berlin, country DE 5 day 2026-03-04",
    ]);
  });

const ACCEPTED = "acceptedByBox: 2026-03-04 10:00:00 UTC";
const FROM = ["networkAddress: 192.0.2.1", "textVersion: 2026-11-3/de"];
const CANCELLED = { status: "cancelled", cancelled_at: new Date("2026-03-08T10:00:00Z") } as const;

/** What the page says of a mandate's acceptance and end. */
const EVIDENCE: readonly (readonly [
  what: string,
  row: Partial<MandateDetailRow>,
  shown: Partial<ShownWords>,
  lines: readonly string[],
])[] = [
  ["was accepted by ticking the box", {}, {}, [ACCEPTED, ...FROM]],
  [
    "was accepted by paying",
    { acceptance_mode: "IMPLICIT" },
    {},
    ["acceptedByPaying: 2026-03-04 10:00:00 UTC", ...FROM],
  ],
  ["was signed elsewhere", { acceptance_mode: null }, {}, ["signedElsewhere"]],
  ["was accepted with another text", {}, { accepted: false }, [ACCEPTED, ...FROM, "otherWording"]],
  ["was accepted from an address that is erased", { accepted_ip: null }, {}, [ACCEPTED, FROM[1] ?? ""]],
  ["was accepted with a text without a version", { text_version: null }, {}, [ACCEPTED, FROM[0] ?? ""]],
  ...(["creditor", "debtor", "bank"] as const).map(
    (by) =>
      [
        `was cancelled by the ${by}`,
        { ...CANCELLED, cancelled_by: by },
        {},
        [
          ACCEPTED,
          ...FROM,
          "endedOn: 2026-03-08",
          `endedBy: ${{ creditor: "creditor", debtor: "accountHolder", bank: "bank" }[by]}`,
        ],
      ] as const,
  ),
  [
    "was cancelled for a reason",
    { ...CANCELLED, status_reason: "MD07" },
    {},
    [ACCEPTED, ...FROM, "endedOn: 2026-03-08 (MD07)"],
  ],
  ["has expired", { status: "expired" }, {}, [ACCEPTED, ...FROM, "endedOn: 2026-03-09"]],
];

for (const [what, row, shown, lines] of EVIDENCE)
  test(`the page of a mandate that ${what} says so`, () =>
    assert.deepEqual(of(row, shown).proof, [{ heading: "evidenceHeading", lines }]));

const NO_VALUES = {
  number: 1,
  original_reference: null,
  original_creditor_identifier: null,
  original_creditor_name: null,
  original_holder_name: null,
  original_iban_country: null,
  original_iban_last4: null,
  same_bank: null,
  sent_at: null,
  accepted_ip: null,
  text_version: null,
} as const;

/** What the page says of a change. */
for (const [what, change, line] of [
  ["the reference", { kind: "reference", original_reference: "MND-0" }, "mandateReference: MND-0"],
  ["the creditor's name", { kind: "creditor", original_creditor_name: "Old Shop" }, "creditor: Old Shop"],
  [
    "the creditor's name and identifier",
    { kind: "creditor", original_creditor_name: "Old Shop", original_creditor_identifier: "AT61ZZZ01" },
    "creditor: Old Shop, AT61ZZZ01",
  ],
  ["the holder", { kind: "holder", original_holder_name: "Grace" }, "accountHolder: Grace"],
  [
    "the account",
    { kind: "account", original_iban_country: "NL", original_iban_last4: "4300" },
    "account: NL…4300",
  ],
  ["an account that is unknown", { kind: "account" }, "account: …"],
  [
    "the account, accepted by the customer",
    {
      kind: "account",
      original_iban_country: "NL",
      original_iban_last4: "4300",
      accepted_ip: "192.0.2.9",
      text_version: "2026-11-3/fr",
    },
    "account: NL…4300; networkAddress: 192.0.2.9; textVersion: 2026-11-3/fr",
  ],
] as const)
  test(`a change of ${what} is under the mandate's former values`, () => {
    const amendment: ShownAmendment = { ...NO_VALUES, at: "2026-03-05T10:00:00+00:00", ...change };
    const [, former] = of({ amendments: [amendment] }).proof;
    assert.deepEqual(former, { heading: "formerHeading", lines: [`2026-03-05: ${line}`] });
  });

const ANNOUNCED = "2026-03-21 10:00:00 UTC: 29.90 EUR, 2026-04-02, each MONTHLY; mandateReference: MND-1;";

for (const [what, notice, lines] of [
  ["by mail", {}, [`${ANNOUNCED} emailLabel: ada@example.com; textVersion: 2026-11/de`]],
  [
    "by mail to an erased address",
    { recipient: null },
    [`${ANNOUNCED} emailLabel: …; textVersion: 2026-11/de`],
  ],
  ["by mail without a version", { text_version: null }, [`${ANNOUNCED} emailLabel: ada@example.com`]],
  ["by the merchant", { told_by: "event" }, [`${ANNOUNCED} toldByMerchant`]],
  [
    "once",
    { billing_frequency: null, told_by: "event" },
    ["2026-03-21 10:00:00 UTC: 29.90 EUR, 2026-04-02; mandateReference: MND-1; toldByMerchant"],
  ],
  ["not yet", { told_at: null }, []],
] as const)
  test(`a debit that the customer was told of ${what} is on the mandate's page as such`, () => {
    const notices = [
      { ...NOTICE, text_version: "2026-11/de", told_at: new Date("2026-03-21T10:00:00Z"), ...notice },
    ];
    const { proof } = mandateSheet(SIGNED, SHOWN, notices);
    const told = lines.length === 0 ? [] : [{ heading: "noticesHeading", lines }];
    assert.deepEqual(proof.slice(1), told);
  });

test("a time is shown to the second, and a day as it is", () => {
  assert.equal(timeInWords("2026-03-04T10:00:00.123Z"), "2026-03-04 10:00:00 UTC");
  assert.equal(timeInWords("2026-03-04"), "2026-03-04");
});
