/** Walks a document by an outline: containers are entered and left, everything below them arrives as small whole trees. */
import type { XmlElement, XmlHandler } from "../../../files/xml-reader.ts";
import type { Element } from "./element.ts";
import { BankFileRefused } from "../../../files/refused.ts";

/** Gets the parts of a document in its order. */
export interface OutlineReader {
  enter(container: string): void;
  /** A whole element right below a container. */
  take(container: string, element: Element): void;
  leave(container: string): void;
  /** The document is complete. */
  end(): void;
}

/** Containers by the container that they are in: they may be of any size, for nothing of them is kept. */
export type Outline = Readonly<Record<string, ReadonlySet<string>>>;

/** Statements and reports are asked nothing in them, and banks put kilobytes into them. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  "SplmtryData",
  "TxsSummry",
  "RfrdDocInf",
  "TaxRmt",
  "GrnshmtRmt",
  "PstlAdr",
  "CardTx",
  "RltdAgts",
]);
/** One transaction has a few hundred characters and some dozens of elements. */
const TREE_SIZE_MAX = 256 * 1_024;
/** What an element costs besides its text. */
const ELEMENT_SIZE = 64;

/** Feeds an outline's reader from the document's elements. */
export class OutlineHandler implements XmlHandler {
  readonly #outline: Outline;
  readonly #reader: OutlineReader;
  readonly #containers: string[];
  /** The elements from the one below the container to the one that is open now. */
  readonly #open: Element[] = [];
  #passingOver = 0;
  readonly #passedOver: ReadonlySet<string>;

  /**
   * @param root The container that is already open.
   * @param asked Names that are passed over in other messages.
   */
  constructor(root: string, outline: Outline, reader: OutlineReader, asked: readonly string[] = []) {
    this.#passedOver = PASSED_OVER.difference(new Set(asked));
    this.#containers = [root];
    this.#outline = outline;
    this.#reader = reader;
  }

  open(name: string, xml: XmlElement): void {
    if (this.#passingOver > 0 || this.#passedOver.has(name)) {
      this.#passingOver += 1;
    } else if (this.#open.length === 0 && this.#isContainer(name)) {
      this.#containers.push(name);
      this.#reader.enter(name);
    } else {
      this.#open.push({ name, currency: xml.attribute("Ccy"), text: "", children: [], size: ELEMENT_SIZE });
    }
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined || this.#passingOver > 0) return;
    element.text += text;
    element.size += text.length;
    this.#limit(element);
  }

  close(): void {
    if (this.#passingOver > 0) {
      this.#passingOver -= 1;
      return;
    }
    const element = this.#open.pop();
    if (element !== undefined) {
      this.#hang(element);
    } else if (this.#containers.length > 1) {
      this.#reader.leave(this.#containers.pop() ?? "");
    }
  }

  /** Nothing came after the document. */
  end(): void {
    this.#reader.end();
  }

  #hang(element: Element): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#reader.take(this.#containers.at(-1) ?? "", element);
      return;
    }
    parent.children.push(element);
    parent.size += element.size;
    this.#limit(parent);
  }

  #limit(element: Element): void {
    if (element.size <= TREE_SIZE_MAX) return;
    throw new BankFileRefused(
      "too_long",
      `The element ${element.name.slice(0, 40)} is larger than ${TREE_SIZE_MAX} bytes`,
    );
  }

  #isContainer(name: string): boolean {
    return this.#outline[this.#containers.at(-1) ?? ""]?.has(name) ?? false;
  }
}
