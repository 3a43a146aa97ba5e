/** The requests as the schemas of H005 and H004 want them, which not every machine has (tests/ebics/schemas.test.ts). */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import test from "node:test";
import { keyHash } from "./crypto.ts";
import { orderOf } from "./orders.ts";
import {
  bankKeysRequest,
  downloadRequest,
  receiptRequest,
  transferRequest,
  unsecuredRequest,
  uploadRequest,
} from "./requests.ts";
import type { ReadySubscriber } from "./subscriber.ts";

const pair = { ...generateKeyPairSync("rsa", { modulusLength: 2_048 }), certificate: Buffer.from("c") };
const MOMENT = {
  nonce: Buffer.from("0123456789abcdef".repeat(2), "hex"),
  at: new Date("2026-01-02T03:04:05.999Z"),
};

const subscriber = (changes: Partial<ReadySubscriber> = {}): ReadySubscriber => ({
  version: "H005",
  hostId: "BANK",
  partnerId: "PARTNER",
  userId: "USER",
  signatureVersion: "A006",
  signatureClass: "E",
  digestOf: "key",
  keys: { signature: pair, authentication: pair, encryption: pair },
  bankKeys: { authentication: pair, encryption: pair },
  ...changes,
});

const SHA256 = 'Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"';
const HASH = keyHash(pair.publicKey).toString("base64");
const USER = "<PartnerID>PARTNER</PartnerID><UserID>USER</UserID>";
const WHO_NOW = `<HostID>BANK</HostID><Nonce>0123456789ABCDEF0123456789ABCDEF</Nonce><Timestamp>2026-01-02T03:04:05Z</Timestamp>${USER}`;
const MEDIUM = "<SecurityMedium>0000</SecurityMedium>";
const DIGESTS = `<BankPubKeyDigests><Authentication Version="X002" ${SHA256}>${HASH}</Authentication><Encryption Version="E002" ${SHA256}>${HASH}</Encryption></BankPubKeyDigests>`;
const CORE =
  "<Service><ServiceName>SDD</ServiceName><ServiceOption>COR</ServiceOption><MsgName>pain.008</MsgName></Service>";
const ADMIN = (type: string) => `<AdminOrderType>${type}</AdminOrderType>`;
const OLD = (type: string, attribute: string) =>
  `<OrderType>${type}</OrderType><OrderAttribute>${attribute}</OrderAttribute>`;
const PARAMS = "<StandardOrderParams></StandardOrderParams>";

const details = (inside: string) => `<OrderDetails>${inside}</OrderDetails>`;
const message = (name: string, fixed: string, mutable: string, body: string, version = "H005") =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="urn:org:ebics:${version}" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Version="${version}" Revision="1">` +
  `<header authenticate="true"><static>${fixed}</static><mutable>${mutable}</mutable></header>` +
  `${name === "ebicsUnsecuredRequest" ? "" : "<AuthSignature/>"}<body>${body}</body></${name}>`;
const START = "<TransactionPhase>Initialisation</TransactionPhase>";
const start = (order: string, segments = "", body = "", version = "H005") =>
  message("ebicsRequest", WHO_NOW + details(order) + DIGESTS + MEDIUM + segments, START, body, version);
const next = (mutable: string, body: string) =>
  message("ebicsRequest", "<HostID>BANK</HostID><TransactionID>AB</TransactionID>", mutable, body);
const segment = (number: number, last: boolean) =>
  `<TransactionPhase>Transfer</TransactionPhase><SegmentNumber lastSegment="${last}">${number}</SegmentNumber>`;

const UPLOAD = {
  segments: 3,
  wrappedKey: Buffer.from("wrapped"),
  signatureData: Buffer.from("signature"),
  digest: Buffer.from("digest"),
};
const SEGMENTS = "<NumSegments>3</NumSegments>";
const upload = (of: ReadySubscriber, order: string) =>
  uploadRequest(of, { ...UPLOAD, order: orderOf(order) }, MOMENT);
const uploaded = (digest: string) =>
  `<DataTransfer><DataEncryptionInfo authenticate="true"><EncryptionPubKeyDigest Version="E002" ${SHA256}>${HASH}</EncryptionPubKeyDigest>` +
  `<TransactionKey>d3JhcHBlZA==</TransactionKey></DataEncryptionInfo><SignatureData authenticate="true">c2lnbmF0dXJl</SignatureData>${digest}</DataTransfer>`;
const DIGEST = uploaded('<DataDigest SignatureVersion="A006">ZGlnZXN0</DataDigest>');
const NO_DIGEST = uploaded("");
const H004 = subscriber({ version: "H004" });
const H004_T = subscriber({ version: "H004", signatureClass: "T" });
const T = subscriber({ signatureClass: "T" });
const keys = (order: string, version?: string) =>
  message(
    "ebicsUnsecuredRequest",
    `<HostID>BANK</HostID>${USER}${details(order)}${MEDIUM}`,
    "",
    "<DataTransfer><OrderData>a2V5cw==</OrderData></DataTransfer>",
    version,
  );
const bankKeys = (order: string, version?: string) =>
  message("ebicsNoPubKeyDigestsRequest", WHO_NOW + details(order) + MEDIUM, "", "", version);
const BTU = (flag: string) => `${ADMIN("BTU")}<BTUOrderParams>${CORE}${flag}</BTUOrderParams>`;

/** The documents, without the value of the signature. */
const REQUESTS: readonly (readonly [what: string, request: string, expected: string])[] = [
  ["INI of H005", unsecuredRequest(subscriber(), "INI", Buffer.from("keys")), keys(ADMIN("INI"))],
  ["HIA of H004", unsecuredRequest(H004, "HIA", Buffer.from("keys")), keys(OLD("HIA", "DZNNN"), "H004")],
  ["HPB of H005", bankKeysRequest(subscriber(), MOMENT), bankKeys(ADMIN("HPB"))],
  ["HPB of H004", bankKeysRequest(H004, MOMENT), bankKeys(OLD("HPB", "DZHNN"), "H004")],
  [
    "an upload of H005, signed by us alone",
    upload(subscriber(), "SDD//COR//pain.008"),
    start(BTU("<SignatureFlag></SignatureFlag>"), SEGMENTS, DIGEST),
  ],
  [
    "an upload of H005 that a person releases",
    upload(T, "SDD//COR//pain.008"),
    start(BTU('<SignatureFlag requestEDS="true"></SignatureFlag>'), SEGMENTS, DIGEST),
  ],
  ["new keys of H005", upload(T, "HCS"), start(ADMIN("HCS") + PARAMS, SEGMENTS, DIGEST)],
  [
    "an upload of H004, signed by us alone",
    upload(H004, "CDD"),
    start(OLD("CDD", "OZHNN") + PARAMS, SEGMENTS, NO_DIGEST, "H004"),
  ],
  [
    "an upload of H004 that a person releases",
    upload(H004_T, "CDD"),
    start(OLD("CDD", "DZHNN") + PARAMS, SEGMENTS, NO_DIGEST, "H004"),
  ],
  [
    "new keys of H004, which no person releases",
    upload(H004_T, "HCS"),
    start(OLD("HCS", "OZHNN") + PARAMS, SEGMENTS, NO_DIGEST, "H004"),
  ],
  [
    "the end of a user of H004, which no person releases",
    upload(H004_T, "SPR"),
    start(OLD("SPR", "OZHNN") + PARAMS, SEGMENTS, NO_DIGEST, "H004"),
  ],
  [
    "a download of H005",
    downloadRequest(subscriber(), orderOf("EOP/CH/OPT/ZIP/camt.053:08"), MOMENT),
    start(
      `${ADMIN("BTD")}<BTDOrderParams><Service><ServiceName>EOP</ServiceName><Scope>CH</Scope><ServiceOption>OPT</ServiceOption><Container containerType="ZIP"></Container><MsgName version="08">camt.053</MsgName></Service></BTDOrderParams>`,
    ),
  ],
  ["the protocol of H005", downloadRequest(T, orderOf("HAC"), MOMENT), start(ADMIN("HAC") + PARAMS)],
  [
    "a download of H004",
    downloadRequest(H004, orderOf("C53"), MOMENT),
    start(OLD("C53", "DZHNN") + PARAMS, "", "", "H004"),
  ],
  [
    "a segment that is sent",
    transferRequest(subscriber(), { transactionId: "AB", number: 2, last: true }, "ZGF0YQ=="),
    next(segment(2, true), "<DataTransfer><OrderData>ZGF0YQ==</OrderData></DataTransfer>"),
  ],
  [
    "a segment that is asked for",
    transferRequest(subscriber(), { transactionId: "AB", number: 1, last: false }, null),
    next(segment(1, false), ""),
  ],
  ...([true, false] as const).map(
    (taken) =>
      [
        `a receipt of what ${taken ? "is" : "is not"} stored`,
        receiptRequest(subscriber(), "AB", taken),
        next(
          "<TransactionPhase>Receipt</TransactionPhase>",
          `<TransferReceipt authenticate="true"><ReceiptCode>${taken ? 0 : 1}</ReceiptCode></TransferReceipt>`,
        ),
      ] as const,
  ),
];

for (const [what, request, expected] of REQUESTS)
  test(`${what} is written as its schema wants it`, () =>
    assert.equal(request.replace(/<AuthSignature>.*<\/AuthSignature>/, "<AuthSignature/>"), expected));

test("a service of H005 is not an order of H004", () => {
  const words = /H004 has order types of three letters/;
  assert.throws(() => upload(H004, "SDD//COR//pain.008"), words);
  assert.throws(() => downloadRequest(H004, orderOf("EOP/DE//ZIP/camt.053"), MOMENT), words);
});

for (const text of ["", "cdd", "CDDX", "EOP/DE//ZIP", "EOP/DE//TAR/camt.053", "EOP/DE//ZIP/camt.053:8:9"])
  test(`"${text}" is not an order`, () =>
    assert.throws(() => orderOf(text), new Error(`${text} is not an EBICS order`)));
