/** The requests of EBICS: key management, upload, download, receipt. Pure, except for the signatures. */
import { element, type Markup } from "../../../../files/xml-markup.ts";
import { DECLARATION } from "../../../../files/xml-writer.ts";
import { signedMessage } from "./auth-signature.ts";
import { digestOf } from "./keys.ts";
import { serviceElement, type Order } from "./orders.ts";
import {
  NAMESPACES,
  SHA256,
  XMLDSIG,
  type KeyedSubscriber,
  type ReadySubscriber,
  type Subscriber,
} from "./subscriber.ts";

/** The nonce and time that make a request unique. */
export interface Moment {
  /** 16 unpredictable bytes, never used twice. */
  readonly nonce: Buffer;
  readonly at: Date;
}

/** INI and HIA: our public keys, before the bank knows any of them. @param orderData compressed. */
export function unsecuredRequest(subscriber: Subscriber, type: "INI" | "HIA", orderData: Buffer): string {
  const header = element(
    "header",
    { authenticate: "true" },
    element("static", {}, ...who(subscriber), keyOrder(subscriber, type, "DZNNN"), medium()),
    element("mutable", {}),
  );
  const body = element(
    "body",
    {},
    element("DataTransfer", {}, element("OrderData", {}, orderData.toString("base64"))),
  );
  return DECLARATION + root(subscriber, "ebicsUnsecuredRequest", header, body).text;
}

/** HPB: requests the bank's public keys. */
export function bankKeysRequest(subscriber: KeyedSubscriber, moment: Moment): string {
  const details = keyOrder(subscriber, "HPB", "DZHNN");
  const header = element(
    "header",
    { authenticate: "true" },
    element("static", {}, ...who(subscriber, moment), details, medium()),
    element("mutable", {}),
  );
  return signed(subscriber, (signature) =>
    root(subscriber, "ebicsNoPubKeyDigestsRequest", header, signature, element("body", {})),
  );
}

interface UploadStart {
  readonly order: Order;
  readonly segments: number;
  /** The transaction key, wrapped for the bank. */
  readonly wrappedKey: Buffer;
  /** Compressed and encrypted. */
  readonly signatureData: Buffer;
  /** SHA-256 of the signed part of the order data. */
  readonly digest: Buffer;
}

/** Begins an upload. */
export function uploadRequest(subscriber: ReadySubscriber, start: UploadStart, moment: Moment): string {
  const { digest, signatureData, wrappedKey, segments } = start;
  const details = uploadOrder(subscriber, start.order);
  const h005 = subscriber.version === "H005";
  const body = element(
    "body",
    {},
    element(
      "DataTransfer",
      {},
      element(
        "DataEncryptionInfo",
        { authenticate: "true" },
        element(
          "EncryptionPubKeyDigest",
          { Version: "E002", Algorithm: SHA256 },
          digestOf(subscriber.bankKeys.encryption, subscriber.digestOf).toString("base64"),
        ),
        element("TransactionKey", {}, wrappedKey.toString("base64")),
      ),
      element("SignatureData", { authenticate: "true" }, signatureData.toString("base64")),
      h005
        ? element("DataDigest", { SignatureVersion: subscriber.signatureVersion }, digest.toString("base64"))
        : null,
    ),
  );
  return signed(subscriber, (signature) =>
    root(subscriber, "ebicsRequest", startHeader(subscriber, details, moment, segments), signature, body),
  );
}

/** Begins a download. */
export function downloadRequest(subscriber: ReadySubscriber, order: Order, moment: Moment): string {
  const header = startHeader(subscriber, downloadOrder(subscriber, order), moment, null);
  return signed(subscriber, (signature) =>
    root(subscriber, "ebicsRequest", header, signature, element("body", {})),
  );
}

interface Segment {
  readonly transactionId: string;
  /** From 1. */
  readonly number: number;
  readonly last: boolean;
}

/**
 * Sends a segment, or requests one.
 * @param data in base64; null to request.
 */
export function transferRequest(subscriber: ReadySubscriber, segment: Segment, data: string | null): string {
  const number = element("SegmentNumber", { lastSegment: String(segment.last) }, String(segment.number));
  const header = nextHeader(subscriber, segment.transactionId, "Transfer", number);
  const body =
    data === null
      ? element("body", {})
      : element("body", {}, element("DataTransfer", {}, element("OrderData", {}, data)));
  return signed(subscriber, (signature) => root(subscriber, "ebicsRequest", header, signature, body));
}

/**
 * Ends a download.
 * @param taken false: the bank keeps the data and delivers it again.
 */
export function receiptRequest(subscriber: ReadySubscriber, transactionId: string, taken: boolean): string {
  const receipt = element(
    "TransferReceipt",
    { authenticate: "true" },
    element("ReceiptCode", {}, taken ? "0" : "1"),
  );
  return signed(subscriber, (signature) =>
    root(
      subscriber,
      "ebicsRequest",
      nextHeader(subscriber, transactionId, "Receipt", null),
      signature,
      element("body", {}, receipt),
    ),
  );
}

function signed(subscriber: KeyedSubscriber, message: (signature: Markup | null) => Markup): string {
  return signedMessage(message, subscriber.keys.authentication.privateKey);
}

function root({ version }: Subscriber, name: string, ...inside: readonly (Markup | null)[]): Markup {
  const attributes = {
    xmlns: NAMESPACES[version].message,
    "xmlns:ds": XMLDSIG,
    Version: version,
    Revision: "1",
  };
  return element(name, attributes, ...inside);
}

function who({ hostId, partnerId, userId }: Subscriber, moment?: Moment): readonly Markup[] {
  return [
    element("HostID", {}, hostId),
    ...(moment === undefined
      ? []
      : [
          element("Nonce", {}, moment.nonce.toString("hex").toUpperCase()),
          element("Timestamp", {}, `${moment.at.toISOString().slice(0, 19)}Z`),
        ]),
    element("PartnerID", {}, partnerId),
    element("UserID", {}, userId),
  ];
}

function medium(): Markup {
  return element("SecurityMedium", {}, "0000");
}

function keyOrder({ version }: Subscriber, type: string, attribute: string): Markup {
  return version === "H005"
    ? element("OrderDetails", {}, element("AdminOrderType", {}, type))
    : element("OrderDetails", {}, element("OrderType", {}, type), element("OrderAttribute", {}, attribute));
}

/** OZHNN: signed, released at once. DZHNN: transport only, a person releases it. */
function uploadOrder({ version, signatureClass }: Subscriber, order: Order): Markup {
  if (version === "H004" || order.kind === "type") {
    const type = typeOf(order);
    const attribute = signatureClass === "T" && !KEY_ORDERS.has(type) ? "DZHNN" : "OZHNN";
    return oldDetails(version, type, attribute);
  }
  const eds =
    signatureClass === "T" ? element("SignatureFlag", { requestEDS: "true" }) : element("SignatureFlag", {});
  return element(
    "OrderDetails",
    {},
    element("AdminOrderType", {}, "BTU"),
    element("BTUOrderParams", {}, serviceElement(order.service), eds),
  );
}

/** Orders about our own keys are always signed. */
const KEY_ORDERS = new Set(["HCS", "SPR"]);

function downloadOrder({ version }: Subscriber, order: Order): Markup {
  if (version === "H004" || order.kind === "type") return oldDetails(version, typeOf(order), "DZHNN");
  return element(
    "OrderDetails",
    {},
    element("AdminOrderType", {}, "BTD"),
    element("BTDOrderParams", {}, serviceElement(order.service)),
  );
}

function oldDetails(version: Subscriber["version"], type: string, attribute: string): Markup {
  return version === "H005"
    ? element("OrderDetails", {}, element("AdminOrderType", {}, type), element("StandardOrderParams", {}))
    : element(
        "OrderDetails",
        {},
        element("OrderType", {}, type),
        element("OrderAttribute", {}, attribute),
        element("StandardOrderParams", {}),
      );
}

function typeOf(order: Order): string {
  if (order.kind === "service") throw new Error("H004 has order types of three letters, and no services.");
  return order.type;
}

function startHeader(
  subscriber: ReadySubscriber,
  details: Markup,
  moment: Moment,
  segments: number | null,
): Markup {
  const { bankKeys, digestOf: of } = subscriber;
  const digest = (name: string, key: "authentication" | "encryption", version: string) =>
    element(name, { Version: version, Algorithm: SHA256 }, digestOf(bankKeys[key], of).toString("base64"));
  return element(
    "header",
    { authenticate: "true" },
    element(
      "static",
      {},
      ...who(subscriber, moment),
      details,
      element(
        "BankPubKeyDigests",
        {},
        digest("Authentication", "authentication", "X002"),
        digest("Encryption", "encryption", "E002"),
      ),
      medium(),
      segments === null ? null : element("NumSegments", {}, String(segments)),
    ),
    element("mutable", {}, element("TransactionPhase", {}, "Initialisation")),
  );
}

function nextHeader(
  { hostId }: Subscriber,
  transactionId: string,
  phase: string,
  number: Markup | null,
): Markup {
  return element(
    "header",
    { authenticate: "true" },
    element("static", {}, element("HostID", {}, hostId), element("TransactionID", {}, transactionId)),
    element("mutable", {}, element("TransactionPhase", {}, phase), number),
  );
}
