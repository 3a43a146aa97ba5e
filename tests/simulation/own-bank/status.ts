/**
 * The bank's status reports: rejections on each level and in each form that the standard allows, and reports that
 * change nothing.
 */
import type { Random } from "../../../tools/random.ts";
import type { BankFile, Rejection, FileLine } from "./bookings.ts";

export interface Answered {
  readonly account: string;
  readonly messageId: string;
  readonly family: "pain.008" | "pain.001" | "pain.007";
  /** The bank's reference of an order, if it differs from the order's own. */
  readonly nameOf?: (reference: string) => string;
  readonly blocks: readonly { readonly id: string; readonly references: readonly string[] }[];
  readonly level: "none" | "transaction" | "block" | "file";
  /** The rejected orders. On the level of a block or file, all of it. */
  readonly rejected: readonly Rejection[];
}

const NOTHING: readonly Rejection[] = [];

/** @param id the report's id. @param noisy whether the report also lists accepted orders. */
export function statusReport(
  random: Random,
  id: string,
  day: string,
  answered: Answered,
  noisy: boolean,
): BankFile {
  const { messageId, family, blocks, level, rejected, nameOf = (reference) => reference } = answered;
  const lines: FileLine[] = [];
  const names = [`${family}.001.08`, family, `urn:iso:std:iso:20022:tech:xsd:${family}.001.08`, "SEPA-Order"];
  const add = (event: string, rejections = NOTHING) => lines.push({ event, booking: null, rejections });
  const reason = rejected[0]?.reason ?? "";
  const reasonOf = new Map(rejected.map((one) => [one.reference, one.reason]));
  const accepted = random.pick(["ACCP", "ACSC", "ACTC", "ACSP", "PDNG"]);
  let group = "";
  let body = "";
  if (level === "none") {
    const onBlock = random.chance(0.5);
    group = onBlock ? "" : `<GrpSts>${accepted}</GrpSts>`;
    body = onBlock
      ? blocks
          .map((block) => (add("accepted"), blockOf(block.id, `<PmtInfSts>${accepted}</PmtInfSts>`)))
          .join("")
      : "";
    if (!onBlock) add("accepted");
  } else if (level === "file") {
    group = `<GrpSts>RJCT</GrpSts>${why(reason)}`;
    const form = random.pick(["bare", "silent blocks", "listed"] as const);
    if (form === "silent blocks")
      body = blocks
        .map((block) => {
          add(
            "reject block",
            rejected.filter(({ reference }) => block.references.includes(reference)),
          );
          return blockOf(block.id, "");
        })
        .join("");
    if (form === "listed")
      body = blocks
        .map((block) =>
          blockOf(
            block.id,
            block.references
              .map((reference) => {
                add("reject", [{ reference, reason }]);
                return `<TxInfAndSts><OrgnlEndToEndId>${nameOf(reference)}</OrgnlEndToEndId></TxInfAndSts>`;
              })
              .join(""),
          ),
        )
        .join("");
    // A list of transactions without a status leaves the others open, so the report counts as one about the file as
    // well.
    add("reject file", rejected);
  } else if (level === "block") {
    const block = blocks.find(({ references }) => references.includes(rejected[0]?.reference ?? ""));
    const listed = random.chance(0.3);
    const lines = listed
      ? (block?.references ?? [])
          .map((reference) => {
            add("reject", [{ reference, reason }]);
            return `<TxInfAndSts><OrgnlEndToEndId>${nameOf(reference)}</OrgnlEndToEndId></TxInfAndSts>`;
          })
          .join("")
      : "";
    add("reject block", rejected);
    body = blockOf(block?.id ?? "", `<PmtInfSts>RJCT</PmtInfSts>${why(reason)}${lines}`);
    if (random.chance(0.4)) group = "<GrpSts>PART</GrpSts>";
  } else {
    if (random.chance(0.4)) group = "<GrpSts>PART</GrpSts>";
    const partly = random.chance(0.3) ? "<PmtInfSts>PART</PmtInfSts>" : "";
    body = blocks
      .map((block) => {
        const lines = block.references.flatMap((reference) => {
          const code = reasonOf.get(reference);
          if (code === undefined && !noisy) return [];
          add(
            code === undefined ? "accepted" : "reject",
            code === undefined ? NOTHING : [{ reference, reason: code }],
          );
          const status = code === undefined ? accepted : "RJCT";
          const id = random.chance(0.8) ? "OrgnlEndToEndId" : "OrgnlInstrId";
          return `<TxInfAndSts><${id}>${nameOf(reference)}</${id}><TxSts>${status}</TxSts>${code === undefined ? "" : why(code)}</TxInfAndSts>`;
        });
        return lines.length === 0 ? "" : blockOf(block.id, `${partly}${lines.join("")}`);
      })
      .join("");
  }
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${day}T15:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>${random.pick(names)}</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
${body}
</CstmrPmtStsRpt></Document>`;
  return { xml, kind: "pain.002", account: answered.account, lines, number: null, page: null };
}

function blockOf(id: string, inner: string): string {
  return `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${id}</OrgnlPmtInfId>${inner}</OrgnlPmtInfAndSts>`;
}

function why(reason: string): string {
  return `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`;
}
