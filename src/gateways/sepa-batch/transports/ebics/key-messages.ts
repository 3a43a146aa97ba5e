/** The messages that carry public keys: INI, HIA, HPB and HCS. */
import { inflateSync } from "node:zlib";
import { element, type Markup } from "../../../../files/xml-markup.ts";
import {
  elementAt,
  outermost,
  elementText,
  Unreadable,
  xmlTree,
  type XmlNode,
} from "../../../../files/xml-tree.ts";
import { DECLARATION } from "../../../../files/xml-writer.ts";
import { decryption, numbersOf, publicKeyOf } from "./crypto.ts";
import {
  ofCertificate,
  versionOf,
  type BankKey,
  type BankKeys,
  type KeyPurpose,
  type OwnKeys,
} from "./keys.ts";
import { NAMESPACES, XMLDSIG, type KeyedSubscriber, type Subscriber } from "./subscriber.ts";

const KEY_DATA_BYTES_MAX = 256 * 1_024;

/** The order data of INI: the signature key. */
export function signatureKeyData(subscriber: KeyedSubscriber): Buffer {
  const { signature } = NAMESPACES[subscriber.version];
  const info = keyInfo(subscriber, subscriber.keys, "signature");
  return document("SignaturePubKeyOrderData", signature, [info, ...who(subscriber)]);
}

/** The order data of HIA: the authentication and encryption keys. */
export function otherKeysData(subscriber: KeyedSubscriber): Buffer {
  const { message } = NAMESPACES[subscriber.version];
  return document("HIARequestOrderData", message, [
    keyInfo(subscriber, subscriber.keys, "authentication"),
    keyInfo(subscriber, subscriber.keys, "encryption"),
    ...who(subscriber),
  ]);
}

/** The order data of HCS: three new keys, signed with the old ones. */
export function newKeysData(subscriber: Subscriber, keys: OwnKeys): Buffer {
  const { message, signature } = NAMESPACES[subscriber.version];
  return document("HCSRequestOrderData", message, [
    keyInfo(subscriber, keys, "authentication"),
    keyInfo(subscriber, keys, "encryption"),
    keyInfo(subscriber, keys, "signature", { xmlns: signature }),
    ...who(subscriber),
  ]);
}

/** The bank's keys in the answer to HPB. @throws Unreadable, or Error when a key is too weak. */
export function bankKeysOf(transactionKey: Buffer, encrypted: Buffer, { hostId }: Subscriber): BankKeys {
  const decipher = decryption(transactionKey);
  const packed = Buffer.concat([decipher.update(encrypted), decipher.final()]);
  let text: string;
  try {
    text = inflateSync(packed, { maxOutputLength: KEY_DATA_BYTES_MAX }).toString();
  } catch {
    throw new Unreadable("The bank's keys cannot be decrypted.");
  }
  const root = xmlTree(text, KEY_DATA_BYTES_MAX);
  if (elementText(root, "HostID") !== hostId) throw new Unreadable("The keys are those of another bank.");
  return {
    authentication: bankKey(root, "AuthenticationPubKeyInfo"),
    encryption: bankKey(root, "EncryptionPubKeyInfo"),
  };
}

function bankKey(root: XmlNode, name: string): BankKey {
  const info = elementAt(root, name);
  if (info === null) throw new Unreadable(`The answer has no ${name}.`);
  const [certificate] = outermost(info, ({ local }) => local === "X509Certificate");
  if (certificate !== undefined) return ofCertificate(Buffer.from(elementText(certificate) ?? "", "base64"));
  const number = (part: string) => elementText(info, "PubKeyValue", "RSAKeyValue", part);
  const [modulus, exponent] = [number("Modulus"), number("Exponent")];
  if (modulus === null || exponent === null) throw new Unreadable(`The answer has no key in ${name}.`);
  const publicKey = publicKeyOf(Buffer.from(modulus, "base64"), Buffer.from(exponent, "base64"));
  return { publicKey, certificate: null };
}

const ELEMENTS: Readonly<Record<KeyPurpose, readonly [info: string, version: string]>> = {
  signature: ["SignaturePubKeyInfo", "SignatureVersion"],
  authentication: ["AuthenticationPubKeyInfo", "AuthenticationVersion"],
  encryption: ["EncryptionPubKeyInfo", "EncryptionVersion"],
};

function keyInfo(
  { version, signatureVersion }: Subscriber,
  keys: OwnKeys,
  use: KeyPurpose,
  attributes: Readonly<Record<string, string>> = {},
): Markup {
  const [info, versionName] = ELEMENTS[use];
  const { certificate, publicKey } = keys[use];
  const key =
    version === "H005"
      ? element("ds:X509Data", {}, element("ds:X509Certificate", {}, certificate.toString("base64")))
      : keyValue(numbersOf(publicKey));
  return element(info, attributes, key, element(versionName, {}, versionOf(use, signatureVersion)));
}

function keyValue({ modulus, exponent }: ReturnType<typeof numbersOf>): Markup {
  const base64 = (hex: string) =>
    Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString("base64");
  return element(
    "PubKeyValue",
    {},
    element(
      "ds:RSAKeyValue",
      {},
      element("ds:Modulus", {}, base64(modulus)),
      element("ds:Exponent", {}, base64(exponent)),
    ),
  );
}

function who({ partnerId, userId }: Subscriber): readonly Markup[] {
  return [element("PartnerID", {}, partnerId), element("UserID", {}, userId)];
}

function document(name: string, namespace: string, inside: readonly Markup[]): Buffer {
  return Buffer.from(DECLARATION + element(name, { xmlns: namespace, "xmlns:ds": XMLDSIG }, ...inside).text);
}
