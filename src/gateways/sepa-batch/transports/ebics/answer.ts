/** Reads the bank's answers, and believes only those that its confirmed key has signed. */
import { attributeOf, find, textAt, Unreadable, xmlTree, type XmlNode } from "../../../../files/xml-tree.ts";
import { isMarked, isSignedBy, MESSAGE_CHARS_MAX } from "./auth-signature.ts";
import { unwrapKey } from "./crypto.ts";
import { deciding, describe } from "./return-codes.ts";
import { NAMESPACES, type KeyedSubscriber, type ReadySubscriber } from "./subscriber.ts";

export interface Answer {
  /** The one that decides. */
  readonly code: string;
  readonly transactionId: string | null;
  readonly orderId: string | null;
  /** Of a download. */
  readonly segments: number | null;
  readonly segment: { readonly number: number; readonly last: boolean } | null;
  readonly phase: string | null;
  /** Opened; of the first answer of a download. */
  readonly transactionKey: Buffer | null;
  /** Encrypted. */
  readonly orderData: Buffer | null;
}

/** @throws Unreadable for what is not an answer of this bank in this version. */
export function readAnswer(text: string, subscriber: ReadySubscriber): Answer {
  const root = xmlTree(text, MESSAGE_CHARS_MAX);
  checkKind(root, subscriber, "ebicsResponse");
  const codes = codesOf(root);
  const { publicKey } = subscriber.bankKeys.authentication;
  if (!isMarkedWhole(root) || !isSignedBy(root, publicKey)) {
    throw new Unreadable(
      `The answer is not signed with the bank's confirmed key X002; it claims ${describe(codes.code)}.`,
    );
  }
  return { ...codes, ...whereOf(root), ...dataOf(root, subscriber) };
}

/** The answer to a request before the bank's keys are known: it has no signature. @throws Unreadable. */
export function readKeyAnswer(text: string, subscriber: KeyedSubscriber): Answer {
  const root = xmlTree(text, MESSAGE_CHARS_MAX);
  // Some hosts answer an error with the other kind of message.
  checkKind(
    root,
    subscriber,
    find(root, "AuthSignature") === null ? "ebicsKeyManagementResponse" : "ebicsResponse",
  );
  return { ...codesOf(root), ...whereOf(root), ...dataOf(root, subscriber) };
}

function checkKind(root: XmlNode, { version }: KeyedSubscriber, name: string): void {
  if (root.local !== name || root.namespace !== NAMESPACES[version].message) {
    throw new Unreadable(`The answer is ${root.local.slice(0, 40)}, not ${name} of ${version}.`);
  }
}

/** Whether the signature covers all that we believe. */
function isMarkedWhole(root: XmlNode): boolean {
  const encryption = find(root, "body", "DataTransfer", "DataEncryptionInfo");
  const parts = [find(root, "header"), find(root, "body", "ReturnCode")];
  return (
    parts.every((part) => part !== null && isMarked(part)) && (encryption === null || isMarked(encryption))
  );
}

function codesOf(root: XmlNode): Pick<Answer, "code"> {
  const technical = textAt(root, "header", "mutable", "ReturnCode");
  const business = textAt(root, "body", "ReturnCode") ?? "000000";
  if (technical === null || !/^[0-9]{6}$/.test(technical) || !/^[0-9]{6}$/.test(business)) {
    throw new Unreadable("The answer has no return code.");
  }
  return { code: deciding(technical, business) };
}

function whereOf(root: XmlNode): Omit<Answer, "code" | "transactionKey" | "orderData"> {
  const number = find(root, "header", "mutable", "SegmentNumber");
  return {
    transactionId: textAt(root, "header", "static", "TransactionID")?.toUpperCase() ?? null,
    orderId: textAt(root, "header", "mutable", "OrderID"),
    segments: wholeNumber(textAt(root, "header", "static", "NumSegments")),
    segment:
      number === null
        ? null
        : {
            number: wholeNumber(textAt(root, "header", "mutable", "SegmentNumber")) ?? 0,
            last: ["true", "1"].includes(attributeOf(number, "lastSegment") ?? ""),
          },
    phase: textAt(root, "header", "mutable", "TransactionPhase"),
  };
}

function dataOf(root: XmlNode, { keys }: KeyedSubscriber): Pick<Answer, "transactionKey" | "orderData"> {
  const wrapped = textAt(root, "body", "DataTransfer", "DataEncryptionInfo", "TransactionKey");
  const data = textAt(root, "body", "DataTransfer", "OrderData");
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
