/**
 * Reads a file of orders that we wrote: pain.008, pain.001, pain.007. Used for a file that the bank has and the books
 * no longer know, and to refer to its debits.
 */
import { XmlReader, type XmlElement, type XmlHandler } from "../../../files/xml-reader.ts";
import { BankFileRefused } from "../../../files/refused.ts";
import type { Cents } from "../../../lib/money.ts";
import type { Amendment, SequenceType } from "../direct-debit-file.ts";
import { decodeBytes } from "./decode.ts";
import {
  amountAt,
  type Element,
  find,
  idAt,
  OutlineHandler,
  type OutlineReader,
  textAt,
  textAtAny,
} from "./element.ts";

export interface SentFile {
  readonly kind: "pain.008" | "pain.001" | "pain.007";
  /** With its version: `pain.008.001.08`. */
  readonly schema: string;
  readonly messageId: string;
  readonly blocks: readonly SentBlock[];
}

/** Fields that a transfer does not have are null. */
export interface SentBlock {
  readonly id: string;
  readonly scheme: "CORE" | "B2B" | null;
  readonly sequenceType: SequenceType | null;
  /** BtchBookg; null where the file leaves it to the agreement with the bank. */
  readonly batchBooking: boolean | null;
  readonly dueDate: string;
  /** Our own. */
  readonly iban: string;
  readonly creditorName: string;
  readonly creditorIdentifier: string | null;
  /** Of our bank, if given. */
  readonly bic: string | null;
  /** Our own, as far as it is structured. */
  readonly creditorAddress: SentAddress;
  readonly orders: readonly SentOrder[];
}

type SentAddress = Readonly<
  Record<"street" | "buildingNumber" | "postalCode" | "city" | "country", string | null>
>;

export interface SentOrder {
  /** For a reversal, its own id. */
  readonly endToEndId: string;
  readonly instructionId: string | null;
  /** For a reversal, the end-to-end id of the debit. */
  readonly reverses: string | null;
  readonly amount: Cents;
  readonly mandateReference: string | null;
  readonly signedOn: string | null;
  /** The mandate's amendment announced in the file. */
  readonly amendment: Amendment | null;
  /** The other side's account. */
  readonly iban: string | null;
  /** The debtor of a debit. */
  readonly name: string | null;
  /** Of the other side's bank, if given. */
  readonly bic: string | null;
  readonly remittance: string;
  /** The debtor's, as far as it is structured. */
  readonly address: SentAddress;
}

const KINDS = {
  CstmrDrctDbtInitn: "pain.008",
  CstmrCdtTrfInitn: "pain.001",
  CstmrPmtRvsl: "pain.007",
} as const;
/** The versions that banks accept: of the current rulebooks, and of the previous ones. */
export const ORDER_VERSIONS: Readonly<Record<SentFile["kind"], readonly string[]>> = {
  "pain.008": ["pain.008.001.08", "pain.008.001.02"],
  "pain.001": ["pain.001.001.09", "pain.001.001.03"],
  "pain.007": ["pain.007.001.09", "pain.007.001.02"],
};
const BLOCKS: ReadonlySet<string> = new Set(["PmtInf", "OrgnlPmtInfAndRvsl"]);
/** The sequence types that we write. */
const SEQUENCES: readonly SequenceType[] = ["FRST", "RCUR", "OOFF"];
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:(?<schema>pain\.00[178]\.(?<variant>\d{3})\.\d\d)$/;
/** ISO's own variant. The others were national ones, which all banks have given up. */
const ISO_VARIANT = "001";
const OUTLINE = {
  Document: new Set(Object.keys(KINDS)),
  CstmrDrctDbtInitn: new Set(["PmtInf"]),
  CstmrCdtTrfInitn: new Set(["PmtInf"]),
  CstmrPmtRvsl: new Set(["OrgnlPmtInfAndRvsl"]),
};

/**
 * Reads the file.
 * @throws BankFileRefused unless it is a complete file of orders, with their count and sum.
 */
export async function readSentFile(bytes: AsyncIterable<Uint8Array>): Promise<SentFile> {
  const reader = new OrdersReader();
  const root = new RootHandler(reader);
  const xml = new XmlReader(root);
  for await (const text of decodeBytes(bytes)) xml.write(text);
  xml.end();
  return { ...reader.file(), schema: root.schema };
}

class RootHandler implements XmlHandler {
  readonly #content: OutlineHandler;
  #schema: string | null = null;

  constructor(reader: OrdersReader) {
    this.#content = new OutlineHandler("Document", OUTLINE, reader, ["PstlAdr"]);
  }

  get schema(): string {
    return this.#schema ?? "";
  }

  open(name: string, element: XmlElement): void {
    if (this.#schema !== null) return this.#content.open(name, element);
    const { schema, variant } = NAMESPACE.exec(element.namespace)?.groups ?? {};
    if (name !== "Document" || schema === undefined)
      throw refused(
        "unknown_message",
        "This is not a file of direct debits, transfers or reversals (pain.008, pain.001, pain.007)",
      );
    if (variant !== ISO_VARIANT)
      throw refused(
        "unknown_message",
        `This is ${schema}, a national version that banks no longer take: they take ${versionsLike(schema)}`,
      );
    this.#schema = schema;
  }

  text(text: string): void {
    this.#content.text(text);
  }

  close(): void {
    this.#content.close();
  }
}

class OrdersReader implements OutlineReader {
  #kind: SentFile["kind"] | null = null;
  #header: Element | null = null;
  #parts: Element | null = null;
  readonly #blocks: SentBlock[] = [];
  #orders: SentOrder[] = [];
  /** The debit data of a block's first reversal: all of them are from one block. */
  #reversed: Element | null = null;

  enter(container: string): void {
    if (container in KINDS) this.#kind = KINDS[container as keyof typeof KINDS];
    else this.#parts = { name: container, currency: null, text: "", children: [], size: 0 };
  }

  take(container: string, element: Element): void {
    if (!BLOCKS.has(container)) {
      if (element.name === "GrpHdr") this.#header = element;
    } else if (element.name === "DrctDbtTxInf" || element.name === "CdtTrfTxInf")
      this.#orders.push(orderOf(element));
    else if (element.name === "TxInf") {
      this.#reversed ??= find(element, "OrgnlTxRef");
      this.#orders.push(reversalOf(element));
    } else this.#parts?.children.push(element);
  }

  leave(container: string): void {
    if (!BLOCKS.has(container) || this.#parts === null) return;
    if (this.#kind === "pain.007") this.#blocks.push(reversalsOf(this.#parts, this.#reversed, this.#orders));
    else {
      checkTotals(this.#parts, this.#orders);
      this.#blocks.push(blockOf(this.#parts, this.#orders));
    }
    this.#orders = [];
    this.#reversed = null;
    this.#parts = null;
  }

  end(): void {}

  /** @throws BankFileRefused */
  file(): Omit<SentFile, "schema"> {
    const orders = this.#blocks.flatMap((block) => block.orders);
    if (this.#kind === null || this.#header === null || orders.length === 0)
      throw refused("no_content", "The file has no orders");
    checkTotals(this.#header, orders);
    return { kind: this.#kind, messageId: must(this.#header, "MsgId"), blocks: this.#blocks };
  }
}

function blockOf(parts: Element, orders: readonly SentOrder[]): SentBlock {
  const scheme = textAt(parts, "PmtTpInf", "LclInstrm", "Cd");
  return {
    id: must(parts, "PmtInfId"),
    scheme: scheme === "CORE" || scheme === "B2B" ? scheme : null,
    sequenceType: SEQUENCES.find((type) => type === textAt(parts, "PmtTpInf", "SeqTp")) ?? null,
    batchBooking: batchBookingOf(parts),
    dueDate: must(parts, "ReqdColltnDt", "ReqdExctnDt/Dt", "ReqdExctnDt"),
    iban: must(parts, "CdtrAcct/Id/IBAN", "DbtrAcct/Id/IBAN"),
    creditorName: must(parts, "Cdtr/Nm", "Dbtr/Nm"),
    creditorIdentifier: textAtAny(parts, "CdtrSchmeId/Id/PrvtId/Othr/Id"),
    bic: bicAt(parts, "CdtrAgt", "DbtrAgt"),
    creditorAddress: addressAt(find(parts, "Cdtr")),
    orders,
  };
}

/** A block of reversals is described by the debits that it reverses, including its day. */
function reversalsOf(parts: Element, debit: Element | null, orders: readonly SentOrder[]): SentBlock {
  if (debit === null) throw refused("not_well_formed", "A reversal does not say what it reverses");
  const party = find(debit, "Cdtr", "Pty");
  const scheme = textAt(debit, "PmtTpInf", "LclInstrm", "Cd");
  return {
    id: must(parts, "RvslPmtInfId", "OrgnlPmtInfId"),
    scheme: scheme === "CORE" || scheme === "B2B" ? scheme : null,
    sequenceType: SEQUENCES.find((type) => type === textAt(debit, "PmtTpInf", "SeqTp")) ?? null,
    batchBooking: batchBookingOf(parts),
    dueDate: must(debit, "ReqdColltnDt"),
    iban: must(debit, "CdtrAcct/Id/IBAN"),
    creditorName: must(debit, "Cdtr/Pty/Nm"),
    creditorIdentifier: textAtAny(debit, "CdtrSchmeId/Id/PrvtId/Othr/Id"),
    bic: bicAt(debit, "CdtrAgt"),
    creditorAddress: addressAt(party),
    orders,
  };
}

/** An XML boolean. */
function batchBookingOf(parts: Element): boolean | null {
  const text = textAt(parts, "BtchBookg");
  return text === null ? null : text === "true" || text === "1";
}

function reversalOf(element: Element): SentOrder {
  const debit = find(element, "OrgnlTxRef");
  return {
    endToEndId: must(element, "RvslId"),
    instructionId: null,
    reverses: must(element, "OrgnlEndToEndId"),
    amount: euro(amountAt(element, "RvsdInstdAmt")),
    mandateReference: textAtAny(debit, "MndtRltdInf/MndtId"),
    signedOn: textAtAny(debit, "MndtRltdInf/DtOfSgntr"),
    amendment: amendmentAt(find(debit, "MndtRltdInf", "AmdmntInfDtls")),
    iban: textAtAny(debit, "DbtrAcct/Id/IBAN"),
    name: textAtAny(debit, "Dbtr/Pty/Nm"),
    bic: bicAt(debit, "DbtrAgt"),
    remittance: textAtAny(debit, "RmtInf/Ustrd") ?? "",
    address: addressAt(find(debit, "Dbtr", "Pty")),
  };
}

function orderOf(element: Element): SentOrder {
  const isDebit = element.name === "DrctDbtTxInf";
  return {
    endToEndId: must(element, "PmtId/EndToEndId"),
    instructionId: textAtAny(element, "PmtId/InstrId"),
    reverses: null,
    amount: euro(amountAt(element, "InstdAmt") ?? amountAt(element, "Amt", "InstdAmt")),
    mandateReference: isDebit ? must(element, "DrctDbtTx/MndtRltdInf/MndtId") : null,
    signedOn: isDebit ? textAtAny(element, "DrctDbtTx/MndtRltdInf/DtOfSgntr") : null,
    amendment: amendmentAt(find(element, "DrctDbtTx", "MndtRltdInf", "AmdmntInfDtls")),
    iban: textAtAny(element, isDebit ? "DbtrAcct/Id/IBAN" : "CdtrAcct/Id/IBAN"),
    name: isDebit ? must(element, "Dbtr/Nm") : null,
    bic: bicAt(element, isDebit ? "DbtrAgt" : "CdtrAgt"),
    remittance: textAtAny(element, "RmtInf/Ustrd") ?? "",
    address: addressAt(find(element, "Dbtr")),
  };
}

function euro(amount: ReturnType<typeof amountAt>): Cents {
  const cents = amount?.currency === "EUR" ? amount.cents : null;
  if (cents === null) throw refused("not_well_formed", "An amount is not one in euro");
  return cents;
}

function bicAt(element: Element | null, ...agents: readonly string[]): string | null {
  return idAt(
    element,
    ...agents.flatMap((agent) => [`${agent}/FinInstnId/BICFI`, `${agent}/FinInstnId/BIC`]),
  );
}

function addressAt(party: Element | null): SentAddress {
  return {
    street: textAtAny(party, "PstlAdr/StrtNm", "PstlAdr/AdrLine"),
    buildingNumber: textAtAny(party, "PstlAdr/BldgNb"),
    postalCode: textAtAny(party, "PstlAdr/PstCd"),
    city: textAtAny(party, "PstlAdr/TwnNm"),
    country: textAtAny(party, "PstlAdr/Ctry"),
  };
}

/**
 * The amendment.
 * @param details AmdmntInfDtls; null means none.
 */
function amendmentAt(details: Element | null): Amendment | null {
  if (details === null) return null;
  const reference = textAtAny(details, "OrgnlMndtId");
  const name = textAtAny(details, "OrgnlCdtrSchmeId/Nm");
  const identifier = textAtAny(details, "OrgnlCdtrSchmeId/Id/PrvtId/Othr/Id");
  const iban = textAtAny(details, "OrgnlDbtrAcct/Id/IBAN");
  const named = name !== null || identifier !== null;
  return {
    ...(reference === null ? {} : { originalReference: reference }),
    ...(named
      ? {
          originalCreditor: {
            ...(name === null ? {} : { name }),
            ...(identifier === null ? {} : { identifier }),
          },
        }
      : {}),
    ...(iban !== null
      ? { originalAccount: { sameBank: true, iban } as const }
      : find(details, "OrgnlDbtrAcct") === null
        ? {}
        : { originalAccount: { sameBank: false } as const }),
  };
}

/** @param schema pain.008.003.02 */
function versionsLike(schema: string): string {
  const kind = Object.values(KINDS).find((one) => schema.startsWith(one));
  return kind === undefined ? "" : ORDER_VERSIONS[kind].join(" or ");
}

/**
 * Refuses a file that was cut or edited, which must not be taken for what the bank has. Another program's file may have
 * no sum.
 */
function checkTotals(element: Element, orders: readonly SentOrder[]): void {
  const sum = orders.reduce((total, { amount }) => total + amount, 0);
  const said = find(element, "CtrlSum") === null ? sum : amountAt(element, "CtrlSum")?.cents;
  if (textAt(element, "NbOfTxs") !== String(orders.length) || said !== sum)
    throw refused("truncated", "The number of orders or their sum is not what the file says");
}

function must(element: Element, ...paths: readonly string[]): string {
  const text = textAtAny(element, ...paths);
  if (text === null) throw refused("not_well_formed", `${element.name} has no ${paths[0] ?? ""}`);
  return text;
}

function refused(code: ConstructorParameters<typeof BankFileRefused>[0], what: string): BankFileRefused {
  return new BankFileRefused(code, what);
}
