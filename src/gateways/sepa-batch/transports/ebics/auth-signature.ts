/** The authentication signature X002 over everything that a message marks with authenticate="true". */
import type { KeyObject } from "node:crypto";
import { canonical } from "../../../../files/xml-canonical.ts";
import { element, type Markup } from "../../../../files/xml-markup.ts";
import {
  attributeOf,
  elementAt,
  outermost,
  elementText,
  Unreadable,
  xmlTree,
  type XmlNode,
} from "../../../../files/xml-tree.ts";
import { DECLARATION } from "../../../../files/xml-writer.ts";
import { sameBytes, sha256 } from "../../../../lib/keyring.ts";
import { authenticate, isAuthentic } from "./crypto.ts";
import { SHA256 } from "./subscriber.ts";

/** A segment has a megabyte, its envelope some kilobytes. */
export const MESSAGE_CHARS_MAX = 4 * 1_024 ** 2;

const C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const AUTHENTICATED = "#xpointer(//*[@authenticate='true'])";

/**
 * Returns the message with its signature.
 * @param message builds the message around the signature element.
 */
export function signedMessage(message: (signature: Markup | null) => Markup, key: KeyObject): string {
  const signedInfo = signedInfoOf(digestOf(xmlTree(message(null).text, MESSAGE_CHARS_MAX)));
  const unsigned = xmlTree(message(element("AuthSignature", {}, signedInfo)).text, MESSAGE_CHARS_MAX);
  const info = elementAt(unsigned, "AuthSignature", "SignedInfo");
  if (info === null) throw new Unreadable("The message has no place for its signature.");
  const value = authenticate(key, canonical(info)).toString("base64");
  const signature = element("AuthSignature", {}, signedInfo, element("ds:SignatureValue", {}, value));
  return DECLARATION + message(signature).text;
}

/** Whether the key's owner has signed everything that the message marks as authenticated. */
export function isSignedBy(root: XmlNode, key: KeyObject): boolean {
  const info = elementAt(root, "AuthSignature", "SignedInfo");
  const value = elementText(root, "AuthSignature", "SignatureValue");
  const digest = elementText(root, "AuthSignature", "SignedInfo", "Reference", "DigestValue");
  if (info === null || value === null || digest === null || !namesAlgorithms(info)) return false;
  return (
    sameBytes(Buffer.from(digest, "base64"), digestOf(root)) &&
    isAuthentic(key, canonical(info), Buffer.from(value, "base64"))
  );
}

function signedInfoOf(digest: Buffer): Markup {
  return element(
    "ds:SignedInfo",
    {},
    element("ds:CanonicalizationMethod", { Algorithm: C14N }),
    element("ds:SignatureMethod", { Algorithm: RSA_SHA256 }),
    element(
      "ds:Reference",
      { URI: AUTHENTICATED },
      element("ds:Transforms", {}, element("ds:Transform", { Algorithm: C14N })),
      element("ds:DigestMethod", { Algorithm: SHA256 }),
      element("ds:DigestValue", {}, digest.toString("base64")),
    ),
  );
}

/** Whether the signature uses the algorithms of EBICS and references all marked elements. */
function namesAlgorithms(info: XmlNode): boolean {
  const algorithm = (...path: readonly string[]) => {
    const node = elementAt(info, ...path);
    return node === null ? null : attributeOf(node, "Algorithm");
  };
  const reference = elementAt(info, "Reference");
  return (
    algorithm("CanonicalizationMethod") === C14N &&
    algorithm("SignatureMethod") === RSA_SHA256 &&
    algorithm("Reference", "Transforms", "Transform") === C14N &&
    algorithm("Reference", "DigestMethod") === SHA256 &&
    reference !== null &&
    attributeOf(reference, "URI") === AUTHENTICATED
  );
}

/** Whether the element is marked as covered by the signature. */
export function isMarked(node: XmlNode): boolean {
  return attributeOf(node, "authenticate") === "true";
}

function digestOf(root: XmlNode): Buffer {
  return sha256(outermost(root, isMarked).map(canonical).join(""));
}
