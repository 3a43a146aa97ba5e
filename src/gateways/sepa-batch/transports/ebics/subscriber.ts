/** A user, the bank's EBICS host and the version: the parameters of every message. */
import type { SignatureVersion } from "./crypto.ts";
import type { BankKeys, DigestOf, OwnKeys } from "./keys.ts";

export type EbicsVersion = "H004" | "H005";

/** Whether our signature alone releases an order (E), or a person releases it at the bank (T). */
type SignatureClass = "T" | "E";

export interface Subscriber {
  readonly version: EbicsVersion;
  readonly hostId: string;
  readonly partnerId: string;
  readonly userId: string;
  readonly signatureVersion: SignatureVersion;
  readonly signatureClass: SignatureClass;
  readonly digestOf: DigestOf;
}

/** A subscriber with keys that were sent to the bank. */
export interface KeyedSubscriber extends Subscriber {
  readonly keys: OwnKeys;
}

/** A subscriber whose bank keys a person has compared with the bank's letter. */
export interface ReadySubscriber extends KeyedSubscriber {
  readonly bankKeys: BankKeys;
}

/** The namespaces of a version, for messages and for signatures. */
export const NAMESPACES: Readonly<
  Record<EbicsVersion, { readonly message: string; readonly signature: string }>
> = {
  H004: { message: "urn:org:ebics:H004", signature: "http://www.ebics.org/S001" },
  H005: { message: "urn:org:ebics:H005", signature: "http://www.ebics.org/S002" },
};

export const XMLDSIG = "http://www.w3.org/2000/09/xmldsig#";
export const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";
