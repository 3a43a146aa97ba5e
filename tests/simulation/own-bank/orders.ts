/** Reads the service's files like a bank: collections, transfers, reversals, and mandates with amendments. Pure. */
import { readElements, textAt, textsAt, type Element } from "../../../tools/simulated-bank/elements.ts";
import { readPain008 } from "../../../tools/simulated-bank/read.ts";

export interface DebitOrder {
  readonly reference: string;
  readonly blockId: string;
  readonly mandate: string;
  readonly signedOn: string;
  readonly scheme: string;
  readonly sequenceType: string;
  readonly creditorId: string;
  readonly iban: string;
  /** The holder's town; empty if the file has none. */
  readonly town: string;
  readonly holder: string;
  readonly cents: number;
  readonly dueDate: string;
  readonly announced: Announced | null;
}

export interface TransferOrder {
  readonly reference: string;
  /** For a reversal: the file, block and due date of its debit, as the reversal names them; null for a transfer. */
  readonly reverses: {
    readonly messageId: string;
    readonly blockId: string;
    readonly dueDate: string;
    readonly mandate: string;
  } | null;
  /** The block that it belongs to. */
  readonly blockId: string;
  /** The collection that its remittance information names. */
  readonly of: string;
  readonly cents: number;
  readonly iban: string;
}

/** The mandate's former data, according to the file. */
export interface Announced {
  readonly mandate: string | null;
  readonly creditorId: string | null;
  readonly account: boolean;
}

export interface Order {
  readonly messageId: string;
  /** When the file was written, in milliseconds. */
  readonly createdAt: number;
  readonly account: string;
  readonly family: "pain.008" | "pain.001" | "pain.007";
  readonly dueDate: string;
  readonly batchBooking: boolean;
  readonly blocks: readonly { readonly id: string; readonly references: readonly string[] }[];
  readonly debits: readonly DebitOrder[];
  readonly transfers: readonly TransferOrder[];
}

export function readOrder(xml: string): Order {
  if (xml.includes("CstmrPmtRvsl")) return readReversals(xml);
  return xml.includes("CstmrDrctDbtInitn") ? readDebits(xml) : readTransfers(xml);
}

function readDebits(xml: string): Order {
  const { messageId, creditorIban, blocks } = readPain008(xml);
  const said = mandatesIn(xml);
  const debits = blocks.flatMap((block) =>
    block.collections.map((one): DebitOrder => {
      const mandate = said.get(one.endToEndId);
      return {
        reference: one.endToEndId,
        blockId: block.id,
        mandate: one.mandateReference,
        signedOn: mandate?.signedOn ?? "",
        announced: mandate?.announced ?? null,
        scheme: block.scheme,
        sequenceType: block.sequenceType,
        creditorId: block.creditorIdentifier,
        iban: one.debtorIban,
        town: mandate?.town ?? "",
        holder: one.debtorName,
        cents: one.amount,
        dueDate: block.dueDate,
      };
    }),
  );
  return {
    messageId,
    createdAt: Date.parse(textAt(rootOf(xml), "GrpHdr/CreDtTm")),
    account: creditorIban,
    family: "pain.008",
    dueDate: blocks[0]?.dueDate ?? "",
    batchBooking: blocks.some(({ batchBooking }) => batchBooking),
    blocks: blocks.map(({ id, collections }) => ({
      id,
      references: collections.map(({ endToEndId }) => endToEndId),
    })),
    debits,
    transfers: [],
  };
}

function readTransfers(xml: string): Order {
  const transfers: TransferOrder[] = [];
  readElements(xml, {
    CdtTrfTxInf: (element) => {
      const amount = element.children.find(({ name }) => name === "Amt")?.children[0]?.text ?? "";
      transfers.push({
        reference: textAt(element, "PmtId/EndToEndId"),
        reverses: null,
        blockId: "",
        of: /TXN-\d{8}-[A-Z0-9]{8}/.exec(textsAt(element, "RmtInf/Ustrd").join(" "))?.[0] ?? "",
        cents: Math.round(Number(amount) * 100),
        iban: textAt(element, "CdtrAcct/Id/IBAN"),
      });
    },
  });
  const root = rootOf(xml);
  const messageId = textAt(root, "GrpHdr/MsgId");
  return {
    messageId,
    createdAt: Date.parse(textAt(root, "GrpHdr/CreDtTm")),
    account: textAt(root, "PmtInf/DbtrAcct/Id/IBAN"),
    family: "pain.001",
    dueDate: textsAt(root, "PmtInf/ReqdExctnDt/Dt")[0] ?? textsAt(root, "PmtInf/ReqdExctnDt")[0] ?? "",
    batchBooking: textsAt(root, "PmtInf/BtchBookg")[0] === "true",
    blocks: [
      { id: textAt(root, "PmtInf/PmtInfId"), references: transfers.map(({ reference }) => reference) },
    ],
    debits: [],
    transfers,
  };
}

function readReversals(xml: string): Order {
  const transfers: TransferOrder[] = [];
  const root = rootOf(xml);
  const blocks: { readonly id: string; readonly references: readonly string[] }[] = [];
  readElements(xml, {
    OrgnlPmtInfAndRvsl: (block) => {
      const id = textAt(block, "RvslPmtInfId");
      const references: string[] = [];
      for (const one of childrenAt(block, ["TxInf"])) {
        references.push(textAt(one, "RvslId"));
        transfers.push({
          reference: textAt(one, "RvslId"),
          blockId: id,
          of: textAt(one, "OrgnlEndToEndId"),
          cents: Math.round(Number(textAt(one, "RvsdInstdAmt")) * 100),
          iban: textAt(one, "OrgnlTxRef/DbtrAcct/Id/IBAN"),
          reverses: {
            messageId: textAt(root, "OrgnlGrpInf/OrgnlMsgId"),
            blockId: textAt(block, "OrgnlPmtInfId"),
            dueDate: textAt(one, "OrgnlTxRef/ReqdColltnDt"),
            mandate: textAt(one, "OrgnlTxRef/MndtRltdInf/MndtId"),
          },
        });
      }
      blocks.push({ id, references });
    },
  });
  return {
    messageId: textAt(root, "GrpHdr/MsgId"),
    createdAt: Date.parse(textAt(root, "GrpHdr/CreDtTm")),
    account: /<CdtrAcct><Id><IBAN>(\w+)/.exec(xml)?.[1] ?? "",
    family: "pain.007",
    dueDate: transfers[0]?.reverses?.dueDate ?? "",
    batchBooking: false,
    blocks,
    debits: [],
    transfers,
  };
}

interface MandateSaid {
  readonly signedOn: string;
  readonly town: string;
  readonly announced: Announced | null;
}

function mandatesIn(xml: string): ReadonlyMap<string, MandateSaid> {
  const found = new Map<string, MandateSaid>();
  readElements(xml, {
    DrctDbtTxInf: (element) => {
      const [related] = childrenAt(element, ["DrctDbtTx", "MndtRltdInf"]);
      if (related === undefined) return;
      const details = related.children.find(({ name }) => name === "AmdmntInfDtls");
      found.set(textAt(element, "PmtId/EndToEndId"), {
        signedOn: textAt(related, "DtOfSgntr"),
        town: textsAt(element, "Dbtr/PstlAdr/TwnNm")[0] ?? "",
        announced: details === undefined ? null : announcedIn(details),
      });
    },
  });
  return found;
}

function announcedIn(details: Element): Announced {
  return {
    mandate: textsAt(details, "OrgnlMndtId")[0] ?? null,
    creditorId: textsAt(details, "OrgnlCdtrSchmeId/Id/PrvtId/Othr/Id")[0] ?? null,
    account: details.children.some(({ name }) => name === "OrgnlDbtrAcct" || name === "OrgnlDbtrAgt"),
  };
}

function childrenAt(element: Element, path: readonly string[]): readonly Element[] {
  return path.reduce<readonly Element[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [element],
  );
}

function rootOf(xml: string): Element {
  const root = readElements(xml, {});
  return root.children[0] ?? root;
}
