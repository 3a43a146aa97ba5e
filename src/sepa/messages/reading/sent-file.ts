/** Reads a file of orders as we wrote it: pain.008, pain.001. For one that the bank has and the books do not know any more. */
import { XmlReader, type XmlElement, type XmlHandler } from "../../../files/xml-reader.ts";
import { BankFileRefused } from "../../../files/refused.ts";
import type { Cents } from "../../../lib/money.ts";
import type { SequenceType } from "../direct-debit-file.ts";
import { decodeBytes } from "./decode.ts";
import { amountAt, type Element, OutlineHandler, type OutlineReader, textAt, textAtAny } from "./element.ts";

export interface SentFile {
  readonly kind: "pain.008" | "pain.001";
  /** With its version: `pain.008.001.08`. */
  readonly schema: string;
  readonly messageId: string;
  readonly blocks: readonly SentBlock[];
}

/** What is null is not said of a transfer. */
export interface SentBlock {
  readonly id: string;
  readonly scheme: "CORE" | "B2B" | null;
  readonly sequenceType: SequenceType | null;
  readonly dueDate: string;
  /** Our own. */
  readonly iban: string;
  readonly creditorName: string;
  readonly creditorIdentifier: string | null;
  readonly orders: readonly SentOrder[];
}

export interface SentOrder {
  readonly endToEndId: string;
  readonly amount: Cents;
  readonly mandateReference: string | null;
  readonly signedOn: string | null;
  /** The other side's account. */
  readonly iban: string | null;
  /** The debtor of a debit. */
  readonly name: string | null;
  /** Of the debtor, as far as the file has it in fields of its own. */
  readonly address: Readonly<Record<"street" | "postalCode" | "city", string | null>>;
}

const KINDS = {
  CstmrDrctDbtInitn: "pain.008",
  CstmrCdtTrfInitn: "pain.001",
} as const;
/** Those that we write. */
const SEQUENCES: readonly SequenceType[] = ["FRST", "RCUR", "OOFF"];
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:(pain\.00[18]\.001\.\d\d)$/;
const OUTLINE = {
  Document: new Set(Object.keys(KINDS)),
  CstmrDrctDbtInitn: new Set(["PmtInf"]),
  CstmrCdtTrfInitn: new Set(["PmtInf"]),
};

/** @throws BankFileRefused unless it is a complete file of orders, with their count and sum. */
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
    const [, schema = null] = NAMESPACE.exec(element.namespace) ?? [];
    if (name !== "Document" || schema === null)
      throw refused(
        "unknown_message",
        "This is not a file of direct debits or transfers (pain.008, pain.001)",
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

  enter(container: string): void {
    if (container in KINDS) this.#kind = KINDS[container as keyof typeof KINDS];
    else this.#parts = { name: container, currency: null, text: "", children: [], size: 0 };
  }

  take(container: string, element: Element): void {
    if (container !== "PmtInf") {
      if (element.name === "GrpHdr") this.#header = element;
    } else if (element.name === "DrctDbtTxInf" || element.name === "CdtTrfTxInf")
      this.#orders.push(orderOf(element));
    else this.#parts?.children.push(element);
  }

  leave(container: string): void {
    if (container !== "PmtInf" || this.#parts === null) return;
    checkTotals(this.#parts, this.#orders);
    this.#blocks.push(blockOf(this.#parts, this.#orders));
    this.#orders = [];
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
    dueDate: must(parts, "ReqdColltnDt", "ReqdExctnDt/Dt", "ReqdExctnDt"),
    iban: must(parts, "CdtrAcct/Id/IBAN", "DbtrAcct/Id/IBAN"),
    creditorName: must(parts, "Cdtr/Nm", "Dbtr/Nm"),
    creditorIdentifier: textAtAny(parts, "CdtrSchmeId/Id/PrvtId/Othr/Id"),
    orders,
  };
}

function orderOf(element: Element): SentOrder {
  const amount = amountAt(element, "InstdAmt") ?? amountAt(element, "Amt", "InstdAmt");
  const cents = amount?.currency === "EUR" ? amount.cents : null;
  if (cents === null) throw refused("not_well_formed", "An amount is not one in euro");
  const isDebit = element.name === "DrctDbtTxInf";
  return {
    endToEndId: must(element, "PmtId/EndToEndId"),
    amount: cents,
    mandateReference: isDebit ? must(element, "DrctDbtTx/MndtRltdInf/MndtId") : null,
    signedOn: isDebit ? textAtAny(element, "DrctDbtTx/MndtRltdInf/DtOfSgntr") : null,
    iban: textAtAny(element, isDebit ? "DbtrAcct/Id/IBAN" : "CdtrAcct/Id/IBAN"),
    name: isDebit ? must(element, "Dbtr/Nm") : null,
    address: {
      street: textAtAny(element, "Dbtr/PstlAdr/StrtNm", "Dbtr/PstlAdr/AdrLine"),
      postalCode: textAtAny(element, "Dbtr/PstlAdr/PstCd"),
      city: textAtAny(element, "Dbtr/PstlAdr/TwnNm"),
    },
  };
}

/** A file that was cut or edited must not be taken for what the bank has. */
function checkTotals(element: Element, orders: readonly SentOrder[]): void {
  const sum = orders.reduce((total, { amount }) => total + amount, 0);
  if (textAt(element, "NbOfTxs") !== String(orders.length) || amountAt(element, "CtrlSum")?.cents !== sum)
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
