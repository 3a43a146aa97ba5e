/** The simulated bank's EBICS host, H004 and H005: checks signatures, decrypts, keeps records, and fails on demand. */
import { randomBytes } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { hacOf, nextOrderId, type Books, type Download, type Upload, type User } from "./books.ts";
import {
  bankPair,
  closeKey,
  decrypt,
  encrypt,
  hashOfCertificate,
  hashOfKey,
  hexNumbers,
  keyOfCertificate,
  keyOfNumbers,
  openKey,
  ordered,
  sha256,
  signX002,
  verifyOrder,
  verifyX002,
} from "./crypto.ts";
import { at, below, canonical, marked, parse, text, type XmlElement } from "./xml.ts";

/** The subject of a request, for the choice of faults. */
export interface About {
  /** INI, HIA, HPB, HAC, BTU, CDD and so on; in later phases the order type of the first. */
  readonly order: string;
  readonly direction: "key" | "upload" | "download";
  readonly phase: "Initialisation" | "Transfer" | "Receipt";
  readonly segment: number;
  readonly last: boolean;
}

/** A return code instead of the bank's response. `processed`: the bank executes the request anyway. */
export interface Injected {
  readonly code: string;
  readonly processed?: boolean;
  /** Of 061101: the last segment that the bank has. */
  readonly segment?: number;
  /** The transaction that the response names instead of its own; null: none. */
  readonly transactionId?: string | null;
  /** The phase that the response names instead of the request's. */
  readonly phase?: About["phase"];
}

export interface HostSettings {
  readonly hostId: string;
  readonly books: Books;
  readonly now: () => Date;
  /** Length of a segment in base64. */
  readonly segmentChars: number;
  /** The order types that users may send and fetch; null for all. */
  readonly agreed: ReadonlySet<string> | null;
  readonly digestOf: "key" | "certificate";
  /** Whether an order in one segment is handed out without its number. */
  readonly numbersOmitted: boolean;
}

interface Reply {
  readonly technical?: string;
  readonly business?: string;
  readonly transactionId?: string;
  readonly orderId?: string;
  readonly phase?: string;
  readonly numSegments?: number;
  readonly segment?: { readonly number: number; readonly last: boolean };
  readonly key?: { readonly wrapped: string; readonly digest: string };
  readonly data?: string;
}

/** Answers a request. @param decide a fault for this request, or null. */
export function answerTo(
  host: HostSettings,
  request: string,
  decide: (about: About) => Injected | null = () => null,
): string {
  const root = parse(request);
  const version = root.getAttribute("Version") ?? "";
  const about = aboutOf(host, root);
  const injected = decide(about);
  const unsigned = root.localName !== "ebicsRequest";
  const send = (reply: Reply) =>
    unsigned ? keyAnswer(host, version, reply) : signedAnswer(host, version, reply);
  const phase = { phase: injected?.phase ?? about.phase };
  if (injected !== null && injected.processed !== true) {
    const segment =
      injected.segment === undefined ? {} : { segment: { number: injected.segment, last: false } };
    const id = text(root, "header", "static", "TransactionID");
    return send({ ...phase, ...codeAs(injected.code), ...segment, ...namedIn(injected, id) });
  }
  const reply = unsigned ? keyManagement(host, root, version) : work(host, root, about);
  if (injected === null) return send({ ...phase, ...reply });
  const { transactionId: id = "", ...unnamed } = { ...phase, ...reply, ...codeAs(injected.code) };
  return send({ ...unnamed, ...namedIn(injected, id) });
}

function namedIn({ transactionId }: Injected, own: string): Pick<Reply, "transactionId"> {
  const named = transactionId === undefined ? own : transactionId;
  return named === null || named === "" ? {} : { transactionId: named };
}

/** Technical codes are in the header, the others in the body. */
function codeAs(code: string): Reply {
  return /^(01|03|061|0910|0911[01])/.test(code) ? { technical: code } : { business: code };
}

function aboutOf({ books }: HostSettings, root: XmlElement): About {
  const header = at(root, "header") ?? root;
  const phase = (text(header, "mutable", "TransactionPhase") || "Initialisation") as About["phase"];
  const number = at(header, "mutable", "SegmentNumber");
  const segment = Number(number?.textContent ?? 0);
  const last = number?.getAttribute("lastSegment") === "true";
  const under = books.transactions.get(text(header, "static", "TransactionID"));
  if (under !== undefined) return { order: under.order, direction: under.kind, phase, segment, last };
  const details = at(header, "static", "OrderDetails");
  const order = details === null ? "" : orderOf(details);
  if (root.localName !== "ebicsRequest") return { order, direction: "key", phase, segment, last };
  const uploads = text(header, "static", "NumSegments") !== "";
  return { order, direction: uploads ? "upload" : "download", phase, segment, last };
}

/** As settings of the service write it. */
function orderOf(details: XmlElement): string {
  const type = text(details, "AdminOrderType") || text(details, "OrderType");
  const service = below(details, "Service")[0];
  if (service === undefined) return type;
  const version = at(service, "MsgName")?.getAttribute("version");
  return [
    text(service, "ServiceName"),
    text(service, "Scope"),
    text(service, "ServiceOption"),
    at(service, "Container")?.getAttribute("containerType") ?? "",
    text(service, "MsgName") + (version ? `:${version}` : ""),
  ].join("/");
}

function userOf({ books, hostId }: HostSettings, root: XmlElement): User | string {
  const header = at(root, "header", "static") ?? root;
  if (text(header, "HostID") !== hostId) return "061011";
  return books.users.get(`${text(header, "PartnerID")}/${text(header, "UserID")}`) ?? "091003";
}

function keyManagement(host: HostSettings, root: XmlElement, version: string): Reply {
  const user = userOf(host, root);
  if (typeof user === "string") return codeAs(user);
  const type = orderOf(at(root, "header", "static", "OrderDetails") ?? root);
  if (type === "HPB") return bankKeys(host, root, user, version);
  const data = parse(
    inflateSync(Buffer.from(text(root, "body", "DataTransfer", "OrderData"), "base64")).toString(),
  );
  if (type === "INI") {
    if (user.state !== "new" && user.state !== "hia") return codeAs("091002");
    user.signature = {
      version: below(data, "SignatureVersion")[0]?.textContent ?? "",
      key: keyIn(data, "SignaturePubKeyInfo"),
    };
    user.state = user.state === "hia" ? "both" : "ini";
    return { orderId: nextOrderId(host.books) };
  }
  if (type === "HIA") {
    if (user.state !== "new" && user.state !== "ini") return codeAs("091002");
    user.authentication = keyIn(data, "AuthenticationPubKeyInfo");
    user.encryption = keyIn(data, "EncryptionPubKeyInfo");
    user.state = user.state === "ini" ? "both" : "hia";
    return { orderId: nextOrderId(host.books) };
  }
  return codeAs("091005");
}

function keyIn(data: XmlElement, name: string) {
  const info = below(data, name)[0];
  if (info === undefined) throw new Error(`there is no ${name}`);
  const certificate = below(info, "X509Certificate")[0]?.textContent;
  if (certificate) return keyOfCertificate(certificate);
  return keyOfNumbers(
    below(info, "Modulus")[0]?.textContent ?? "",
    below(info, "Exponent")[0]?.textContent ?? "",
  );
}

function bankKeys(host: HostSettings, root: XmlElement, user: User, version: string): Reply {
  if (user.state !== "ready") return codeAs("091002");
  if (!isAuthentic(root, user)) return codeAs("061001");
  const info = (use: "authentication" | "encryption", name: string, short: string) => {
    const { certificate, publicKey } = bankPair(use, host.books.generation);
    const [exponent, modulus] = hexNumbers(publicKey);
    const base64 = (hex: string) =>
      Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString("base64");
    const key =
      version === "H005"
        ? `<ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data>`
        : `<PubKeyValue><ds:RSAKeyValue><ds:Modulus>${base64(modulus)}</ds:Modulus><ds:Exponent>${base64(exponent)}</ds:Exponent></ds:RSAKeyValue></PubKeyValue>`;
    return `<${name}PubKeyInfo>${key}<${name}Version>${short}</${name}Version></${name}PubKeyInfo>`;
  };
  const data =
    `<?xml version="1.0" encoding="UTF-8"?><HPBResponseOrderData xmlns="urn:org:ebics:${version}" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">` +
    info("authentication", "Authentication", "X002") +
    info("encryption", "Encryption", "E002") +
    `<HostID>${host.hostId}</HostID></HPBResponseOrderData>`;
  const key = randomBytes(16);
  return { key: wrapped(user, key), data: encrypt(key, deflateSync(data)).toString("base64") };
}

function wrapped(user: User, key: Buffer) {
  if (user.encryption === null) throw new Error("the user has no key");
  return { wrapped: closeKey(user.encryption, key), digest: hashOfKey(user.encryption) };
}

function isAuthentic(root: XmlElement, user: User): boolean {
  const info = at(root, "AuthSignature", "SignedInfo");
  if (info === null || user.authentication === null) return false;
  return (
    text(info, "Reference", "DigestValue") === sha256(marked(root)).toString("base64") &&
    verifyX002(user.authentication, canonical(info), text(root, "AuthSignature", "SignatureValue"))
  );
}

function work(host: HostSettings, root: XmlElement, about: About): Reply {
  if (about.phase === "Initialisation") return begin(host, root, about);
  const transactionId = text(root, "header", "static", "TransactionID");
  const under = host.books.transactions.get(transactionId);
  if (under === undefined) return codeAs("091101");
  if (!isAuthentic(root, under.user)) return codeAs("061001");
  const reply =
    about.phase === "Receipt"
      ? receipt(host, root, transactionId, under)
      : under.kind === "upload"
        ? receive(host, root, about, transactionId, under)
        : handOut(about, under);
  return { transactionId, ...reply };
}

function begin(host: HostSettings, root: XmlElement, about: About): Reply {
  const { books } = host;
  const user = userOf(host, root);
  if (typeof user === "string") return codeAs(user);
  if (user.state !== "ready") return codeAs("091002");
  if (!isAuthentic(root, user)) return codeAs("061001");
  const nonce = text(root, "header", "static", "Nonce");
  if (books.nonces.has(nonce)) return codeAs("091103");
  books.nonces.add(nonce);
  if (!knowsOurKeys(host, root)) return codeAs("091008");
  if (host.agreed !== null && !host.agreed.has(about.order)) return codeAs("090003");
  return about.direction === "upload"
    ? beginUpload(host, root, about, user)
    : beginDownload(host, about, user);
}

function knowsOurKeys({ books, digestOf }: HostSettings, root: XmlElement): boolean {
  const digests = at(root, "header", "static", "BankPubKeyDigests") ?? root;
  return (["authentication", "encryption"] as const).every((use) => {
    const { publicKey, certificate } = bankPair(use, books.generation);
    const hash = digestOf === "key" ? hashOfKey(publicKey) : hashOfCertificate(certificate);
    return text(digests, use === "authentication" ? "Authentication" : "Encryption") === hash;
  });
}

/** Orders about keys and the user's state are always signed and need no other person. */
const OWN_ORDERS = new Set(["HCS", "SPR"]);

function beginUpload({ books }: HostSettings, root: XmlElement, { order }: About, user: User): Reply {
  const flag = below(root, "SignatureFlag")[0];
  const asksForPerson =
    flag?.getAttribute("requestEDS") === "true" || below(root, "OrderAttribute")[0]?.textContent === "DZHNN";
  const waits = user.signatureClass === "T" && !OWN_ORDERS.has(order);
  if (waits && !asksForPerson) return codeAs("090003");
  const transfer = at(root, "body", "DataTransfer") ?? root;
  const transactionId = randomBytes(16).toString("hex").toUpperCase();
  const upload: Upload = {
    kind: "upload",
    user,
    order,
    orderId: nextOrderId(books),
    key: openKey(
      bankPair("encryption", books.generation).privateKey,
      text(transfer, "DataEncryptionInfo", "TransactionKey"),
    ),
    signatureData: text(transfer, "SignatureData"),
    digest: at(transfer, "DataDigest") === null ? null : text(transfer, "DataDigest"),
    segments: Number(text(root, "header", "static", "NumSegments")),
    waits: waits || asksForPerson,
    received: [],
  };
  books.transactions.set(transactionId, upload);
  return { transactionId, orderId: upload.orderId };
}

function receive(
  host: HostSettings,
  root: XmlElement,
  about: About,
  transactionId: string,
  upload: Upload,
): Reply {
  const { number, data } = { number: about.segment, data: text(root, "body", "DataTransfer", "OrderData") };
  const segment = { number, last: about.last };
  if (number !== upload.received.length + 1) {
    // A repeated segment: the bank reports what it has.
    return { ...codeAs("061101"), segment: { number: upload.received.length, last: false } };
  }
  upload.received.push(data);
  if (!about.last) return { segment, orderId: upload.orderId };
  host.books.transactions.delete(transactionId);
  if (upload.received.length !== upload.segments) return { ...codeAs("011101"), segment };
  return { segment, orderId: upload.orderId, ...take(host, upload) };
}

/** The order is complete: checks and accepts it. */
function take({ books, now }: HostSettings, upload: Upload): Reply {
  const { user, order, orderId, key } = upload;
  const data = inflateSync(decrypt(key, Buffer.from(upload.received.join(""), "base64")));
  const signatures = parse(inflateSync(decrypt(key, Buffer.from(upload.signatureData, "base64"))).toString());
  const value = Buffer.from(below(signatures, "SignatureValue")[0]?.textContent ?? "", "base64");
  const digest = sha256(ordered(data)).toString("base64");
  if (upload.digest !== null && upload.digest !== digest) return codeAs("091111");
  if (user.signature === null || !verifyOrder(user.signature.version, user.signature.key, data, value))
    return codeAs("091301");
  if (order === "HCS") return changeKeys(user, data);
  if (order === "SPR") {
    user.state = "suspended";
    return {};
  }
  books.taken.push({ orderId, userId: user.userId, order, data, waits: upload.waits });
  const orderType = order.includes("/") ? "BTU" : order;
  const note = (action: string, reason: string, said: string) =>
    books.protocol.push({ action, reason, orderId, orderType, userId: user.userId, at: now(), text: said });
  note("FILE_UPLOAD", "TS01", `${order}: ${data.length} bytes`);
  note("ES_VERIFICATION", "DS01", "signature correct");
  if (upload.waits) note("VEU_FORWARDING", "DS06", "waits for a person to release it");
  else note("ORDER_HAC_FINAL_POS", "DS07", "all done");
  return {};
}

function changeKeys(user: User, data: Buffer): Reply {
  const keys = parse(data.toString());
  user.authentication = keyIn(keys, "AuthenticationPubKeyInfo");
  user.encryption = keyIn(keys, "EncryptionPubKeyInfo");
  user.signature = {
    version: below(keys, "SignatureVersion")[0]?.textContent ?? "",
    key: keyIn(keys, "SignaturePubKeyInfo"),
  };
  return {};
}

function beginDownload(host: HostSettings, { order }: About, user: User): Reply {
  const { books } = host;
  const found = order === "HAC" ? protocolOf(host) : queued(host, order);
  if (found === null) return codeAs("090005");
  const key = randomBytes(16);
  const all = encrypt(key, deflateSync(found.data)).toString("base64");
  const segments = Array.from({ length: Math.ceil(all.length / host.segmentChars) }, (_, index) =>
    all.slice(index * host.segmentChars, (index + 1) * host.segmentChars),
  );
  const transactionId = randomBytes(16).toString("hex").toUpperCase();
  const download: Download = { kind: "download", user, order, segments, key, done: found.done };
  books.transactions.set(transactionId, download);
  return {
    transactionId,
    numSegments: segments.length,
    ...(host.numbersOmitted && segments.length === 1
      ? {}
      : { segment: { number: 1, last: segments.length === 1 } }),
    key: wrapped(user, key),
    data: segments[0] ?? "",
  };
}

interface Found {
  readonly data: Buffer;
  readonly done: () => void;
}

function protocolOf({ books, now }: HostSettings): Found | null {
  const [from, until] = [books.protocolFetched, books.protocol.length];
  if (from === until) return null;
  return {
    data: Buffer.from(hacOf(books.protocol.slice(from, until), now())),
    done: () => {
      books.protocolFetched = Math.max(books.protocolFetched, until);
    },
  };
}

function queued({ books }: HostSettings, order: string): Found | null {
  const queue = books.waiting.get(order);
  const data = queue?.[0];
  if (data === undefined) return null;
  return {
    data,
    done: () => {
      if (queue?.[0] === data) queue.shift();
    },
  };
}

function handOut({ segment: number }: About, { segments }: Download): Reply {
  const data = segments[number - 1];
  if (data === undefined) return codeAs("091104");
  return { numSegments: segments.length, segment: { number, last: number === segments.length }, data };
}

function receipt(
  host: HostSettings,
  root: XmlElement,
  transactionId: string,
  under: Upload | Download,
): Reply {
  if (under.kind !== "download") return codeAs("061002");
  host.books.transactions.delete(transactionId);
  if (text(root, "body", "TransferReceipt", "ReceiptCode") !== "0") return codeAs("011001");
  under.done();
  return codeAs("011000");
}

function transferOf({ key, data }: Reply): string {
  if (data === undefined) return "";
  const info =
    key === undefined
      ? ""
      : `<DataEncryptionInfo authenticate="true"><EncryptionPubKeyDigest Version="E002" Algorithm="http://www.w3.org/2001/04/xmlenc#sha256">${key.digest}</EncryptionPubKeyDigest><TransactionKey>${key.wrapped}</TransactionKey></DataEncryptionInfo>`;
  return `<DataTransfer>${info}<OrderData>${data}</OrderData></DataTransfer>`;
}

function keyAnswer(_host: HostSettings, version: string, reply: Reply): string {
  const { technical = "000000", business = "000000", orderId } = reply;
  const order = orderId === undefined ? "" : `<OrderID>${orderId}</OrderID>`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<ebicsKeyManagementResponse xmlns="urn:org:ebics:${version}" Version="${version}" Revision="1">` +
    `<header authenticate="true"><static/><mutable>${order}<ReturnCode>${technical}</ReturnCode><ReportText>[${technical}]</ReportText></mutable></header>` +
    `<body>${transferOf(reply)}<ReturnCode authenticate="true">${business}</ReturnCode></body></ebicsKeyManagementResponse>`
  );
}

function signedAnswer({ books }: HostSettings, version: string, reply: Reply): string {
  const {
    technical = "000000",
    business = "000000",
    transactionId,
    orderId,
    numSegments,
    segment,
    phase,
  } = reply;
  const some = (name: string, value: string | number | undefined) =>
    value === undefined ? "" : `<${name}>${value}</${name}>`;
  const number =
    segment === undefined
      ? ""
      : `<SegmentNumber lastSegment="${segment.last}">${segment.number}</SegmentNumber>`;
  const header =
    `<header authenticate="true"><static>${some("TransactionID", transactionId)}${some("NumSegments", numSegments)}</static>` +
    `<mutable>${some("TransactionPhase", phase)}${number}${some("OrderID", orderId)}<ReturnCode>${technical}</ReturnCode><ReportText>[${technical}]</ReportText></mutable></header>`;
  const body = `<body>${transferOf(reply)}<ReturnCode authenticate="true">${business}</ReturnCode></body>`;
  const document = (signature: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<ebicsResponse xmlns="urn:org:ebics:${version}" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Version="${version}" Revision="1">${header}${signature}${body}</ebicsResponse>`;
  const digest = sha256(marked(parse(document("")))).toString("base64");
  const c14n = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
  const info =
    `<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${c14n}"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>` +
    `<ds:Reference URI="#xpointer(//*[@authenticate='true'])"><ds:Transforms><ds:Transform Algorithm="${c14n}"/></ds:Transforms>` +
    `<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const signed = at(parse(document(`<AuthSignature>${info}</AuthSignature>`)), "AuthSignature", "SignedInfo");
  if (signed === null) throw new Error("there is something to sign");
  const value = signX002(bankPair("authentication", books.generation).privateKey, canonical(signed));
  return document(`<AuthSignature>${info}<ds:SignatureValue>${value}</ds:SignatureValue></AuthSignature>`);
}
