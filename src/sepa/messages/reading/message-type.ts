/** Which kind of bank message a file is, by the namespace of its root element. */
import { BankFileRefused } from "../../../files/refused.ts";

type MessageFamily = "camt.052" | "camt.053" | "camt.054" | "pain.002";

export interface MessageType {
  readonly family: MessageFamily;
  /** `2` for camt.053.001.02. The German pain.002.002.03 and .003.03 are version 3. */
  readonly version: number;
  readonly namespace: string;
}

const ISO = /^urn:iso:std:iso:20022:tech:xsd:(camt\.05[234]|pain\.002)\.001\.(\d\d)$/;
/** Subsets of pain.002.001.03 under a name of their own: of the German banks until 2013, and of the Swiss ones. */
const SUBSET =
  /^(?:urn:iso:std:iso:20022:tech:xsd:pain\.002\.00[23]\.03|http:\/\/www\.six-interbank-clearing\.com\/de\/pain\.002\.001\.03\.ch\.02\.xsd)$/;

const VERSIONS: Readonly<Record<MessageFamily, readonly [first: number, last: number]>> = {
  "camt.052": [2, 13],
  "camt.053": [2, 13],
  "camt.054": [2, 13],
  "pain.002": [3, 14],
};

/** @throws BankFileRefused for any other document. */
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
