/** Direct debit files for tests: one of every kind, written by hand, and random ones. */
import { fc } from "./properties.ts";
import { isTargetDay } from "../../src/sepa/target.ts";
import { cents } from "../../src/lib/money.ts";
import type { ReversalFile } from "../../src/sepa/messages/pain007.ts";
import type { SentFile } from "../../src/sepa/messages/reading/sent-file.ts";
import type { CreditTransferFile } from "../../src/sepa/messages/pain001.ts";
import type {
  Amendment,
  FileBlock,
  FileCollection,
  DirectDebitFile,
} from "../../src/sepa/messages/direct-debit-file.ts";

/** The accounts of the creditor and the debtors in the reference files are published examples, not real accounts. */
export const CREDITOR_IBAN = "DE89370400440532013000";
const DEBTOR_IBAN = "DE75512108001245126199";
const SWISS_IBAN = "CH9300762011623852957";
const FRENCH_IBAN = "FR1420041010050500013M02606";

export const CREDITOR: DirectDebitFile["creditor"] = {
  name: "Example Shop GmbH",
  iban: CREDITOR_IBAN,
  bic: "COBADEFFXXX",
  identifier: "DE98ZZZ09999999999",
};

export const COLLECTION: FileCollection = {
  endToEndId: "TXN-20261120-A1B2C3D4",
  instructionId: null,
  amount: cents(3999),
  mandate: { reference: "MND-7F3A2C-000001", signedOn: "2026-11-20", amendment: null },
  debtor: { name: "Erika Mustermann", iban: DEBTOR_IBAN, bic: null, address: null },
  remittance: "ORD-AAAA0001 Example Shop",
};

const SWISS: FileCollection = {
  endToEndId: "TXN-20261120-A1B2C3D5",
  instructionId: null,
  amount: cents(12_050),
  mandate: { reference: "MND-7F3A2C-000002", signedOn: "2026-03-01", amendment: null },
  debtor: {
    name: "Reto Muster",
    iban: SWISS_IBAN,
    bic: "POFICHBEXXX",
    address: {
      street: "Bahnhofstrasse",
      buildingNumber: "1",
      postalCode: "8001",
      city: "Zürich",
      country: "CH",
    },
  },
  remittance: "ORD-AAAA0002",
};

const AMENDED: FileCollection = {
  endToEndId: "TXN-20261120-A1B2C3D6",
  instructionId: null,
  amount: cents(990),
  mandate: {
    reference: "MND-7F3A2C-000003",
    signedOn: "2026-02-01",
    amendment: { originalAccount: { sameBank: false } },
  },
  debtor: { name: "Jean Dupont", iban: FRENCH_IBAN, bic: null, address: null },
  remittance: "ORD-AAAA0003",
};

/** The content of the files in tests/sepa/fixtures/. */
export const REFERENCE_FILE: DirectDebitFile = {
  version: "pain.008.001.08",
  messageId: "PSB-20261120-000001",
  createdAt: new Date("2026-11-20T14:00:00Z"),
  scheme: "CORE",
  batchBooking: true,
  creditor: CREDITOR,
  blocks: [
    {
      id: "PSB-20261120-000001-1",
      sequenceType: "OOFF",
      dueDate: "2026-11-25",
      collections: [COLLECTION],
    },
    {
      id: "PSB-20261120-000001-2",
      sequenceType: "RCUR",
      dueDate: "2026-11-25",
      collections: [SWISS, AMENDED],
    },
  ],
};

/** A reversal of all debits of a file. */
export function reversalOf(sent: SentFile): ReversalFile {
  return {
    messageId: "PSB-20261127-000009",
    createdAt: new Date("2026-11-27T11:00:00Z"),
    batchBooking: false,
    creditor: { name: CREDITOR.name, bic: CREDITOR.bic },
    original: sent,
    blocks: sent.blocks.map((original, n) => ({
      id: `PSB-20261127-000009-${n + 1}`,
      original,
      reversals: original.orders.map((debit) => ({ id: `R-${debit.endToEndId}`.slice(0, 35), debit })),
    })),
  };
}

/** Refunds to two customers. */
export const REFUNDS: CreditTransferFile = {
  messageId: "PSR-20261130-000001",
  createdAt: new Date("2026-11-30T09:00:00Z"),
  batchBooking: false,
  instant: false,
  executionDate: "2026-12-01",
  debtor: { name: CREDITOR.name, iban: CREDITOR.iban, bic: CREDITOR.bic },
  transfers: [
    {
      endToEndId: "RFD-1",
      instructionId: "RFD-1-I",
      amount: cents(3999),
      creditor: { name: "Jürgen Groß", iban: DEBTOR_IBAN, bic: null },
      remittance: "Refund of TXN-20261120-A1B2C3D4",
    },
    {
      endToEndId: "RFD-2",
      instructionId: null,
      amount: cents(1250),
      creditor: { name: "Reto Muster", iban: SWISS_IBAN, bic: "POFICHBEXXX" },
      remittance: "",
    },
  ],
};

/** A file with these collections in one block. */
export function fileOf(...collections: readonly FileCollection[]): DirectDebitFile {
  const block: FileBlock = {
    id: "PSB-20261120-000001-1",
    sequenceType: "RCUR",
    dueDate: "2026-11-25",
    collections,
  };
  return { ...REFERENCE_FILE, blocks: [block] };
}

/** The sandbox's accounts with their outcomes (docs/api.md). */
export const SANDBOX_IBANS: readonly string[] = [
  "DE89370400440532013000",
  "NL91ABNA0417164300",
  "DE62370400440532013001",
  "DE35370400440532013002",
  "DE08370400440532013003",
  "DE78370400440532013004",
  "DE13370400440532013010",
  "DE83370400440532013011",
  "DE34370400440532013020",
  "DE07370400440532013021",
  "DE77370400440532013022",
  "DE50370400440532013023",
  "DE23370400440532013024",
  "DE93370400440532013025",
  "DE66370400440532013026",
  "DE55370400440532013030",
  "DE28370400440532013031",
  "DE98370400440532013032",
];
const IBANS = [...SANDBOX_IBANS, DEBTOR_IBAN, SWISS_IBAN, FRENCH_IBAN];

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom("Łucja Żółć & Söhne <AG>", "Ελένη Θεοδωράκη", "Щерю Желев", "]]>&amp;<Nm>"),
);
const name = text.map((text) => `A${text}`);
const reference = fc.stringMatching(/^[A-Za-z0-9+?:().,'-]{1,20}$/);
const targetDay = fc
  .integer({ min: 1, max: 1_500 })
  .map((days) => Temporal.PlainDate.from("2026-11-20").add({ days }).toString())
  .filter(isTargetDay);
const bic = fc.constantFrom(null, "COBADEFFXXX", "POFICHBE");

const amendment: fc.Arbitrary<Amendment | null> = fc.constantFrom(
  null,
  null,
  null,
  { originalReference: "OLD/1" },
  { originalCreditor: { name: "Früher GmbH", identifier: "DE98ABC09999999999" } },
  { originalAccount: { sameBank: false } },
  { originalReference: "OLD 2", originalAccount: { sameBank: true, iban: DEBTOR_IBAN } },
);

const address = fc.option(
  fc.record({
    street: fc.option(text),
    buildingNumber: fc.option(text),
    postalCode: fc.option(text),
    city: name,
    country: fc.constantFrom("CH", "GB", "DE"),
  }),
);

/** @param index makes references unique, which might otherwise differ only in case. */
function collectionAt(index: number): fc.Arbitrary<FileCollection> {
  return fc.record({
    endToEndId: reference.map((start) => `${start}-${index}`),
    instructionId: fc.option(reference.map((start) => `${start}-${index}`)),
    amount: fc
      .oneof(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 99_999_999_999 }))
      .map(cents),
    mandate: fc.record({ reference, signedOn: fc.constantFrom("2026-11-20", "2024-02-29"), amendment }),
    debtor: fc.record({ name, iban: fc.constantFrom(...IBANS), bic, address }),
    remittance: text,
  });
}

/** Any valid file. */
export const anyFile: fc.Arbitrary<DirectDebitFile> = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
  .chain((sizes) =>
    fc.record({
      version: fc.constantFrom("pain.008.001.08" as const, "pain.008.001.02" as const),
      messageId: reference.map((start) => `${start}-M`),
      createdAt: fc.constant(REFERENCE_FILE.createdAt),
      scheme: fc.constantFrom("CORE" as const, "B2B" as const),
      batchBooking: fc.boolean(),
      creditor: fc.record({
        name,
        iban: fc.constant(CREDITOR_IBAN),
        bic,
        identifier: fc.constant(CREDITOR.identifier),
      }),
      blocks: fc.tuple(...sizes.map((size, index) => blockAt(index, size))),
    }),
  );

function blockAt(index: number, size: number): fc.Arbitrary<FileBlock> {
  return fc.record({
    id: fc.constant(`PSB-${index}`),
    sequenceType: fc.constantFrom("FRST" as const, "RCUR" as const, "OOFF" as const),
    dueDate: targetDay,
    collections: fc.tuple(...Array.from({ length: size }, (_, place) => collectionAt(index * 10 + place))),
  });
}
