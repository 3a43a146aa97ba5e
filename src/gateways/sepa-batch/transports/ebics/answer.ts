/** Reads the bank's answers, and accepts only those signed with its confirmed key. */
import {
  attributeOf,
  elementAt,
  elementText,
  Unreadable,
  xmlTree,
  type XmlNode,
} from "../../../../files/xml-tree.ts";
import { isMarked, isSignedBy, MESSAGE_CHARS_MAX } from "./auth-signature.ts";
import { unwrapKey } from "./crypto.ts";
import { decidingCode, describeCode } from "./return-codes.ts";
import { NAMESPACES, type KeyedSubscriber, type ReadySubscriber } from "./subscriber.ts";

export interface BankAnswer {
  /** The deciding code. */
  readonly code: string;
  readonly transactionId: string | null;
  readonly orderId: string | null;
  /** For a download. */
  readonly segments: number | null;
  readonly segment: { readonly number: number; readonly last: boolean } | null;
  readonly phase: string | null;
  /** Unwrapped; in the first answer of a download. */
  readonly transactionKey: Buffer | null;
  /** Encrypted. */
  readonly orderData: Buffer | null;
}

/**
 * Reads and verifies an answer.
 * @throws Unreadable unless it is an answer of this bank in this version.
 */
export function readAnswer(text: string, subscriber: ReadySubscriber): BankAnswer {
  const root = xmlTree(text, MESSAGE_CHARS_MAX);
  checkKind(root, subscriber, "ebicsResponse");
  const codes = codesOf(root);
  const { publicKey } = subscriber.bankKeys.authentication;
  if (!isMarkedWhole(root) || !isSignedBy(root, publicKey)) {
    throw new Unreadable(
      `The answer is not signed with the bank's confirmed key X002; it claims ${describeCode(codes.code)}.`,
    );
  }
  return { ...codes, ...whereOf(root), ...dataOf(root, subscriber) };
}

/**
 * Reads the answer to a request made before the bank's keys are known: it is not signed.
 * @throws Unreadable.
 */
export function readKeyAnswer(text: string, subscriber: KeyedSubscriber): BankAnswer {
  const root = xmlTree(text, MESSAGE_CHARS_MAX);
  // Some hosts answer an error with the other kind of message.
  checkKind(
    root,
    subscriber,
    elementAt(root, "AuthSignature") === null ? "ebicsKeyManagementResponse" : "ebicsResponse",
  );
  return { ...codesOf(root), ...whereOf(root), ...dataOf(root, subscriber) };
}

function checkKind(root: XmlNode, { version }: KeyedSubscriber, name: string): void {
  if (root.local !== name || root.namespace !== NAMESPACES[version].message) {
    throw new Unreadable(`The answer is ${root.local.slice(0, 40)}, not ${name} of ${version}.`);
  }
}

/** Whether the signature covers everything that is read from the answer. */
function isMarkedWhole(root: XmlNode): boolean {
  const encryption = elementAt(root, "body", "DataTransfer", "DataEncryptionInfo");
  const parts = [elementAt(root, "header"), elementAt(root, "body", "ReturnCode")];
  return (
    parts.every((part) => part !== null && isMarked(part)) && (encryption === null || isMarked(encryption))
  );
}

function codesOf(root: XmlNode): Pick<BankAnswer, "code"> {
  const technical = elementText(root, "header", "mutable", "ReturnCode");
  const business = elementText(root, "body", "ReturnCode") ?? "000000";
  if (technical === null || !/^[0-9]{6}$/.test(technical) || !/^[0-9]{6}$/.test(business)) {
    throw new Unreadable("The answer has no return code.");
  }
  return { code: decidingCode(technical, business) };
}

function whereOf(root: XmlNode): Omit<BankAnswer, "code" | "transactionKey" | "orderData"> {
  const number = elementAt(root, "header", "mutable", "SegmentNumber");
  return {
    transactionId: elementText(root, "header", "static", "TransactionID")?.toUpperCase() ?? null,
    orderId: elementText(root, "header", "mutable", "OrderID"),
    segments: wholeNumber(elementText(root, "header", "static", "NumSegments")),
    segment:
      number === null
        ? null
        : {
            number: wholeNumber(elementText(root, "header", "mutable", "SegmentNumber")) ?? 0,
            last: ["true", "1"].includes(attributeOf(number, "lastSegment") ?? ""),
          },
    phase: elementText(root, "header", "mutable", "TransactionPhase"),
  };
}

function dataOf(root: XmlNode, { keys }: KeyedSubscriber): Pick<BankAnswer, "transactionKey" | "orderData"> {
  const wrapped = elementText(root, "body", "DataTransfer", "DataEncryptionInfo", "TransactionKey");
  const data = elementText(root, "body", "DataTransfer", "OrderData");
  try {
    return {
      transactionKey:
        wrapped === null ? null : unwrapKey(keys.encryption.privateKey, Buffer.from(wrapped, "base64")),
      orderData: data === null ? null : Buffer.from(data, "base64"),
    };
  } catch (error) {
    throw new Unreadable(`The answer's key cannot be opened: ${error instanceof Error ? error.message : ""}`);
  }
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
}
