/** A merchant whose gateway is a bank account, and minimal camt and pain.002 files of the bank. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { attachmentOf } from "../../src/files/pdf-attachment.ts";
import { createMerchant, createRecord, lead, type Merchant } from "./merchant.ts";
import type { Json, Service } from "./service.ts";

/** The Bundesbank's sample identifier, and a documented test account. */
export const CREDITOR = { iban: "DE89370400440532013000", identifier: "DE98ZZZ09999999999" } as const;

export interface BankMerchant extends Merchant {
  /** Its gateway with the adapter sepa_batch. */
  readonly accountId: string;
}

export async function bankMerchant(
  service: Service,
  settings: object = {},
  fields: object = {},
): Promise<BankMerchant> {
  return bankOf(service, await createMerchant(service), settings, fields);
}

/** Creates another bank account for a merchant. */
export async function bankOf(
  service: Service,
  merchant: Merchant,
  settings: object = {},
  fields: object = {},
): Promise<BankMerchant> {
  const account = await createRecord(service, merchant.key, "gateways", {
    name: "House bank",
    adapter: "sepa_batch",
    test_mode: true,
    settings: {
      creditor_name: "Müller & Söhne GmbH",
      creditor_iban: CREDITOR.iban,
      creditor_identifier: CREDITOR.identifier,
      pre_notification_days: 0,
      ...settings,
    },
    ...fields,
  });
  return { ...merchant, accountId: account["id"] };
}

/** Creates an account with EBICS keys whose bank does not exist. @returns its id. */
export async function ebicsAccount(service: Service, merchant: Merchant): Promise<string> {
  const transport = {
    kind: "ebics",
    url: "http://127.0.0.1:9/",
    host_id: "H",
    partner_id: "P",
    user_id: "U",
  };
  const { accountId, key } = await bankOf(service, merchant, { transport });
  const { status } = await service.post(`management/ebics/${accountId}/keys/`, {}, { key });
  assert.equal(status, 409);
  return accountId;
}

/** Pays a session at the bank account. @returns the response's body. */
export async function payAt(
  merchant: BankMerchant,
  changes: Record<string, unknown> = {},
  iban = "DE62370400440532013001",
): Promise<Json> {
  const token = await merchant.session({ gateway_id: merchant.accountId, lead: lead(), ...changes });
  const paid = await merchant.pay(token, iban);
  assert.equal(paid.status, 200, paid.text);
  return { ...paid.body, token };
}

export async function uploadFile(
  service: Service,
  merchant: BankMerchant,
  xml: string | Buffer,
  name = "statement.xml",
): Promise<{ readonly status: number; readonly body: Json }> {
  const form = new FormData();
  form.append("gateway_id", merchant.accountId);
  form.append("file", new Blob([typeof xml === "string" ? xml : new Uint8Array(xml)]), name);
  const answer = await globalThis.fetch(`${service.url}/api/v1/management/sepa-files/`, {
    method: "POST",
    headers: { authorization: `Bearer ${merchant.key}` },
    body: form,
  });
  const body = (await answer.json()) as Json;
  await followed(service);
  return { status: answer.status, body };
}

/** Longer than any test's payments take to be updated on a busy machine, and shorter than a test's time limit. */
const FOLLOW_MS_MAX = 60_000;
const ASK_AGAIN_MS = 5;

/**
 * Waits until payments are updated with all news of files and decisions, except news that was set aside. @throws Error
 * with the remaining news if that takes too long.
 */
export async function followed(
  service: Pick<Service, "rows">,
  { withinMs = FOLLOW_MS_MAX }: { readonly withinMs?: number } = {},
): Promise<void> {
  const began = performance.now();
  for (;;) {
    const left = await service.rows(
      `select n.reference, n.kind from sepa_news n
        where acknowledged_at is null and not exists (
          select from gateway_news_set_aside a
           where a.tenant = n.tenant and a.gateway_id = n.gateway_id and a.reference = n.reference)
        limit 10`,
    );
    if (left.length === 0) return;
    if (performance.now() - began > withinMs) {
      const waiting = left.map((row) => `${row["kind"]} of ${row["reference"]}`).join(", ");
      throw new Error(`After ${withinMs} ms the payments have not taken these notices: ${waiting}`);
    }
    await sleep(ASK_AGAIN_MS);
  }
}

/** The outgoing files, oldest first. */
export async function outgoing(service: Service, merchant: BankMerchant): Promise<readonly Json[]> {
  const { body, status, text } = await service.get("management/sepa-files/?direction=out", {
    key: merchant.key,
  });
  assert.equal(status, 200, text);
  return (body["results"] as readonly Json[]).toReversed();
}

export async function content(service: Service, merchant: BankMerchant, id: string): Promise<string> {
  const { status, text } = await service.get(`management/sepa-files/${id}/content/`, { key: merchant.key });
  assert.equal(status, 200, text);
  return text;
}

/** Marks the file as delivered to the bank by hand. */
/** The entries of the dossier of a mandate. */
export async function dossierEntries(
  { url }: Pick<Service, "url">,
  { key }: Pick<Merchant, "key">,
  mandateId: string,
): Promise<readonly Json[]> {
  const path = `${url}/api/v1/management/mandates/${mandateId}/dossier/`;
  const dossier = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(dossier.status, 200);
  return JSON.parse(String(attachmentOf(Buffer.from(await dossier.arrayBuffer())))).entries;
}

export async function markSent(service: Service, merchant: Merchant, id: string): Promise<Json> {
  const path = `management/sepa-files/${id}/mark-sent/`;
  const { body, status, text } = await service.post(path, undefined, { key: merchant.key });
  assert.equal(status, 200, text);
  return body;
}

export interface Booked {
  readonly amount: string;
  readonly endToEndId?: string;
  readonly transactionId?: string;
  readonly mandateId?: string;
  readonly blockId?: string;
  readonly reason?: string;
  readonly original?: string;
  /** BOOK by default. */
  readonly state?: string;
  readonly currency?: string;
}

const CODES = {
  collection: ["CRDT", "IDDT", "ESDD", false],
  return: ["DBIT", "IDDT", "UPDD", false],
  withdrawn: ["CRDT", "IDDT", "UPDD", true],
  transferOut: ["DBIT", "ICDT", "ESCT", false],
  transferBack: ["CRDT", "ICDT", "RRTN", false],
} as const;

export type Movement = keyof typeof CODES;

let messages = 0;

/** A camt.052, .053 or .054 of the creditor's account. */
export function camt(
  family: "camt.052" | "camt.053" | "camt.054",
  date: string,
  entries: readonly (readonly [Movement, Booked])[],
  iban: string = CREDITOR.iban,
): string {
  messages += 1;
  const [root, part] = {
    "camt.052": ["BkToCstmrAcctRpt", "Rpt"],
    "camt.053": ["BkToCstmrStmt", "Stmt"],
    "camt.054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"],
  }[family] as [string, string];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${family}.001.08"><${root}>
<GrpHdr><MsgId>BANK-${messages}</MsgId><CreDtTm>${date}T18:00:00Z</CreDtTm></GrpHdr>
<${part}><Id>ST-${messages}</Id><CreDtTm>${date}T18:00:00Z</CreDtTm><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>
${entries.map(([movement, booked]) => entryOf(date, movement, booked)).join("\n")}
</${part}></${root}></Document>`;
}

/** A camt.053 with a number and balances; all amounts are credits. */
export function withBalances(
  xml: string,
  date: string,
  number: number,
  opening: string,
  closing: string,
): string {
  const balance = (type: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`;
  return xml
    .replace(/<CreDtTm>[^<]*<\/CreDtTm><Acct>/, (found) => `<ElctrncSeqNb>${number}</ElctrncSeqNb>${found}`)
    .replace("</Acct>", `</Acct>${balance("OPBD", opening)}${balance("CLBD", closing)}`);
}

/**
 * Turns a statement into a page of the statement with this number, in the present form or, with `MsgPgntn`, in the old
 * one.
 */
export function pageOf(xml: string, number: string, page: number, where?: "MsgPgntn"): string {
  const part = /<(Stmt|Rpt|Ntfctn)>/.exec(xml)?.[1] ?? "";
  const pages = (name: string) => `<${name}><PgNb>${page}</PgNb><LastPgInd>false</LastPgInd></${name}>`;
  const numbered = xml.replace(/(<Id>ST-\d+<\/Id>)/, `$1<ElctrncSeqNb>${number}</ElctrncSeqNb>`);
  return where === undefined
    ? numbered.replace(/(<Id>ST-\d+<\/Id>)/, `$1${pages(`${part}Pgntn`)}`)
    : numbered.replace("</GrpHdr>", `${pages(where)}</GrpHdr>`);
}

function entryOf(date: string, movement: Movement, booked: Booked): string {
  const [sign, family, sub, reversal] = CODES[movement];
  const {
    amount,
    endToEndId,
    transactionId,
    mandateId,
    blockId,
    reason,
    original,
    state = "BOOK",
    currency = "EUR",
  } = booked;
  const refs = [
    endToEndId === undefined ? "" : `<EndToEndId>${endToEndId}</EndToEndId>`,
    transactionId === undefined ? "" : `<TxId>${transactionId}</TxId>`,
    mandateId === undefined ? "" : `<MndtId>${mandateId}</MndtId>`,
  ].join("");
  const details =
    refs === ""
      ? blockId === undefined
        ? ""
        : `<NtryDtls><Btch><PmtInfId>${blockId}</PmtInfId></Btch></NtryDtls>`
      : `<NtryDtls><TxDtls><Refs>${refs}</Refs>${
          original === undefined
            ? ""
            : `<AmtDtls><InstdAmt><Amt Ccy="EUR">${original}</Amt></InstdAmt></AmtDtls>`
        }${reason === undefined ? "" : `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>`}</TxDtls></NtryDtls>`;
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>${
    reversal ? "<RvslInd>true</RvslInd>" : ""
  }<Sts><Cd>${state}</Cd></Sts><BookgDt><Dt>${date}</Dt></BookgDt><ValDt><Dt>${date}</Dt></ValDt><AcctSvcrRef>BANKREF${messages}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd>${details}</Ntry>`;
}

/**
 * A pain.002 about one of the service's messages: about transactions, about one block without a list, or about the
 * whole file.
 */
export function pain002(
  date: string,
  about: {
    readonly messageId: string;
    readonly name?: string;
    readonly groupStatus?: string;
    readonly groupReason?: string;
  },
  blocks: readonly {
    readonly id: string;
    readonly status?: string;
    readonly reason?: string;
    readonly transactions?: readonly {
      readonly endToEndId: string;
      readonly reason?: string;
      readonly status?: string;
    }[];
  }[] = [],
): string {
  messages += 1;
  const reason = (code: string | undefined) =>
    code === undefined ? "" : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>STATUS-${messages}</MsgId><CreDtTm>${date}T09:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${about.messageId}</OrgnlMsgId><OrgnlMsgNmId>${about.name ?? "pain.008.001.08"}</OrgnlMsgNmId>${
    about.groupStatus === undefined ? "" : `<GrpSts>${about.groupStatus}</GrpSts>`
  }${reason(about.groupReason)}</OrgnlGrpInfAndSts>
${blocks
  .map(
    ({ id, status, reason: code, transactions = [] }) =>
      `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${id}</OrgnlPmtInfId>${status === undefined ? "" : `<PmtInfSts>${status}</PmtInfSts>`}${reason(code)}${transactions
        .map(
          (tx) =>
            `<TxInfAndSts><OrgnlEndToEndId>${tx.endToEndId}</OrgnlEndToEndId><TxSts>${tx.status ?? "RJCT"}</TxSts>${reason(tx.reason)}</TxInfAndSts>`,
        )
        .join("")}</OrgnlPmtInfAndSts>`,
  )
  .join("\n")}
</CstmrPmtStsRpt></Document>`;
}
