/** Reads a bank file as a stream of records. */
import type { XmlElement, XmlHandler } from "../../../files/xml-reader.ts";
import { XmlReader } from "../../../files/xml-reader.ts";
import { decodeBytes } from "./decode.ts";
import {
  booleanAt,
  countAt,
  dateAt,
  type Element,
  OutlineHandler,
  type OutlineReader,
  textAt,
} from "./element.ts";
import type { BankRecord, Message, MessageFamily, MessageType } from "./bank-records.ts";
import { BankFileRefused } from "../../../files/refused.ts";
import { CAMT_OUTLINE, StatementReader } from "./statement-reader.ts";
import { PAIN_002_OUTLINE, StatusReader } from "./status-reader.ts";

/**
 * The records of a camt.052, .053, .054 or pain.002, in order, while it is being read.
 * An error can follow any record: records are reliable only after `message_end`, so callers process them in one
 * database transaction.
 * @throws BankFileRefused unless it is a complete and harmless file of that kind.
 */
export async function* readBankFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BankRecord> {
  let records: BankRecord[] = [];
  const document = new DocumentHandler((record) => records.push(record));
  const xml = new XmlReader(document);
  for await (const text of decodeBytes(bytes)) {
    xml.write(text);
    yield* records;
    records = [];
  }
  xml.end();
  document.end();
  yield* records;
}

/** Reads the root element, then passes everything to the reader of that kind of message. */
class DocumentHandler implements XmlHandler {
  readonly #emit: (record: BankRecord) => void;
  #content: OutlineHandler | null = null;

  constructor(emit: (record: BankRecord) => void) {
    this.#emit = emit;
  }

  open(name: string, element: XmlElement): void {
    if (this.#content === null)
      this.#content = contentHandler(messageTypeOf(name, element.namespace), this.#emit);
    else this.#content.open(name, element);
  }

  text(text: string): void {
    this.#content?.text(text);
  }

  close(): void {
    this.#content?.close();
  }

  /** Called when nothing follows the document. */
  end(): void {
    this.#content?.end();
  }
}

const ISO = /^urn:iso:std:iso:20022:tech:xsd:(camt\.05[234]|pain\.002)\.001\.(\d\d)$/;
/** Subsets of pain.002.001.03 with names of their own: the German banks' until 2013, and the Swiss banks'. */
const SUBSET =
  /^(?:urn:iso:std:iso:20022:tech:xsd:pain\.002\.00[23]\.03|http:\/\/www\.six-interbank-clearing\.com\/de\/pain\.002\.001\.03\.ch\.02\.xsd)$/;

const VERSIONS: Readonly<Record<MessageFamily, readonly [first: number, last: number]>> = {
  "camt.052": [2, 13],
  "camt.053": [2, 13],
  "camt.054": [2, 13],
  "pain.002": [3, 14],
};

/**
 * The kind of message, by the root element.
 * @throws BankFileRefused for any other document.
 */
export function messageTypeOf(rootName: string, namespace: string): MessageType {
  const type = rootName === "Document" ? typeOfNamespace(namespace) : null;
  if (type !== null) return type;
  throw new BankFileRefused("unknown_message", unknownMessage(rootName, namespace));
}

function typeOfNamespace(namespace: string): MessageType | null {
  if (SUBSET.test(namespace)) return { family: "pain.002", version: 3, namespace };
  const match = ISO.exec(namespace);
  if (match === null) return null;
  const family = match[1] as MessageFamily;
  const version = Number(match[2]);
  const [first, last] = VERSIONS[family];
  return version >= first && version <= last ? { family, version, namespace } : null;
}

function unknownMessage(rootName: string, namespace: string): string {
  const orders = /\bpain\.00[178]\.[\d.]+/.exec(namespace)?.[0];
  if (orders !== undefined) return `This is ${orders}, an order to the bank, not an answer from it`;
  return `The document <${rootName.slice(0, 40)}> of the namespace "${namespace.slice(0, 100)}" is not a supported message`;
}

function contentHandler(type: MessageType, emit: (record: BankRecord) => void): OutlineHandler {
  if (type.family === "pain.002") {
    return new OutlineHandler(
      "Document",
      PAIN_002_OUTLINE,
      new HeaderFirst(type, emit, new StatusReader(emit)),
    );
  }
  return new OutlineHandler("Document", CAMT_OUTLINE, new HeaderFirst(type, emit, new StatementReader(emit)));
}

/** The containers that hold the whole message. */
const MESSAGES = new Set([
  "Document",
  "BkToCstmrAcctRpt",
  "BkToCstmrStmt",
  "BkToCstmrDbtCdtNtfctn",
  "CstmrPmtStsRpt",
]);

/** Emits the group header, and refuses a message with content before it. */
class HeaderFirst implements OutlineReader {
  readonly #type: MessageType;
  readonly #emit: (record: BankRecord) => void;
  readonly #rest: OutlineReader;
  #emitted = false;

  constructor(type: MessageType, emit: (record: BankRecord) => void, rest: OutlineReader) {
    this.#type = type;
    this.#emit = emit;
    this.#rest = rest;
  }

  enter(container: string): void {
    if (!MESSAGES.has(container)) this.#needHeader();
    this.#rest.enter(container);
  }

  take(container: string, element: Element): void {
    if (element.name === "GrpHdr" && MESSAGES.has(container)) {
      this.#emitHeader(element);
      return;
    }
    this.#needHeader();
    this.#rest.take(container, element);
  }

  #emitHeader(element: Element): void {
    if (this.#emitted) throw new BankFileRefused("out_of_order", "The message has a second group header");
    this.#emitted = true;
    this.#emit(messageOf(element, this.#type));
  }

  #needHeader(): void {
    if (!this.#emitted)
      throw new BankFileRefused("no_header", "The message does not begin with its group header");
  }

  leave(container: string): void {
    this.#rest.leave(container);
  }

  end(): void {
    this.#needHeader();
    this.#rest.end();
  }
}

function messageOf(element: Element, type: MessageType): Message {
  return {
    kind: "message",
    type,
    messageId: textAt(element, "MsgId"),
    createdOn: dateAt(element, "CreDtTm"),
    page: countAt(element, "MsgPgntn", "PgNb"),
    lastPage: booleanAt(element, "MsgPgntn", "LastPgInd"),
  };
}
