/** The only use of the XML parser: elements and texts within limits, without document types or entities. */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { BankFileRefused } from "./refused.ts";

export interface XmlHandler {
  /** An element begins. Its name is without its prefix. */
  open(name: string, element: XmlElement): void;
  /** Part of the text of the element that was opened last. */
  text(text: string): void;
  close(): void;
}

export interface XmlElement {
  readonly namespace: string;
  /** An attribute by its name without prefix. */
  attribute(name: string): string | null;
}

/** ISO 20022 messages are nested about 20 deep. */
const DEPTH_MAX = 64;
/** Between two events (tags, texts) of a document, comments included; the longest text of ISO 20022 has 100,000 characters. */
const CHARS_BETWEEN_EVENTS_MAX = 256 * 1_024;

/** Reads one document in pieces. */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #handler: XmlHandler;
  #depth = 0;
  #rootSeen = false;
  #ending = false;
  #charsSinceEvent = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
    const parser = this.#parser;
    // At most six handlers: with more of them the parser's object becomes a dictionary and three times as slow.
    parser.on("error", (error) => {
      throw this.#refusalOf(error);
    });
    parser.on("doctype", () => {
      throw new BankFileRefused("doctype", "The file has a document type (DOCTYPE)");
    });
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("closetag", () => this.#close());
    parser.on("text", (text) => this.#text(text));
    parser.on("cdata", (text) => this.#text(text));
  }

  /** @throws BankFileRefused when the text cannot be part of a bank's file. */
  write(text: string): void {
    this.#charsSinceEvent += text.length;
    this.#parser.write(text);
    if (this.#charsSinceEvent > CHARS_BETWEEN_EVENTS_MAX) throw tooLong();
  }

  /** @throws BankFileRefused when the document is not complete. */
  end(): void {
    this.#ending = true;
    this.#parser.close();
  }

  #open(tag: SaxesTagNS): void {
    this.#passed();
    this.#rootSeen = true;
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) {
      throw new BankFileRefused("too_deep", `The file nests elements more than ${DEPTH_MAX} levels deep`);
    }
    this.#handler.open(tag.local, { namespace: tag.uri, attribute: (name) => attributeOf(tag, name) });
  }

  #close(): void {
    this.#passed();
    this.#depth -= 1;
    this.#handler.close();
  }

  #text(text: string): void {
    this.#passed();
    if (text.length > CHARS_BETWEEN_EVENTS_MAX) throw tooLong();
    this.#handler.text(text);
  }

  #passed(): void {
    this.#charsSinceEvent = 0;
  }

  #refusalOf(error: Error): BankFileRefused {
    // Names in the parser's message come from the file and can be of any length.
    const what = error.message.slice(0, 200).replace(/\.$/, "");
    if (this.#ending)
      return new BankFileRefused("truncated", `The file is not complete (${what})`, { cause: error });
    if (/entity/.test(what))
      return new BankFileRefused("entity", `The file uses an entity (${what})`, { cause: error });
    const code = this.#rootSeen ? "not_well_formed" : "not_xml";
    return new BankFileRefused(code, `The file is not well-formed XML (${what})`, { cause: error });
  }
}

function attributeOf(tag: SaxesTagNS, name: string): string | null {
  // Hardly any element has attributes, and this is called for every element.
  for (const qualified in tag.attributes) {
    const attribute = tag.attributes[qualified];
    if (attribute?.local === name) return attribute.value;
  }
  return null;
}

function tooLong(): BankFileRefused {
  return new BankFileRefused(
    "too_long",
    `The file contains a text of more than ${CHARS_BETWEEN_EVENTS_MAX} characters`,
  );
}
