/** What the simulated bank writes: bookings as camt.052, .053 and .054, in any of them and any order, and status reports. */
import { CREDITOR } from "../../support/sepa-bank.ts";
import type { Random } from "../random.ts";
import type { Rejection } from "./model.ts";

export type BookingKind = "credit" | "return" | "withdrawal" | "transfer" | "foreign";

/** One movement of the merchant's account; wherever it is told again it has the same bank reference. */
export interface Booking {
  readonly kind: BookingKind;
  readonly reference: string;
  readonly cents: number;
  readonly mandate: string;
  readonly reason: string;
  readonly bankReference: string;
}

let bookings = 0;
let messages = 0;

export function booking(
  kind: BookingKind,
  {
    reference,
    cents,
    mandate,
  }: { readonly reference: string; readonly cents: number; readonly mandate: string },
  reason: string,
): Booking {
  bookings += 1;
  return { kind, reference, cents, mandate, reason, bankReference: `BR${bookings}` };
}

/** Some banks name only the mandate in a return: with several debits of it a person has to say which came back. */
export function namesMandateOnly({ kind, bankReference }: Booking): boolean {
  return kind === "return" && bankReference.endsWith("7");
}

const CODES: Readonly<Record<BookingKind, readonly [sign: string, family: string, sub: string]>> = {
  credit: ["CRDT", "IDDT", "ESDD"],
  return: ["DBIT", "IDDT", "UPDD"],
  withdrawal: ["CRDT", "IDDT", "UPDD"],
  transfer: ["DBIT", "ICDT", "ESCT"],
  foreign: ["CRDT", "RCDT", "ESCT"],
};

const euros = (cents: number) => (cents / 100).toFixed(2);

/** The day's bookings as banks deliver them: a statement always, an intraday report and a notification perhaps. */
export function deliveries(random: Random, day: string, booked: readonly Booking[]): readonly string[] {
  if (booked.length === 0) return [];
  const files = [camt("camt.053", day, booked)];
  if (random.chance(0.4))
    files.push(
      camt(
        "camt.052",
        day,
        booked.filter(() => random.chance(0.7)),
      ),
    );
  if (random.chance(0.4))
    files.push(
      camt(
        "camt.054",
        day,
        booked.filter(({ kind }) => kind !== "foreign"),
      ),
    );
  if (random.chance(0.2)) files.push(files[0] ?? "");
  return shuffled(random, files);
}

export function shuffled<T>(random: Random, all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

function camt(family: "camt.052" | "camt.053" | "camt.054", day: string, booked: readonly Booking[]): string {
  messages += 1;
  const [root, part] = {
    "camt.052": ["BkToCstmrAcctRpt", "Rpt"],
    "camt.053": ["BkToCstmrStmt", "Stmt"],
    "camt.054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"],
  }[family] as [string, string];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${family}.001.08"><${root}>
<GrpHdr><MsgId>SIM-${messages}</MsgId><CreDtTm>${day}T18:00:00Z</CreDtTm></GrpHdr>
<${part}><Id>SIM-${messages}</Id><CreDtTm>${day}T18:00:00Z</CreDtTm><Acct><Id><IBAN>${CREDITOR.iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>
${booked.map((one) => entry(day, one)).join("\n")}
</${part}></${root}></Document>`;
}

function entry(day: string, booked: Booking): string {
  const { kind, reference, cents, mandate, reason, bankReference } = booked;
  const [sign, family, sub] = CODES[kind];
  const fee = kind === "return" && bankReference.endsWith("3") ? 300 : 0;
  const refs = namesMandateOnly(booked)
    ? `<MndtId>${mandate}</MndtId>`
    : `<EndToEndId>${reference}</EndToEndId>${mandate === "" ? "" : `<MndtId>${mandate}</MndtId>`}`;
  const back = kind === "return" ? `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>` : "";
  const original =
    kind === "return" ? `<AmtDtls><InstdAmt><Amt Ccy="EUR">${euros(cents)}</Amt></InstdAmt></AmtDtls>` : "";
  return `<Ntry><Amt Ccy="EUR">${euros(cents + fee)}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${bankReference}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs>${refs}</Refs>${original}${back}</TxDtls></NtryDtls></Ntry>`;
}

/** A pain.002 on the level that the bank rejects on; every form that the standard allows is used. */
export function statusReport(random: Random, day: string, rejection: Rejection): string {
  messages += 1;
  const { messageId, level, blockId, references, reason } = rejection;
  const why = `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`;
  const name = random.pick(["pain.008.001.08", "pain.008", "urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"]);
  const silent = random.chance(0.5);
  const group = level === "file" ? `<GrpSts>RJCT</GrpSts>${why}` : "";
  const block =
    level === "block"
      ? `<PmtInfSts>RJCT</PmtInfSts>${why}`
      : references
          .map(
            (one) =>
              `<TxInfAndSts><OrgnlEndToEndId>${one}</OrgnlEndToEndId>${level === "file" ? "" : `<TxSts>RJCT</TxSts>`}${why}</TxInfAndSts>`,
          )
          .join("");
  const blocks =
    level === "file" && silent
      ? ""
      : `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${blockId}</OrgnlPmtInfId>${block}</OrgnlPmtInfAndSts>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>SIM-${messages}</MsgId><CreDtTm>${day}T15:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>${name}</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
${blocks}
</CstmrPmtStsRpt></Document>`;
}
