/** Statements, reports and notifications (camt.053, .052, .054): converts element trees to records. */
import {
  amountAt,
  booleanAt,
  countAt,
  creditorIdAt,
  dateAt,
  type Element,
  find,
  findAll,
  ibanAt,
  idAt,
  partyAt,
  readReason,
  textAt,
  textAtAny,
  textsAt,
} from "./element.ts";
import type {
  Balance,
  AccountStatement,
  Batch,
  Charge,
  Detail,
  Entry,
  EntryState,
  Sign,
  TransactionCode,
} from "./bank-records.ts";

const NO_CODE: TransactionCode = {
  domain: null,
  family: null,
  subfamily: null,
  proprietary: null,
  issuer: null,
};
const STATES: ReadonlySet<string> = new Set<EntryState>(["BOOK", "PDNG", "INFO", "FUTR"]);

export function statementOf(element: Element, number: number): AccountStatement {
  const balances = findAll(element, "Bal").map(balanceOf);
  const pagination = find(element, "StmtPgntn") ?? find(element, "RptPgntn") ?? find(element, "NtfctnPgntn");
  return {
    kind: "statement",
    number,
    statementId: textAt(element, "Id"),
    electronicSequenceNumber: textAt(element, "ElctrncSeqNb"),
    legalSequenceNumber: textAt(element, "LglSeqNb"),
    createdOn: dateAt(element, "CreDtTm"),
    page: countAt(pagination, "PgNb"),
    lastPage: booleanAt(pagination, "LastPgInd"),
    account: {
      iban: ibanAt(find(element, "Acct")),
      otherId: textAtAny(element, "Acct/Id/Othr/Id", "Acct/Id/PrtryAcct/Id"),
      currency: textAt(element, "Acct", "Ccy"),
    },
    balances,
    opening:
      balances.find(({ type }) => type === "OPBD") ?? balances.find(({ type }) => type === "PRCD") ?? null,
    closing: balances.find(({ type }) => type === "CLBD") ?? null,
  };
}

function balanceOf(element: Element): Balance {
  return {
    type: textAtAny(element, "Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry"),
    amount: amountAt(element, "Amt"),
    sign: signAt(element),
    date: dateAt(element, "Dt"),
  };
}

/**
 * The record of a transaction.
 * @param place its position.
 */
export function detailOf(
  element: Element,
  place: Pick<Detail, "statementNumber" | "entryNumber" | "number" | "batch">,
): Detail {
  const references = find(element, "Refs");
  const parties = find(element, "RltdPties");
  const returned = find(element, "RtrInf");
  const transactionAmount = amountAt(element, "AmtDtls", "TxAmt", "Amt");
  const amount = amountAt(element, "Amt") ?? transactionAmount;
  return {
    kind: "detail",
    alone: false,
    ...place,
    endToEndId: idAt(references, "EndToEndId"),
    instructionId: idAt(references, "InstrId"),
    paymentInformationId: idAt(references, "PmtInfId"),
    messageId: idAt(references, "MsgId"),
    transactionId: idAt(references, "TxId"),
    mandateId: idAt(references, "MndtId"),
    creditorId: creditorIdAt(find(parties, "Cdtr")),
    servicerReference: idAt(references, "AcctSvcrRef"),
    amount,
    amountSource: amount === null ? "none" : "detail",
    instructedAmount: amountAt(element, "AmtDtls", "InstdAmt", "Amt"),
    transactionAmount,
    charges: chargesAt(element),
    code: codeAt(element),
    sign: signAt(element),
    debtor: partyAt(parties, "Dbtr"),
    creditor: partyAt(parties, "Cdtr"),
    returnReason: returned === null ? null : readReason(returned),
    remittance: [
      ...textsAt(element, "RmtInf", "Ustrd"),
      ...textsAt(element, "RmtInf", "Strd", "CdtrRefInf", "Ref"),
      ...textsAt(element, "RmtInf", "Strd", "AddtlRmtInf"),
    ],
    additionalInformation: textAt(element, "AddtlTxInf"),
  };
}

/** Version 2 lists charges one by one, later versions as records; a total alone counts as one. */
function chargesAt(element: Element): readonly Charge[] {
  return findAll(element, "Chrgs").flatMap((charges) => {
    const records = findAll(charges, "Rcrd");
    if (records.length > 0) return records.map(chargeOf);
    if (find(charges, "Amt") !== null) return [chargeOf(charges)];
    const total = amountAt(charges, "TtlChrgsAndTaxAmt");
    return total === null ? [] : [{ amount: total, sign: null, included: null }];
  });
}

function chargeOf(element: Element): Charge {
  return {
    amount: amountAt(element, "Amt"),
    sign: signAt(element),
    included: booleanAt(element, "ChrgInclInd"),
  };
}

/** The bank transaction code, or null. */
function codeAt(element: Element): TransactionCode | null {
  const place = find(element, "BkTxCd");
  if (place === null) return null;
  return {
    domain: textAt(place, "Domn", "Cd"),
    family: textAt(place, "Domn", "Fmly", "Cd"),
    subfamily: textAt(place, "Domn", "Fmly", "SubFmlyCd"),
    proprietary: textAt(place, "Prtry", "Cd"),
    issuer: textAt(place, "Prtry", "Issr"),
  };
}

function signAt(element: Element | null): Sign | null {
  const text = textAt(element, "CdtDbtInd");
  return text === "CRDT" || text === "DBIT" ? text : null;
}

export function entryOf(
  element: Element,
  statementNumber: number,
  number: number,
  batches: readonly Batch[],
): Entry {
  return {
    kind: "entry",
    statementNumber,
    number,
    amount: amountAt(element, "Amt"),
    sign: signAt(element),
    reversal: /^(?:true|1)$/.test(textAt(element, "RvslInd") ?? ""),
    state: stateOf(element),
    bookingDate: dateAt(element, "BookgDt"),
    valueDate: dateAt(element, "ValDt"),
    code: codeAt(element) ?? NO_CODE,
    servicerReference: idAt(element, "AcctSvcrRef"),
    entryReference: idAt(element, "NtryRef"),
    charges: chargesAt(element),
    instructedAmount: amountAt(element, "AmtDtls", "InstdAmt", "Amt"),
    batches,
    additionalInformation: textAt(element, "AddtlNtryInf"),
  };
}

/** Text up to version 7, a choice of codes from version 8. */
function stateOf(element: Element): EntryState | null {
  const text = textAtAny(element, "Sts/Cd", "Sts");
  return text !== null && STATES.has(text) ? (text as EntryState) : null;
}

export function batchOf(element: Element): Batch {
  return {
    messageId: idAt(element, "MsgId"),
    paymentInformationId: idAt(element, "PmtInfId"),
    transactions: countAt(element, "NbOfTxs"),
    amount: amountAt(element, "TtlAmt"),
    sign: signAt(element),
  };
}
