/** Makes records of entries and details for tests of their interpretation. */
import type {
  BankAmount,
  Detail,
  Entry,
  TransactionCode,
} from "../../src/sepa/messages/reading/bank-records.ts";
import { centsOf } from "../../src/sepa/messages/reading/element.ts";

export function euros(text: string, currency = "EUR"): BankAmount {
  return { cents: centsOf(text), currency, text };
}

/** `PMNT/IDDT/UPDD`, `NRTI+109+00931`, or both, separated by a space. */
export function code(text: string): TransactionCode {
  const words = text.split(" ");
  const [domain = null, family = null, subfamily = null] =
    words.find((word) => word.includes("/"))?.split("/") ?? [];
  return {
    domain,
    family,
    subfamily,
    proprietary: words.find((word) => !word.includes("/")) || null,
    issuer: "DK",
  };
}

export function entry(facts: Partial<Entry> = {}): Entry {
  return {
    kind: "entry",
    statementNumber: 1,
    number: 1,
    amount: euros("10.00"),
    sign: "CRDT",
    reversal: false,
    state: "BOOK",
    bookingDate: "2026-11-24",
    valueDate: "2026-11-24",
    code: code(""),
    servicerReference: null,
    entryReference: null,
    charges: [],
    instructedAmount: null,
    batches: [],
    additionalInformation: null,
    ...facts,
  };
}

export function detail(facts: Partial<Detail> = {}): Detail {
  const nobody = { name: null, iban: null };
  return {
    kind: "detail",
    statementNumber: 1,
    entryNumber: 1,
    number: 1,
    alone: true,
    batch: null,
    endToEndId: null,
    instructionId: null,
    paymentInformationId: null,
    messageId: null,
    transactionId: null,
    mandateId: null,
    creditorId: null,
    servicerReference: null,
    amount: null,
    amountSource: "none",
    instructedAmount: null,
    transactionAmount: null,
    charges: [],
    code: null,
    sign: null,
    debtor: nobody,
    creditor: nobody,
    returnReason: null,
    remittance: [],
    additionalInformation: null,
    ...facts,
  };
}

export function reason(isoCode: string): Detail["returnReason"] {
  return { code: isoCode, proprietary: null, additionalInformation: null };
}
