/** What is known of single banks beyond the scheme, each fact with its source. For what no source says, ask the bank. */
import type { IsoDate } from "../lib/dates.ts";

interface Fact<Value> {
  readonly value: Value;
  /** Where it is known from. */
  readonly from: string;
}

export interface BankProfile {
  readonly name: string;
  /** Old versions of pain.008 with the last day on which the bank takes them. */
  readonly versionsUntil?: Fact<Readonly<Record<string, IsoDate>>>;
  readonly blocksMax?: Fact<number>;
  /** Whether all debits of a file are due on one day. */
  readonly oneDay?: Fact<true>;
  /** Whether an account outside the EEA needs street, postal code and city of its holder; the scheme asks for the city. */
  readonly wholeAddress?: Fact<true>;
  /** HH:MM of the earlier scheme. */
  readonly cutOff?: Fact<string>;
  /** What is fetched over EBICS 3.0 (H005). */
  readonly downloads?: Fact<readonly string[]>;
  /** What no setting or check here follows from. */
  readonly notes?: readonly Fact<string>[];
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
const CFONB = "CFONB, EBICS implementation guide 2.1.4";
const PSA = "https://zv.psa.at/de/ebics.html";
const ING_SDD = "https://www.ingwb.com/insights/ing-pcm/sepa-direct-debit";
const ING_FORMATS =
  "https://www.ing.nl/en/business/payments/paying/new-file-format-batch-payments-and-direct-debits";
const RABOBANK_FORMAT = "Rabobank, Format description Direct Debit 2.6, December 2020";

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
    notes: [{ value: "Due at most 90 days ahead, in online banking.", from: DEUTSCHE_BANK_HELP }],
  },
  commerzbank: {
    name: "Commerzbank",
    wholeAddress: { value: true, from: COMMERZBANK_HELP },
  },
  postfinance: {
    name: "PostFinance",
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
    notes: [{ value: "camt.054 over EBICS 3.0 is REP/CH//ZIP/camt.054:04.", from: UBS_EBICS }],
  },
  bnp_paribas: {
    name: "BNP Paribas",
    notes: [
      {
        value: "French banks choose their own file formats and services of EBICS: set orders and downloads.",
        from: CFONB,
      },
    ],
  },
  erste: {
    name: "Erste Bank",
    notes: [
      { value: "Austrian banks that have EBICS have version 3.0 alone, with the scope AT.", from: PSA },
    ],
  },
  ing: {
    name: "ING",
    notes: [
      { value: "Formats differ by country; pain.008.001.02 is named.", from: ING_SDD },
      { value: "In the Netherlands pain.008.001.08 is taken, too, since 2024-03-17.", from: ING_FORMATS },
    ],
  },
  rabobank: {
    name: "Rabobank",
    notes: [
      { value: "Several blocks in a file are taken; pain.008.001.02 is named.", from: RABOBANK_FORMAT },
    ],
  },
} as const satisfies Readonly<Record<string, BankProfile>>;

export type BankProfileName = keyof typeof PROFILES;
export const BANK_PROFILES = Object.keys(PROFILES) as readonly BankProfileName[];

const GENERIC: BankProfile = { name: "Generic" };

/** @param name null for a bank without a profile. */
export function profileOf(name: BankProfileName | null): BankProfile {
  return name === null ? GENERIC : PROFILES[name];
}

/** The name in settings and on the command line; null for an unknown one. */
export function readProfileName(text: string): BankProfileName | null {
  return BANK_PROFILES.find((name) => name === text) ?? null;
}

/** The profiles as Markdown, for docs/sepa.md. */
export function profilesTable(): string {
  const rows = BANK_PROFILES.flatMap((name) => {
    const facts = factsOf(PROFILES[name]);
    return facts.map(([words, from], index) =>
      index === 0
        ? `| \`${name}\` | ${PROFILES[name].name} | ${words} | ${from} |`
        : `| | | ${words} | ${from} |`,
    );
  });
  return ["| `bank_profile` | Bank | What it has | Known from |", "|---|---|---|---|", ...rows, ""].join(
    "\n",
  );
}

function factsOf(profile: BankProfile): readonly (readonly [words: string, from: string])[] {
  const { versionsUntil, blocksMax, oneDay, wholeAddress, cutOff, downloads, notes = [] } = profile;
  const versions = Object.entries(versionsUntil?.value ?? {}).map(
    ([version, day]) => [`${version} is taken until ${day}`, versionsUntil?.from ?? ""] as const,
  );
  return [
    ...versions,
    ...(blocksMax === undefined ? [] : [[`blocks in a file: ${blocksMax.value}`, blocksMax.from] as const]),
    ...(oneDay === undefined ? [] : [["all debits of a file are due on one day", oneDay.from] as const]),
    ...(wholeAddress === undefined
      ? []
      : [["the whole address of a holder outside the EEA", wholeAddress.from] as const]),
    ...(cutOff === undefined ? [] : [[`cut-off ${cutOff.value}`, cutOff.from] as const]),
    ...(downloads === undefined
      ? []
      : [[`downloads ${downloads.value.join(", ")}`, downloads.from] as const]),
    ...notes.map(({ value, from }) => [`${value} (information only)`, from] as const),
  ];
}
