/** Short ways to write and read bank files in tests. */
import type { BankRecord } from "../../src/sepa/messages/reading/bank-records.ts";
import { readBankFile } from "../../src/sepa/messages/reading/read-bank-file.ts";
import { BankFileRefused } from "../../src/files/refused.ts";

/** A documented example IBAN. */
export const IBAN = "DE89370400440532013000";

/** A file in one piece or in several. */
export async function* pieces(...all: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}

export async function read(...all: readonly (Uint8Array | string)[]): Promise<readonly BankRecord[]> {
  return Array.fromAsync(readBankFile(pieces(...all)));
}

/** The code with which a file is refused; null if it is read. */
export async function refusal(...all: readonly (Uint8Array | string)[]): Promise<string | null> {
  try {
    await read(...all);
    return null;
  } catch (error) {
    if (error instanceof BankFileRefused) return error.code;
    throw error;
  }
}

/** The records of one kind. */
export function ofKind<Kind extends BankRecord["kind"]>(
  records: readonly BankRecord[],
  kind: Kind,
): readonly Extract<BankRecord, { kind: Kind }>[] {
  return records.filter((record): record is Extract<BankRecord, { kind: Kind }> => record.kind === kind);
}

export const HEADER = "<GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-11-24T21:30:00+01:00</CreDtTm></GrpHdr>";

export function balance(type: string, amount: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>`;
}

/** A camt.053 with one statement. */
export function statementFile(content: string, version = "08"): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>${HEADER}
<Stmt><Id>S-1</Id><ElctrncSeqNb>231</ElctrncSeqNb><Acct><Id><IBAN>${IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>${content}</Stmt>
</BkToCstmrStmt></Document>`;
}

/** An entry in version 8. @param rest what follows the booking date. */
export function entryXml(amount: string, sign: string, rest = ""): string {
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt>${rest}</Ntry>`;
}

export function detailXml(endToEndId: string, rest = ""): string {
  return `<TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>${rest}</TxDtls>`;
}

/** A pain.002.001.10. */
export function statusFile(content: string): string {
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>${HEADER}${content}</CstmrPmtStsRpt></Document>`;
}
