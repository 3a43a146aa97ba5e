/** Entries and status reports of a bank, in which every element is optional. */
import { CREDITOR } from "../support/sepa-bank.ts";

export interface EntryFacts {
  readonly amount: string;
  readonly currency?: string;
  readonly sign?: string;
  readonly reversal?: boolean;
  /** BOOK by default. */
  readonly state?: string;
  readonly date?: string;
  /** `PMNT/IDDT/UPDD`, `NRTI+109`, or both; an empty text for none. */
  readonly code?: string;
  /** The entry's AcctSvcrRef. */
  readonly bankReference?: string;
  /** Elements with their texts, such as `EndToEndId`, `MndtId`, `Btch/PmtInfId`. */
  readonly names?: Readonly<Record<string, string>>;
  /** The reason in RtrInf. */
  readonly reason?: string;
  /** The transaction's `TxAmt` and `InstdAmt`, each as `19.90 EUR`. */
  readonly amounts?: Readonly<Record<string, string>>;
  /** Omits the entry's transaction, also if there are names. */
  readonly noDetail?: boolean;
}

/** In the order of the schema. */
const REFERENCES = ["MsgId", "AcctSvcrRef", "PmtInfId", "InstrId", "EndToEndId", "TxId", "MndtId"];

function leafOf(name: string, text: string | undefined): string {
  return text === undefined || text === "" ? "" : `<${name}>${text}</${name}>`;
}

function codeOf(code: string): string {
  const words = code.split(" ");
  const [domain, family, sub] = words.find((word) => word.includes("/"))?.split("/") ?? [];
  const bank = words.find((word) => word !== "" && !word.includes("/"));
  return `<BkTxCd>${
    domain === undefined
      ? ""
      : `<Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn>`
  }${bank === undefined ? "" : `<Prtry><Cd>${bank}</Cd><Issr>DK</Issr></Prtry>`}</BkTxCd>`;
}

export function bankEntry(facts: EntryFacts): string {
  const { amount, currency = "EUR", sign = "CRDT", state = "BOOK", date = "2026-11-25", names = {} } = facts;
  const batch = ["MsgId", "PmtInfId"].map((name) => leafOf(name, names[`Btch/${name}`])).join("");
  const refs = REFERENCES.map((name) => leafOf(name, names[name])).join("");
  const amounts = ["InstdAmt", "TxAmt"]
    .filter((name) => facts.amounts?.[name] !== undefined)
    .map((name) => {
      const [value, ccy] = (facts.amounts?.[name] ?? "").split(" ");
      return `<${name}><Amt Ccy="${ccy}">${value}</Amt></${name}>`;
    })
    .join("");
  const detail = `<TxDtls>${refs === "" ? "" : `<Refs>${refs}</Refs>`}${amounts === "" ? "" : `<AmtDtls>${amounts}</AmtDtls>`}${
    facts.reason === undefined ? "" : `<RtrInf><Rsn><Cd>${facts.reason}</Cd></Rsn></RtrInf>`
  }</TxDtls>`;
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt>${leafOf("CdtDbtInd", sign)}${
    facts.reversal === true ? "<RvslInd>true</RvslInd>" : ""
  }${state === "" ? "" : `<Sts><Cd>${state}</Cd></Sts>`}<BookgDt><Dt>${date}</Dt></BookgDt>${leafOf("AcctSvcrRef", facts.bankReference)}${codeOf(
    facts.code ?? "",
  )}<NtryDtls>${batch === "" ? "" : `<Btch>${batch}</Btch>`}${facts.noDetail === true ? "" : detail}</NtryDtls></Ntry>`;
}

let messages = 0;

/** A camt file of the creditor's account with these entries. Each file has different bytes. */
export function bankFile(
  family: "camt.052" | "camt.053" | "camt.054",
  entries: readonly string[],
  iban: string = CREDITOR.iban,
): string {
  messages += 1;
  const [root, part] = {
    "camt.052": ["BkToCstmrAcctRpt", "Rpt"],
    "camt.053": ["BkToCstmrStmt", "Stmt"],
    "camt.054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"],
  }[family] as [string, string];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${family}.001.08"><${root}><GrpHdr><MsgId>BK-${messages}</MsgId><CreDtTm>2026-11-25T18:00:00Z</CreDtTm></GrpHdr>
<${part}><Id>S-${messages}</Id><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>${entries.join("\n")}</${part}></${root}></Document>`;
}

export interface StatusFacts {
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

export interface TransactionFacts extends StatusFacts {
  readonly names?: Readonly<Record<string, string>>;
  readonly mandate?: string | undefined;
  readonly amount?: string;
}

export interface BlockFacts extends StatusFacts {
  readonly id: string;
  readonly transactions?: readonly TransactionFacts[];
}

function reasonOf(code: string | undefined): string {
  return code === undefined ? "" : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`;
}

/** A pain.002 of the day after the file's. */
export function statusReport(
  group: StatusFacts & { readonly messageId: string; readonly name?: string },
  blocks: readonly BlockFacts[] = [],
): string {
  messages += 1;
  const transactionOf = ({ names = {}, status, reason, mandate, amount }: TransactionFacts) =>
    `<TxInfAndSts>${["OrgnlInstrId", "OrgnlEndToEndId", "OrgnlTxId"].map((name) => leafOf(name, names[name])).join("")}${leafOf(
      "TxSts",
      status,
    )}${reasonOf(reason)}${leafOf("AcctSvcrRef", names["AcctSvcrRef"])}<OrgnlTxRef>${
      amount === undefined ? "" : `<Amt><InstdAmt Ccy="EUR">${amount}</InstdAmt></Amt>`
    }${mandate === undefined ? "" : `<MndtRltdInf><MndtId>${mandate}</MndtId></MndtRltdInf>`}</OrgnlTxRef></TxInfAndSts>`;
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>ST-${messages}</MsgId><CreDtTm>2026-11-24T09:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts>${leafOf("OrgnlMsgId", group.messageId)}${leafOf("OrgnlMsgNmId", group.name ?? "pain.008.001.08")}${leafOf("GrpSts", group.status)}${reasonOf(group.reason)}</OrgnlGrpInfAndSts>
${blocks
  .map(
    ({ id, status, reason, transactions = [] }) =>
      `<OrgnlPmtInfAndSts>${leafOf("OrgnlPmtInfId", id)}${leafOf("PmtInfSts", status)}${reasonOf(reason)}${transactions.map(transactionOf).join("")}</OrgnlPmtInfAndSts>`,
  )
  .join("\n")}</CstmrPmtStsRpt></Document>`;
}
