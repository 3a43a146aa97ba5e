/** Facts about single banks beyond the scheme, each with its source. Where there is none, ask the bank. */
import type { IsoDate } from "../lib/dates.ts";

interface Fact<Value> {
  readonly value: Value;
  /** The source. */
  readonly from: string;
}

/** The questions that a profile answers, in the order of the table. */
export const PROFILE_FIELDS = [
  "versions",
  "blocks in a file",
  "batch booking",
  "address form",
  "cut-off",
  "order types",
  "statement kinds",
] as const;
type ProfileField = (typeof PROFILE_FIELDS)[number];

interface Note extends Fact<string> {
  readonly about: ProfileField;
}

export interface BankProfile {
  readonly name: string;
  /** Old versions of pain.008 with the last day on which the bank takes them. */
  readonly versionsUntil?: Fact<Readonly<Record<string, IsoDate>>>;
  readonly blocksMax?: Fact<number>;
  /** Whether all debits of a file are due on one day. */
  readonly oneDay?: Fact<true>;
  /** Whether the bank books each block of debits as one sum. */
  readonly batchBooking?: Fact<boolean>;
  /** Whether debits of accounts outside the EEA need street, postal code and city; the scheme requires only the city. */
  readonly wholeAddress?: Fact<true>;
  /** HH:MM; where CORE and B2B differ, the earlier one. */
  readonly cutOff?: Fact<string>;
  /** HH:MM, the cut-off for debits due on the next bank day; debits due later are accepted until the evening. */
  readonly nextDayCutOff?: Fact<string>;
  /** The only version of EBICS that the bank accepts. */
  readonly ebicsVersion?: Fact<"H005">;
  /** The country (Scope) in the service names of EBICS 3.0. */
  readonly scope?: Fact<string>;
  /** Whether the bank defines order types of its own, so that there are no defaults. */
  readonly ownOrders?: Fact<true>;
  /** The downloads over EBICS 3.0 (H005). */
  readonly downloads?: Fact<readonly string[]>;
  /** Facts that affect no setting and no check. */
  readonly notes?: readonly Note[];
}

const PHP_SEPA_XML = "https://github.com/php-sepa-xml/php-sepa-xml/issues/143 (some Sparkassen)";
const FINTS = "https://github.com/nemiah/phpFinTS/issues/500 (over FinTS)";
const VOLKSBANK_FORMATS =
  "https://www.vrb-uckermark-randow.de/firmenkunden/zahlungsverkehr/sepa-formatversionen.html";
const DEUTSCHE_BANK_HELP =
  "https://deutsche-bank.de/pk/shared/trxm/help-de/konten/konten-lastschrift-sepalastschrift.html";
const COMMERZBANK_HELP = "https://service.commerzbank.de/wie-kann-ich-eine-sepa-lastschrift-einrichten/";
const SWISS_EBICS =
  "libeufin 0.11.1 (EbicsOrder.kt), ebics-api/ebics-client-php issue 202, hitobito issue 1516";
const UBS_EBICS = "https://www.ubs.com/ch/en/services/payments/connection-ubs/ebics.html";
const UBS_FORMATS = "https://www.ubs.com/ch/fr/services/payments/documents.html";
const UBS_PARAMETERS = "UBS, KeyDirect EBICS connection parameters, October 2014";
const CFONB = "CFONB, EBICS implementation guide 2.1.4 (binds French banks)";
const CFONB_SDD = "CFONB, guide to pain.008 of SEPA direct debits 1.3, December 2015 (binds French banks)";
const PSA = "https://zv.psa.at/de/ebics.html (Austria's rules for its banks)";
const PSA_SCHEMA =
  "https://zv.psa.at/en/download/xml/archiv/rb-60/16-isopain00800102austrian003/file.html (Austria's rules for its banks)";
const ERSTE_XML =
  "http://www.sparkasse.at/sgruppe/Freie-Berufe/Produkte/Konto-Karten/SEPA/SEPA-Migration/XML-was-ist-das";
const ING_SDD = "https://www.ingwb.com/insights/ing-pcm/sepa-direct-debit";
const ING_FORMATS =
  "https://www.ing.nl/en/business/payments/paying/new-file-format-batch-payments-and-direct-debits";
const ING_TIMES = "https://new.ingwb.com/en/service/payments-and-collections/what-is-payment-cut-off-times";
const RABOBANK_FORMAT = "Rabobank, Format description Direct Debit 2.6, December 2020";
const RABOBANK_CASH = "Rabobank, SEPA Direct Debit format description, 2013 (Rabo Cash Management)";
const RABOBANK_TIMES = "https://www.rabobank.nl/bedrijven/betalen/klanten-laten-betalen/incasso/support";
const RABOBANK_CONNECT = "Rabobank, Rabo Direct Connect manual, June 2015";

const PROFILES = {
  sparkasse: {
    name: "Sparkasse",
    oneDay: { value: true, from: PHP_SEPA_XML },
  },
  volksbank: {
    name: "Volksbank",
    versionsUntil: { value: { "pain.008.001.02": "2026-11-13" }, from: VOLKSBANK_FORMATS },
    blocksMax: { value: 1, from: FINTS },
  },
  deutsche_bank: {
    name: "Deutsche Bank",
    // Of direct debits between businesses; another page of the bank says half an hour later.
    cutOff: { value: "11:30", from: DEUTSCHE_BANK_HELP },
    notes: [
      {
        about: "cut-off",
        value: "due at most 90 days ahead, in online banking",
        from: DEUTSCHE_BANK_HELP,
      },
    ],
  },
  commerzbank: {
    name: "Commerzbank",
    wholeAddress: { value: true, from: COMMERZBANK_HELP },
  },
  postfinance: {
    name: "PostFinance",
    scope: { value: "CH", from: SWISS_EBICS },
    downloads: {
      value: [
        "PSR/CH//ZIP/pain.002:10",
        "EOP/CH//ZIP/camt.053:08",
        "STM/CH//ZIP/camt.052",
        "REP/CH//ZIP/camt.054:08",
      ],
      from: SWISS_EBICS,
    },
  },
  ubs: {
    name: "UBS",
    scope: { value: "CH", from: UBS_EBICS },
    downloads: {
      // The bank's page has camt.054; the others are the services of Swiss banks, whose versions here are not public.
      value: [
        "PSR/CH//ZIP/pain.002",
        "EOP/CH//ZIP/camt.053",
        "STM/CH//ZIP/camt.052",
        "REP/CH//ZIP/camt.054:04",
      ],
      from: `${UBS_EBICS} (camt.054); ${SWISS_EBICS} (the others, of Swiss banks in general)`,
    },
    notes: [
      {
        about: "versions",
        value:
          "euro debits follow the German banks' agreement 3.9; the Swiss form of pain.008.001.02 is archived",
        from: UBS_FORMATS,
      },
      {
        about: "order types",
        value: "one user for each access, with a sole signature: ask whether class T is possible",
        from: UBS_PARAMETERS,
      },
    ],
  },
  bnp_paribas: {
    name: "BNP Paribas",
    ebicsVersion: {
      value: "H005",
      from: `${CFONB}: before 3.0 files are named by FUL and FDL, not sent here`,
    },
    ownOrders: { value: true, from: CFONB },
    notes: [
      { about: "versions", value: "pain.008.001.02 is named", from: CFONB_SDD },
      {
        about: "statement kinds",
        value: "camt.053.001.02, as a file format of the bank; PSR instead of HAC",
        from: CFONB,
      },
    ],
  },
  erste: {
    name: "Erste Bank",
    ebicsVersion: { value: "H005", from: PSA },
    scope: { value: "AT", from: PSA },
    notes: [
      {
        about: "versions",
        value: "the Austrian form of pain.008.001.02 is archived",
        from: PSA_SCHEMA,
      },
      { about: "statement kinds", value: "camt.052, camt.053, camt.054", from: ERSTE_XML },
    ],
  },
  ing: {
    name: "ING",
    notes: [
      { about: "versions", value: "formats differ by country; pain.008.001.02 is named", from: ING_SDD },
      {
        about: "versions",
        value: "in the Netherlands pain.008.001.08 is taken, too, since 2024-03-17",
        from: ING_FORMATS,
      },
      { about: "cut-off", value: "differs by product, region and channel", from: ING_TIMES },
    ],
  },
  rabobank: {
    name: "Rabobank",
    batchBooking: { value: true, from: RABOBANK_CASH },
    nextDayCutOff: { value: "07:00", from: RABOBANK_TIMES },
    notes: [
      { about: "versions", value: "pain.008.001.02 is named", from: RABOBANK_FORMAT },
      { about: "blocks in a file", value: "several are taken", from: RABOBANK_FORMAT },
      {
        about: "order types",
        value: "none: files go by SFTP (Rabo Direct Connect)",
        from: RABOBANK_CONNECT,
      },
      { about: "statement kinds", value: "camt.053, MT940 (which is not read here)", from: RABOBANK_CASH },
    ],
  },
  /** Any other bank: the scheme's rules and the default settings. */
  generic: { name: "Generic" },
} as const satisfies Readonly<Record<string, BankProfile>>;

export type BankProfileName = keyof typeof PROFILES;
export const BANK_PROFILES = Object.keys(PROFILES) as readonly BankProfileName[];

/** The profile of a bank. @param name null, where none is set, means `generic`. */
export function profileOf(name: BankProfileName | null): BankProfile {
  return PROFILES[name ?? "generic"];
}

/** Parses a name from the settings or the command line; null for an unknown one. */
export function readProfileName(text: string): BankProfileName | null {
  return BANK_PROFILES.find((name) => name === text) ?? null;
}

/** The questions without a public answer: the defaults apply until the bank is asked. */
export function notPublic(profile: BankProfile): readonly ProfileField[] {
  const known = new Set(factsOf(profile).map(({ about }) => about));
  return PROFILE_FIELDS.filter((field) => !known.has(field));
}

/** The profiles as Markdown, for docs/sepa.md. */
export function profilesTable(): string {
  const rows = BANK_PROFILES.flatMap((name) => {
    const profile: BankProfile = PROFILES[name];
    if (name === "generic") return [`| \`${name}\` (or none) | all | the scheme's rules | |`];
    const facts = factsOf(profile).toSorted(
      (a, b) => PROFILE_FIELDS.indexOf(a.about) - PROFILE_FIELDS.indexOf(b.about),
    );
    const rest = notPublic(profile).join(", ");
    const all = [
      ...facts.map(({ about, words, from }) => `${about} | ${words} | ${from}`),
      ...(rest === "" ? [] : [`${rest} | not public: ask the bank | |`.replace(/ \|$/, "")]),
    ];
    return all.map((row, index) => `| ${index === 0 ? `\`${name}\` (${profile.name})` : ""} | ${row} |`);
  });
  return ["| `bank_profile` | Field | What is known | Known from |", "|---|---|---|---|", ...rows, ""].join(
    "\n",
  );
}

interface Shown {
  readonly about: ProfileField;
  readonly words: string;
  readonly from: string;
  /** Whether a file alone shows a violation, so that `sepa check` reports it. */
  readonly inFiles: boolean;
}

/** Facts about the bank that cannot be checked in a file of orders, in words: times, order types, downloads. */
export function notInFiles(profile: BankProfile): readonly string[] {
  return factsOf(profile)
    .filter(({ inFiles }) => !inFiles)
    .map(({ about, words }) => `${about}: ${words}`);
}

function factsOf(profile: BankProfile): readonly Shown[] {
  const { versionsUntil, notes = [] } = profile;
  const shown = <Value>(
    about: ProfileField,
    fact: Fact<Value> | undefined,
    say: (value: Value) => string,
    inFiles = false,
  ): readonly Shown[] =>
    fact === undefined ? [] : [{ about, words: say(fact.value), from: fact.from, inFiles }];
  return [
    ...Object.entries(versionsUntil?.value ?? {}).map(([version, day]) => ({
      about: "versions" as const,
      words: `${version} is taken until ${day}`,
      from: versionsUntil?.from ?? "",
      inFiles: true,
    })),
    ...shown("blocks in a file", profile.blocksMax, String, true),
    ...shown("blocks in a file", profile.oneDay, () => "all debits of a file are due on one day", true),
    ...shown(
      "batch booking",
      profile.batchBooking,
      (is) => (is ? "each block is one sum" : "one by one"),
      true,
    ),
    ...shown(
      "address form",
      profile.wholeAddress,
      () => "the whole address of a holder outside the EEA",
      true,
    ),
    ...shown("cut-off", profile.cutOff, String),
    ...shown("cut-off", profile.nextDayCutOff, (time) => `${time} for the next bank day`),
    ...shown("order types", profile.ebicsVersion, (version) => `${version} (EBICS 3.0) only`),
    ...shown("order types", profile.scope, (scope) => `services with the scope ${scope}`),
    ...shown("order types", profile.ownOrders, () => "the bank's own: `orders` and `downloads` are required"),
    ...shown("statement kinds", profile.downloads, (all) => all.join(", ")),
    ...notes.map(({ about, value, from }) => ({
      about,
      words: `${value} (information only)`,
      from,
      inFiles: false,
    })),
  ];
}
