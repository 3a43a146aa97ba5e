/** The simulated bank's records: users, their keys, open and accepted orders, files for download, and the protocol. */
import type { KeyObject } from "node:crypto";

/** The state of a user: known by name, has sent INI, HIA or both, activated by the bank, locked. */
type UserState = "new" | "ini" | "hia" | "both" | "ready" | "suspended";

export interface User {
  readonly partnerId: string;
  readonly userId: string;
  /** The class of the user's signature: it releases an order (E), or another person has to (T). */
  readonly signatureClass: "E" | "T";
  state: UserState;
  signature: { readonly version: string; readonly key: KeyObject } | null;
  authentication: KeyObject | null;
  encryption: KeyObject | null;
}

/** An order that the bank has accepted. */
interface TakenOrder {
  readonly orderId: string;
  readonly userId: string;
  /** The order type, or the service as NAME/SCOPE/OPTION/CONTAINER/MESSAGE. */
  readonly order: string;
  readonly data: Buffer;
  /** Whether a person has to release it. */
  readonly waits: boolean;
}

export interface Upload {
  readonly kind: "upload";
  readonly user: User;
  readonly order: string;
  readonly orderId: string;
  readonly key: Buffer;
  readonly signatureData: string;
  readonly digest: string | null;
  readonly segments: number;
  readonly waits: boolean;
  readonly received: string[];
}

export interface Download {
  readonly kind: "download";
  readonly user: User;
  readonly order: string;
  readonly segments: readonly string[];
  readonly key: Buffer;
  /** Removes sent files from the queue. */
  readonly done: () => void;
}

interface HacEvent {
  readonly action: string;
  /** The next three are null if the bank gives none. */
  readonly reason: string | null;
  readonly orderId: string | null;
  readonly at: Date | null;
  /** CDD, BTU and so on; absent or null if the bank gives none. */
  readonly orderType?: string | null;
  readonly userId: string;
  readonly text: string;
}

/** The bank's records, which tests read. */
export interface Books {
  readonly users: Map<string, User>;
  readonly transactions: Map<string, Upload | Download>;
  readonly taken: TakenOrder[];
  /** Files for download, by order type; the first is returned until its receipt. */
  readonly waiting: Map<string, Buffer[]>;
  readonly protocol: HacEvent[];
  /** How many entries of the protocol were fetched. */
  protocolFetched: number;
  readonly nonces: Set<string>;
  orders: number;
  /** Which keys the bank has: 0, and 1 after a change. */
  generation: number;
}

export function openBooks(users: readonly Pick<User, "partnerId" | "userId" | "signatureClass">[]): Books {
  return {
    users: new Map(
      users.map((user) => [
        `${user.partnerId}/${user.userId}`,
        { ...user, state: "new", signature: null, authentication: null, encryption: null } satisfies User,
      ]),
    ),
    transactions: new Map(),
    taken: [],
    waiting: new Map(),
    protocol: [],
    protocolFetched: 0,
    nonces: new Set(),
    orders: 0,
    generation: 0,
  };
}

/** The order ids of EBICS: a letter and three digits or letters, in sequence. */
export function nextOrderId(books: Books): string {
  books.orders += 1;
  return `N${books.orders.toString(36).toUpperCase().padStart(3, "0")}`;
}

/** The bank's protocol (HAC): a pain.002 with one entry for each step. */
export function hacOf(events: readonly HacEvent[], at: Date): string {
  const other = (id: string | null, name: string) =>
    id === null ? "" : `<Othr><Id>${id}</Id><SchmeNm><Prtry>${name}</Prtry></SchmeNm></Othr>`;
  const reason = (code: string | null) => (code === null ? "" : `<Rsn><Cd>${code}</Cd></Rsn>`);
  const entries = events.map(
    (event) =>
      `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${event.action}</OrgnlPmtInfId><StsRsnInf><Orgtr><Id><OrgId>` +
      other(event.userId, "UserID") +
      other(event.orderId, "OrderID") +
      other(event.orderType ?? null, event.orderType === "BTU" ? "AdminOrderType" : "OrderType") +
      other(event.at?.toISOString() ?? null, "TimeStamp") +
      `</OrgId></Id></Orgtr>${reason(event.reason)}<AddtlInf>${event.text}</AddtlInf></StsRsnInf></OrgnlPmtInfAndSts>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt>' +
    `<GrpHdr><MsgId>HAC${events.length}</MsgId><CreDtTm>${at.toISOString()}</CreDtTm></GrpHdr>` +
    `<OrgnlGrpInfAndSts><OrgnlMsgId>HAC</OrgnlMsgId><OrgnlMsgNmId>HAC</OrgnlMsgNmId></OrgnlGrpInfAndSts>` +
    `${entries.join("")}</CstmrPmtStsRpt></Document>`
  );
}
